package rules

import (
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// thrash needs both halves: a pool that is full and loses nothing is well used.
func thrash() Rule {
	usage := of("usage", "kv_cache_usage", on(query.RoleDecode))
	rate := of("rate", "decode_request_rate", on(query.RoleDecode))
	fires := all{above{value("usage"), constant(0.9)}, above{value("lost"), times(0.05, "rate")}}
	return Rule{
		Name: "PDKVCacheThrash", Severity: Critical, For: sustained,
		Summary: "The KV pool is full and running requests lose their memory",
		Description: "Decode of {model} uses {share} of its KV pool and takes the memory of more than one request in twenty away again, " +
			"which is then computed anew.",
		Cases: []Case{
			{Name: "vLLM", Queries: []Query{usage, of("lost", "preemption_rate", on(query.RoleDecode)), rate}, Fires: fires},
			{Name: "SGLang", Queries: []Query{usage, of("lost", "retraction_rate", on(query.RoleDecode)), rate}, Fires: fires},
		},
	}
}

func retractions() Rule {
	return Rule{
		Name: "PDRetractions", Severity: Warning, For: sustained,
		Summary:     "Decode retracts many running requests",
		Description: "Decode of {model} sends {value} running requests a second back to the queue, more than one in ten of those that it finishes.",
		Cases: []Case{{
			Queries: []Query{of("retracted", "retraction_rate", on(query.RoleDecode)), of("rate", "decode_request_rate", on(query.RoleDecode))},
			Fires:   above{value("retracted"), times(0.1, "rate")},
		}},
	}
}

// requestSizeDrift holds the measured against the configured bytes of a request. The
// measured ones divide by requests prefilled, so they are too low while a backlog grows
// between prefill and transfer; memory ends that within the time that this rule waits.
func requestSizeDrift() Rule {
	drift := func(name string, fires Condition) Case {
		return Case{Name: name, Queries: []Query{of("ratio", "kv_bytes_per_request_ratio", over(longWindow))}, Fires: fires}
	}
	return Rule{
		Name: "PDRequestSizeDrift", Severity: Warning, For: 30 * time.Minute,
		Summary: "The measured KV bytes of a request are not the configured ones",
		Description: "A request of {model} moves {value} times the KV bytes of the configured B_request, " +
			"so KV req/s is wrong by as much: the input length, the model's entry in requestSizes or the layout changed.",
		Cases: []Case{
			drift("more", above{value("ratio"), constant(1.05)}),
			drift("less", below{value("ratio"), constant(0.95)}),
		},
	}
}
