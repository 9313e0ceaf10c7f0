package dashboards

// transferSizes tells whether B_request is right and the transfers are well cut.
func transferSizes() row {
	return row{title: "Sizes: what a request and a transfer carry", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "KV bytes per request, measured", width: 6,
			reads:  "Bytes moved over requests prefilled, five minutes. It should lie at the configured bytes per request.",
			silent: "a single request, and little while traffic is thin: bytes and requests are then counted in different windows.",
			curves: []curve{{transferColour, byModel("kv_bytes_per_request_measured", "")}},
		},
		panel{
			title: "Measured ÷ configured size", width: 6,
			reads: "1 where the configured bytes per request are right. The notice on the panel says what another number usually comes from: " +
				"about the TP of decode means that every rank pulls a copy.",
			silent: "anything of a model without a configured size, and little of fewer than 60 requests in five minutes.",
			curves: []curve{{transferColour, byModel("kv_bytes_per_request_ratio", "")}},
		},
		panel{
			title: "Bytes of one transfer", width: 6,
			reads:  "Mean size of one transfer, of one rank or one chunk. Small transfers with many descriptors are fragmented KV blocks.",
			silent: "a request's KV cache: one request is several transfers. Systems that do not count transfers have no series.",
			curves: []curve{{transferColour, mean("kv_transfer_size", "")}, {"yellow", mean("kv_transfer_rank_size", "Rank")}},
		},
		panel{
			title: "Descriptors of one transfer", width: 6,
			reads:  "Scattered pieces that one transfer moves, mean. Many pieces make a transfer slow although the link has room.",
			silent: "the size of a piece: divide the bytes beside by it. SGLang has no series here unless FlagCX moves its KV.",
			curves: []curve{{"purple", mean("kv_transfer_descriptors", "")}},
		},
		panel{
			title: "Transfers per second", width: 8,
			reads:  "Transfers completed, of all ranks. Against the request rate it says how many pieces a request is cut into.",
			silent: "requests per second: one request takes several transfers, and one transfer may serve several requests.",
			curves: []curve{{transferColour, byModel("kv_transfer_operation_rate", "")}},
		},
		panel{
			title: "Speed of one transfer while it runs", width: 8, next: []string{toDevices},
			reads:  "Bytes over the summed time of the transfers: the mean speed of one rank's transfer. It falls when transfers share a link or the link is slow.",
			silent: "the throughput of the system: transfers that run side by side each add their time. Take the bytes/s above for that.",
			curves: []curve{{transferColour, byModel("kv_transfer_busy_throughput", "")}},
		},
		panel{
			title: "Input tokens per request, measured", width: 8,
			reads:  "Mean prompt length of the requests that prefill served, five minutes, to hold against inputTokens of the configured size.",
			silent: "the spread of lengths: KV req/s is right on the mean only. Prompts are counted when they end.",
			curves: []curve{{prefillColour, byModel("input_tokens_per_request_measured", "")}},
		},
	}}
}

// transferRanks shows one rank that lags behind its peers.
func transferRanks() row {
	return row{title: "By rank", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "KV transfer bytes/s by tensor-parallel rank", width: 8, next: []string{toDevices},
			reads:  "Each rank sends its own part. Ranks of one engine should lie together; a low one has a slow card, port or path.",
			silent: "anything on vLLM, which adds its ranks up before it exports: one series for each engine there.",
			curves: []curve{{transferColour, by("kv_transfer_byte_rate", "", "instance", "tp_rank")}},
		},
		panel{
			title: "KV transfer req/s by data-parallel rank", width: 8,
			reads:  "Requests' worth of KV by data-parallel rank, each of which has requests of its own. Uneven lines are uneven load.",
			silent: "a fault where the router sends requests unevenly on purpose, for the prefixes it knows.",
			curves: []curve{{transferColour, by("kv_transfer_request_rate", "", "model", "dp_rank")}},
		},
		panel{
			title: "Skew of KV transfer", width: 8,
			reads:  "The busiest engine or data-parallel rank over the mean of all. 1 is even; 2 is one that sends twice as much as the mean.",
			silent: "which one: see the graphs by engine and by rank. With a single engine it is always 1.",
			curves: []curve{{transferColour, skew("kv_transfer_byte_rate", "")}},
		},
	}}
}
