package plugin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// speculating is the default cluster's vLLM model, which looks up in LMCache, and the
// one of SGLang with data-parallel ranks; both speculate.
func speculating() simulator.Cluster {
	c := simulator.DefaultCluster()
	c.Groups = []simulator.Group{c.Groups[0], c.Groups[2]}
	c.Groups[0].Speculation = &simulator.Speculation{Acceptance: []float64{0.7, 0.5, 0.2}}
	c.Groups[1].Speculation = &simulator.Speculation{Acceptance: []float64{0.9, 0.6}}
	c.LMCacheMP = &simulator.LMCacheMP{HostHitShare: 0.4, StorageHitShare: 0.2, LossShare: 0.05}
	return c
}

func TestHitsByTierAndAcceptedDraftsAreTheTruth(t *testing.T) {
	r := replay(t, speculating(), ended, nil)
	// A window of four scrapes holds the increase of three seconds.
	const window = 3 * time.Second
	llama, deepseek := r.cluster.Groups[0], r.cluster.Groups[1]
	of := simulator.Selector{Model: llama.Model}
	hits := func(tiers ...simulator.Tier) func(from, to time.Duration) float64 {
		return func(from, to time.Duration) float64 {
			total := 0.0
			for _, tier := range tiers {
				total += r.truth.StoreHitRatio(tier, of, from, to)
			}
			return total
		}
	}
	count := func(e simulator.Event, s simulator.Selector, from, to time.Duration) float64 {
		return r.truth.Count(e, s, from, to)
	}
	for signal, test := range map[string]struct {
		truth func(from, to time.Duration) float64
		about float64 // what the cluster states
	}{
		"lmcache_mp_l1_hit_rate":     {hits(simulator.Host), 0.4},
		"lmcache_mp_l2_hit_rate":     {hits(simulator.Storage), 0.2},
		"lmcache_mp_lookup_hit_rate": {hits(simulator.Host, simulator.Storage), 0.6},
		"spec_acceptance_rate": {func(from, to time.Duration) float64 {
			return count(simulator.AcceptedTokens, of, from, to) / count(simulator.DraftTokens, of, from, to)
		}, (0.7 + 0.5 + 0.2) / 3},
		"spec_acceptance_length": {func(from, to time.Duration) float64 {
			return 1 + count(simulator.AcceptedTokens, of, from, to)/count(simulator.Drafts, of, from, to)
		}, 1 + 0.7 + 0.5 + 0.2},
	} {
		t.Run(signal, func(t *testing.T) {
			c := r.ask(t, byModel(signal), settled, ended).of(t, "model", llama.Model)
			require.Len(t, c.points, int((ended-settled)/time.Second))
			for at := settled + time.Second; at <= ended; at += 10 * time.Second {
				require.InEpsilon(t, test.truth(at-window+1, at+1), c.points[at], exact, "at %s", at)
			}
			require.InEpsilon(t, test.about, c.mean(), 0.02)
		})
	}
	t.Run("on SGLang gauges of the last log line", func(t *testing.T) {
		of := simulator.Selector{Model: deepseek.Model}
		accepted := count(simulator.AcceptedTokens, of, settled, ended)
		for signal, want := range map[string]float64{
			"spec_acceptance_rate":   accepted / count(simulator.DraftTokens, of, settled, ended),
			"spec_acceptance_length": 1 + accepted/count(simulator.Drafts, of, settled, ended),
		} {
			c := r.ask(t, byModel(signal), settled, ended).of(t, "model", deepseek.Model)
			require.InEpsilon(t, want, c.mean(), 0.03, signal)
		}
	})
}
