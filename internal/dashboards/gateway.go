package dashboards

import "github.com/ptd-monitor/pdmonitor/pkg/query"

// gateway holds what a user meets before the engines against what the engines see.
// The two are drawn side by side and never subtracted: quantiles of different sets of
// requests have no difference.
func gateway() board {
	return board{
		name: toGateway, title: titleOf(toGateway),
		about:     "The gateway beside the engines: latencies that must not be subtracted, queues, requests that ended badly, and what the router believed cached.",
		variables: []string{models, instances},
		rows:      []row{sideBySide(), gatewayQueues(), gatewayEnds(), routing(), gatewayLengths()},
	}
}

func sideBySide() row {
	return row{title: "Latency: the gateway above, the engines below", height: 7, panels: []drawn{
		panel{
			title: "Gateway: time to first token", width: 8,
			reads:  "Arrival at the gateway to its first piece of output: routing, prefill, KV transfer and the first step of decode are in it.",
			silent: "the gateway's own share. Do not subtract the engine's quantile: the slowest requests of the two are not the same ones.",
			curves: quantiles("gateway_ttft"),
		},
		panel{
			title: "Gateway: gap between pieces of output", width: 8,
			reads:  "Time between two pieces of the stream as the gateway passes them on.",
			silent: "the engine's step: several tokens in one piece count as one gap, so it can be larger or smoother than the engine's.",
			curves: quantiles("gateway_itl"),
		},
		panel{
			title: "Gateway: whole request", width: 8,
			reads:  "Arrival at the gateway to the end of the response: the nearest to what a user waits.",
			silent: "the way between user and gateway. Longer answers take longer: see the lengths at the bottom.",
			curves: quantiles("gateway_request_duration"),
		},
		panel{
			title: "Engine: time to first token on decode", width: 8, next: []string{toDecode},
			reads: "Where the engines count it. If it stays level while the gateway's grows, requests wait before the engines; " +
				"if both grow, look at the engines.",
			silent: "the same interval on both engines: SGLang counts from the arrival of the request, vLLM from the arrival on decode.",
			curves: quantilesOn(query.RoleDecode, "ttft"),
		},
		panel{
			title: "Engine: inter-token latency", width: 8, next: []string{toDecode},
			reads:  "Time between output tokens on decode. Growth here reaches the user; growth of the gateway's alone is streaming or a slow client.",
			silent: "which request stalled. Every token counts once, so long answers weigh more.",
			curves: quantiles("itl"),
		},
		panel{
			title: "Engine: end-to-end by leg", width: 8, next: []string{toPrefill, toDecode},
			reads:  "The legs of a request as prefill and decode see them, each its own series.",
			silent: "the whole request: legs overlap, and their quantiles must be added neither to each other nor to the gateway's.",
			curves: quantiles("e2e_latency"),
		},
	}}
}

func gatewayQueues() row {
	return row{title: "Requests in the gateway and in the engines", height: 7, panels: []drawn{
		panel{
			title: "Gateway: requests open", width: 12,
			reads:  "In flight: arrived and not answered in full. Without first token: all that still wait for output, prefill included.",
			silent: "how many wait in the gateway itself: a request in prefill has no first token either. Hold it against the engines' queues beside.",
			curves: []curve{
				{"purple", byModel("gateway_inflight_requests", "In flight")},
				{"yellow", byModel("gateway_queued_requests", "Without first token")},
			},
		},
		panel{
			title: "Engines: requests waiting", width: 12, byRole: true, next: []string{toPrefill, toDecode},
			reads:  "Waiting queues of the engines. Short ones below a long gateway queue: the gateway or the router holds requests back.",
			silent: "requests that no engine knows of yet. Hand-over queues are on the KV transfer dashboard.",
			curves: []curve{{"", byModel("requests_waiting", "")}},
		},
	}}
}

func gatewayEnds() row {
	return row{title: "How requests end", height: 7, panels: []drawn{
		panel{
			title: "Gateway: requests ended, by status", width: 8,
			reads:  "User requests that ended, by status and kind of error. A user request can be several engine requests.",
			silent: "requests refused before the gateway counts them. A client that left counts as it was answered.",
			curves: []curve{{"", of("gateway_request_rate", "{{model}} {{status}} {{error_type}}", "model", "status", "error_type")}},
		},
		panel{
			title: "Gateway: share that ended well", width: 8,
			reads:  "Of the requests that ended. Hold a fall against the errors of the engines beside.",
			silent: "answers that were late or cut short. It is empty while nothing ends.",
			curves: []curve{{decodeColour, byModel("gateway_success_ratio", "")}},
		},
		panel{
			title: "Engines: aborts and errors", width: 8,
			reads:  "Aborts are mostly clients that left: a rise after latency grew is the start of a retry storm.",
			silent: "why. Some engine versions leave these counters at 0 although requests are aborted.",
			curves: []curve{
				{"yellow", byModel("abort_rate", "Aborts")},
				{"red", byModel("request_error_rate", "Errors")},
			},
		},
	}}
}

func routing() row {
	return row{title: "Router", height: 7, panels: []drawn{
		panel{
			title: "Predicted and real prefix hits", width: 8, next: []string{toTiers, toPrefill},
			reads: "Predicted: the mean share of a prompt that the router believed cached. Real: the share of prompt tokens that prefill found. " +
				"Apart for long, the router's view of the caches is stale: it sends requests to workers that have evicted their prefix.",
			silent: "an exact difference: the prediction weighs each request alike, the engines weigh tokens. Only a lasting change of their distance matters.",
			curves: []curve{
				{"purple", averaged(of("router_predicted_hit_rate", "Router predicted"))},
				{prefillColour, of("prefix_cache_hit_rate", "Prefill found {{exporter}}", "exporter")},
			},
		},
		panel{
			title: "Time to choose a worker", width: 8,
			reads:  "All steps of one choice. It should be far below a prefill; growth with prompt length is hashing.",
			silent: "waiting in the gateway or the router, which is not in it.",
			curves: []curve{
				{"purple", averaged(of("router_overhead", "Mean"))},
				{p99Colour, query.Query{Signal: "router_overhead", Stat: query.StatQuantile, Quantile: 0.99, Legend: "P99"}},
			},
		},
		panel{
			title: "Where the router's time goes, mean", width: 8,
			reads:  "Hashing grows with the prompt, the look-up with the number of cached prefixes, scheduling with the number of workers.",
			silent: "a stack: the steps may overlap. Means hide the tail, see the P99 beside.",
			curves: []curve{
				{"blue", averaged(of("router_block_hashing_time", "Block hashing"))},
				{"purple", averaged(of("router_sequence_hashing_time", "Sequence hashing"))},
				{"yellow", averaged(of("router_index_lookup_time", "Look-up"))},
				{"red", averaged(of("router_scheduling_time", "Scheduling"))},
			},
		},
	}}
}

func gatewayLengths() row {
	return row{title: "Lengths, clients and the router's own queue", height: 7, collapsed: true, panels: []drawn{
		panel{
			title: "Tokens of a request, mean", width: 6,
			reads:  "Prompt and answer as the gateway counts them. Longer answers explain longer requests before anything is broken.",
			silent: "the spread. Both are counted when the request ends.",
			curves: []curve{
				{prefillColour, mean("gateway_input_length", "Prompt")},
				{decodeColour, mean("gateway_output_length", "Answer")},
				{"purple", mean("gateway_cached_tokens", "Cached")},
			},
		},
		panel{
			title: "Clients that went away", width: 6,
			reads:  "The gateway's own count since its start. Growth beside growing latency is impatience; hold it against the engines' aborts.",
			silent: "a rate: it is exported as a gauge, and a gauge is never differentiated.",
			curves: []curve{{"yellow", of("gateway_disconnected_clients", "{{instance}}", "instance")}},
		},
		panel{
			title: "Output tok/s through the gateway", width: 6, next: []string{toDecode},
			reads:  "Output tokens that pass the gateway. Far below the engines' decode tok/s, not all traffic comes through this gateway.",
			silent: "tokens of requests that other gateways serve.",
			curves: []curve{{decodeColour, byModel("gateway_output_token_rate", "")}},
		},
		panel{
			title: "Router: requests waiting for a worker", width: 6,
			reads:  "Requests that the router holds until a worker has room, by kind of worker.",
			silent: "anything on versions of the router without its own queue: they send at once and have no series here.",
			curves: []curve{{"", of("router_queue_requests", "{{worker_type}}", "worker_type")}},
		},
	}}
}
