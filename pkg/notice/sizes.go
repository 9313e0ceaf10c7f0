package notice

// About the KV bytes of a request.
var (
	SizeOfQuery = Kind{"size-of-query", Info,
		"B_request = %s for every model, given with the query.",
		"所有模型的 B_request = %s，由查询给出。"}
	NoModelLabel = Kind{"no-model-label", Error,
		"%s has no model label, so no B_request can be matched. Give bytesPerRequest with the query.",
		"%s 没有模型标签，无法匹配 B_request。请在查询中给出 bytesPerRequest。"}
	SizeOfModel = Kind{"size-of-model", Info, "B_request of %s = %s: %s.", "%s 的 B_request = %s：%s。"}
	SizeMissing = Kind{"size-missing", Warning,
		"%s has no number for %s%s: the KV bytes of one request are not configured. Set them in the data source settings (KV bytes per request, requestSizes), or bytesPerRequest in the query.",
		"“%s”没有 %s%s 的数值：未配置每个请求的 KV 字节数。请在数据源设置（每请求 KV 字节数，requestSizes）或查询的 bytesPerRequest 中设置。"}
	SizesMissing = Kind{"size-missing", Warning,
		"%s has no number: the KV bytes of one request are not configured. Set them in the data source settings (KV bytes per request, requestSizes), or bytesPerRequest in the query.",
		"“%s”没有数值：未配置每个请求的 KV 字节数。请在数据源设置（每请求 KV 字节数，requestSizes）或查询的 bytesPerRequest 中设置。"}
	NoModel   = Kind{"no-model", Warning, "%s: no model was found.", "%s：没有发现模型。"}
	SizeWrong = Kind{"size-wrong", Error,
		"An entry of KV bytes per request in the data source settings is wrong, so that %s gets no number of %s: %s.",
		"数据源设置中每请求 KV 字节数有一项错误，因此 %s 没有“%s”的数值：%s。"}
	SizeMeasured = Kind{"size-measured", Info, "%s: measured %s", "%s：实测 %s"}
	SizeNote     = Kind{"size-note", Info, "%s", ""}
)
