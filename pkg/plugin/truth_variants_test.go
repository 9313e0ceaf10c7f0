package plugin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// variant is the default cluster with every group of an engine changed, "" for all.
func variant(engine simulator.Engine, change func(*simulator.Group)) simulator.Cluster {
	c := simulator.DefaultCluster()
	for i := range c.Groups {
		if engine == "" || c.Groups[i].Engine == engine {
			change(&c.Groups[i])
		}
	}
	return c
}

// The variants run for less time than the default cluster.
const variantEnded = 100 * time.Second

func TestVariantsOfTheDeploymentGiveTheSameTruth(t *testing.T) {
	no := false
	for name, test := range map[string]struct {
		engine simulator.Engine
		change func(*simulator.Group)
		// notices are parts of what the reader of the answer to signal is told.
		signal  string
		notices []string
	}{
		"queues are exported by priority beside the total": {
			engine: simulator.SGLang,
			change: func(g *simulator.Group) { g.PriorityScheduling, g.AbortShare = true, 0.05 },
		},
		"every scheduler exports, by priority too": {
			engine: simulator.SGLang,
			change: func(g *simulator.Group) { g.AllSchedulers, g.PriorityScheduling, g.AbortShare = true, true, 0.05 },
		},
		"an old SGLang has no engine_type on request counters": {
			engine: simulator.SGLang,
			change: func(g *simulator.Group) { g.EngineTypeOnTokenizer = &no },
			signal: "decode_request_rate", notices: []string{"sglang:num_requests_total carries no engine_type label in this version"},
		},
		"vLLM moves the KV cache with NIXL, SGLang without FlagCX": {
			change: func(g *simulator.Group) {
				g.Connector = simulator.NoConnector
				if g.Engine == simulator.VLLM {
					g.Connector = simulator.NIXL
				}
			},
			signal: "kv_transfer_request_rate", notices: []string{"read from NIXL", "read from SGLang"},
		},
	} {
		// With aborts so frequent each series of each priority has appeared in time.
		t.Run(name, func(t *testing.T) {
			r := replay(t, variant(test.engine, test.change), variantEnded, nil)
			for _, row := range rates() {
				requireRate(t, r, row, settled, variantEnded)
			}
			for _, row := range gauges() {
				requireGauge(t, r, row, settled, variantEnded, 0)
			}
			for _, notice := range test.notices {
				got := r.ask(t, byModel(test.signal), settled, variantEnded)
				require.Contains(t, strings.Join(got.notices, "\n"), notice)
			}
		})
	}
}

func TestNewerSGLangCountsSuccessesApart(t *testing.T) {
	r := replay(t, variant(simulator.SGLang, func(g *simulator.Group) { g.FinishedByOutcome = true }), variantEnded, nil)
	for _, row := range []counted{
		{signal: "prefill_request_rate", event: simulator.Succeeded, role: simulator.Prefill},
		{signal: "decode_request_rate", event: simulator.Succeeded, role: simulator.Decode},
	} {
		requireRate(t, r, row, settled, variantEnded)
	}
}

func TestGaugesThatAreRefreshedNowAndThenAreRightInTheMean(t *testing.T) {
	r := replay(t, variant(simulator.SGLang, func(g *simulator.Group) { g.RefreshedGauges = true }), ended, nil)
	for _, row := range gauges() {
		// Only decode writes them on a clock of its own (every 40 steps). Prefill
		// writes them at the start of a batch, which is no fair sample of the time.
		if row.role == simulator.Decode {
			row.engine = simulator.SGLang
			requireGauge(t, r, row, settled, ended, 0.1)
		}
	}
}

func TestRankStrategiesThatAreRightGiveTheTruth(t *testing.T) {
	r := theDefaultCluster(t)
	plainTP := func(g simulator.Group) bool { return !g.PrefillInstances.DPAttention }
	for strategy, right := range map[string]func(simulator.Group) bool{
		"auto":     func(simulator.Group) bool { return true },
		"collapse": func(simulator.Group) bool { return true },
		// tp_rank 0 is one of four engines of DP attention.
		"rank0": plainTP,
		// A sum is right where nothing is repeated.
		"sum": func(g simulator.Group) bool { return g.Engine == simulator.VLLM },
	} {
		t.Run(strategy, func(t *testing.T) {
			with := r.with(t, map[string]any{"rankStrategy": strategy})
			with.cluster.Groups = nil
			for _, g := range r.cluster.Groups {
				if right(g) {
					with.cluster.Groups = append(with.cluster.Groups, g)
				}
			}
			for _, row := range rates() {
				requireRate(t, with, row, settled, ended)
			}
			for _, row := range gauges() {
				requireGauge(t, with, row, settled, ended, 0)
			}
		})
	}
}

func TestRankZeroSaysWhatItLosesUnderDPAttention(t *testing.T) {
	r := theDefaultCluster(t).with(t, map[string]any{"rankStrategy": "rank0"})
	got := r.ask(t, query.Query{Signal: "requests_running", Role: query.RoleDecode, System: "sglang"}, settled, ended)
	require.Contains(t, strings.Join(got.notices, "\n"), "Rank strategy rank0 keeps tp_rank 0 alone, but several dp_rank were found")
}
