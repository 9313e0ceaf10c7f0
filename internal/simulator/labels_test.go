package simulator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

const settled = 20 * time.Second

func TestSGLangGaugesAreOfOneRankAndPerRequestSeriesOfAll(t *testing.T) {
	g := group(simulator.SGLang)
	g.BootstrapFailureShare, g.PreemptionShare = 0.1, 0.3
	s := newSimulation(t, cluster(g))
	prefill, decode := scrape(t, s, "prefill-0.g", settled), scrape(t, s, "decode-0.g", settled)

	for _, name := range []string{"num_running_reqs", "num_queue_reqs", "kv_used_tokens", "max_total_num_tokens"} {
		require.Equal(t, []string{"0"}, prefill.of("sglang:"+name).values("tp_rank"), name)
	}
	require.Equal(t, []string{""}, prefill.of("sglang:num_running_reqs").values("dp_rank"), "no dp_rank without DP")
	for _, name := range []string{
		"queue_time_seconds_count", "kv_transfer_latency_ms_count", "kv_transfer_bootstrap_ms_count",
		"kv_transfer_alloc_ms_count", "kv_transfer_speed_gb_s_count", "num_bootstrap_failed_reqs_total",
	} {
		copies := prefill.of("sglang:" + name)
		require.Equal(t, []string{"0", "1"}, copies.values("tp_rank"), name)
		require.Positive(t, copies[0].value, name)
		require.Equal(t, copies[0].value, copies[1].value, name)
	}
	retracted := decode.of("sglang:num_retracted_requests_total")
	require.Equal(t, []string{"0", "1"}, retracted.values("tp_rank"))
	require.Equal(t, []string{"1000"}, decode.of("sglang:num_retracted_reqs").values("pid"))

	require.Equal(t, []string{"0", "1"}, prefill.of("sglang:flagcx_total_bytes_transferred_total").values("tp_rank"))
	for _, x := range prefill.of("sglang:num_requests_total") {
		require.Equal(t, `{__name__="sglang:num_requests_total", engine_type="prefill", model_name="org/Model-1.5B"}`, x.labels.String())
	}
	require.Empty(t, prefill.of("sglang:time_to_first_token_seconds_count"), "TTFT is decode's")
	require.Empty(t, prefill.of("sglang:inter_token_latency_seconds_count"))
	require.Empty(t, decode.of("sglang:flagcx_total_bytes_transferred_total"), "decode sends nothing")
	require.Empty(t, decode.of("sglang:kv_transfer_latency_ms_count"))
	require.Equal(t, []float64{0}, []float64{decode.of("sglang:cache_hit_rate").sum()})
	require.Empty(t, prefill.of("sglang:num_requests_created"), "multiprocess mode has no _created")
}

func TestSGLangSeriesAppearAtTheirFirstUse(t *testing.T) {
	s := newSimulation(t, cluster(group(simulator.SGLang)))
	page := scrape(t, s, "prefill-0.g", 0)
	require.NotEmpty(t, page.of("sglang:num_running_reqs"))
	require.Len(t, page.of("sglang:prefill_effective_tokens_total"), 4, "these are there from the start")
	for _, name := range []string{"num_requests_total", "realtime_tokens_total", "flagcx_total_bytes_transferred_total", "queue_time_seconds_count"} {
		require.Empty(t, page.of("sglang:"+name), name)
	}
	page = scrape(t, s, "prefill-0.g", settled)
	require.Empty(t, page.of("sglang:num_aborted_requests_total"), "nobody has aborted")
	require.Empty(t, page.of("sglang:cached_tokens_total"), "nothing was cached")
}

func TestSGLangWithDPAttentionHasOneGlobalTPRankPerDPRank(t *testing.T) {
	g := group(simulator.SGLang)
	g.PrefillInstances = simulator.Instances{Count: 1, TP: 4, DP: 2, DPAttention: true}
	s := newSimulation(t, cluster(g))
	page := scrape(t, s, "prefill-0.g", settled)
	gauges := page.of("sglang:max_total_num_tokens")
	require.Equal(t, []string{"0", "1"}, gauges.values("dp_rank"))
	require.Equal(t, []string{"0", "2"}, gauges.values("tp_rank"))
	copies := page.of("sglang:queue_time_seconds_count")
	require.ElementsMatch(t, []string{"0", "1", "2", "3"}, copies.values("tp_rank"))
	shards := page.of("sglang:flagcx_total_bytes_transferred_total")
	require.Equal(t, []string{"0", "1"}, shards.values("tp_rank"), "the attention TP rank")
	require.Equal(t, []string{"", ""}, shards.values("dp_rank"))
	require.Equal(t, []string{"", ""}, shards.values("moe_ep_rank"))
}

func TestSGLangWithAllSchedulersRepeatsTheGauges(t *testing.T) {
	g := group(simulator.SGLang)
	g.AllSchedulers = true
	s := newSimulation(t, cluster(g))
	page := scrape(t, s, "prefill-0.g", settled)
	for _, name := range []string{"num_running_reqs", "kv_used_tokens", "max_total_num_tokens"} {
		copies := page.of("sglang:" + name)
		require.Equal(t, []string{"0", "1"}, copies.values("tp_rank"), name)
		require.Equal(t, copies[0].value, copies[1].value, name)
	}
	tokens := page.of("sglang:realtime_tokens_total", "mode", "prefill_compute")
	require.Equal(t, []string{"0", "1"}, tokens.values("tp_rank"))
}

func TestSGLangWithPriorityWritesTheTotalUnderTheEmptyPriority(t *testing.T) {
	g := group(simulator.SGLang)
	g.PriorityScheduling = true
	s := newSimulation(t, cluster(g))
	page := scrape(t, s, "decode-0.g", settled)
	running := page.of("sglang:num_running_reqs")
	require.Equal(t, []string{"", "0", "1"}, running.values("priority"))
	require.Positive(t, running[0].value)
	require.Equal(t, running[0].value, running[1].value+running[2].value)
	requests := page.of("sglang:num_requests_total")
	require.ElementsMatch(t, []string{"0", "1"}, requests.values("priority"))
	done := s.Truth().Count(simulator.DecodeCompleted, simulator.Selector{}, 0, settled+1)
	require.Equal(t, done, requests.sum(), "these are disjoint")
}

func TestOldSGLangHasNoEngineTypeOnItsRequestCounters(t *testing.T) {
	g := group(simulator.SGLang)
	no := false
	g.EngineTypeOnTokenizer = &no
	s := newSimulation(t, cluster(g))
	page := scrape(t, s, "decode-0.g", settled)
	require.Equal(t, []string{""}, page.of("sglang:num_requests_total").values("engine_type"))
	require.Equal(t, []string{"decode"}, page.of("sglang:num_running_reqs").values("engine_type"))
}

func TestNewerSGLangCountsOutcomes(t *testing.T) {
	g := group(simulator.SGLang)
	g.FinishedByOutcome, g.AbortShare = true, 0.2
	s := newSimulation(t, cluster(g))
	page := scrape(t, s, "decode-0.g", settled)
	outcomes := page.of("sglang:finished_requests_by_outcome_total")
	require.Equal(t, page.of("sglang:num_requests_total").sum(), outcomes.sum())
	good := s.Truth().Count(simulator.Succeeded, simulator.Selector{Role: simulator.Decode}, 0, settled+1)
	require.Equal(t, good, page.of("sglang:finished_requests_by_outcome_total", "outcome", "success").sum())
}

func TestVLLMHasNoRanksAndEverySeriesFromTheStart(t *testing.T) {
	g := group(simulator.VLLM)
	g.DecodeInstances.DP = 2
	s := newSimulation(t, cluster(g))
	page := scrape(t, s, "decode-0.g", 0)
	require.Equal(t, []string{"0", "1"}, page.of("vllm:num_requests_running").values("engine"))
	success := page.of("vllm:request_success_total", "engine", "0")
	require.ElementsMatch(t, []string{"stop", "length", "abort", "error", "repetition"}, success.values("finished_reason"))
	require.Zero(t, success.sum())
	require.Len(t, page.of("vllm:flagcx_total_bytes_transferred_total"), 2)
	created := page.of("vllm:generation_tokens_created")
	require.Equal(t, float64(epoch.Unix()), created[0].value)
	for _, x := range page {
		for _, rank := range []string{"tp_rank", "pp_rank", "dp_rank"} {
			require.Empty(t, x.labels.Get(rank))
		}
	}
}

func TestTheConnectorDecidesWhoCountsTheTransfers(t *testing.T) {
	for connector, want := range map[simulator.Connector]struct{ flagcx, nixl string }{
		simulator.FlagCX:      {flagcx: "prefill"},
		simulator.NIXL:        {nixl: "decode"},
		simulator.NoConnector: {},
	} {
		g := group(simulator.VLLM)
		g.Connector = connector
		s := newSimulation(t, cluster(g))
		for _, role := range []string{"prefill", "decode"} {
			page := scrape(t, s, role+"-0.g", settled)
			for name, counting := range map[string]string{
				"vllm:flagcx_total_bytes_transferred_total": want.flagcx,
				"vllm:nixl_bytes_transferred_sum":           want.nixl,
			} {
				bytes := 0.0
				if counting == role {
					bytes = s.Truth().Count(simulator.KVTransferBytes, simulator.Selector{}, 0, settled+1)
					require.Positive(t, bytes)
				}
				require.Equal(t, bytes, page.of(name).sum(), "%s on %s with %s", name, role, connector)
				require.Equal(t, counting == "", len(page.of(name)) == 0, "%s with %s", name, connector)
			}
		}
	}
	g := group(simulator.SGLang)
	g.Connector = simulator.NoConnector
	page := scrape(t, newSimulation(t, cluster(g)), "prefill-0.g", settled)
	require.Empty(t, page.of("sglang:flagcx_total_bytes_transferred_total"))
	require.Positive(t, page.of("sglang:kv_transfer_total_mb_sum").sum())
}
