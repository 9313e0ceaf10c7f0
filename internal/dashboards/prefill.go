package dashboards

import "github.com/ptd-monitor/pdmonitor/pkg/query"

// prefill is the first leg of a request: the prompt.
func prefill() board {
	return board{
		name: toPrefill, title: titleOf(toPrefill),
		about:     "Prefill: prompts and tokens per second, who waits where, where the time goes, and what the prefix cache saves.",
		variables: []string{models, instances},
		rows:      []row{prefillLoad(), prefillLatency(), prefillCache(), prefillEngines(), prefillStages()},
	}
}

func prefillLoad() row {
	return row{title: "Load", height: 8, panels: []drawn{
		panel{
			title: "Prefill req/s", width: 6, next: []string{toTransfer},
			reads:  "Requests whose prefill finished. SGLang counts a prefill when its KV transfer has ended, so a slow link lowers this curve too.",
			silent: "arrivals: while requests wait, more arrive than finish. See the queues beside.",
			curves: []curve{{prefillColour, byModel("prefill_request_rate", "")}},
		},
		panel{
			title: "Prefill tok/s", width: 6,
			reads:  "Computed: prompt tokens that prefill worked through. With cached: all prompt tokens. The distance between the two is what the prefix cache saved.",
			silent: "the speed of one prompt. Engines that count a prompt only when its request ends draw bursts; the notice on the panel names the counter.",
			curves: []curve{
				{prefillColour, byModel("prefill_token_rate", "Computed")},
				{"purple", byModel("prompt_token_rate", "With cached")},
			},
		},
		panel{
			title: "Requests running on prefill", width: 6,
			reads:  "Prompts that are being computed now. A level top with requests waiting is the limit of the batch.",
			silent: "throughput. A gauge sampled once a second misses what comes and goes in between, so its slope is no req/s.",
			curves: []curve{prefilling(byModel("requests_running", ""))},
		},
		panel{
			title: "Requests waiting on prefill", width: 6, next: []string{toTransfer},
			reads: "Waiting: no place in the batch, so compute is short. Bootstrap: decode has not yet reserved memory. Inflight: computed, and the KV is on its way. " +
				"The one that grows names the stage.",
			silent: "how long they wait: see the times below. Only SGLang has bootstrap and inflight.",
			curves: []curve{
				prefilling(byModel("requests_waiting", "Waiting")),
				{"red", byModel("prefill_bootstrap_queue", "Bootstrap")},
				{transferColour, byModel("prefill_inflight_queue", "Inflight")},
			},
		},
	}}
}

func prefillLatency() row {
	return row{title: "Latency", height: 8, panels: []drawn{
		panel{
			title: "Time in prefill's queue", width: 6,
			reads:  "Until a prompt is scheduled. It grows with the queue; a mean that grows at a level request rate means longer prompts or a slower engine.",
			silent: "the handshake and the transfer. vLLM's first bucket ends at 0.3 s: the notice says where a quantile is only a bound, so read the mean.",
			curves: spreadOn(query.RolePrefill, prefillColour, "queue_time"),
		},
		panel{
			title: "Time to compute a prompt", width: 6, next: []string{toDevices},
			reads:  "From the first step of a prompt to its first token on prefill. It grows with prompt length and with a slow GPU; hold it against the tokens per request.",
			silent: "anything on SGLang, which has no such histogram: see the stages at the bottom there.",
			curves: spread(prefillColour, "prefill_time"),
		},
		panel{
			title: "Prefill leg of a request", width: 6,
			reads:  "Arrival to the end of prefill on vLLM, to the end of the KV transfer on SGLang. What it has over queue and computation is hand-over.",
			silent: "the whole request: the decode leg is on its own dashboard, and quantiles of the two must not be added.",
			curves: quantilesOn(query.RolePrefill, "e2e_latency"),
		},
		panel{
			title: "Prompt tokens per request, mean", width: 6,
			reads:  "Length of the prompts, and what of it had to be computed. Longer prompts explain longer times before anything is broken.",
			silent: "the spread of lengths. Older SGLang needs a flag for it; prompts are counted when they end.",
			curves: []curve{
				{"purple", on(query.RolePrefill, mean("prompt_tokens_per_request", "Prompt"))},
				{prefillColour, mean("prefill_computed_tokens_per_request", "Computed")},
			},
		},
	}}
}

func prefillCache() row {
	return row{title: "Prefix cache and memory", height: 8, panels: []drawn{
		panel{
			title: "Prefix cache hit rate", width: 8, next: []string{toTiers, toGateway},
			reads:  "Share of prompt tokens that prefill did not have to compute, as a ratio of two rates. A fall shows as more tokens to compute and longer prefill.",
			silent: "hits of single requests. It is empty while no prompt arrives, which is not a rate of 0.",
			curves: []curve{{prefillColour, byModel("prefix_cache_hit_rate", "")}},
		},
		panel{
			title: "Cached prompt tokens by source", width: 8, next: []string{toTiers},
			reads:  "Prompt tokens that a cache held already, by tier: device, then host, then storage. The farther away, the more a hit costs to bring back.",
			silent: "misses: take the hit rate beside. vLLM names its sources only in newer versions.",
			curves: []curve{{"", on(query.RolePrefill, by("cached_token_rate", "", "model", "source"))}},
		},
		panel{
			title: "Prefill KV memory in use", width: 8, next: []string{toTransfer},
			reads:  "The fullest prefill engine of a model. KV caches that wait for their hand-over stay in it: if it fills, look at decode and the link, not at prefill.",
			silent: "a fault by itself: a prefix cache that fills the pool is well used. Systems differ in whether evictable memory counts.",
			curves: []curve{prefilling(byModel("kv_cache_usage", ""))},
		},
	}}
}
