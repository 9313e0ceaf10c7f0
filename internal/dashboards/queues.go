package dashboards

// queues are instantaneous counts; they explain the rates and are never differentiated.
func queues() row {
	return row{title: "Running and waiting", height: 9, panels: []panel{
		{
			title: "Requests running", width: 8, byRole: true,
			reads:  "Requests in the running batch of each role: how much concurrency makes the rates above.",
			silent: "throughput. A gauge sampled once a second misses what comes and goes in between, so its slope is no req/s.",
			curves: []curve{{"", byModel("requests_running", "")}},
		},
		{
			title: "Requests waiting", width: 8, byRole: true,
			reads:  "Requests in the waiting queue of each role. Growth on one role alone shows where capacity is missing.",
			silent: "how long they wait: see the stage times. Requests in the hand-over queues beside are not in it.",
			curves: []curve{{"", byModel("requests_waiting", "")}},
		},
		{
			title: "Hand-over queues between prefill and decode", width: 8,
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
	}}
}
