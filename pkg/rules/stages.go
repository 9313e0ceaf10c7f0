package rules

import "github.com/ptd-monitor/pdmonitor/pkg/query"

// Seconds of work: by Little's law a queue of n requests at a rate of r takes n ÷ r
// seconds, which is written as n > seconds × r so that a rate of 0 is no fault.
const (
	longWait  = 10 // seconds in a waiting queue
	shortWait = 5  // seconds without KV memory, which nothing but memory ends
	// few requests wait in a healthy queue whatever the rate is.
	few = 3
)

func stageImbalance() Rule {
	return Rule{
		Name: "PDStageImbalance", Severity: Warning, For: long,
		Summary: "Prefill finishes more requests than decode",
		Description: "Prefill of {model} finishes {value} req/s, over a tenth more than decode, and requests wait on decode: " +
			"the backlog between them grows until KV memory ends it.",
		Cases: []Case{{
			Queries: []Query{
				of("prefill", "prefill_request_rate", over(longWindow)),
				of("decode", "decode_request_rate", over(longWindow)),
				of("waiting", "requests_waiting", on(query.RoleDecode)),
			},
			Fires: all{above{value("prefill"), times(1.1, "decode")}, above{value("waiting"), constant(few)}},
		}},
	}
}

// preallocBackPressure is the chain that ends with both sides waiting for each other:
// decode has no KV memory, so prefill cannot hand over and keeps its own. Decode's
// memory also fills with reservations for KV that has not come, where prefill or the
// link is too slow; then more requests wait for their KV than run.
func preallocBackPressure() Rule {
	others := []Query{
		of("usage", "kv_cache_usage", on(query.RoleDecode)),
		of("rate", "decode_request_rate", on(query.RoleDecode)),
		of("running", "requests_running", on(query.RoleDecode)),
	}
	fires := all{
		above{value("waiting"), constant(few)},
		above{value("waiting"), times(shortWait, "rate")},
		above{value("usage"), constant(0.9)},
		below{value("reserved"), value("running")},
	}
	byReason := func(name, reason string) Query {
		return of(name, "requests_waiting_by_reason", on(query.RoleDecode), where("reason", reason))
	}
	return Rule{
		Name: "PDDecodePreallocBackPressure", Severity: Critical, For: sustained,
		Summary: "Decode has no KV memory for what prefill hands over",
		Description: "{value} requests of {model} wait for KV memory on decode, whose pool is full of running requests. " +
			"Prefill keeps the KV of what it cannot hand over until it stops too. Relieve decode first; more prefill makes it worse.",
		Cases: []Case{
			{
				Name: "SGLang",
				Queries: append([]Query{
					of("waiting", "decode_prealloc_queue", on(query.RoleDecode)),
					of("reserved", "decode_transfer_queue", on(query.RoleDecode)),
				}, others...),
				Fires: fires,
			},
			{
				Name:    "vLLM", // capacity is KV memory or a place in the batch, deferred the wait for KV
				Queries: append([]Query{byReason("waiting", "capacity"), byReason("reserved", "deferred")}, others...),
				Fires:   fires,
			},
		},
	}
}

func prefillQueue() Rule {
	return queue("PDPrefillQueueGrowth", "Requests wait too long for prefill",
		"{value} requests of {model} wait for prefill, more than it finishes in 10 s.",
		of("waiting", "requests_waiting", on(query.RolePrefill)),
		of("rate", "prefill_request_rate", on(query.RolePrefill)))
}

func decodeQueue() Rule {
	return queue("PDDecodeQueueGrowth", "Requests wait too long for decode",
		"{value} requests of {model} wait for decode, more than it finishes in 10 s.",
		of("waiting", "requests_waiting", on(query.RoleDecode)),
		of("rate", "decode_request_rate", on(query.RoleDecode)))
}

func transferQueue() Rule {
	return queue("PDTransferQueueGrowth", "Computed KV waits too long for its transfer",
		"The KV of {value} requests of {model} is computed and not yet with decode, more than prefill finishes in 10 s.",
		of("waiting", "prefill_inflight_queue", on(query.RolePrefill)),
		of("rate", "prefill_request_rate", on(query.RolePrefill)))
}

func queue(name, summary, description string, waiting, rate Query) Rule {
	return Rule{
		Name: name, Severity: Warning, For: sustained, Summary: summary, Description: description,
		Cases: []Case{{
			Queries: []Query{waiting, rate},
			Fires:   all{above{value("waiting"), constant(few)}, above{value("waiting"), times(longWait, "rate")}},
		}},
	}
}
