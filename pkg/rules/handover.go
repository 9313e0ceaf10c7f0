package rules

import "github.com/ptd-monitor/pdmonitor/pkg/query"

func leaseExpiry() Rule {
	return Rule{
		Name: "PDKVLeaseExpiry", Severity: Critical, For: sustained,
		Summary: "Prefill gives up KV that decode does not fetch in time",
		Description: "The KV of {value} requests a second of {model} expires on prefill before decode fetches it: " +
			"decode schedules them too late, the network need not be slow.",
		Cases: []Case{{
			Queries: []Query{of("expired", "kv_lease_expiry_rate")},
			Fires:   above{value("expired"), constant(0)},
		}},
	}
}

// transferFailures compares what fails with what one and the same system counts as
// moved: connectors count transfers of ranks, SGLang counts requests.
func transferFailures() Rule {
	share := func(name string, failed, of Query) Case {
		return Case{Name: name, Queries: []Query{failed, of}, Fires: above{value("failed"), times(0.01, of.Name)}}
	}
	transfers := of("transfers", "kv_transfer_operation_rate")
	return Rule{
		Name: "PDKVTransferFailures", Severity: Critical, For: sustained,
		Summary:     "KV transfers fail",
		Description: "{value} KV transfers of {model} fail a second, more than one in a hundred.",
		Cases: []Case{
			share("sent", of("failed", "transfer_failure_rate"), transfers),
			share("received", of("failed", "kv_receive_failure_rate"), transfers),
			share("requests", of("failed", "transfer_failure_rate", from("sglang")), of("requests", "prefill_request_rate", from("sglang"))),
		},
	}
}

func bootstrapFailures() Rule {
	return Rule{
		Name: "PDBootstrapFailures", Severity: Critical, For: sustained,
		Summary:     "Prefill and decode fail to shake hands",
		Description: "The handshake of {value} requests a second of {model} fails, more than one for each fifty requests that prefill finishes.",
		Cases: []Case{{
			Queries: []Query{of("failed", "bootstrap_failure_rate"), of("rate", "prefill_request_rate")},
			Fires:   above{value("failed"), times(0.02, "rate")},
		}},
	}
}

// routerDrift compares what the router believes with what the engines find. The
// router's metric has no model, so both are taken over all of them.
func routerDrift() Rule {
	drift := func(engine string) Case {
		return Case{
			Name: engine,
			Queries: []Query{
				of("predicted", "router_predicted_hit_rate", by(), from("dynamo"), mean, over(longWindow)),
				of("found", "prefix_cache_hit_rate", by(), from(engine), over(longWindow)),
			},
			Fires: above{value("predicted"), sum{value("found"), constant(0.2)}},
		}
	}
	return Rule{
		Name: "PDRouterDrift", Severity: Warning, For: long,
		Summary: "The router expects prefix hits that the engines do not find",
		Description: "The router predicts that {share} of a prompt is cached, over 20 points more than prefill finds: " +
			"its view of the caches is old and it sends requests to the wrong workers.",
		Cases: []Case{drift("vllm"), drift("sglang")},
	}
}

// missing is the one rule for which nothing is the fault.
func missing(role query.Role) Rule {
	name, title := "PDPrefillMetricsMissing", "prefill"
	if role == query.RoleDecode {
		name, title = "PDDecodeMetricsMissing", "decode"
	}
	return Rule{
		Name: name, Severity: Critical, For: sustained,
		Summary: "No " + title + " engine has metrics",
		Description: "The server has no sample of any " + title + " engine. Either none runs, or they are not scraped, or the role matchers of the data source fit none. " +
			"No other rule of PD Monitor can fire for them.",
		Cases: []Case{{
			Queries: []Query{of("engines", "requests_running", on(role), by())},
			Fires:   absent("engines"),
		}},
	}
}
