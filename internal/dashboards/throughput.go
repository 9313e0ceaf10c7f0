package dashboards

// throughput is what the dashboard is for: three rates that can be compared,
// because they share the axis, the window and the unit.
func throughput() row {
	return row{title: "Throughput", height: 10, panels: []panel{
		{
			title: "Prefill, KV transfer and decode req/s", width: 24,
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
		{
			title: "Req/s of $model", width: 24, eachModel: true,
			reads: "The same three rates for each model, one graph a model. " +
				"A model whose decode stays below its prefill builds up a backlog.",
			silent: "whether the configured request size is right. Hold it against the measured bytes per request below: " +
				"a wrong size moves the KV curve up or down as a whole.",
			curves: []curve{
				{prefillColour, of("prefill_request_rate", "Prefill", "model")},
				{transferColour, of("kv_transfer_request_rate", "KV transfer", "model")},
				{decodeColour, of("decode_request_rate", "Decode", "model")},
			},
		},
		{
			title: "Prefill tok/s", width: 12,
			reads:  "Prompt tokens that prefill computed, without those it found in its cache where the engine tells them apart.",
			silent: "the speed of one request. Engines that count a prompt only when its request ends draw bursts; the notice on the panel names the counter that was used.",
			curves: []curve{{prefillColour, byModel("prefill_token_rate", "")}},
		},
		{
			title: "Decode tok/s", width: 12,
			reads:  "Output tokens that decode produced. At a level request rate it falls when answers get shorter, not only when decode slows down.",
			silent: "the speed of one request: see the inter-token latency. Engines that count tokens only when a request ends draw bursts.",
			curves: []curve{{decodeColour, byModel("decode_token_rate", "")}},
		},
	}}
}
