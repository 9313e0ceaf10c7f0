package dashboards

// failures are events that cost requests or work.
func failures() row {
	return row{title: "Errors", height: 8, panels: []panel{
		{
			title: "Aborts and errors", width: 8,
			reads:  "Requests that ended without an answer: aborted, mostly because the client left, or failed.",
			silent: "why. Some engine versions leave these counters at 0 although requests are aborted, so 0 is no proof of health.",
			curves: []curve{
				{"yellow", byModel("abort_rate", "Aborts")},
				{"red", byModel("request_error_rate", "Errors")},
			},
		},
		{
			title: "Preemptions and retractions", width: 8,
			reads:  "Running requests that lost their KV memory and start anew or go back to the queue. Together with KV usage near 100 % it means too little memory.",
			silent: "how much work was lost. vLLM counts preemptions and SGLang retractions, so each system has one of the two.",
			curves: []curve{
				{"purple", byModel("preemption_rate", "Preemptions")},
				{"yellow", byModel("retraction_rate", "Retractions")},
			},
		},
		{
			title: "Bootstrap failures", width: 4,
			reads:  "Requests whose handshake between prefill and decode failed: a network or configuration fault more often than load.",
			silent: "which peer was at fault, nor anything on engines without a handshake.",
			curves: []curve{{"red", byModel("bootstrap_failure_rate", "")}},
		},
		{
			title: "KV transfer failures", width: 4,
			reads:  "Failed transfers. Any steady rate deserves a look at the link.",
			silent: "failed requests: some systems count chunks or ranks, so one request can be several failures.",
			curves: []curve{{"red", byModel("transfer_failure_rate", "")}},
		},
	}}
}
