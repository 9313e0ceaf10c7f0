package dashboards

// cache is the KV memory of the engines and what prefill found in it.
func cache() row {
	return row{title: "KV cache", height: 9, panels: []panel{
		{
			title: "KV cache usage", width: 8, byRole: true,
			reads:  "The fullest engine of each role. Near 100 % on decode, requests wait for memory or are preempted.",
			silent: "the mean over engines, on purpose: one full engine hurts while the others idle. Systems differ in whether evictable memory counts.",
			curves: []curve{{"", byModel("kv_cache_usage", "")}},
		},
		{
			title: "KV cache occupied and active", width: 8,
			reads:  "Active is held by running requests, occupied also by what is kept for reuse. Active close to occupied leaves nothing to evict.",
			silent: "anything on engines that export usage alone, such as vLLM: they have no series here.",
			curves: []curve{
				{transferColour, byModel("kv_cache_occupied", "Occupied")},
				{"purple", byModel("kv_cache_active", "Active")},
			},
		},
		{
			title: "Prefix cache hit rate", width: 8,
			reads:  "Share of prompt tokens that prefill did not have to compute, as a ratio of two rates.",
			silent: "hits of single requests. It is empty while no prompt arrives, which is not a rate of 0.",
			curves: []curve{{prefillColour, byModel("prefix_cache_hit_rate", "")}},
		},
	}}
}
