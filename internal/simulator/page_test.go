package simulator_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

func TestEveryPageIsValidTextFormat(t *testing.T) {
	s := newSimulation(t, simulator.DefaultCluster())
	for _, at := range []time.Duration{0, time.Second, 20 * time.Second} {
		for _, target := range s.Targets() {
			var page bytes.Buffer
			require.NoError(t, s.Write(&page, target, at))
			text := page.String()
			parser := expfmt.NewTextParser(model.UTF8Validation)
			families, err := parser.TextToMetricFamilies(&page)
			require.NoError(t, err)
			for name, family := range families {
				require.NotEqual(t, "UNTYPED", family.GetType().String(), name)
				require.Equal(t, 1, strings.Count(text, "# TYPE "+name+" "), name)
				require.Equal(t, 1, strings.Count(text, "# HELP "+name+" "), name)
				if strings.HasSuffix(name, "_total") && name != "vllm:iteration_tokens_total" {
					require.Equal(t, "COUNTER", family.GetType().String(), name)
				}
				for _, m := range family.GetMetric() {
					h := m.GetHistogram()
					if h == nil {
						continue
					}
					previous := uint64(0)
					for _, b := range h.GetBucket() {
						require.GreaterOrEqual(t, b.GetCumulativeCount(), previous, name)
						previous = b.GetCumulativeCount()
					}
					require.Equal(t, h.GetSampleCount(), previous, name)
				}
			}
		}
	}
}

func TestEverythingThePanelsNeedIsExported(t *testing.T) {
	s := newSimulation(t, simulator.DefaultCluster())
	for instance, names := range map[string]string{
		"prefill-0.llama": `num_requests_running num_requests_waiting prompt_tokens_total prompt_tokens_by_source_total
			generation_tokens_total request_success_total kv_cache_usage_perc time_to_first_token_seconds_bucket
			request_time_per_output_token_seconds_bucket e2e_request_latency_seconds_bucket
			request_queue_time_seconds_sum request_prefill_time_seconds_sum prefix_cache_hits_total
			prefix_cache_queries_total num_preemptions_total flagcx_total_bytes_transferred_total
			flagcx_transfers_total flagcx_xfer_time_seconds_bucket flagcx_bytes_transferred_bucket
			flagcx_num_failed_transfers_total flagcx_num_failed_recvs_total flagcx_num_kv_expired_reqs_total
			request_success_created e2e_request_latency_seconds_created`,
		"decode-0.llama": `num_requests_running generation_tokens_total request_success_total kv_cache_usage_perc
			inter_token_latency_seconds_bucket e2e_request_latency_seconds_bucket request_decode_time_seconds_sum`,
		"prefill-0.qwen": `num_running_reqs num_queue_reqs num_prefill_bootstrap_queue_reqs
			num_prefill_inflight_queue_reqs prompt_tokens_total generation_tokens_total num_requests_total
			num_aborted_requests_total cached_tokens_total realtime_tokens_total prefill_effective_tokens_total
			kv_used_tokens kv_available_tokens kv_evictable_tokens max_total_num_tokens num_used_tokens token_usage
			cache_hit_rate num_retracted_reqs num_bootstrap_failed_reqs_total e2e_request_latency_seconds_bucket
			queue_time_seconds_bucket per_stage_req_latency_seconds_bucket kv_transfer_latency_ms_bucket
			kv_transfer_bootstrap_ms_bucket kv_transfer_alloc_ms_bucket kv_transfer_speed_gb_s_bucket
			kv_transfer_total_mb_bucket flagcx_total_bytes_transferred_total flagcx_transfers_total`,
		"decode-0.qwen": `num_running_reqs num_queue_reqs num_decode_prealloc_queue_reqs num_decode_transfer_queue_reqs
			prompt_tokens_total generation_tokens_total num_requests_total realtime_tokens_total gen_throughput
			num_retracted_requests_total time_to_first_token_seconds_bucket inter_token_latency_seconds_bucket
			e2e_request_latency_seconds_bucket kv_used_tokens kv_evictable_tokens max_total_num_tokens`,
	} {
		page := scrape(t, s, instance, 60*time.Second)
		prefix := "vllm:"
		if strings.HasSuffix(instance, "qwen") {
			prefix = "sglang:"
		}
		for _, name := range strings.Fields(names) {
			require.NotEmpty(t, page.of(prefix+name), "%s on %s", name, instance)
		}
	}
}

func TestTheSameSeedGivesTheSamePages(t *testing.T) {
	pages := func(seed uint64) string {
		c := simulator.DefaultCluster()
		c.Seed = seed
		s := newSimulation(t, c)
		var all bytes.Buffer
		for at := range 5 {
			for _, target := range s.Targets() {
				require.NoError(t, s.Write(&all, target, time.Duration(at)*time.Second))
			}
		}
		return all.String()
	}
	require.Equal(t, pages(1), pages(1))
	require.NotEqual(t, pages(1), pages(2))
}

func TestHowOftenAPageIsTakenChangesNothing(t *testing.T) {
	often, once := newSimulation(t, simulator.DefaultCluster()), newSimulation(t, simulator.DefaultCluster())
	for ms := range 100 {
		for _, target := range often.Targets() {
			require.NoError(t, often.Write(&bytes.Buffer{}, target, time.Duration(ms)*50*time.Millisecond))
		}
	}
	for _, target := range once.Targets() {
		require.Equal(t, scrape(t, once, target.Name, 5*time.Second), scrape(t, often, target.Name, 5*time.Second))
	}
}

func TestTimeAndInstancesThatDoNotExistAreRefused(t *testing.T) {
	s := newSimulation(t, simulator.DefaultCluster())
	require.NoError(t, s.AdvanceTo(time.Second))
	require.ErrorContains(t, s.AdvanceTo(0), "cannot go back")
	require.ErrorContains(t, s.Write(&bytes.Buffer{}, simulator.Target{Name: "nobody"}, time.Second), "nobody")
}
