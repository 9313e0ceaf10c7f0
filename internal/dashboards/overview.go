package dashboards

// overview is the first look at a disaggregated deployment: three request rates on
// one axis, and beneath them what explains a gap between them.
func overview() board {
	return board{
		name: "overview", title: "PD overview",
		about:     "Prefill, KV transfer and decode of disaggregated LLM inference: three request rates on one axis, and what explains a gap between them.",
		variables: []string{models, instances, whatIf},
		rows:      []row{throughput(), limiting(), queues(), latency(), kvBytes(), headroom(), memory(), failures()},
	}
}

// throughput is what the dashboard is for: three rates that can be compared,
// because they share the axis, the window and the unit.
func throughput() row {
	return row{title: "Throughput", height: 7, panels: []drawn{
		panel{
			title: "Prefill, KV transfer and decode req/s", width: 24, next: []string{toPrefill, toTransfer, toDecode},
			reads: "All models together, one curve for each stage and engine, all with the same window and from counters only. " +
				"Level curves are a balanced pipeline; the lowest is the bottleneck. " +
				"KV transfer is bytes/s divided by the configured bytes per request.",
			silent: "which request is slow. The stages count at different moments of a request, so a burst shows on decode later than on prefill. " +
				"A model without a configured request size has no KV curve, and the notice on the panel says so.",
			curves: []curve{
				{prefillColour, of("prefill_request_rate", "Prefill {{exporter}}", "exporter")},
				{transferColour, of("kv_transfer_request_rate", "KV transfer {{exporter}}", "exporter")},
				{decodeColour, of("decode_request_rate", "Decode {{exporter}}", "exporter")},
			},
		},
		panel{
			title: "Req/s of $model", width: 24, eachModel: true, next: []string{toPrefill, toTransfer, toDecode},
			reads: "The same three rates for each model, one graph a model. " +
				"A model whose decode stays below its prefill builds up a backlog.",
			silent: "whether the configured request size is right. Hold it against the measured bytes per request below: " +
				"a wrong size moves the KV curve up or down as a whole.",
			curves: threeRates(),
		},
	}}
}

// threeRates are the curves of one model, with names that transformations can use.
func threeRates() []curve {
	return []curve{
		{prefillColour, of("prefill_request_rate", "Prefill", "model")},
		{transferColour, of("kv_transfer_request_rate", "KV transfer", "model")},
		{decodeColour, of("decode_request_rate", "Decode", "model")},
	}
}
