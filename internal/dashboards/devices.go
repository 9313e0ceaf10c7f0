package dashboards

import "github.com/ptd-monitor/pdmonitor/pkg/query"

// devices are the cards and ports beneath the engines, each for itself: a mean over
// cards hides the one that all others wait for.
func devices() board {
	return board{
		name: toDevices, title: titleOf(toDevices),
		about:     "Each GPU and each network port for itself: which kind of work it does, what slows it down, and what the network waits for.",
		variables: []string{gpuHosts, portHosts},
		rows:      []row{cards(), throttling(), network(), activity(), cardMemory(), ports()},
	}
}

// perGPU splits by card.
func perGPU(signal string) query.Query {
	return of(signal, "{{gpu_host}} {{gpu}}", "gpu_host", "gpu")
}

func cards() row {
	high := []limit{{0.5, "semi-dark-blue"}}
	hot := []limit{{85, "semi-dark-yellow"}, {90, "semi-dark-red"}}
	held := []limit{{0.02, "semi-dark-yellow"}, {0.2, "semi-dark-red"}}
	plain := func(signal string) query.Query { return of(signal, "") }
	return row{title: "Each GPU: four kinds of busy", height: 9, panels: []drawn{
		table{
			title: "Each GPU now", width: 16, next: []string{toPrefill, toDecode},
			reads: "Busy is close to 100 % in all four cases beside and tells them not apart; the blue cells do. " +
				"Compare the cards of one engine: one that differs from its peers holds them up.",
			silent: "anything of the past: see the graphs below. SM active is off in dcgm-exporter's default list, so its column may be missing.",
			by:     []named{{"gpu_host", "Host", 150}, {"gpu", "GPU", 60}},
			columns: []column{
				{"Busy", plain("gpu_utilization"), nil},
				{"SM active", plain("gpu_sm_active"), high},
				{"Tensor", plain("gpu_tensor_active"), high},
				{"DRAM", plain("gpu_dram_active"), high},
				{"SM clock", plain("gpu_sm_clock"), nil},
				{"Power", plain("gpu_power"), nil},
				{"Temp", plain("gpu_temperature"), hot},
				{"Heat limit", over("1m", plain("gpu_thermal_violation_rate")), held},
				{"Power limit", over("1m", plain("gpu_power_violation_rate")), held},
			},
		},
		text{title: "Which case is it?", width: 8, content: fourCases},
	}}
}

const fourCases = `| SM active | Tensor | DRAM | case |
|---|---|---|---|
| high | high | high | **Compute-bound**: large batches of prefill |
| high | low | high | **Memory-bound**: decode reads weights and KV for few tokens |
| high | low | low | **Stalled**: warps wait, for a slow peer or in small kernels |
| low | low | low | **Launch or network**: kernels are short or wait to be sent data |

Each can show *Busy* at 100 %, which only says that some kernel ran.`

func throttling() row {
	return row{title: "What slows a card down", height: 7, panels: []drawn{
		panel{
			title: "SM clock of each GPU", width: 8, quiet: true,
			reads:  "Cards of one engine should keep the same clock. One below its peers is throttled, and all ranks of its engine wait for it. Idle cards clock down.",
			silent: "why: see the shares of time beside. A reading is a moment, so short dips fall between scrapes.",
			curves: []curve{{"", perGPU("gpu_sm_clock")}},
		},
		panel{
			title: "Time held down by heat or power", width: 8,
			reads:  "Share of time in which the limit held the clocks down, for each card. Anything steady on one card is a cooling or supply fault.",
			silent: "anything unless dcgm-exporter has a counters file with the violations: they are off by default.",
			curves: []curve{
				{"red", renamed(perGPU("gpu_thermal_violation_rate"), "Heat {{gpu_host}} {{gpu}}")},
				{"yellow", renamed(perGPU("gpu_power_violation_rate"), "Power {{gpu_host}} {{gpu}}")},
			},
			busiest: true,
		},
		panel{
			title: "XID errors", width: 8,
			reads:  "Events by code and card, per second over five minutes. 79 is a card fallen off the bus, 48 and 63 are memory, 74 is NVLink.",
			silent: "the very first event of a code, with which its series appears. Off by default in dcgm-exporter: empty is no proof of health.",
			curves: []curve{{"red", over("5m", of("xid_error_rate", "XID {{xid}} {{gpu_host}} {{gpu}}", "gpu_host", "gpu", "xid"))}},
		},
	}}
}

// activity is the table's blue columns over time. It is folded, as are the other
// graphs with a curve for every card: they are the heaviest of all dashboards, and a
// browser that draws them every second draws little else.
func activity() row {
	return row{title: "Activity of each GPU over time", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "Tensor activity of each GPU", width: 12, quiet: true, next: []string{toPrefill},
			reads:  "Share of time in which the tensor cores work: what prefill should raise. One card of an engine below its peers waits for something.",
			silent: "how much of the peak rate is reached: active is not full. Profiling fields are missing on some cards.",
			curves: []curve{{"", perGPU("gpu_tensor_active")}},
		},
		panel{
			title: "DRAM activity of each GPU", width: 12, quiet: true, next: []string{toDecode},
			reads:  "Share of time in which the memory interface moves data: what decode raises. Near 90 % memory bandwidth is the limit.",
			silent: "how full the memory is. Reads and writes of copies and of kernels are not told apart.",
			curves: []curve{{"", perGPU("gpu_dram_active")}},
		},
	}}
}

func cardMemory() row {
	return row{title: "Memory, power and links of the cards", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "GPU memory used", width: 8, quiet: true,
			reads:  "Memory of the whole card: weights, CUDA context and the KV pool, which engines reserve as a whole at start.",
			silent: "KV usage: a pool is reserved whether it is full or empty. Take the engine's own usage for that.",
			curves: []curve{{"", perGPU("gpu_memory_used")}},
		},
		panel{
			title: "GPU power", width: 8, quiet: true,
			reads:  "Draw of each card. At the limit with a falling clock the card is held down by power.",
			silent: "work: a card that spins for a peer draws power too.",
			curves: []curve{{"", perGPU("gpu_power")}},
		},
		panel{
			title: "GPU temperature", width: 8, quiet: true,
			reads:  "Of each card. A card well above its neighbours throttles first; a whole host above the others has an airflow fault.",
			silent: "whether it throttles already: see the share of time held down by heat.",
			curves: []curve{{"", perGPU("gpu_temperature")}},
		},
		panel{
			title: "NVLink bytes/s", width: 8, quiet: true,
			reads:  "Sent and received by each card over NVLink, from a gauge that already is a rate. Tensor parallelism makes most of it.",
			silent: "anything with dcgm-exporter's default list, in which these fields are off: then the panel is empty and its notice says so.",
			curves: []curve{
				{"blue", renamed(perGPU("gpu_nvlink_transmit_bandwidth"), "Sent {{gpu_host}} {{gpu}}")},
				{"green", renamed(perGPU("gpu_nvlink_receive_bandwidth"), "Received {{gpu_host}} {{gpu}}")},
			},
		},
		panel{
			title: "PCIe bytes/s", width: 8, quiet: true,
			reads:  "Sent and received by each card over PCIe, from a gauge that already is a rate. Loads back from host memory show on the receiving side.",
			silent: "which of KV, weights and network it is. Some cards have no profiling fields: then the panel is empty and its notice says so.",
			curves: []curve{
				{"blue", renamed(perGPU("gpu_pcie_transmit_bandwidth"), "Sent {{gpu_host}} {{gpu}}")},
				{"green", renamed(perGPU("gpu_pcie_receive_bandwidth"), "Received {{gpu_host}} {{gpu}}")},
			},
		},
		panel{
			title: "PCIe replays of each GPU", width: 8,
			reads:   "Packets sent again on the PCIe link. Anything above 0 that comes back points to the slot, the riser or the card.",
			silent:  "NVLink and the network: they have counters of their own.",
			curves:  []curve{{"red", over("5m", perGPU("gpu_pcie_replay_rate"))}},
			busiest: true,
		},
	}}
}

// renamed gives a query another legend.
func renamed(q query.Query, legend string) query.Query {
	q.Legend = legend
	return q
}
