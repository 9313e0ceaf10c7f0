package dashboards

// queues are instantaneous counts; they explain the rates and are never differentiated.
func queues() row {
	return row{title: "Raw: running, waiting and cumulative bytes", height: 7, panels: []drawn{
		panel{
			title: "Requests running", width: 6, byRole: true, next: []string{toPrefill, toDecode},
			reads:  "Requests in the running batch of each role: how much concurrency makes the rates above.",
			silent: "throughput. A gauge sampled once a second misses what comes and goes in between, so its slope is no req/s.",
			curves: []curve{{"", byModel("requests_running", "")}},
		},
		panel{
			title: "Requests waiting", width: 6, byRole: true, next: []string{toPrefill, toDecode},
			reads:  "Requests in the waiting queue of each role. Growth on one role alone shows where capacity is missing.",
			silent: "how long they wait: see the stage times. Requests in the hand-over queues beside are not in it.",
			curves: []curve{{"", byModel("requests_waiting", "")}},
		},
		panel{
			title: "Hand-over queues between prefill and decode", width: 6, next: []string{toTransfer},
			reads: "Bootstrap grows: prefill waits for decode to shake hands and reserve memory, and prealloc grows with it where decode lacks memory. " +
				"Inflight and transfer grow: the KV is computed and the link is the bottleneck.",
			silent: "anything on engines without these queues, such as vLLM: they have no series here, which is not the same as empty queues.",
			curves: []curve{
				{prefillColour, byModel("prefill_bootstrap_queue", "Prefill bootstrap")},
				{transferColour, byModel("prefill_inflight_queue", "Prefill inflight")},
				{decodeColour, byModel("decode_prealloc_queue", "Decode prealloc")},
				{"purple", byModel("decode_transfer_queue", "Decode transfer")},
			},
		},
		panel{
			title: "KV transfer bytes, cumulative", width: 6, next: []string{toTransfer},
			reads:  "The raw counter that the rate is made of. Its slope is bytes/s; a stretch without slope is a stop.",
			silent: "a total since the beginning: it falls when an engine restarts. The rate handles that, this graph shows it.",
			curves: []curve{{transferColour, byModel("kv_transfer_bytes", "")}},
		},
	}}
}

// latency is what users feel; buckets are merged before the quantile is taken.
func latency() row {
	return row{title: "Latency", height: 7, panels: []drawn{
		panel{
			title: "Time to first token", width: 8, next: []string{toGateway, toDecode},
			reads: "Quantiles of all requests of a model, from merged buckets. Where both roles report it each is its own series, " +
				"since each sees only its leg of the request.",
			silent: "the time before the engine: a router's queue is not in it. A value inside the first or at the last bucket is a bound, which the notice on the panel says.",
			curves: quantiles("ttft"),
		},
		panel{
			title: "Inter-token latency", width: 8, next: []string{toDecode},
			reads:  "Time between output tokens on decode. P99 far above P50 means that some steps stall, for example behind a large batch or a preemption.",
			silent: "which request stalled. Every token counts once, so long answers weigh more than short ones.",
			curves: quantiles("itl"),
		},
		panel{
			title: "End-to-end latency by leg", width: 8, next: []string{toGateway},
			reads:  "Arrival to completion on one engine: the prefill leg and the decode leg of a request are separate series.",
			silent: "the whole time of a request. The legs overlap and their quantiles must not be added.",
			curves: quantiles("e2e_latency"),
		},
	}}
}

// kvBytes is what the KV curve is made of, and whether the size of a request is right.
func kvBytes() row {
	return row{title: "KV bytes and the size of a request", height: 7, collapsed: true, panels: []drawn{
		panel{
			title: "KV transfer bytes/s", width: 8, next: []string{toTransfer},
			reads:  "Payload that really moved, added over all engines, ranks and threads. A flat top under growing load is the link's limit.",
			silent: "the link's capacity, nor which link. Time between transfers is in it, so it is no bandwidth of a single transfer.",
			curves: []curve{{transferColour, byModel("kv_transfer_byte_rate", "")}},
		},
		panel{
			title: "KV bytes per request, measured", width: 8, next: []string{toTransfer},
			reads: "Bytes moved divided by requests prefilled. It should lie at the configured bytes per request; " +
				"a steady difference means that the size in the settings or the input length is wrong.",
			silent: "a single request, and little while traffic is thin: bytes and requests are then counted in different windows.",
			curves: []curve{{transferColour, byModel("kv_bytes_per_request_measured", "")}},
		},
		panel{
			title: "Measured ÷ configured size", width: 8, next: []string{toTransfer},
			reads: "1 where the configured bytes per request are right. The notice on the panel says what another number usually comes from: " +
				"about the TP of decode means that every rank pulls a copy.",
			silent: "anything of a model without a configured size, and little of fewer than 60 requests in five minutes. It never changes the KV transfer req/s by itself.",
			curves: []curve{{transferColour, byModel("kv_bytes_per_request_ratio", "")}},
		},
	}}
}

// memory is the KV memory of the engines and what prefill found in it.
func memory() row {
	return row{title: "KV cache", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "KV cache usage", width: 8, byRole: true, next: []string{toDecode},
			reads:  "The fullest engine of each role. Near 100 % on decode with preemptions or a growing queue, memory is short; full alone is no fault.",
			silent: "the mean over engines, on purpose: one full engine hurts while the others idle. Systems differ in whether evictable memory counts.",
			curves: []curve{{"", byModel("kv_cache_usage", "")}},
		},
		panel{
			title: "KV cache occupied and active", width: 8, next: []string{toTiers},
			reads:  "Active is held by running requests, occupied also by what is kept for reuse. Active close to occupied leaves nothing to evict.",
			silent: "anything on engines that export usage alone, such as vLLM: they have no series here.",
			curves: []curve{
				{transferColour, byModel("kv_cache_occupied", "Occupied")},
				{"purple", byModel("kv_cache_active", "Active")},
			},
		},
		panel{
			title: "Prefix cache hit rate", width: 8, next: []string{toPrefill, toTiers},
			reads:  "Share of prompt tokens that prefill did not have to compute, as a ratio of two rates.",
			silent: "hits of single requests. It is empty while no prompt arrives, which is not a rate of 0.",
			curves: []curve{{prefillColour, byModel("prefix_cache_hit_rate", "")}},
		},
	}}
}

// failures are events that cost requests or work.
func failures() row {
	return row{title: "Errors", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "Aborts and errors", width: 8, next: []string{toGateway},
			reads:  "Requests that ended without an answer: aborted, mostly because the client left, or failed.",
			silent: "why. Some engine versions leave these counters at 0 although requests are aborted, so 0 is no proof of health.",
			curves: []curve{
				{"yellow", byModel("abort_rate", "Aborts")},
				{"red", byModel("request_error_rate", "Errors")},
			},
		},
		panel{
			title: "Preemptions and retractions", width: 8, next: []string{toDecode},
			reads:  "Running requests that lost their KV memory and start anew or go back to the queue. Together with KV usage near 100 % it means too little memory.",
			silent: "how much work was lost. vLLM counts preemptions and SGLang retractions, so each system has one of the two.",
			curves: []curve{
				{"purple", byModel("preemption_rate", "Preemptions")},
				{"yellow", byModel("retraction_rate", "Retractions")},
			},
		},
		panel{
			title: "Bootstrap failures", width: 4, next: []string{toTransfer},
			reads:  "Requests whose handshake between prefill and decode failed: a network or configuration fault more often than load.",
			silent: "which peer was at fault, nor anything on engines without a handshake.",
			curves: []curve{{"red", byModel("bootstrap_failure_rate", "")}},
		},
		panel{
			title: "KV transfer failures", width: 4, next: []string{toTransfer},
			reads:  "Failed transfers. Any steady rate deserves a look at the link.",
			silent: "failed requests: some systems count chunks or ranks, so one request can be several failures.",
			curves: []curve{{"red", byModel("transfer_failure_rate", "")}},
		},
	}}
}
