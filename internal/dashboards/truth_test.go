package dashboards_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// tolerance is how far a panel's number may lie from the truth, as a share of it.
const tolerance = 0.01

// told are the dashboards whose numbers the truth is held against, each in a scenario
// in which what it is for goes wrong.
var told = map[string][]string{
	"pd-overview.json":    {"router-drift"},
	"pd-kv-transfer.json": {"router-drift", "transfer-bound", "prealloc-back-pressure"},
	"pd-decode.json":      {"router-drift", "decode-bound"},
}

func TestThePanelsTellTheTruth(t *testing.T) {
	boards := load(t)
	for name, scenarios := range told {
		for _, scenario := range scenarios {
			p := play(t, scenario)
			checked := map[string]bool{}
			for _, panel := range boards[name].asking() {
				for _, q := range panel.targets(t) {
					t.Run(name+" in "+scenario+"/"+panel.Title+" "+q.refID, func(t *testing.T) {
						if p.holds(t, q) {
							checked[panel.Title] = true
						}
					})
				}
			}
			require.Greater(t, len(checked), len(boards[name].asking())/2, "%s in %s: the truth has more than that: %v", name, scenario, checked)
		}
	}
}

// holds compares a panel's query with the truth of every series that it brings, and
// reports whether the truth has anything to say.
func (p *played) holds(t *testing.T, q target) bool {
	t.Helper()
	if q.Format == query.FormatTable || q.Stat == query.StatSkew || q.Stat == query.StatHeatmap {
		return false
	}
	if m, ok := measures[q.Signal]; ok {
		return p.holdsMeasure(t, q, m)
	}
	want, ok := truths[q.Signal]
	if !ok {
		return false
	}
	any := false
	for _, one := range p.lines(p.ask(t, q, settled, lasts)) {
		s, g, ok := p.selector(q, one)
		if !ok {
			continue
		}
		any = true
		parts := 1.0
		if one.labels["tp_rank"] != "" { // each rank has its part
			parts = float64(g.PrefillInstances.TP)
		}
		truth, mean := 0.0, 0.0
		for at, v := range one.points {
			truth += want(p, s, g, at) / parts
			mean += v
		}
		n := float64(len(one.points))
		require.InDelta(t, truth/n, mean/n, tolerance*math.Abs(truth/n)+1e-9, "%s %v", q.Signal, one.labels)
	}
	return any
}

// selector is what of the truth a series shows; false where that is not one model, or
// one engine of it.
func (p *played) selector(q target, one line) (simulator.Selector, simulator.Group, bool) {
	s := simulator.Selector{Role: simulator.Role(q.Role)}
	if role := one.labels["role"]; role != "" {
		s.Role = simulator.Role(role)
	}
	for _, g := range p.cluster.Groups {
		// A single server of each role makes an engine the same as its model's role.
		if one.labels["model"] == g.Model || one.labels["instance"] == "prefill-0."+g.Name || one.labels["instance"] == "decode-0."+g.Name {
			s.Model = g.Model
			return s, g, true
		}
	}
	return s, simulator.Group{}, false
}

// truth is what a series should show at an instant.
type truth func(p *played, s simulator.Selector, g simulator.Group, at time.Duration) float64

// happened is the number of events in the second up to an instant: the rate between
// two samples.
func happened(e simulator.Event) truth {
	return func(p *played, s simulator.Selector, _ simulator.Group, at time.Duration) float64 {
		return p.truth.Count(e, s, at-time.Second+1, at+1)
	}
}

func level(l simulator.Level, role simulator.Role) truth {
	return func(p *played, s simulator.Selector, _ simulator.Group, at time.Duration) float64 {
		if role != "" {
			s.Role = role
		}
		return p.truth.At(l, s, at)
	}
}

func usage(p *played, s simulator.Selector, _ simulator.Group, at time.Duration) float64 {
	return p.truth.KVUsage(s, at)
}

// measuredOver is the number of bytes over that of requests in the window of the signal,
// as far as there were samples.
func measuredOver(p *played, s simulator.Selector, at time.Duration) float64 {
	from := max(at-5*time.Minute, 0) + time.Second
	done := simulator.PrefillCompleted
	return p.truth.Count(simulator.KVTransferBytes, s, from, at+1) / p.truth.Count(done, s, from, at+1)
}

// preempted are requests of decode: prefill never takes a running one back.
func preempted(p *played, s simulator.Selector, g simulator.Group, at time.Duration) float64 {
	if s.Role == simulator.Prefill {
		return 0
	}
	return happened(simulator.Preemptions)(p, s, g, at)
}

var truths = map[string]truth{
	"prefill_request_rate":   happened(simulator.PrefillCompleted),
	"decode_request_rate":    happened(simulator.DecodeCompleted),
	"kv_transfer_byte_rate":  happened(simulator.KVTransferBytes),
	"prefill_token_rate":     happened(simulator.PromptTokensComputed),
	"decode_token_rate":      happened(simulator.OutputTokens),
	"abort_rate":             happened(simulator.Aborts),
	"preemption_rate":        preempted,
	"retraction_rate":        preempted,
	"bootstrap_failure_rate": happened(simulator.BootstrapFailures),
	"kv_transfer_request_rate": func(p *played, s simulator.Selector, g simulator.Group, at time.Duration) float64 {
		return p.truth.Count(simulator.KVTransferBytes, s, at-time.Second+1, at+1) / float64(g.BytesPerRequest)
	},
	"kv_transfer_bytes": func(p *played, s simulator.Selector, _ simulator.Group, at time.Duration) float64 {
		return p.truth.Count(simulator.KVTransferBytes, s, 0, at+1)
	},
	"kv_bytes_per_request_measured": func(p *played, s simulator.Selector, _ simulator.Group, at time.Duration) float64 {
		return measuredOver(p, s, at)
	},
	"kv_bytes_per_request_ratio": func(p *played, s simulator.Selector, g simulator.Group, at time.Duration) float64 {
		return measuredOver(p, s, at) / float64(g.BytesPerRequest)
	},
	"prefix_cache_hit_rate": func(p *played, s simulator.Selector, _ simulator.Group, at time.Duration) float64 {
		return p.truth.PrefixHitRatio(s, at-3*time.Second+1, at+1)
	},
	"requests_running":        level(simulator.Running, ""),
	"requests_waiting":        level(simulator.Waiting, ""),
	"prefill_bootstrap_queue": level(simulator.BootstrapQueue, simulator.Prefill),
	"prefill_inflight_queue":  level(simulator.InflightQueue, simulator.Prefill),
	"decode_prealloc_queue":   level(simulator.PreallocQueue, simulator.Decode),
	"decode_transfer_queue":   level(simulator.TransferQueue, simulator.Decode),
	"kv_cache_usage":          usage,
	"kv_cache_active":         usage,
}
