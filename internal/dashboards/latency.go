package dashboards

// latency is what users feel; buckets are merged before the quantile is taken.
func latency() row {
	return row{title: "Latency", height: 10, panels: []panel{
		{
			title: "Time to first token", width: 12,
			reads: "Quantiles of all requests of a model, from merged buckets. Where both roles report it each is its own series, " +
				"since each sees only its leg of the request.",
			silent: "the time before the engine: a router's queue is not in it. A value inside the first or at the last bucket is a bound, which the notice on the panel says.",
			curves: quantiles("ttft"),
		},
		{
			title: "Inter-token latency", width: 12,
			reads:  "Time between output tokens on decode. P99 far above P50 means that some steps stall, for example behind a large batch or a preemption.",
			silent: "which request stalled. Every token counts once, so long answers weigh more than short ones.",
			curves: quantiles("itl"),
		},
		{
			title: "End-to-end latency by leg", width: 12,
			reads:  "Arrival to completion on one engine: the prefill leg and the decode leg of a request are separate series.",
			silent: "the whole time of a request. The legs overlap and their quantiles must not be added.",
			curves: quantiles("e2e_latency"),
		},
		{
			title: "Mean stage times", width: 12,
			reads:  "Mean time in the queue, in prefill and in decode. The stage that grows with load is the one to scale.",
			silent: "the tail: a mean hides it. Engines that do not export a stage have no series for it.",
			curves: []curve{
				{transferColour, mean("queue_time", "Queue")},
				{prefillColour, mean("prefill_time", "Prefill")},
				{decodeColour, mean("decode_time", "Decode")},
			},
		},
	}}
}
