package dashboards

// transfer is the KV cache on its way from prefill to decode.
func transfer() row {
	return row{title: "KV transfer", height: 9, panels: []panel{
		{
			title: "KV transfer bytes/s", width: 5,
			reads:  "Payload that really moved, added over all engines, ranks and threads. A flat top under growing load is the link's limit.",
			silent: "the link's capacity, nor which link. Time between transfers is in it, so it is no bandwidth of a single transfer.",
			curves: []curve{{transferColour, byModel("kv_transfer_byte_rate", "")}},
		},
		{
			title: "KV transfer bytes, cumulative", width: 4,
			reads:  "The raw counter that the rate is made of. Its slope is bytes/s; a stretch without slope is a stop.",
			silent: "a total since the beginning: it falls when an engine restarts. The rate handles that, this graph shows it.",
			curves: []curve{{transferColour, byModel("kv_transfer_bytes", "")}},
		},
		{
			title: "KV bytes per request, measured", width: 5,
			reads: "Bytes moved divided by requests prefilled. It should lie at the configured bytes per request; " +
				"a steady difference means that the size in the settings or the input length is wrong.",
			silent: "a single request, and little while traffic is thin: bytes and requests are then counted in different windows.",
			curves: []curve{{transferColour, byModel("kv_bytes_per_request_measured", "")}},
		},
		{
			title: "Measured ÷ configured size", width: 5,
			reads: "1 where the configured bytes per request are right. The notice on the panel says what another number usually comes from: " +
				"about the TP of decode means that every rank pulls a copy.",
			silent: "anything of a model without a configured size, and little of fewer than 60 requests in five minutes. It never changes the KV transfer req/s by itself.",
			curves: []curve{{transferColour, byModel("kv_bytes_per_request_ratio", "")}},
		},
		{
			title: "KV transfer latency", width: 5,
			reads:  "Time of one transfer where it is sent, mean and P99. Latency that grows with the inflight queue points at the link.",
			silent: "the time of a request where one observation is one rank's transfer or one chunk; the notice on the panel says which. A value at the last bucket is a lower bound.",
			curves: []curve{
				{transferColour, mean("kv_transfer_latency", "Mean")},
				quantiles("kv_transfer_latency")[2],
			},
		},
	}}
}
