package dashboards

import "github.com/ptd-monitor/pdmonitor/pkg/query"

// decode is the second leg of a request: its output, token by token.
func decode() board {
	return board{
		name: toDecode, title: titleOf(toDecode),
		about:     "Decode: requests and tokens per second, how fast tokens come, KV memory and what is lost for want of it, and engines that lag behind.",
		variables: []string{models, instances},
		rows:      []row{decodeLoad(), decodeLatency(), decodeMemory(), decodeBatches(), decodeEngines(), decodeSpread(), speculation()},
	}
}

func decodeLoad() row {
	return row{title: "Load", height: 8, panels: []drawn{
		panel{
			title: "Decode req/s", width: 6, next: []string{toTransfer},
			reads:  "Requests whose output finished. Level with prefill in a balanced pipeline; below it, unfinished requests gather on decode.",
			silent: "requests that are being decoded: a long answer counts when it ends. Aborts are in it on older SGLang, as the notice says.",
			curves: []curve{{decodeColour, byModel("decode_request_rate", "")}},
		},
		panel{
			title: "Decode tok/s", width: 6,
			reads:  "Output tokens that decode produced. At a level request rate it falls when answers get shorter, not only when decode slows down.",
			silent: "the speed of one request: see the inter-token latency. Engines that count tokens only when a request ends draw bursts.",
			curves: []curve{{decodeColour, byModel("decode_token_rate", "")}},
		},
		panel{
			title: "Requests running on decode", width: 6,
			reads:  "Requests in the running batches. A level top with requests waiting is the limit of the batch; tokens/s over it is the speed of one request.",
			silent: "throughput. A gauge sampled once a second misses what comes and goes in between, so its slope is no req/s.",
			curves: []curve{decoding(byModel("requests_running", ""))},
		},
		panel{
			title: "Requests waiting on decode", width: 6, next: []string{toTransfer},
			reads:  "Requests that have their KV, or await it on vLLM, and no place in the batch. Prealloc and transfer are SGLang's two queues before that.",
			silent: "why they wait: memory, places or KV that is still on its way. The hand-over row of the KV transfer dashboard tells them apart.",
			curves: []curve{
				decoding(byModel("requests_waiting", "Waiting")),
				{"red", byModel("decode_prealloc_queue", "Prealloc")},
				{transferColour, byModel("decode_transfer_queue", "Transfer")},
			},
		},
	}}
}

func decodeLatency() row {
	return row{title: "Latency", height: 8, panels: []drawn{
		panel{
			title: "Inter-token latency", width: 6,
			reads:  "Time between output tokens. P99 far above P50 means that some steps stall, behind a large batch or a preemption.",
			silent: "which request stalled. Every token counts once, so long answers weigh more than short ones.",
			curves: quantiles("itl"),
		},
		panel{
			title: "Time per output token of a request", width: 6,
			reads:  "One sample for each request: the mean time of its tokens after the first. This is the speed that a user sees.",
			silent: "a stall within an answer, which the mean of the request hides. Its P99 and that of the inter-token latency are of different things.",
			curves: quantiles("tpot"),
		},
		panel{
			title: "Time to first token on decode", width: 6, next: []string{toGateway, toTransfer},
			reads: "Where decode sends the first token. SGLang counts from the arrival of the request, so prefill and transfer are in it; " +
				"vLLM counts from the arrival on decode.",
			silent: "the router's queue before the engine. A value inside the first or at the last bucket is a bound, which the notice on the panel says.",
			curves: quantilesOn(query.RoleDecode, "ttft"),
		},
		panel{
			title: "Where decode's time goes, mean", width: 6,
			reads:  "Queue: until the first step. Decode: from the first token to the last. Whole: the decode leg from its arrival to its end.",
			silent: "the tail: a mean hides it. The parts are means of different sets of requests and need not add up.",
			curves: []curve{
				{transferColour, on(query.RoleDecode, mean("queue_time", "Queue"))},
				{decodeColour, mean("decode_time", "Decode")},
				{"purple", on(query.RoleDecode, mean("e2e_latency", "Whole leg"))},
			},
		},
	}}
}

// decodeMemory keeps usage beside what is lost: only both together are a fault.
func decodeMemory() row {
	return row{title: "KV memory: full is no fault, preemption is", height: 8, panels: []drawn{
		panel{
			title: "Decode KV memory in use", width: 8,
			reads:  "The fullest engine of a model, not the mean: one full engine hurts while others idle. Near 100 % without preemptions and without a queue it is well used.",
			silent: "memory of the card: only the engine's KV pool is in it. Systems differ in whether memory that could be evicted counts.",
			curves: []curve{decoding(byModel("kv_cache_usage", ""))},
		},
		panel{
			title: "Preemptions and retractions", width: 8, next: []string{toTransfer},
			reads:  "Running requests that lost their KV memory and start anew or go back to the queue. With usage at the top and a growing queue this is thrashing: limit the batch or give memory.",
			silent: "how much work was lost. vLLM counts preemptions and SGLang retractions, so each system has one of the two.",
			curves: []curve{
				{"purple", on(query.RoleDecode, byModel("preemption_rate", "Preemptions"))},
				{"yellow", on(query.RoleDecode, byModel("retraction_rate", "Retractions"))},
			},
		},
		panel{
			title: "KV occupied and active on decode", width: 8, next: []string{toTiers},
			reads:  "Active is held by running requests, occupied also by what is kept for reuse. Active close to occupied leaves nothing to evict.",
			silent: "anything on engines that export usage alone, such as vLLM: they have no series here.",
			curves: []curve{
				{transferColour, on(query.RoleDecode, byModel("kv_cache_occupied", "Occupied"))},
				{"purple", on(query.RoleDecode, byModel("kv_cache_active", "Active"))},
			},
		},
	}}
}
