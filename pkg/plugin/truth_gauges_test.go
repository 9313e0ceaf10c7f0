package plugin_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// leveled is a gauge and the level that it shows.
type leveled struct {
	signal string
	level  simulator.Level
	role   simulator.Role
	apart  bool
	engine simulator.Engine
}

func gauges() []leveled {
	const sglang, prefill, decode = simulator.SGLang, simulator.Prefill, simulator.Decode
	return []leveled{
		{"requests_running", simulator.Running, prefill, true, ""},
		{"requests_running", simulator.Running, decode, true, ""},
		{"requests_waiting", simulator.Waiting, prefill, true, ""},
		{"requests_waiting", simulator.Waiting, decode, true, ""},
		{"prefill_bootstrap_queue", simulator.BootstrapQueue, prefill, false, sglang},
		{"prefill_inflight_queue", simulator.InflightQueue, prefill, false, sglang},
		{"decode_prealloc_queue", simulator.PreallocQueue, decode, false, sglang},
		{"decode_transfer_queue", simulator.TransferQueue, decode, false, sglang},
		{"kv_cache_used_tokens", simulator.KVTokens, prefill, true, sglang},
		{"kv_cache_used_tokens", simulator.KVTokens, decode, true, sglang},
	}
}

func TestGaugesAreTheTruthOfTheirInstant(t *testing.T) {
	r := theDefaultCluster(t)
	for _, row := range gauges() {
		t.Run(row.signal+" "+string(row.role), func(t *testing.T) { requireGauge(t, r, row, settled, ended, 0) })
	}
}

// requireGauge holds every second of a gauge of every model against the truth. With
// stairs above 0 the gauge shows the past: only its mean is held against the truth,
// within that share and the noise of that many samples of a small number.
func requireGauge(t *testing.T, r *replayed, row leveled, from, to time.Duration, stairs float64) {
	t.Helper()
	got := r.ask(t, byModel(row.signal), from, to)
	for _, g := range r.cluster.Groups {
		if row.engine != "" && row.engine != g.Engine {
			continue
		}
		pairs := labelsOf(g, row.role, row.apart)
		c := got.of(t, pairs...)
		require.Len(t, c.points, int((to-from)/time.Second))
		total := 0.0
		for at, v := range c.points {
			want := r.truth.At(row.level, simulator.Selector{Model: g.Model, Role: row.role}, at)
			total += want
			if stairs == 0 {
				require.Equal(t, want, v, "%s of %s at %s", row.signal, g.Name, at)
			}
		}
		if stairs > 0 {
			mean := total / float64(len(c.points))
			noise := 3 * math.Sqrt(mean/float64(len(c.points)))
			require.InDelta(t, mean, c.mean(), stairs*mean+noise, "%s of %s", row.signal, g.Name)
		}
	}
}

func TestKVUsageIsThatOfTheFullestEngine(t *testing.T) {
	r := theDefaultCluster(t)
	for _, role := range []simulator.Role{simulator.Prefill, simulator.Decode} {
		q := byModel("kv_cache_usage")
		q.Role = query.Role(role)
		got := r.ask(t, q, settled, ended)
		for _, g := range r.cluster.Groups {
			c := got.of(t, "model", g.Model)
			for at := settled + 10*time.Second; at <= ended; at += 10 * time.Second {
				require.InDelta(t, fullest(r, g, role, at), c.points[at], exact, "%s of %s at %s", role, g.Name, at)
			}
		}
	}
}

// fullest is the highest KV usage among the schedulers of a role: what an engine
// reports is one scheduler's.
func fullest(r *replayed, g simulator.Group, role simulator.Role, at time.Duration) float64 {
	instances, capacity := g.PrefillInstances, float64(400_000)
	if role == simulator.Decode {
		instances = g.DecodeInstances
	}
	if instances.KVTokens != 0 {
		capacity = float64(instances.KVTokens)
	}
	type scheduler struct {
		instance string
		dp       int
	}
	used := map[scheduler]float64{}
	open := func(from, to time.Duration, q simulator.Request) bool {
		if to < 0 {
			to = q.Ended
		}
		return from >= 0 && at >= from && (to < 0 || at < to)
	}
	for _, q := range r.truth.Requests(simulator.Selector{Model: g.Model}) {
		if role == simulator.Prefill && open(q.PrefillStart, q.TransferEnd, q) {
			used[scheduler{q.PrefillInstance, q.PrefillDP}] += float64(q.InputTokens)
		}
		if role == simulator.Decode && open(q.Preallocated, -1, q) && !slices.ContainsFunc(q.Interruptions, func(i simulator.Interruption) bool { return open(i.At, i.Resumed, q) }) {
			used[scheduler{q.DecodeInstance, q.DecodeDP}] += float64(q.InputTokens + q.OutputTokens)
		}
	}
	highest := 0.0
	for _, tokens := range used {
		highest = max(highest, tokens/capacity)
	}
	return highest
}

func TestActiveIsWhatRequestsHoldAndOccupiedIsWithTheCacheBesides(t *testing.T) {
	r := theDefaultCluster(t)
	active := r.ask(t, byModel("kv_cache_active"), settled, ended)
	occupied := r.ask(t, byModel("kv_cache_occupied"), settled, ended)
	for _, g := range r.cluster.Groups {
		if g.Engine != simulator.SGLang {
			continue // vLLM does not tell what could be evicted
		}
		for _, role := range []simulator.Role{simulator.Prefill, simulator.Decode} {
			held := active.of(t, "model", g.Model, "role", string(role))
			all := occupied.of(t, "model", g.Model, "role", string(role))
			require.Len(t, held.points, 120)
			above := 0
			for at, v := range held.points {
				require.InDelta(t, r.truth.KVUsage(simulator.Selector{Model: g.Model, Role: role}, at), v, exact, "%s at %s", role, at)
				require.LessOrEqual(t, all.points[at], 1.0)
				if role == simulator.Decode {
					require.InDelta(t, v, all.points[at], exact, "decode of the simulation keeps no prefix cache")
				} else if all.points[at] > v {
					above++
				}
			}
			// The cache of prefill is full after some minutes of other prompts.
			if role == simulator.Prefill {
				require.Positive(t, above)
			}
		}
	}
}

func TestCumulativeBytesAreAllBytesSinceTheStart(t *testing.T) {
	r := theDefaultCluster(t)
	got := r.ask(t, byModel("kv_transfer_bytes"), settled, ended)
	for _, g := range r.cluster.Groups {
		c := got.of(t, "model", g.Model)
		for at, v := range c.points {
			want := r.truth.Count(simulator.KVTransferBytes, simulator.Selector{Model: g.Model}, 0, at+1)
			require.InEpsilon(t, want, v, exact, "%s at %s", g.Name, at)
		}
		// Cumulative means that it never falls while nothing restarts.
		var values []float64
		for at := settled + time.Second; at <= ended; at += time.Second {
			values = append(values, c.points[at])
		}
		require.True(t, slices.IsSorted(values))
	}
}

func TestPrefixHitRateIsTheShareOfThePromptsThatStarted(t *testing.T) {
	r := theDefaultCluster(t)
	got := r.ask(t, byModel("prefix_cache_hit_rate"), settled, ended)
	for _, g := range r.cluster.Groups {
		c := got.of(t, "model", g.Model)
		require.Len(t, c.points, 120)
		for at, v := range c.points {
			// The window of four seconds holds four samples: three seconds of increase.
			want := r.truth.PrefixHitRatio(simulator.Selector{Model: g.Model}, at-3*time.Second+1, at+1)
			require.InDelta(t, want, v, exact, "%s at %s", g.Name, at)
		}
		require.InDelta(t, g.PrefixHitShare, c.mean(), 0.02, "the share the cluster was made with")
	}
}
