package dashboards_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shows are the scenarios in which the panels of a dashboard have something to draw.
var shows = map[string][]string{
	"pd-overview.json":       {"router-drift", "kv-expiry"},
	"pd-prefill.json":        {"router-drift", "kv-expiry"},
	"pd-decode.json":         {"router-drift", "kv-expiry"},
	"pd-kv-transfer.json":    {"router-drift", "kv-expiry"},
	"pd-cache-tiers.json":    {"healthy"},
	"pd-gateway.json":        {"router-drift"},
	"pd-gpu-network.json":    {"router-drift", "restart-storm"},
	"pd-metrics-health.json": {"router-drift"},
}

// dark are the panels that no scenario draws, and why; that they compile is another
// test's matter.
var dark = map[string]string{
	"Draft tokens accepted":                 "no simulated engine speculates",
	"Tokens accepted per round":             "no simulated engine speculates",
	"Acceptance by position":                "no simulated engine speculates",
	"Router: requests waiting for a worker": "the simulated router sends at once",
	"NVLink bytes/s":                        "off in the exporter's list, as by default",
	"PCIe bytes/s":                          "the simulated cards have no such profiling field",
	"CUDA graph share of decode steps":      "the simulator does not count forward passes",
}

// unsimulated rows are of systems that the simulator does not have.
var unsimulated = []string{
	"Host memory (L1) and storage (L2): LMCache MP", "Moves of LMCache MP",
	"Storage: Mooncake's clients, the path of the data", "Storage: Mooncake's master, the path of control",
}

func TestEveryPanelDrawsSomethingInSomeScenario(t *testing.T) {
	reasons := map[string]string{}
	for title, why := range dark {
		reasons[title] = why
	}
	for name, b := range load(t) {
		t.Run(name, func(t *testing.T) {
			require.NotEmpty(t, shows[name])
			for _, row := range b.Panels {
				for _, title := range unsimulated {
					if row.Title == title {
						require.True(t, row.Collapsed, "%s: what is not there must not be in sight", title)
						for _, p := range row.Panels {
							reasons[p.Title] = "not simulated"
						}
					}
				}
			}
			for _, p := range b.asking() {
				drawn := 0
				for _, scenario := range shows[name] {
					for _, q := range p.targets(t) {
						drawn += rows(play(t, scenario).ask(t, q, settled, lasts))
					}
				}
				if why, ok := reasons[p.Title]; ok {
					assert.Zero(t, drawn, "%s draws something, although %s: take it off the list", p.Title, why)
					continue
				}
				assert.Positive(t, drawn, "%s draws nothing", p.Title)
			}
		})
	}
}
