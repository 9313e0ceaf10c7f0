package dashboards

import "github.com/ptd-monitor/pdmonitor/pkg/query"

func prefillEngines() row {
	return row{title: "By engine and rank", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "Prefill req/s by engine", width: 8,
			reads:  "Finished prefills of each engine. Engines of one model should lie together unless the router sends by prefix.",
			silent: "why one is behind: fewer requests, longer prompts or a slower GPU. Hold it against the tokens and the queue.",
			curves: []curve{{prefillColour, by("prefill_request_rate", "", "instance")}},
		},
		panel{
			title: "Prefill tok/s by engine", width: 8, next: []string{toDevices},
			reads:  "Prompt tokens that each engine computed. A low one with a standing queue is slow: look at its GPUs.",
			silent: "tokens found in a cache, which are not computed and not in it.",
			curves: []curve{{prefillColour, by("prefill_token_rate", "", "instance")}},
		},
		panel{
			title: "Requests waiting by engine", width: 8,
			reads:  "The queue of each engine. One long queue beside empty ones is a router that does not see it.",
			silent: "requests that wait in the gateway or the router, which no engine knows of yet.",
			curves: []curve{prefilling(by("requests_waiting", "", "instance"))},
		},
		panel{
			title: "Requests running by data-parallel rank", width: 12,
			reads:  "Each data-parallel rank has requests of its own. Ranks that share a step wait for the one with the most tokens.",
			silent: "tensor-parallel ranks, which repeat the same requests and are counted once.",
			curves: []curve{prefilling(by("requests_running", "", "model", "dp_rank"))},
		},
		panel{
			title: "Skew over engines and ranks", width: 12,
			reads:  "The largest over the mean of engines and data-parallel ranks. 1 is even; a queue at 2 is badly spread.",
			silent: "which one, see the graphs beside. It has no value while all are 0, and with a single engine it is always 1.",
			curves: []curve{
				{prefillColour, skew("prefill_token_rate", "Tokens")},
				{"red", on(query.RolePrefill, skew("requests_waiting", "Waiting"))},
			},
		},
	}}
}

func prefillStages() row {
	return row{title: "Stages of SGLang, and batches of vLLM", height: 9, collapsed: true, panels: []drawn{
		panel{
			title: "Mean time by stage", width: 12, next: []string{toTransfer},
			reads:  "Time of each stage of a request on prefill. Look for the stage that grew, then for its queue or its hardware.",
			silent: "a sum: stages overlap and must not be stacked to an end-to-end time. SGLang alone has stages.",
			curves: []curve{{"", on(query.RolePrefill, averaged(by("stage_latency", "", "model", "stage")))}},
		},
		panel{
			title: "Tokens per prefill step, mean", width: 12,
			reads:  "Tokens of one scheduler step on prefill. Far below the configured maximum with requests waiting, something else than compute limits.",
			silent: "the time of a step. Older versions count all chunks of a long prompt in one step. SGLang does not export it.",
			curves: []curve{prefilling(mean("tokens_per_step", ""))},
		},
	}}
}
