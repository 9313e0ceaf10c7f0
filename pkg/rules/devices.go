package rules

// throttling reads DCGM's counters of time under a limit, because the bit mask of
// reasons cannot be taken apart in PromQL. A card at its power limit is at work; one
// that is too hot is in trouble.
func throttling() Rule {
	held := func(name, signal string, share float64) Case {
		return Case{
			Name:    name,
			Queries: []Query{of("held", signal, by("gpu", "gpu_host"))},
			Fires:   above{value("held"), constant(share)},
		}
	}
	return Rule{
		Name: "PDGPUThrottled", Severity: Warning, For: sustained,
		Summary: "A GPU's clocks are held down",
		Description: "GPU {gpu} of {gpu_host} is held below its clocks for {share} of the time. " +
			"A tensor-parallel group is as fast as its slowest card.",
		Cases: []Case{
			held("thermal", "gpu_thermal_violation_rate", 0.05),
			held("power", "gpu_power_violation_rate", 0.5),
			held("board", "gpu_board_limit_violation_rate", 0.05),
			held("reliability", "gpu_reliability_violation_rate", 0.05),
		},
	}
}

// xidErrors cannot wait: one event may be the last word of a card. The counter
// appears with its first event and that step is no rate, so the exporter's own window
// and the last code are looked at too.
func xidErrors() Rule {
	seen := func(name, signal string) Case {
		return Case{
			Name:    name,
			Queries: []Query{of("xid", signal, by("gpu", "gpu_host"), over(longWindow))},
			Fires:   above{value("xid"), constant(0)},
		}
	}
	return Rule{
		Name: "PDGPUXIDErrors", Severity: Critical, For: 0,
		Summary: "A GPU reported an XID error",
		Description: "GPU {gpu} of {gpu_host} reported an XID error ({value}). " +
			"Where the exporter has no counter this is the last code, which stays until the exporter restarts.",
		Cases: []Case{
			seen("counter", "xid_error_rate"),
			seen("window", "xid_errors_in_window_raw"),
			seen("last code", "gpu_last_xid_raw"),
		},
	}
}

func retransmits() Rule {
	lost := func(name, signal string) Case {
		return Case{
			Name:    name,
			Queries: []Query{of("lost", signal, by("instance", "device"))},
			Fires:   above{value("lost"), constant(1)},
		}
	}
	return Rule{
		Name: "PDRDMARetransmits", Severity: Warning, For: sustained,
		Summary:     "An RDMA port sends packets again",
		Description: "{device} of {instance} sends {value} packets a second again: packets are lost or out of order on the way.",
		Cases: []Case{
			lost("adaptive", "rdma_adaptive_retransmit_rate"),
			lost("sequence", "rdma_sequence_error_rate"),
			lost("timeout", "rdma_ack_timeout_rate"),
		},
	}
}
