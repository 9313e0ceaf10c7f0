package notice

// About the server, time and the answer as a whole.
var (
	FromRecords   = Kind{"from-records", Info, "Read from recording rules.", "读自记录规则。"}
	ScrapeAssumed = Kind{"scrape-assumed", Warning,
		"The scrape interval could not be detected; %s is assumed. Set it in the data source settings (Scrape interval) if rates are empty.",
		"无法检测抓取间隔；假定为 %s。如果速率为空，请在数据源设置（抓取间隔）中设置。"}
	StepRaised = Kind{"step-raised", Info,
		"The step was raised from %s to %s: a server answers with at most %d points for a series.",
		"步长由 %s 提高到 %s：服务器对每个序列最多返回 %d 个点。"}
	NotLookedAt = Kind{"not-looked-at", Warning,
		"The server could not be looked at, so every known metric name is asked for: %s",
		"无法查看服务器上的内容，因此查询了所有已知的指标名：%s"}
	StandsStill = Kind{"stands-still", Info,
		"All zero: the counter is exported and did not move in this time range.",
		"全部为零：计数器已导出，但在此时间范围内没有变化。"}
	NothingObserved = Kind{"nothing-observed", Info,
		"Nothing was observed in this time range: every bucket is empty.",
		"此时间范围内没有观测：所有桶都为空。"}
	CounterReset = Kind{"counter-resets", Info,
		"%d counter reset in this time range (an engine restarted): rates are right across them, cumulative values fall.",
		"此时间范围内有 %d 次计数器重置（引擎重启过）：速率不受影响，累计值会下降。"}
	CounterResets = Kind{"counter-resets", Info,
		"%d counter resets in this time range (an engine restarted): rates are right across them, cumulative values fall.",
		"此时间范围内有 %d 次计数器重置（引擎重启过）：速率不受影响，累计值会下降。"}
	Empty    = Kind{"empty", Warning, "%s", ""}
	Text     = Kind{"text", Warning, "The query gives a text instead of numbers: there is nothing to draw.", "查询返回的是文本而不是数值：没有可绘制的内容。"}
	Infinite = Kind{"infinite", Warning,
		"%s in %s left out as infinite: something was divided by zero.",
		"略去了 %[2]s 中的 %[1]s（无穷大）：有除以零的情况。"}
	TooManySeries = Kind{"too-many-series", Warning,
		"%s, the first %s shown: narrow the query by a filter or group it by fewer labels.",
		"共 %s，只显示前 %s 个：请用过滤条件缩小范围，或减少分组标签。"}
	BecameEqual = Kind{"became-equal", Info,
		"Some series became equal when their labels were renamed: they are told apart by their own labels.",
		"部分序列在标签改名后变得相同：用它们自己的标签加以区分。"}
	SeveralHeatmaps = Kind{"several-heatmaps", Warning,
		"%d heatmaps came back, and a heatmap panel draws one: filter by a model, role or system, group by fewer labels, or repeat the panel.",
		"返回了 %d 个热力图，而热力图面板只能绘制一个：请按模型、角色或系统过滤，减少分组标签，或重复面板。"}
	NotFiltered = Kind{"not-filtered", Warning,
		"An inventory is of the whole server: filters are not applied.",
		"清单针对整个服务器：过滤条件不生效。"}
	OfServer    = Kind{"server", Info, "%s", ""}
	NotMeasured = Kind{"not-measured", Warning, "%s: %s", ""}
)
