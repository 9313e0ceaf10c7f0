package dashboards

// transfer is the KV cache on its way from prefill to decode.
func transfer() board {
	return board{
		name: toTransfer, title: titleOf(toTransfer),
		about:     "The KV cache on its way from prefill to decode: how much moves, where it waits, how long it takes and what fails.",
		variables: []string{models, instances, whatIf},
		rows:      []row{moved(), handover(), transferTimes(), transferFailures(), transferSizes(), transferRanks()},
	}
}

func moved() row {
	return row{title: "How much moves", height: 8, panels: []drawn{
		panel{
			title: "KV transfer req/s beside prefill", width: 8, next: []string{toPrefill, toDecode},
			reads: "Both with one window: KV transfer is bytes/s over the bytes of a request. It should lie on prefill; " +
				"while it lies below, KV caches pile up on prefill's side.",
			silent: "whether B_request is right: a wrong one moves the whole KV curve. Hold it against the measured size below.",
			curves: []curve{
				{prefillColour, byModel("prefill_request_rate", "Prefill")},
				{transferColour, byModel("kv_transfer_request_rate", "KV transfer")},
			},
		},
		panel{
			title: "KV transfer bytes/s by source", width: 8, next: []string{toDevices},
			reads: "Payload that really moved, over all ranks, by the exporter that counted it. Where several count the same bytes " +
				"one is taken, never their sum. A flat top under growing load is the link's limit.",
			silent: "the link's capacity, nor which link. Time without transfers is in it, so it is no bandwidth of a single transfer.",
			curves: []curve{{transferColour, by("kv_transfer_byte_rate", "", "model", "exporter")}},
		},
		panel{
			title: "KV transfer bytes/s by engine", width: 8, next: []string{toDevices},
			reads:  "The same by the engine that counts: prefill where it is written, decode where it is read. One engine far below its peers has a link or a host of its own trouble.",
			silent: "the other end of a transfer. An engine that has just started has no rate for its first two samples.",
			curves: []curve{{transferColour, by("kv_transfer_byte_rate", "", "instance")}},
		},
	}}
}

// handover is the chain along which a full decode stops prefill, side by side.
func handover() row {
	return row{title: "Hand-over, from decode's memory back to prefill", height: 9, panels: []drawn{
		panel{
			title: "1. Decode KV memory in use", width: 6, next: []string{toDecode},
			reads:  "The fullest decode engine of a model. Read this row from left to right: memory, decode's queues, prefill's queues, prefill's memory.",
			silent: "a fault by itself: a full cache that nobody waits for is a well-used one.",
			curves: []curve{decoding(byModel("kv_cache_usage", ""))},
		},
		panel{
			title: "2. Decode's queues", width: 6, next: []string{toDecode},
			reads: "Prealloc: requests for which decode lacks memory. Transfer: memory is reserved and the KV is awaited. " +
				"Waiting: KV is there and the batch has no place; on vLLM those that await their KV are in it.",
			silent: "which side is slow when transfer grows: prefill may still compute. Only SGLang has prealloc and transfer.",
			curves: []curve{
				{"red", byModel("decode_prealloc_queue", "Prealloc")},
				{transferColour, byModel("decode_transfer_queue", "Transfer")},
				decoding(byModel("requests_waiting", "Waiting")),
			},
		},
		panel{
			title: "3. Prefill's queues", width: 6, next: []string{toPrefill},
			reads: "Bootstrap grows together with decode's prealloc: decode has no memory, so free or limit decode first. " +
				"Inflight grows alone: the KV is computed and the link is too slow. Waiting grows alone: prefill lacks compute.",
			silent: "how long a request waits: see the times below. Only SGLang has bootstrap and inflight.",
			curves: []curve{
				{"red", byModel("prefill_bootstrap_queue", "Bootstrap")},
				{transferColour, byModel("prefill_inflight_queue", "Inflight")},
				prefilling(byModel("requests_waiting", "Waiting")),
			},
		},
		panel{
			title: "4. Prefill KV memory in use", width: 6, next: []string{toPrefill},
			reads:  "The fullest prefill engine of a model. KV caches that cannot be handed over stay here; at the top prefill stops too, and more prefill engines do not help.",
			silent: "what is kept for reuse only, on systems that count it as used. Requests that wait for a hand-over are in the queues beside.",
			curves: []curve{prefilling(byModel("kv_cache_usage", ""))},
		},
	}}
}

func transferTimes() row {
	return row{title: "How long it takes", height: 8, panels: []drawn{
		panel{
			title: "KV transfer latency", width: 8, next: []string{toDevices},
			reads:  "Time of one transfer where it is sent. It grows with its size and with a congested link: compare it with the bytes and with the NIC's waits.",
			silent: "the time of a request where one observation is one rank's transfer or one chunk; the notice on the panel says which. A value at the last bucket is a lower bound.",
			curves: spread(transferColour, "kv_transfer_latency"),
		},
		panel{
			title: "Bootstrap: handshake and memory on decode", width: 8, next: []string{toDecode},
			reads:  "Time until decode has shaken hands and reserved memory. It overlaps the queue on prefill; when it grows with decode's prealloc queue, memory is short.",
			silent: "network time alone: waiting for memory is in it. It must not be added to other times to a time to first token. SGLang alone has it.",
			curves: spread(prefillColour, "kv_transfer_bootstrap_time"),
		},
		panel{
			title: "Wait for a metadata buffer", width: 8,
			reads:  "Time prefill waits for a metadata buffer once the handshake is done. Anything but a flat low line means that too many hand-overs run at once.",
			silent: "the wait for KV memory, which is in the bootstrap beside. SGLang alone has it.",
			curves: spread(prefillColour, "kv_transfer_alloc_time"),
		},
	}}
}

func transferFailures() row {
	return row{title: "What fails", height: 7, panels: []drawn{
		panel{
			title: "Failed transfers and receives", width: 8, next: []string{toDevices},
			reads:  "Transfers that failed where they are sent, and those that decode waited for in vain. Any steady rate deserves a look at the link and at restarts.",
			silent: "failed requests: some systems count chunks or ranks. A counter that appears with its first event does not show that event.",
			curves: []curve{
				{"red", byModel("transfer_failure_rate", "Failed")},
				{"yellow", byModel("kv_receive_failure_rate", "Not received")},
			},
		},
		panel{
			title: "KV leases expired", width: 8, next: []string{toDecode},
			reads:  "Requests whose KV prefill gave up because decode did not fetch it in time. Decode is late or stalled: look at its queue and memory before the network.",
			silent: "a slow network: nothing was sent yet. Late notifications are there on newer vLLM with NIXL alone.",
			curves: []curve{
				{"red", byModel("kv_lease_expiry_rate", "Expired")},
				{"yellow", byModel("kv_late_notification_rate", "Notified too late")},
				{"purple", byModel("kv_notification_failure_rate", "Notification failed")},
			},
		},
		panel{
			title: "Failed handshakes", width: 8, next: []string{toPrefill},
			reads:  "Requests whose handshake between prefill and decode failed: a network or configuration fault more often than load.",
			silent: "which peer was at fault, nor anything on engines without a handshake. Retries of prefill are not in it.",
			curves: []curve{{"red", byModel("bootstrap_failure_rate", "")}},
		},
	}}
}
