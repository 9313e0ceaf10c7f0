package simulator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// cached is the eventful group with a host cache of few tokens, so that it fills.
func cached(engine simulator.Engine) simulator.Group {
	g := eventful(engine)
	g.HostCache = &simulator.HostCache{Tokens: 20_000}
	return g
}

func TestCountersOfTheTiersAgreeWithTheTruth(t *testing.T) {
	type row struct {
		metric string
		pairs  []string
		copies float64
		event  simulator.Event
		unit   float64 // of the event in one count
	}
	const tokens, blocks = 1, 16
	for engine, rows := range map[simulator.Engine][]row{
		simulator.VLLM: {
			{"vllm:prefix_cache_hits_total", nil, 1, simulator.DeviceHitTokens, tokens},
			{"vllm:external_prefix_cache_hits_total", nil, 1, simulator.LoadedTokens, tokens},
			{"vllm:kv_offload_load_bytes_total", nil, 1, simulator.LoadedBytes, 1},
			{"vllm:kv_offload_store_bytes_total", nil, 1, simulator.SavedBytes, 1},
			{"vllm:simple_kv_offload_load_blocks_total", []string{"phase", "issued"}, 1, simulator.LoadedTokens, blocks},
			{"vllm:simple_kv_offload_load_blocks_total", []string{"phase", "completed"}, 1, simulator.LoadedTokens, blocks},
			{"vllm:simple_kv_offload_save_outcomes_total", []string{"outcome", "dropped_cpu_full"}, 1, simulator.DroppedTokens, blocks},
			// Two TP workers; the scheduler's instance is one.
			{"lmcache:num_hit_tokens_total", nil, 2, simulator.LoadedTokens, tokens},
			{"lmcache:num_stored_tokens_total", nil, 2, simulator.SavedTokens, tokens},
			{"lmcache:num_vllm_hit_tokens_total", nil, 2, simulator.DeviceHitTokens, tokens},
		},
		simulator.SGLang: {
			{"sglang:prefill_effective_tokens_total", []string{"mode", "device_hit"}, 1, simulator.DeviceHitTokens, tokens},
			{"sglang:prefill_effective_tokens_total", []string{"mode", "host_hit"}, 1, simulator.HostHitTokens, tokens},
			{"sglang:prefill_effective_tokens_total", []string{"mode", "storage_hit"}, 1, simulator.StorageHitTokens, tokens},
			// Each of the two DP ranks has two TP ranks.
			{"sglang:load_back_tokens_total", nil, 2, simulator.LoadedTokens, tokens},
			{"sglang:load_back_bytes_total", nil, 1, simulator.LoadedBytes, 1},
			{"sglang:hicache_backup_tokens_total", nil, 2, simulator.SavedTokens, tokens},
			{"sglang:hicache_backup_bytes_total", nil, 1, simulator.SavedBytes, 1},
			{"sglang:hicache_dropped_tokens_total", nil, 2, simulator.DroppedTokens, tokens},
			{"sglang:prefetched_tokens_total", nil, 2, simulator.StorageHitTokens, tokens},
			{"sglang:storage_prefetch_unfulfilled_tokens_total", nil, 2, simulator.UndeliveredTokens, tokens},
			{"sglang:backuped_tokens_total", nil, 2, simulator.StoredTokens, tokens},
		},
	} {
		t.Run(string(engine), func(t *testing.T) {
			s := newSimulation(t, cluster(cached(engine)))
			require.NoError(t, s.AdvanceTo(settled))
			for _, instance := range []string{"prefill-0.g", "prefill-1.g"} {
				page := scrape(t, s, instance, settled)
				for _, r := range rows {
					of := simulator.Selector{Role: simulator.Prefill, Instance: instance}
					want := r.copies * s.Truth().Count(r.event, of, 0, settled+1) / r.unit
					require.Positive(t, want, r.metric)
					require.Equal(t, want, page.of(r.metric, r.pairs...).sum(), "%s %v on %s", r.metric, r.pairs, instance)
				}
			}
		})
	}
}

func TestAHostCacheChangesWhereTokensAreFoundAndNothingElse(t *testing.T) {
	for _, engine := range []simulator.Engine{simulator.VLLM, simulator.SGLang} {
		with, without := newSimulation(t, cluster(cached(engine))), newSimulation(t, cluster(eventful(engine)))
		require.NoError(t, with.AdvanceTo(settled))
		require.NoError(t, without.AdvanceTo(settled))
		times := func(r simulator.Request) string {
			return fmt.Sprint(r.ID, r.InputTokens, r.CachedTokens, r.Bytes, r.Outcome, r.PrefillStart, r.PrefillEnd, r.TransferEnd, r.DecodeStart, r.LastToken, r.Ended)
		}
		plain := without.Truth().Requests(simulator.Selector{})
		for i, r := range with.Truth().Requests(simulator.Selector{}) {
			require.Equal(t, times(plain[i]), times(r))
			require.Zero(t, plain[i].HostTokens+plain[i].StorageTokens+plain[i].UndeliveredTokens+plain[i].DroppedTokens)
			// The default shares of 0.3 and 0.2, in whole blocks of 16 tokens.
			require.Equal(t, int(0.3*float64(r.CachedTokens))/16*16, r.HostTokens)
			require.Equal(t, int(0.2*float64(r.CachedTokens))/16*16, r.StorageTokens)
			require.LessOrEqual(t, r.CachedTokens+r.UndeliveredTokens, r.InputTokens)
			require.LessOrEqual(t, r.CachedTokens+r.DroppedTokens, r.InputTokens)
		}
	}
}

func TestWithoutAHostCacheNoTierIsExported(t *testing.T) {
	s := newSimulation(t, simulator.DefaultCluster())
	for _, target := range s.Targets() {
		for _, one := range scrape(t, s, target.Name, 30*time.Second) {
			name := one.labels.Get("__name__")
			for _, part := range []string{"hicache", "load_back", "evicted_tokens", "prefetch", "backup", "offload", "hisparse", "lmcache:"} {
				require.NotContains(t, name, part)
			}
		}
	}
}

// Each of the four ranks copies its quarter of the bytes over a way of its own: a fifth of
// a millisecond, and the bytes at 40 GB/s to the GPU and 25 GB/s from it.
func TestCopiesTakeTheTimeOfTheirBytes(t *testing.T) {
	g := cached(simulator.SGLang)
	g.PrefillInstances.Count, g.PrefillInstances.DP, g.PrefillInstances.DPAttention = 1, 1, false
	s := newSimulation(t, cluster(g))
	require.NoError(t, s.AdvanceTo(settled))
	loads, loadTime, saves, saveTime := 0.0, 0.0, 0.0, 0.0
	for _, r := range s.Truth().Requests(simulator.Selector{}) {
		perToken := float64(r.Bytes) / float64(r.InputTokens) / 4
		if found := float64(r.HostTokens + r.StorageTokens); r.PrefillStart >= 0 && found > 0 {
			loads++
			loadTime += 0.0002 + found*perToken/40e9
		}
		if computed := float64((r.InputTokens-r.CachedTokens)/16*16 - r.DroppedTokens); r.PrefillEnd >= 0 && computed > 0 {
			saves++
			saveTime += 0.0002 + computed*perToken/25e9
		}
	}
	page := scrape(t, s, "prefill-0.g", settled)
	for _, rank := range []string{"0", "1", "2", "3"} {
		require.Equal(t, loads, page.of("sglang:load_back_duration_seconds_count", "tp_rank", rank).sum())
		require.InEpsilon(t, loadTime, page.of("sglang:load_back_duration_seconds_sum", "tp_rank", rank).sum(), 1e-4)
		require.Equal(t, saves, page.of("sglang:hicache_backup_duration_seconds_count", "tp_rank", rank).sum())
		require.InEpsilon(t, saveTime, page.of("sglang:hicache_backup_duration_seconds_sum", "tp_rank", rank).sum(), 1e-4)
	}
}

func TestAFullHostPoolStaysBelowItsCapacity(t *testing.T) {
	s := newSimulation(t, cluster(cached(simulator.SGLang)))
	full := false
	for at := 10 * time.Second; at <= settled; at += time.Second {
		page := scrape(t, s, "prefill-0.g", at)
		for _, held := range page.of("sglang:hicache_host_used_tokens") {
			require.LessOrEqual(t, held.value, 20_000.0)
			full = full || held.value > 19_000
		}
		require.Equal(t, 40_000.0, page.of("sglang:hicache_host_total_tokens").sum(), "of two schedulers")
	}
	require.True(t, full)
}

func TestOffloadedBlocksAreStoredDroppedOrThereAlready(t *testing.T) {
	s := newSimulation(t, cluster(cached(simulator.VLLM)))
	require.NoError(t, s.AdvanceTo(settled))
	for _, instance := range []string{"prefill-0.g", "prefill-1.g"} {
		offered := 0.0
		for _, r := range s.Truth().Requests(simulator.Selector{Role: simulator.Prefill, Instance: instance}) {
			if r.PrefillEnd >= 0 {
				offered += float64(r.CachedTokens/16 + (r.InputTokens-r.CachedTokens)/16)
			}
		}
		page := scrape(t, s, instance, settled)
		require.Equal(t, offered, page.of("vllm:simple_kv_offload_save_outcomes_total").sum()+page.of("vllm:simple_kv_offload_pending_store_blocks").sum())
	}
}

func TestHiSparseIsOnDecodeAlone(t *testing.T) {
	s := newSimulation(t, cluster(cached(simulator.VLLM)))
	require.Empty(t, scrape(t, s, "prefill-0.g", settled).of("vllm:hisparse_cache_hits_total"))
	page := scrape(t, s, "decode-0.g", settled)
	hits, misses := page.of("vllm:hisparse_cache_hits_total").sum(), page.of("vllm:hisparse_cache_misses_total").sum()
	asked := 0.0
	for _, r := range s.Truth().Requests(simulator.Selector{Role: simulator.Decode, Instance: "decode-0.g"}) {
		for k := range r.Produced {
			asked += float64(min(2048, r.InputTokens+k+1))
		}
	}
	require.Equal(t, asked, hits+misses)
	require.InDelta(t, 0.05, misses/asked, 0.005, "between 2 and 8 percent")
	for _, absent := range []string{"lmcache:num_hit_tokens_total", "vllm:kv_offload_load_bytes_total"} {
		require.Empty(t, page.of(absent), absent)
	}
}

func TestAWrongHostCacheIsRefused(t *testing.T) {
	for want, wrong := range map[string]simulator.HostCache{
		"groups[0].hostCache is {hostShare: 0.9, storageShare: 0.2}: give shares from 0 to 1": {HostShare: 0.9},
		"groups[0].hostCache is {hostShare: -1, storageShare: 0.2}":                           {HostShare: -1},
		"groups[0].hostCache.tokens is 7: the largest request needs":                          {Tokens: 7},
	} {
		g := group(simulator.SGLang)
		g.HostCache = &wrong
		_, err := simulator.New(cluster(g), epoch)
		require.ErrorContains(t, err, want)
	}
	described, err := simulator.Parse([]byte(strings.Replace(minimal, "requestRate: 10", "requestRate: 10\n    hostCache: {hostShare: 0.5}", 1)))
	require.NoError(t, err)
	require.Equal(t, &simulator.HostCache{HostShare: 0.5}, described.Groups[0].HostCache)
	_, err = simulator.New(described, epoch)
	require.NoError(t, err)
	require.Equal(t, &simulator.HostCache{HostShare: 0.5}, described.Groups[0].HostCache, "a description is only read")
}
