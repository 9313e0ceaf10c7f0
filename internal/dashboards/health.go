package dashboards

import "github.com/ptd-monitor/pdmonitor/pkg/query"

// health answers why a panel is empty or a number odd: what is exported, and how.
func health() board {
	return board{
		name: toHealth, title: titleOf(toHealth),
		about: "What the server holds of the catalog: which systems and engines, which signals are exported, missing, distrusted or scraped twice, and why.",
		rows: []row{
			{title: "Systems", height: 10, panels: []drawn{
				listing{
					title: "What the server holds of each system", width: 24, inventory: query.InventorySystems,
					reads: "Engines are counted by role. A role without engines, a scrape interval longer than the others or restarts in this time range explain most odd graphs. " +
						"A remark says what makes every sum of a system wrong, such as two jobs that scrape the same engine.",
					silent:   "engines that were never scraped: what is not in the database cannot be missed. Restarts are counter resets seen in the time range, of one counter for each instance.",
					statuses: map[string]colour{"look at it": "orange"},
					widths: map[string]int{
						"system": 130, "status": 90, "prefill": 70, "decode": 75, "unified": 75, "models": 230, "dp ranks": 85, "tp ranks": 85,
						"scrape interval": 130, "restarts": 80, "role by": 150, "prefixes": 120,
					},
				},
			}},
			{title: "Signals", height: 20, panels: []drawn{
				listing{
					title: "What is exported, and why not", width: 24, inventory: query.InventorySignals, long: true,
					reads: "A row for each signal of each system that was found. Missing names the flag or version that would export it; " +
						"no samples was exported once and is not now; distrusted is exported, but another signal is to be believed. Filter by a column's funnel.",
					silent:   "whether a number is right, only whether it can be had. Systems that were not found have no rows here.",
					statuses: map[string]colour{"no samples": "yellow", "distrusted": "orange", "scraped twice": "red", "unavailable": "yellow"},
					widths:   map[string]int{"signal": 290, "title": 260, "group": 130, "system": 130, "status": 110, "metric": 380},
				},
			}},
		},
	}
}
