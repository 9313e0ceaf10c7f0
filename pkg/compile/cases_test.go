package compile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// reportedSeries reads the series by their title.
func reportedSeries(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "reported-series.txt"))
	require.NoError(t, err)
	series := map[string]string{}
	for _, part := range strings.Split(string(text), "### ")[1:] {
		title, load, found := strings.Cut(part, "\n")
		require.True(t, found)
		series[title] = load
	}
	require.NotEmpty(t, series)
	return series
}

func scraped(every time.Duration) func(*compile.Request) {
	return func(r *compile.Request) { r.Options.ScrapeInterval, r.Step = every, every }
}

func over(window string) func(*compile.Request) {
	return func(r *compile.Request) { r.Query.RateMode, r.Query.Window = query.RateWindow, window }
}

// The series of public reports, and of the answers that PromQL has for each the
// right one. Series of these cases often lack a role label, so most are
// asked of a server where no role can be told.
func TestReportedCasesGiveTheRightAnswer(t *testing.T) {
	vllm := func(metrics ...string) func(*compile.Request) {
		return holding(server("vllm", deployment.RoleByNothing, metrics...))
	}
	sglang := func(metrics ...string) func(*compile.Request) {
		return holding(server("sglang", deployment.RoleByNothing, metrics...))
	}
	tests := map[string]struct {
		of   string // the title of the series
		at   time.Duration
		ask  compile.Request
		want map[string]float64
	}{
		"buckets are merged before the quantile": {"two engines of unlike load", 2 * minute, ask("ttft", of("vllm"), byModel, over("60s")), map[string]float64{`{model="m", system="vllm"}`: 0.496}},
		"ranks that repeat a counter": {"ranks repeat a counter", minute, ask("decode_token_rate", of("sglang"), over("30s"), holding(server("sglang", deployment.RoleByLabel, "sglang:generation_tokens_total"))),
			map[string]float64{`{system="sglang"}`: 100}},
		"data-parallel ranks with work of their own": {"data-parallel ranks", minute, ask("requests_running", sglang("sglang:num_running_reqs")), map[string]float64{`{system="sglang"}`: 40}},
		"context-parallel ranks repeat a gauge":      {"context-parallel ranks", minute, ask("requests_running", sglang("sglang:num_running_reqs")), map[string]float64{`{system="sglang"}`: 40}},
		"vLLM has no tp_rank":                        {"no rank label", minute, ask("decode_token_rate", of("vllm"), over("30s"), ranked(compile.RanksRank0)), map[string]float64{`{system="vllm"}`: 100}},
		"an idle hit rate is empty":                  {"an idle prefix cache", minute, ask("prefix_cache_hit_rate", of("vllm"), over("30s")), map[string]float64{}},
		"a quantile in the first bucket":             {"all in the first bucket", minute, ask("queue_time", of("vllm"), over("30s")), map[string]float64{`{system="vllm"}`: 0.297}},
		"a quantile of an idle histogram is empty":   {"an idle histogram", minute, ask("ttft", of("vllm"), over("30s")), map[string]float64{}},
		"irate over two samples of a slow scrape":    {"a scrape each 5 s", 62 * time.Second, ask("kv_transfer_byte_rate", scraped(5*time.Second), holding(server("vllm", deployment.RoleByNothing, "vllm:flagcx_total_bytes_transferred_total"))), map[string]float64{`{system="flagcx"}`: 1000}},
		"rate over three samples of a slow scrape":   {"a scrape each 5 s", 62 * time.Second, ask("kv_transfer_byte_rate", scraped(5*time.Second), over("15s"), holding(server("vllm", deployment.RoleByNothing, "vllm:flagcx_total_bytes_transferred_total"))), map[string]float64{`{system="flagcx"}`: 1000}},
		"neighbouring samples in a burst":            {"bursts", minute, ask("decode_request_rate", of("vllm")), map[string]float64{`{system="vllm"}`: 100}},
		"neighbouring samples between bursts":        {"bursts", 53 * time.Second, ask("decode_request_rate", of("vllm")), map[string]float64{`{system="vllm"}`: 0}},
		// 300 in the 29 s between first and last sample of (30 s, 60 s].
		"a window over bursts":                  {"bursts", minute, ask("decode_request_rate", of("vllm"), over("30s")), map[string]float64{`{system="vllm"}`: 300.0 / 29}},
		"aborts and errors are no completions":  {"reasons to finish", minute, ask("decode_request_rate", of("vllm"), over("30s"), perRole), map[string]float64{`{system="vllm"}`: 10}},
		"one user request is counted by decode": {"prefill and decode count one request", minute, ask("decode_request_rate", of("vllm"), over("30s"), perRole), map[string]float64{`{system="vllm"}`: 10}},
		// 81,930 adds decode's 10 recomputed tokens, as a server without roles does.
		"prompt tokens are prefill's own":          {"prefill and decode count one request", minute, ask("prefill_token_rate", of("vllm"), over("30s"), perRole), map[string]float64{`{system="vllm"}`: 81920}},
		"prompt tokens where no role can be told":  {"prefill and decode count one request", minute, ask("prefill_token_rate", over("30s"), vllm("vllm:prompt_tokens_by_source_total", "vllm:prompt_tokens_total")), map[string]float64{`{system="vllm"}`: 81930}},
		"bytes of all shards over the full size":   {"eight shards", minute, ask("kv_transfer_request_rate", of("sglang"), over("30s"), ofBytes(1342177280)), map[string]float64{`{system="flagcx"}`: 10}},
		"two bucket layouts give a value":          {"two bucket layouts", minute, ask("e2e_latency", of("vllm"), over("30s"), quantile(0.9)), map[string]float64{`{system="vllm"}`: 240}},
		"a pod that went away":                     {"a pod that went away", minute, ask("requests_running", of("vllm"), where("pod", query.OpMatch, "old1", "new")), map[string]float64{`{system="vllm"}`: 8}},
		"a dot in a model's name is a dot":         {"models with a dot and a dash", minute, ask("requests_running", of("vllm"), where("model", query.OpEqual, "meta-llama/Llama-3.1-8B")), map[string]float64{`{system="vllm"}`: 4}},
		"dots of several models are dots":          {"models with a dot and a dash", minute, ask("requests_running", of("vllm"), where("model", query.OpEqual, "meta-llama/Llama-3.1-8B", "x")), map[string]float64{`{system="vllm"}`: 4}},
		"throughput is no derivative of occupancy": {"constant concurrency", minute, ask("decode_request_rate", of("vllm"), over("30s"), perRole), map[string]float64{`{system="vllm"}`: 10}},
		"tokens while idle are 0/s":                {"a gauge that keeps its last value", minute, ask("decode_token_rate", over("30s"), sglang("sglang:generation_tokens_total")), map[string]float64{`{system="sglang"}`: 0}},
		"a window of two scrapes":                  {"a scrape each second", minute, ask("decode_request_rate", of("vllm"), over("2s")), map[string]float64{`{system="vllm"}`: 10}},
		"a window of four scrapes":                 {"a scrape each second", minute, ask("decode_request_rate", of("vllm"), over("4s")), map[string]float64{`{system="vllm"}`: 10}},
		"a transfer latency that is still a gauge": {"latency as a gauge", minute, ask("kv_transfer_latency", holding(gaugeOfLatency())), map[string]float64{`{system="sglang"}`: 0.04}},
		"TTFT is asked of decode":                  {"first tokens on decode", minute, ask("ttft", of("sglang"), over("30s")), map[string]float64{`{system="sglang"}`: 0.95}},
	}
	series := reportedSeries(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, series, test.of)
			got := answers(t, promqltest.LoadedStorage(t, series[test.of]), planned(t, test.ask), test.at)
			require.Len(t, got, len(test.want), "%v", got)
			for key, want := range test.want {
				require.InDelta(t, want, got[key], 1e-9*max(1, want), key)
			}
		})
	}
}

func gaugeOfLatency() *deployment.Deployment {
	d := server("sglang", deployment.RoleByLabel, "sglang:kv_transfer_latency_ms")
	d.Gauges["sglang:kv_transfer_latency_ms"] = true
	return d
}
