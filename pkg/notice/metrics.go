package notice

// About names, labels, filters and buckets.
var (
	OlderName = Kind{"older-name", Info,
		"The older name %s is used; newer versions call it %s.",
		"使用的是旧名称 %s；新版本中称为 %s。"}
	// Remark and Caution pass on what the catalog says of a metric or signal.
	Remark  = Kind{"remark", Info, "%s", ""}
	Caution = Kind{"caution", Info, "%s", ""}

	FilterLacksLabel = Kind{"filter-not-applied", Warning,
		"The filter on %s was not applied: %s has no such label.",
		"对 %s 的过滤未生效：%s 没有该标签。"}
	FilteredOut = Kind{"filtered-out", Info,
		"The filter on %s leaves out %s.",
		"对 %s 的过滤排除了 %s。"}
	NotSplit = Kind{"not-split", Warning,
		"%s is not split by %s: it has no such label.",
		"“%s”未按 %s 拆分：它没有该标签。"}
	HalfNotSplit = Kind{"not-split", Warning,
		"%s is not split by %s: %s has no such label.",
		"“%s”未按 %s 拆分：%s 没有该标签。"}
	OneLabel = Kind{"one-label", Info,
		"%s and %s are one label (%s) on %s; the answer calls it %s.",
		"%s 与 %s 在 %[4]s 上是同一个标签（%[3]s）；结果中称为 %[5]s。"}
	LabelUnseen = Kind{"label-unseen", Warning,
		"No engine of %s was seen with the label %s; there are %s.",
		"没有发现带有标签 %[2]s 的 %[1]s 引擎；现有标签：%[3]s。"}

	SignalsFilters = Kind{"filters-of-signal", Info,
		"The filters of the signal that this query asked for before were not applied: write them into the expression.",
		"此查询先前所选信号的过滤条件未生效：请将其写入表达式。"}
	FiltersSelectNothing = Kind{"filters-not-applied", Warning,
		"The filters of the dashboard were not applied: the expression selects no series.",
		"仪表板的过滤条件未生效：表达式没有选择任何序列。"}
	DashboardLabelUnknown = Kind{"dashboard-label-unknown", Warning,
		"The dashboard filters by %s, and there is no such label on %s.",
		"仪表板按 %s 过滤，而 %s 没有该标签。"}
	FiltersAdded  = Kind{"filters-added", Info, "Filters of the dashboard: %s.", "仪表板的过滤条件：%s。"}
	FilterNoLabel = Kind{"filter-no-label", Warning,
		"The filter on %s was not applied: in PromQL no label says it. Ask for a signal, or select by a label that tells it, such as instance.",
		"对 %s 的过滤未生效：PromQL 中没有表示它的标签。请改为选择信号，或用能区分它的标签（如 instance）来选择。"}

	GaugeNotCounted = Kind{"gauge-not-counted", Error,
		"This version exports %s as a gauge of the last value: nothing counts its observations.",
		"此版本将 %s 导出为最近一次的值（gauge）：没有对观测次数的计数。"}
	GaugeOnly = Kind{"gauge-only", Warning,
		"This version exports %s as a gauge of the last value: no quantile or mean can be had, the largest last value is shown.",
		"此版本将 %s 导出为最近一次的值（gauge）：无法得到分位数或均值，显示的是最大的最近值。"}
	NativeLeftOut = Kind{"native-left-out", Warning,
		"Engines that export %s as native histograms alone are not in this answer: they cannot be merged with the classic buckets of the others.",
		"只以原生直方图导出 %s 的引擎不在此结果中：它们无法与其他引擎的经典桶合并。"}
	NativeHeatmap = Kind{"native-heatmap", Error,
		"Only native histograms are exported here; a heatmap of them is not supported yet. Take a quantile or the mean.",
		"此处只导出原生直方图；尚不支持其热力图。请改用分位数或均值。"}
	NativeShare = Kind{"native-share", Error,
		"Only native histograms are exported here; the share under a limit is not supported for them yet.",
		"此处只导出原生直方图；尚不支持其限值以下的占比。"}
	NativeSeries = Kind{"native-series", Warning,
		"Native histograms in %s are left out: ask for a quantile or a mean of them.",
		"%s 中的原生直方图被略去：请查询其分位数或均值。"}
	NoCommonBuckets = Kind{"no-common-buckets", Error,
		"The engines use %d different sets of buckets that share no bound, so there is no %s of them all. Group by instance and role one at a time, or take the mean.",
		"各引擎使用 %d 组不同的桶且没有共同边界，因此没有全体的 %s。请按 instance 分组并逐一选择角色，或取均值。"}
	CommonBuckets = Kind{"common-buckets", Warning,
		"The engines use %d different sets of buckets; only the %d bounds that all share are merged, so the %s is coarser.",
		"各引擎使用 %d 组不同的桶；只合并共有的 %d 个边界，因此 %s 较粗。"}
	NoSuchBucket = Kind{"no-such-bucket", Error,
		"No bucket that all engines share ends at %g, so the share under it is not known. Bounds they share: %s.",
		"没有所有引擎共有的、以 %g 为边界的桶，因此其下的占比未知。共有的边界：%s。"}
	LimitOutside = Kind{"limit-outside", Warning,
		"The limit lies outside the buckets of this histogram (%g to %g by default).",
		"限值在此直方图的桶范围之外（默认 %g 至 %g）。"}
	FirstBucket = Kind{"first-bucket", Warning,
		"%s lies in the first bucket (≤ %s) at times: there it is only an upper bound.",
		"%s 有时落在第一个桶（≤ %s）内：此时只是上界。"}
	LastBucket = Kind{"last-bucket", Warning,
		"%s sits on the last finite bucket (%s) at times: there the true value is higher.",
		"%s 有时停在最后一个有限桶（%s）上：此时真实值更高。"}
	OneBucket = Kind{"one-bucket", Info,
		"%s stays within one bucket (%s to %s): where in it is interpolated, not measured.",
		"%s 始终在同一个桶内（%s 至 %s）：桶内位置是插值而非测量。"}
	BeyondBuckets = Kind{"beyond-buckets", Warning,
		"Up to %s %% of observations lie beyond the last finite bucket, %s %s.",
		"最多有 %s %% 的观测超出最后一个有限桶 %s %s。"}
)
