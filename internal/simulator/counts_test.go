package simulator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// eventful is a group in which everything happens often.
func eventful(engine simulator.Engine) simulator.Group {
	g := group(engine)
	g.PrefillInstances.Count, g.DecodeInstances.Count = 2, 2
	g.InputTokens = simulator.Range{Min: 500, Max: 1500}
	g.AbortShare, g.PreemptionShare, g.PrefixHitShare = 0.2, 0.2, 0.4
	if engine == simulator.SGLang {
		g.BootstrapFailureShare = 0.1
		g.PrefillInstances.DP, g.PrefillInstances.TP, g.PrefillInstances.DPAttention = 2, 4, true
	}
	return g
}

func TestCountersAgreeWithTheTruth(t *testing.T) {
	type row struct {
		metric string
		pairs  []string
		copies float64
		event  simulator.Event
	}
	for name, test := range map[string]struct {
		engine          simulator.Engine
		prefill, decode []row
	}{
		"vLLM": {
			engine: simulator.VLLM,
			prefill: []row{
				{"request_success_total", []string{"finished_reason", "length"}, 1, simulator.PrefillCompleted},
				{"request_success_total", []string{"finished_reason", "abort"}, 1, simulator.Aborts},
				{"generation_tokens_total", nil, 1, simulator.PrefillCompleted},
				{"prompt_tokens_total", nil, 1, simulator.PromptTokens},
				{"prompt_tokens_by_source_total", []string{"source", "local_compute"}, 1, simulator.PromptTokensComputed},
				{"prompt_tokens_by_source_total", nil, 1, simulator.PromptTokens},
				{"flagcx_total_bytes_transferred_total", nil, 1, simulator.KVTransferBytes},
				{"flagcx_bytes_transferred_sum", nil, 1, simulator.KVTransferBytes},
				{"flagcx_transfers_total", nil, 2, simulator.KVTransfers},
			},
			decode: []row{
				{"request_success_total", []string{"finished_reason", "stop"}, 1, simulator.DecodeCompleted},
				{"request_success_total", []string{"finished_reason", "abort"}, 1, simulator.Aborts},
				{"generation_tokens_total", nil, 1, simulator.OutputTokens},
				{"num_preemptions_total", nil, 1, simulator.Preemptions},
			},
		},
		"SGLang": {
			engine: simulator.SGLang,
			prefill: []row{
				{"num_requests_total", nil, 1, simulator.PrefillCompleted},
				{"num_aborted_requests_total", nil, 1, simulator.Aborts},
				{"prompt_tokens_total", nil, 1, simulator.PromptTokens},
				{"realtime_tokens_total", []string{"mode", "prefill_compute"}, 1, simulator.PromptTokensComputed},
				{"prefill_effective_tokens_total", []string{"mode", "input"}, 1, simulator.PromptTokensComputed},
				{"num_bootstrap_failed_reqs_total", nil, 2, simulator.BootstrapFailures},
				{"kv_transfer_latency_ms_count", nil, 2, simulator.KVTransfers},
				{"flagcx_total_bytes_transferred_total", nil, 1, simulator.KVTransferBytes},
			},
			decode: []row{
				{"num_requests_total", nil, 1, simulator.DecodeCompleted},
				{"num_aborted_requests_total", nil, 1, simulator.Aborts},
				{"num_bootstrap_failed_reqs_total", nil, 2, simulator.BootstrapFailures},
				{"realtime_tokens_total", []string{"mode", "decode"}, 1, simulator.OutputTokens},
				{"num_retracted_requests_total", nil, 2, simulator.Preemptions},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSimulation(t, cluster(eventful(test.engine)))
			require.NoError(t, s.AdvanceTo(settled))
			for role, rows := range map[simulator.Role][]row{simulator.Prefill: test.prefill, simulator.Decode: test.decode} {
				for index, instance := range []string{string(role) + "-0.g", string(role) + "-1.g"} {
					page := scrape(t, s, instance, settled)
					selector := simulator.Selector{Role: role, Instance: instance}
					for _, r := range rows {
						// A count is right up to and including the present.
						want := s.Truth().Count(r.event, selector, 0, settled+1)
						require.Positive(t, want, "%s %d", r.metric, index)
						require.Equal(t, want*r.copies, page.of(string(test.engine)+":"+r.metric, r.pairs...).sum(), "%s%v of %s", r.metric, r.pairs, instance)
					}
				}
			}
		})
	}
}

func TestGaugesAgreeWithTheTruthAtEveryInstant(t *testing.T) {
	type row struct {
		metric string
		role   simulator.Role
		level  simulator.Level
	}
	for engine, rows := range map[simulator.Engine][]row{
		simulator.VLLM: {
			{"num_requests_running", simulator.Prefill, simulator.Running},
			{"num_requests_waiting", simulator.Prefill, simulator.Waiting},
			{"num_requests_waiting_by_reason", simulator.Decode, simulator.Waiting},
			{"num_requests_running", simulator.Decode, simulator.Running},
			{"num_requests_waiting", simulator.Decode, simulator.Waiting},
		},
		simulator.SGLang: {
			{"num_running_reqs", simulator.Prefill, simulator.Running},
			{"num_queue_reqs", simulator.Prefill, simulator.Waiting},
			{"num_running_reqs", simulator.Decode, simulator.Running},
			{"num_queue_reqs", simulator.Decode, simulator.Waiting},
			{"num_prefill_bootstrap_queue_reqs", simulator.Prefill, simulator.BootstrapQueue},
			{"num_prefill_inflight_queue_reqs", simulator.Prefill, simulator.InflightQueue},
			{"num_decode_prealloc_queue_reqs", simulator.Decode, simulator.PreallocQueue},
			{"num_decode_transfer_queue_reqs", simulator.Decode, simulator.TransferQueue},
			{"kv_used_tokens", simulator.Prefill, simulator.KVTokens},
			{"kv_used_tokens", simulator.Decode, simulator.KVTokens},
		},
	} {
		g := eventful(engine)
		// Tight places, so that everything queues.
		g.RequestRate = 60
		g.PrefillInstances.Slots, g.PrefillInstances.TransferSlots = 3, 1
		g.DecodeInstances.Slots, g.DecodeInstances.KVTokens = 8, 6_000
		s := newSimulation(t, cluster(g))
		highest := map[row]float64{}
		for at := time.Duration(0); at < settled; at += 197 * time.Millisecond {
			pages := map[simulator.Role]scraped{}
			for _, target := range s.Targets() {
				pages[target.Role] = append(pages[target.Role], scrape(t, s, target.Name, at)...)
			}
			for _, r := range rows {
				want := s.Truth().At(r.level, simulator.Selector{Role: r.role}, at)
				require.Equal(t, want, pages[r.role].of(string(engine)+":"+r.metric).sum(), "%s of %s at %s", r.metric, r.role, at)
				highest[r] = max(highest[r], want)
			}
			if engine == simulator.VLLM {
				usage := pages[simulator.Decode].of("vllm:kv_cache_usage_perc").sum() / 2
				require.InDelta(t, s.Truth().KVUsage(simulator.Selector{Role: simulator.Decode}, at), usage, 1e-9)
			}
		}
		for _, r := range rows {
			require.Positive(t, highest[r], "%s of %s never moved", r.metric, r.role)
		}
	}
}

func TestHistogramsAgreeWithTheTruthsSamples(t *testing.T) {
	type row struct {
		metric  string
		role    simulator.Role
		measure simulator.Measure
		copies  float64
		unit    float64
	}
	for engine, rows := range map[simulator.Engine][]row{
		simulator.VLLM: {
			{"time_to_first_token_seconds", simulator.Prefill, simulator.TTFT, 1, 1},
			{"time_to_first_token_seconds", simulator.Decode, simulator.TTFT, 1, 1},
			{"inter_token_latency_seconds", simulator.Decode, simulator.ITL, 1, 1},
			{"request_time_per_output_token_seconds", simulator.Prefill, simulator.TPOT, 1, 1},
			{"request_time_per_output_token_seconds", simulator.Decode, simulator.TPOT, 1, 1},
			{"e2e_request_latency_seconds", simulator.Prefill, simulator.E2E, 1, 1},
			{"e2e_request_latency_seconds", simulator.Decode, simulator.E2E, 1, 1},
			{"request_queue_time_seconds", simulator.Prefill, simulator.QueueTime, 1, 1},
			{"request_queue_time_seconds", simulator.Decode, simulator.QueueTime, 1, 1},
			{"request_prefill_time_seconds", simulator.Prefill, simulator.PrefillTime, 1, 1},
			{"request_prefill_time_seconds", simulator.Decode, simulator.PrefillTime, 1, 1},
			{"request_decode_time_seconds", simulator.Prefill, simulator.DecodeTime, 1, 1},
			{"request_decode_time_seconds", simulator.Decode, simulator.DecodeTime, 1, 1},
			{"flagcx_xfer_time_seconds", simulator.Prefill, simulator.KVTransferLatency, 2, 1},
		},
		simulator.SGLang: {
			{"time_to_first_token_seconds", simulator.Decode, simulator.TTFT, 1, 1},
			{"inter_token_latency_seconds", simulator.Decode, simulator.ITL, 1, 1},
			{"e2e_request_latency_seconds", simulator.Prefill, simulator.E2E, 1, 1},
			{"e2e_request_latency_seconds", simulator.Decode, simulator.E2E, 1, 1},
			{"queue_time_seconds", simulator.Prefill, simulator.QueueTime, 2, 1},
			{"queue_time_seconds", simulator.Decode, simulator.QueueTime, 2, 1},
			{"kv_transfer_latency_ms", simulator.Prefill, simulator.KVTransferLatency, 2, 1000},
			{"kv_transfer_bootstrap_ms", simulator.Prefill, simulator.Bootstrap, 2, 1000},
		},
	} {
		s := newSimulation(t, cluster(eventful(engine)))
		pages := map[simulator.Role]scraped{}
		for _, target := range s.Targets() {
			pages[target.Role] = append(pages[target.Role], scrape(t, s, target.Name, settled)...)
		}
		for _, r := range rows {
			samples := s.Truth().Samples(r.measure, simulator.Selector{Role: r.role}, 0, settled+1)
			sum := 0.0
			for _, x := range samples {
				sum += x
			}
			page, name := pages[r.role], string(engine)+":"+r.metric
			require.NotEmpty(t, samples, r.metric)
			require.Equal(t, float64(len(samples))*r.copies, page.of(name+"_count").sum(), "%s of %s", name, r.role)
			require.InDelta(t, sum*r.copies*r.unit, page.of(name+"_sum").sum(), 1e-5*sum*r.unit+1e-6, "%s of %s", name, r.role)
		}
	}
}

func TestPrefixHitsAreMeasuredOnPrefill(t *testing.T) {
	for engine, hit := range map[simulator.Engine]func(scraped) float64{
		simulator.VLLM: func(p scraped) float64 {
			return p.of("vllm:prefix_cache_hits_total").sum() / p.of("vllm:prefix_cache_queries_total").sum()
		},
		simulator.SGLang: func(p scraped) float64 {
			return p.of("sglang:prefill_effective_tokens_total", "mode", "device_hit").sum() / p.of("sglang:prefill_effective_tokens_total").sum()
		},
	} {
		g := group(engine)
		g.PrefixHitShare = 0.4
		s := newSimulation(t, cluster(g))
		page := scrape(t, s, "prefill-0.g", settled)
		truth := s.Truth().PrefixHitRatio(simulator.Selector{}, 0, settled+1)
		require.InDelta(t, truth, hit(page), 1e-12)
		require.InDelta(t, 0.4, truth, 0.02)
	}
}

func TestBytesOfRanksAddUpToTheRequest(t *testing.T) {
	g := group(simulator.SGLang)
	g.PrefillInstances.TP = 3 // does not divide the bytes
	s := newSimulation(t, cluster(g))
	page := scrape(t, s, "prefill-0.g", settled)
	shards := page.of("sglang:flagcx_total_bytes_transferred_total")
	require.Len(t, shards, 3)
	transfers := s.Truth().Count(simulator.KVTransfers, simulator.Selector{}, 0, settled+1)
	require.Equal(t, transfers*1_000_003, shards.sum())
	require.InDelta(t, transfers*1_000_003/(1<<20), page.of("sglang:kv_transfer_total_mb_sum").sum(), 1e-6)
}
