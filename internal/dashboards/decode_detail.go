package dashboards

import "github.com/ptd-monitor/pdmonitor/pkg/query"

func decodeBatches() row {
	return row{title: "Batches and answers", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "Output tokens per request, mean", width: 8,
			reads:  "Length of an answer. When end-to-end latency grows, look here first: longer answers take longer on a healthy engine.",
			silent: "requests that still run: a length counts when the answer ends. Older SGLang needs a flag for it.",
			curves: []curve{{decodeColour, mean("output_tokens_per_request", "")}},
		},
		panel{
			title: "Tokens per decode step, mean", width: 8,
			reads:  "Tokens of one scheduler step on decode: about the batch size, or more with speculative decoding.",
			silent: "which token was whose. SGLang does not export it, so it has no series here.",
			curves: []curve{decoding(mean("tokens_per_step", ""))},
		},
		panel{
			title: "CUDA graph share of decode steps", width: 8,
			reads:  "Share of decode passes that a CUDA graph ran. A fall is a usual source of jitter between tokens.",
			silent: "why passes fell out of the graph: batch sizes beyond those captured are the usual reason. SGLang alone exports it.",
			curves: []curve{{decodeColour, byModel("cuda_graph_decode_share", "")}},
		},
	}}
}

func decodeEngines() row {
	return row{title: "By engine and rank", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "Requests running by engine", width: 8,
			reads:  "The batch of each decode engine. Engines of one model should carry about the same; one at its top beside idle ones is a router's fault.",
			silent: "ranks within an engine: see the graph by data-parallel rank. Different models have different batches.",
			curves: []curve{decoding(by("requests_running", "", "instance"))},
		},
		panel{
			title: "Decode tok/s by engine", width: 8, next: []string{toDevices},
			reads:  "Output tokens of each engine. The same batch with fewer tokens is a slow engine: look at its GPUs.",
			silent: "a difference of load: hold it against the batches beside before you blame the hardware.",
			curves: []curve{{decodeColour, by("decode_token_rate", "", "instance")}},
		},
		panel{
			title: "KV memory in use by engine", width: 8,
			reads:  "Each engine's own pool. One full engine beside empty ones waits and preempts alone, which a mean would hide.",
			silent: "what is kept only for reuse, on systems that count it as used. A full pool alone is no fault.",
			curves: []curve{decoding(by("kv_cache_usage", "", "instance"))},
		},
		panel{
			title: "Requests running by data-parallel rank", width: 12,
			reads:  "Each data-parallel rank has requests of its own. A rank that stays above its peers makes the others wait at every step they share.",
			silent: "tensor-parallel ranks, which repeat the same requests and are counted once.",
			curves: []curve{decoding(by("requests_running", "", "model", "dp_rank"))},
		},
		panel{
			title: "Skew over engines and ranks", width: 12,
			reads:  "The largest over the mean of engines and data-parallel ranks. 1 is even; a queue at 2 while the batches are at 1 is badly spread.",
			silent: "which one, see the graphs beside. It has no value while all are 0, and with a single engine it is always 1.",
			curves: []curve{
				{decodeColour, on(query.RoleDecode, skew("requests_running", "Running"))},
				{"red", on(query.RoleDecode, skew("requests_waiting", "Waiting"))},
			},
		},
	}}
}

// decodeSpread shows what a quantile hides: two modes.
func decodeSpread() row {
	return row{title: "Distributions", height: 9, collapsed: true, panels: []drawn{
		heatmap{
			title: "Inter-token latency of $model", width: 24,
			reads:  "Tokens per second by their latency; the darker, the more. Two bands are two kinds of step, for example with and without a prefill in the batch.",
			silent: "anything finer than the engine's buckets, which are the rows. The topmost row has no upper end.",
			query:  on(query.RoleDecode, of("itl", "")),
		},
	}}
}

func speculation() row {
	return row{title: "Speculative decoding", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "Draft tokens accepted", width: 8,
			reads:  "Share of draft tokens that the target model accepted. A fall after a change of traffic makes every step cost more than it brings.",
			silent: "where in the draft they fail: see the graph by position. It is empty where no speculative decoding runs.",
			curves: []curve{{decodeColour, byModel("spec_acceptance_rate", "")}},
		},
		panel{
			title: "Tokens accepted per round", width: 8,
			reads:  "Mean length that a round adds. Near 1 the drafts bring nothing and cost their verification.",
			silent: "the cost of the draft model. It is empty where no speculative decoding runs.",
			curves: []curve{{decodeColour, byModel("spec_acceptance_length", "")}},
		},
		panel{
			title: "Acceptance by position", width: 8,
			reads:  "Later positions are accepted less, which is normal. Positions near 0 only cost: make the drafts shorter.",
			silent: "anything on SGLang, which does not split by position. It is empty where no speculative decoding runs.",
			curves: []curve{{"", by("spec_acceptance_rate_by_position", "", "model", "position")}},
		},
	}}
}
