package notice

// About systems, engines, roles and ranks.
var (
	NoRoles = Kind{"no-roles", Info,
		"%s knows no roles: all of it is shown.",
		"%s 没有角色之分：显示其全部数据。"}
	RoleNotRecognised = Kind{"role-not-recognised", Warning,
		"No %s engine of %s was recognised: the deployment counts as unified and all its engines are shown. Set role matchers in the data source settings (Roles).",
		"未识别出 %[2]s 的 %[1]s 引擎：该部署按一体式处理，显示其全部引擎。请在数据源设置（角色）中设置角色匹配器。"}
	UnifiedLeftOut = Kind{"unified-left-out", Warning,
		"%s has engines that are neither prefill nor decode (unified). They are left out: the role matchers name several labels, so the rest cannot be selected.",
		"%s 有既非 prefill 也非 decode 的引擎（一体式）。角色匹配器涉及多个标签，无法选出其余引擎，因此未包含它们。"}
	NoEngineOfRole = Kind{"no-engine-of-role", Warning,
		"No %s engine of %s is there now.",
		"%[2]s 目前没有 %[1]s 引擎。"}
	OtherRole = Kind{"other-role", Error,
		"%s reports %s on the %s role only; there is none on %s. Remove the role or choose %s.",
		"%s 只在 %[3]s 角色上报告“%[2]s”；%[4]s 上没有。请去掉角色，或选择 %[5]s。"}
	RolesUntold = Kind{"roles-untold", Warning,
		"%s exports KV transfers of %s, so prefill and decode are apart, but no engine fits the role matchers: each request is counted on both. Set them in the data source settings (Roles).",
		"%s 导出了 %s 的 KV 传输，可见 prefill 与 decode 是分离的，但没有引擎符合角色匹配器：每个请求在两侧各计一次。请在数据源设置（角色）中设置匹配器。"}
	NoRoleLabel = Kind{"no-role-label", Info,
		"%s carries no %s label in this version; the role is told by the settings' matchers (%s).",
		"此版本的 %s 没有 %s 标签；角色由设置中的匹配器（%s）判定。"}
	NoRoleMatcher = Kind{"no-role-matcher", Warning,
		"No matcher tells the %s role of %s; all its engines are shown. Set one in the data source settings (Roles).",
		"没有匹配器能判定 %[2]s 的 %[1]s 角色；显示其全部引擎。请在数据源设置（角色）中设置。"}
	RankZero = Kind{"rank-zero", Warning,
		"Rank strategy rank0 keeps %s 0 alone, but several dp_rank were found: under DP attention the other ranks' requests are lost. Set it to auto.",
		"rank 策略 rank0 只保留 %s 0，但发现了多个 dp_rank：启用 DP attention 时其他 rank 的请求会丢失。请改为 auto。"}
	Copies = Kind{"copies", Info,
		"%s repeats one value on every %s: the series are copies, do not add them.",
		"%s 在每个 %s 上重复同一个值：这些序列是副本，请勿相加。"}
	RanksGuessed = Kind{"ranks-guessed", Warning,
		"Ranks are guessed: series of %s carry %s, of which the catalog does not know whether ranks repeat or shard; they are added up. The setting rankStrategy can say otherwise.",
		"rank 形态是推测的：%s 的序列带有 %s，目录不知道各 rank 是重复还是分片；目前按相加处理。可用设置 rankStrategy 更改。"}
	ScrapedTwice = Kind{"scraped-twice", Warning,
		"%s is scraped by several jobs (%s): every sum counts it once for each job. Filter on job or scrape it once.",
		"%s 被多个 job 抓取（%s）：每个求和都会按 job 重复计数。请按 job 过滤，或只抓取一次。"}
	ShownAgain = Kind{"shown-again", Info,
		"A router shows the metrics of %s again; the engines' own are read.",
		"路由器再次导出了 %s 的指标；读取的是引擎自己的指标。"}
	Ungrouped = Kind{"ungrouped", Warning,
		"Some engines of %s lack the label %s that the settings name to identify one; they count as one engine.",
		"%s 的部分引擎缺少设置中用来标识引擎的标签 %s；它们按一个引擎计算。"}
	SeveralPrefixes = Kind{"several-prefixes", Info,
		"%s is exported under several prefixes (%s); an engine that has both is read once. The setting prefixes chooses one.",
		"%s 以多个前缀导出（%s）；同时具有多个前缀的引擎只读取一次。可用设置 prefixes 选择其一。"}
	ReadFrom = Kind{"read-from", Info, "%s: read from %s.", "%s：读自 %s。"}
	ReadOnce = Kind{"read-once", Info,
		"Each engine is read from the first of these that it has, so nothing counts twice.",
		"每个引擎读取其中它所具有的第一个来源，因此不会重复计数。"}
	NotAdded = Kind{"not-added", Info,
		"Not added, because it would count the same twice: %s.",
		"未相加，因为会重复计数：%s。"}
	SourceAbsent = Kind{"source-absent", Error,
		"The settings read KV transfers from %s, which exports none here. Set KV source to auto or install its connector.",
		"设置指定从 %s 读取 KV 传输，但它在此没有导出。请将 KV 来源设为 auto，或安装其连接器。"}
	SystemFiltered = Kind{"system-filtered", Error,
		"The filter on system leaves none that exports “%s”: %s do.",
		"对 system 的过滤没有留下能导出“%s”的系统；能导出的有：%s。"}
	SystemLacks = Kind{"system-lacks", Error,
		"%s does not export “%s”; these do: %s.",
		"%s 不导出“%s”；能导出的有：%s。"}
	Missing = Kind{"missing", Error,
		"%s: %s is not on this server (looked for %s).%s",
		"%s：此服务器上没有“%s”（查找了 %s）。%s"}
	NotWithThese = Kind{"not-with-these", Error,
		"%s cannot be had with this role, these filters and this grouping.",
		"在此角色、过滤条件和分组下没有“%s”。"}
)
