package plugin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// The default cluster with host caches is replayed for a minute and a half; series that
// appear with their first event have appeared after half a minute.
const (
	tiersSettled = 30 * time.Second
	tiersEnded   = 90 * time.Second
)

func withHostCaches(t *testing.T) *replayed {
	t.Helper()
	c := simulator.DefaultCluster()
	for i := range c.Groups {
		c.Groups[i].HostCache = &simulator.HostCache{HostShare: 0.4, StorageShare: 0.1}
	}
	return replay(t, c, tiersEnded, nil)
}

func TestTiersTellTheTruth(t *testing.T) {
	r := withHostCaches(t)
	t.Run("hit share by tier", func(t *testing.T) { requireHitsByTier(t, r) })
	t.Run("hits of vLLM", func(t *testing.T) { requireHitsBesideTheGPU(t, r) })
	t.Run("bytes and tokens of SGLang", func(t *testing.T) { requireHiCache(t, r) })
	for _, row := range []counted{
		{signal: "offload_load_byte_rate", event: simulator.LoadedBytes},
		{signal: "offload_store_byte_rate", event: simulator.SavedBytes},
		{signal: "lmcache_retrieved_token_rate", event: simulator.LoadedTokens},
		{signal: "lmcache_stored_token_rate", event: simulator.SavedTokens},
	} {
		row.role, row.apart, row.engine = simulator.Prefill, true, simulator.VLLM
		t.Run(row.signal, func(t *testing.T) { requireRate(t, r, row, tiersSettled, tiersEnded) })
	}
}

// requireHitsByTier holds every second of each of SGLang's tiers against the truth. The
// tokenizer tells the source of a request's tokens when its leg ends, the scheduler the
// mode of the same when it starts.
func requireHitsByTier(t *testing.T, r *replayed) {
	bySource := r.ask(t, query.Query{Signal: "prefix_cache_hit_rate", GroupBy: []string{"model", "source"}}, tiersSettled, tiersEnded)
	byMode := r.ask(t, query.Query{Signal: "prefix_cache_hit_rate", GroupBy: []string{"model", "mode"}}, tiersSettled, tiersEnded)
	for _, g := range r.cluster.Groups {
		if g.Engine != simulator.SGLang {
			continue
		}
		of := simulator.Selector{Model: g.Model, Role: simulator.Prefill}
		all := map[time.Duration]float64{}
		for source, tier := range map[string]struct {
			event  simulator.Event
			tokens func(simulator.Request) int
			share  float64
		}{
			"device":  {simulator.DeviceHitTokens, func(q simulator.Request) int { return q.CachedTokens - q.HostTokens - q.StorageTokens }, 0.5},
			"host":    {simulator.HostHitTokens, func(q simulator.Request) int { return q.HostTokens }, 0.4},
			"storage": {simulator.StorageHitTokens, func(q simulator.Request) int { return q.StorageTokens }, 0.1},
		} {
			ended, started := bySource.of(t, "model", g.Model, "source", source), byMode.of(t, "model", g.Model, "mode", source+"_hit")
			requests := r.truth.Requests(of)
			for at := tiersSettled + time.Second; at <= tiersEnded; at += time.Second {
				// The window of four seconds holds four samples: three seconds of increase.
				from, to := at-3*time.Second+1, at+1
				found := 0
				for _, q := range requests {
					if q.TransferEnd >= from && q.TransferEnd < to {
						found += tier.tokens(q)
					}
				}
				require.InDelta(t, float64(found)/r.truth.Count(simulator.PromptTokens, of, from, to), ended.points[at], exact, "%s of %s at %s", source, g.Name, at)
				require.InDelta(t, r.truth.TierHitRatio(tier.event, of, from, to), started.points[at], exact, "%s of %s at %s", source, g.Name, at)
				all[at] += started.points[at]
			}
			// Host and storage have whole blocks: up to one of 16 tokens is in GPU memory instead.
			require.InDelta(t, tier.share*g.PrefixHitShare, ended.mean(), 0.005, "the share the cluster was made with")
		}
		for at, v := range all {
			require.InDelta(t, r.truth.PrefixHitRatio(of, at-3*time.Second+1, at+1), v, exact, "all tiers of %s at %s", g.Name, at)
		}
	}
}

// requireHitsBesideTheGPU: vLLM's own hit rate is of GPU memory alone, that of its
// connectors of what the GPU lacks.
func requireHitsBesideTheGPU(t *testing.T, r *replayed) {
	own := r.ask(t, byModel("prefix_cache_hit_rate"), tiersSettled, tiersEnded)
	outside := r.ask(t, byModel("external_prefix_cache_hit_rate"), tiersSettled, tiersEnded)
	for _, g := range r.cluster.Groups {
		if g.Engine != simulator.VLLM {
			continue
		}
		gpu, beyond := own.of(t, "model", g.Model), outside.of(t, "model", g.Model)
		require.Len(t, beyond.points, int((tiersEnded-tiersSettled)/time.Second))
		for at, v := range beyond.points {
			found := func(tier simulator.Event) float64 {
				return r.truth.TierHitRatio(tier, simulator.Selector{Model: g.Model}, at-3*time.Second+1, at+1)
			}
			device := found(simulator.DeviceHitTokens)
			require.InDelta(t, device, gpu.points[at], exact, "at %s", at)
			require.InDelta(t, (found(simulator.HostHitTokens)+found(simulator.StorageHitTokens))/(1-device), v, exact, "at %s", at)
		}
	}
}

// requireHiCache holds what HiCache moves against the truth, by engine: its counters have
// no model. The default cluster has one prefill engine of each SGLang model.
func requireHiCache(t *testing.T, r *replayed) {
	for signal, event := range map[string]simulator.Event{
		"hicache_load_back_byte_rate":            simulator.LoadedBytes,
		"hicache_backup_byte_rate":               simulator.SavedBytes,
		"hicache_load_back_token_rate":           simulator.LoadedTokens,
		"hicache_backup_token_rate":              simulator.SavedTokens,
		"hicache_dropped_token_rate":             simulator.DroppedTokens,
		"hicache_prefetched_token_rate":          simulator.StorageHitTokens,
		"hicache_storage_unfulfilled_token_rate": simulator.UndeliveredTokens,
		"hicache_storage_backup_token_rate":      simulator.StoredTokens,
	} {
		got := r.ask(t, query.Query{Signal: signal, GroupBy: []string{"instance"}}, tiersSettled, tiersEnded)
		for _, g := range r.cluster.Groups {
			if g.Engine != simulator.SGLang {
				continue
			}
			c := got.of(t, "instance", "prefill-0."+g.Name)
			require.Len(t, c.points, int((tiersEnded-tiersSettled)/time.Second))
			total := 0.0
			for at, v := range c.points {
				want := r.truth.Count(event, simulator.Selector{Model: g.Model}, at-time.Second+1, at+1)
				require.InDelta(t, want, v, 1e-6*(1+want), "%s of %s at %s", signal, g.Name, at)
				total += want
			}
			require.Positive(t, total, "%s of %s must happen", signal, g.Name)
		}
	}
}
