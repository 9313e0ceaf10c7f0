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

// shared is a file beside the repository; the test is skipped where there is none.
func shared(t *testing.T, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "..", "shared"}, parts...)...)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("%s is not beside this repository", filepath.Join(parts...))
	}
	return string(text)
}

// reportedCases reads the series of each case: "### T01 title", a load block, then queries.
func reportedCases(t *testing.T) map[string]string {
	t.Helper()
	series := map[string]string{}
	for _, part := range strings.Split(shared(t, "promql-cases", "cases.txt"), "### ")[1:] {
		id, _, _ := strings.Cut(part, " ")
		_, block, found := strings.Cut(part, "\n")
		require.True(t, found)
		load, _, _ := strings.Cut(block, "\n?")
		series[id] = load
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

// The series of public reports, and the right one of the answers that were
// computed for each. Series of these cases often lack a role label, so most are
// asked of a server where no role can be told.
func TestReportedCasesGiveTheRightAnswer(t *testing.T) {
	vllm := func(metrics ...string) func(*compile.Request) {
		return holding(server("vllm", deployment.RoleByNothing, metrics...))
	}
	sglang := func(metrics ...string) func(*compile.Request) {
		return holding(server("sglang", deployment.RoleByNothing, metrics...))
	}
	tests := map[string]struct {
		id   string
		at   time.Duration
		ask  compile.Request
		want map[string]float64
	}{
		"buckets are merged before the quantile": {"T01", 2 * minute, ask("ttft", of("vllm"), byModel, over("60s")), map[string]float64{`{model="m", system="vllm"}`: 0.496}},
		"ranks that repeat a counter": {"T02", minute, ask("decode_token_rate", of("sglang"), over("30s"), holding(server("sglang", deployment.RoleByLabel, "sglang:generation_tokens_total"))),
			map[string]float64{`{system="sglang"}`: 100}},
		"data-parallel ranks with work of their own": {"T03", minute, ask("requests_running", sglang("sglang:num_running_reqs")), map[string]float64{`{system="sglang"}`: 40}},
		"context-parallel ranks repeat a gauge":      {"T04", minute, ask("requests_running", sglang("sglang:num_running_reqs")), map[string]float64{`{system="sglang"}`: 40}},
		"vLLM has no tp_rank":                        {"T05", minute, ask("decode_token_rate", of("vllm"), over("30s"), ranked(compile.RanksRank0)), map[string]float64{`{system="vllm"}`: 100}},
		"an idle hit rate is empty":                  {"T06", minute, ask("prefix_cache_hit_rate", of("vllm"), over("30s")), map[string]float64{}},
		"a quantile in the first bucket":             {"T09", minute, ask("queue_time", of("vllm"), over("30s")), map[string]float64{`{system="vllm"}`: 0.297}},
		"a quantile of an idle histogram is empty":   {"T10", minute, ask("ttft", of("vllm"), over("30s")), map[string]float64{}},
		"irate over two samples of a slow scrape":    {"T13", 62 * time.Second, ask("kv_transfer_byte_rate", scraped(5*time.Second), holding(server("vllm", deployment.RoleByNothing, "vllm:flagcx_total_bytes_transferred_total"))), map[string]float64{`{system="flagcx"}`: 1000}},
		"rate over three samples of a slow scrape":   {"T13", 62 * time.Second, ask("kv_transfer_byte_rate", scraped(5*time.Second), over("15s"), holding(server("vllm", deployment.RoleByNothing, "vllm:flagcx_total_bytes_transferred_total"))), map[string]float64{`{system="flagcx"}`: 1000}},
		"neighbouring samples in a burst":            {"T14", minute, ask("decode_request_rate", of("vllm")), map[string]float64{`{system="vllm"}`: 100}},
		"neighbouring samples between bursts":        {"T14", 53 * time.Second, ask("decode_request_rate", of("vllm")), map[string]float64{`{system="vllm"}`: 0}},
		// 300 in the 29 s between first and last sample of (30 s, 60 s].
		"a window over bursts":                  {"T14", minute, ask("decode_request_rate", of("vllm"), over("30s")), map[string]float64{`{system="vllm"}`: 300.0 / 29}},
		"aborts and errors are no completions":  {"T15", minute, ask("decode_request_rate", of("vllm"), over("30s"), perRole), map[string]float64{`{system="vllm"}`: 10}},
		"one user request is counted by decode": {"T16", minute, ask("decode_request_rate", of("vllm"), over("30s"), perRole), map[string]float64{`{system="vllm"}`: 10}},
		// The row 81 930 of the answers adds decode's 10 recomputed tokens, as a server without roles does.
		"prompt tokens are prefill's own":          {"T16", minute, ask("prefill_token_rate", of("vllm"), over("30s"), perRole), map[string]float64{`{system="vllm"}`: 81920}},
		"prompt tokens where no role can be told":  {"T16", minute, ask("prefill_token_rate", over("30s"), vllm("vllm:prompt_tokens_by_source_total", "vllm:prompt_tokens_total")), map[string]float64{`{system="vllm"}`: 81930}},
		"bytes of all shards over the full size":   {"T19", minute, ask("kv_transfer_request_rate", of("sglang"), over("30s"), ofBytes(1342177280)), map[string]float64{`{system="flagcx"}`: 10}},
		"two bucket layouts give a value":          {"T24", minute, ask("e2e_latency", of("vllm"), over("30s"), quantile(0.9)), map[string]float64{`{system="vllm"}`: 240}},
		"a pod that went away":                     {"T27", minute, ask("requests_running", of("vllm"), where("pod", query.OpMatch, "old1", "new")), map[string]float64{`{system="vllm"}`: 8}},
		"a dot in a model's name is a dot":         {"T29", minute, ask("requests_running", of("vllm"), where("model", query.OpEqual, "meta-llama/Llama-3.1-8B")), map[string]float64{`{system="vllm"}`: 4}},
		"dots of several models are dots":          {"T29", minute, ask("requests_running", of("vllm"), where("model", query.OpEqual, "meta-llama/Llama-3.1-8B", "x")), map[string]float64{`{system="vllm"}`: 4}},
		"throughput is no derivative of occupancy": {"T32", minute, ask("decode_request_rate", of("vllm"), over("30s"), perRole), map[string]float64{`{system="vllm"}`: 10}},
		"tokens while idle are 0/s":                {"T37", minute, ask("decode_token_rate", over("30s"), sglang("sglang:generation_tokens_total")), map[string]float64{`{system="sglang"}`: 0}},
		"a window of two scrapes":                  {"T39", minute, ask("decode_request_rate", of("vllm"), over("2s")), map[string]float64{`{system="vllm"}`: 10}},
		"a window of four scrapes":                 {"T39", minute, ask("decode_request_rate", of("vllm"), over("4s")), map[string]float64{`{system="vllm"}`: 10}},
		"a transfer latency that is still a gauge": {"T41", minute, ask("kv_transfer_latency", holding(gaugeOfLatency())), map[string]float64{`{system="sglang"}`: 0.04}},
		"TTFT is asked of decode":                  {"T42", minute, ask("ttft", of("sglang"), over("30s")), map[string]float64{`{system="sglang"}`: 0.95}},
	}
	series := reportedCases(t)
	for name, test := range tests {
		t.Run(test.id+" "+name, func(t *testing.T) {
			require.Contains(t, series, test.id)
			got := answers(t, promqltest.LoadedStorage(t, series[test.id]), planned(t, test.ask), test.at)
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
