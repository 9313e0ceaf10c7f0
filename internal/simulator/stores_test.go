package simulator_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// stored is a group of each engine with a store behind its prefill.
func stored() simulator.Cluster {
	vllm, sglang := eventful(simulator.VLLM), eventful(simulator.SGLang)
	vllm.Name, vllm.Model, vllm.Devices, vllm.LinkFields = "v", "org/V", true, true
	sglang.Name, sglang.Model = "s", "org/S"
	// 1,000,000 bytes for each of 1000 tokens at the mean: no rounding below.
	vllm.BytesPerRequest, sglang.BytesPerRequest = 1_000_000, 1_000_000
	c := cluster(vllm, sglang)
	c.LMCacheMP = &simulator.LMCacheMP{HostHitShare: 0.4, StorageHitShare: 0.2, LossShare: 0.3, PoolBytes: 40_000_000}
	c.Mooncake = &simulator.Mooncake{HitShare: 0.3, LossShare: 0.1, CapacityBytes: 100_000_000}
	return c
}

// totals adds up what the stores' truth says of the requests of a model.
func totals(s *simulator.Simulation, model string) (looked, host, storage float64) {
	for _, r := range s.Truth().Requests(simulator.Selector{Model: model}) {
		looked, host, storage = looked+float64(r.LookedUpTokens), host+float64(r.StoreHostTokens), storage+float64(r.StoreRemoteTokens)
	}
	return looked, host, storage
}

func TestLMCachesServersCountWhatWasLookedUp(t *testing.T) {
	s := newSimulation(t, stored())
	require.NoError(t, s.AdvanceTo(settled))
	page := append(scrape(t, s, "prefill-0.v:9090", settled), scrape(t, s, "prefill-1.v:9090", settled)...)
	sum := func(name string, pairs ...string) float64 { return page.of("lmcache_mp_"+name, pairs...).sum() }

	looked, host, storage := totals(s, "org/V")
	require.Equal(t, looked, sum("lookup_requested_tokens_total"))
	require.Equal(t, host, sum("lookup_hit_l1_tokens_total"))
	require.Equal(t, storage, sum("lookup_hit_l2_tokens_total"))
	require.Equal(t, host+storage, sum("lookup_hit_tokens_total"))
	require.InEpsilon(t, 0.4, host/looked, 0.1)
	require.InEpsilon(t, 0.2, storage/looked, 0.1)

	noRoom, late, failed := sum("l1_allocation_failure_chunks_total"), sum("l1_read_failure_chunks_total"), sum("l2_prefetch_failure_chunks_total")
	require.Positive(t, noRoom)
	require.Positive(t, late)
	require.Greater(t, failed, noRoom, "a prefetch fails for want of room and for other reasons")
	// What was found is read or lost; loads that are under way bring at most a prompt.
	found := (host + storage) / 256
	require.InDelta(t, found-failed-late, sum("l1_read_chunks_total"), 6*sum("num_inflight_l2_loads"))
	require.InDelta(t, 0.8*40_000_000, page.of("lmcache_mp_l1_memory_usage_bytes")[0].value, 0.02*40_000_000, "the pool keeps its level")
	require.InDelta(t, sum("l1_write_chunks_total"), sum("l1_evicted_chunks_total"), 2*0.02*40_000_000/256_000)
	require.Equal(t, sum("l2_store_submitted_requests_total"), sum("l2_store_completed_requests_total")+sum("num_inflight_l2_stores"))

	for _, direction := range []string{"h2d", "d2h"} {
		kernel := page.of("lmcache_mp_transfer_phase_bytes_total", "direction", direction, "phase", "kernel")
		require.Equal(t, kernel.sum(), sum("transfer_phase_bytes_total", "direction", direction, "phase", "staging"), "each phase moves the same bytes")
		require.Len(t, kernel, 4, "two cards of each of two servers")
	}
	require.Equal(t, 256_000*sum("l1_read_chunks_total"), sum("transfer_phase_bytes_total", "direction", "h2d", "phase", "staging"))
	require.Equal(t, s.Truth().StoreHitRatio(simulator.Host, simulator.Selector{Model: "org/V"}, 0, settled+1), host/looked)
}

func TestMooncakesClientsMoveWhatTheMasterKeeps(t *testing.T) {
	s := newSimulation(t, stored())
	require.NoError(t, s.AdvanceTo(settled))
	page := append(scrape(t, s, "prefill-0.s:9300", settled), scrape(t, s, "prefill-1.s:9300", settled)...)
	master := scrape(t, s, "mooncake-master:9003", settled)
	sum := func(name string, pairs ...string) float64 { return page.of("mooncake_"+name, pairs...).sum() }

	looked, host, storage := totals(s, "org/S")
	require.Zero(t, host)
	require.InEpsilon(t, 0.3, storage/looked, 0.05)
	const pageBytes = 64_000.0
	require.InEpsilon(t, storage/64-sum("transfer_read_misses"), sum("transfer_read_bytes")/pageBytes, 0.01, "but for what is under way")
	require.Positive(t, sum("transfer_read_misses"))
	require.Positive(t, sum("transfer_get_latency_count"))
	require.Positive(t, sum("transfer_put_latency_count"))
	require.InEpsilon(t, sum("client_rpc_count", "rpc_name", "BatchPutStart"), master.of("master_batch_put_start_requests_total").sum(), 1e-9)
	// In microseconds: a page at 20 GB/s takes 3.2.
	require.InEpsilon(t, 3.2, sum("transfer_get_latency_sum")/sum("transfer_get_latency_count"), 0.05)

	require.InDelta(t, 0.945, master.of("master_allocated_bytes").sum()/100_000_000, 0.03, "the store keeps its level")
	require.Equal(t, 2.0, master.of("master_active_clients").sum())
	require.InDelta(t, master.of("master_allocated_bytes").sum(), master.of("segment_allocated_bytes").sum(), 1)
	tried, freed := master.of("master_attempted_evictions_total").sum(), master.of("master_successful_evictions_total").sum()
	require.InDelta(t, 0.1, (tried-freed)/tried, 0.06, "leases hold what a tenth would take")
	require.Zero(t, sum("process_swap_bytes"))
}

// What these options add stands beside what was there: they move no random draw.
func TestStoresAndDraftsChangeNoOtherSeries(t *testing.T) {
	c := simulator.DefaultCluster()
	c.LMCacheMP = &simulator.LMCacheMP{HostHitShare: 0.4, StorageHitShare: 0.2, LossShare: 0.3}
	c.Mooncake = &simulator.Mooncake{HitShare: 0.3, LossShare: 0.1}
	for i := range c.Groups {
		g := &c.Groups[i]
		g.Devices, g.LinkFields, g.Speculation = true, true, &simulator.Speculation{Acceptance: []float64{0.7}}
		if g.Engine == simulator.SGLang {
			g.CUDAGraphBatch = 8
		}
	}
	with, without := newSimulation(t, c), newSimulation(t, simulator.DefaultCluster())
	for _, target := range without.Targets() {
		var one, other bytes.Buffer
		require.NoError(t, with.Write(&one, target, 20*time.Second))
		require.NoError(t, without.Write(&other, target, 20*time.Second))
		there := map[string]bool{}
		for line := range strings.Lines(one.String()) {
			there[line] = true
		}
		for line := range strings.Lines(other.String()) {
			require.True(t, there[line], "%s has no more %s", target.Name, line)
		}
		require.Greater(t, len(there), strings.Count(other.String(), "\n")-1)
	}
}

func TestLinksCarryWhatTheirEnginesMove(t *testing.T) {
	c := stored()
	c.Mooncake = nil
	s := newSimulation(t, c)
	from, to := settled-10*time.Second, settled
	for _, target := range []string{"prefill-0.v", "decode-0.v"} {
		scrape(t, s, target+":9400", from)
	}
	ofV := func(role simulator.Role, instance string) simulator.Selector {
		return simulator.Selector{Model: "org/V", Role: role, Instance: instance}
	}
	prefill, decode := scrape(t, s, "prefill-0.v:9400", to), scrape(t, s, "decode-0.v:9400", to)
	arrived := s.Truth().Count(simulator.KVTransferBytes, ofV(simulator.Decode, "decode-0.v"), from+1, to+1)
	received := decode.of("DCGM_FI_PROF_PCIE_RX_BYTES")
	require.InEpsilon(t, arrived/2/10, received[0].value, 1e-9, "a card's half, in bytes per second")
	require.Len(t, received, 2)
	sent := s.Truth().Count(simulator.KVTransferBytes, ofV(simulator.Prefill, "prefill-0.v"), from+1, to+1)
	require.Greater(t, prefill.of("DCGM_FI_PROF_PCIE_TX_BYTES")[0].value, sent/2/10, "and what is stored")
	computed := s.Truth().Count(simulator.PromptTokensComputed, ofV(simulator.Prefill, "prefill-0.v"), from+1, to+1)
	// Two sums of 8192 values of two bytes in each of 64 layers.
	require.InEpsilon(t, computed*2*64*8192*2/10, prefill.of("DCGM_FI_PROF_NVLINK_TX_BYTES")[0].value, 1e-9)
}

func TestWrongStoresAndDraftsAreRefusedByName(t *testing.T) {
	for want, change := range map[string]func(*simulator.Cluster){
		"lmcacheMP is given, but no group is of vllm":   func(c *simulator.Cluster) { c.Groups = c.Groups[1:] },
		"mooncake is given, but no group is of sglang":  func(c *simulator.Cluster) { c.Groups = c.Groups[:1] },
		"lmcacheMP: hostHitShare is 0.8":                func(c *simulator.Cluster) { c.LMCacheMP.HostHitShare = 0.8 },
		"lmcacheMP.lossShare is 2":                      func(c *simulator.Cluster) { c.LMCacheMP.LossShare = 2 },
		"lmcacheMP: hostBytesPerSecond is -1":           func(c *simulator.Cluster) { c.LMCacheMP.HostBytesPerSecond = -1 },
		"lmcacheMP.poolBytes is 1000: ten prompts of v": func(c *simulator.Cluster) { c.LMCacheMP.PoolBytes = 1000 },
		"mooncake.hitShare is 1: give a share":          func(c *simulator.Cluster) { c.Mooncake.HitShare = 1 },
		"mooncake.bytesPerSecond is -1":                 func(c *simulator.Cluster) { c.Mooncake.BytesPerSecond = -1 },
		"mooncake: capacityBytes is 1000":               func(c *simulator.Cluster) { c.Mooncake.CapacityBytes = 1000 },
		"groups[0].cudaGraphBatch is 8":                 func(c *simulator.Cluster) { c.Groups[0].CUDAGraphBatch = 8 },
		"groups[0].speculation.acceptance is empty":     func(c *simulator.Cluster) { c.Groups[0].Speculation = &simulator.Speculation{} },
		"groups[1].speculation.acceptance[1] is 0.6": func(c *simulator.Cluster) {
			c.Groups[1].Speculation = &simulator.Speculation{Acceptance: []float64{0.5, 0.6}}
		},
	} {
		c := stored()
		change(&c)
		_, err := simulator.New(c, epoch)
		require.ErrorContains(t, err, want)
	}
}
