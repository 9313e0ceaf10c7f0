package compile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/storage"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/realpages"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// page loads exposition pages as series scraped every second for a minute.
// Gauges stand at the page's value; what is cumulative grows by the page's value
// every second, so that rates equal the totals of the page.
func page(t *testing.T, names ...string) storage.Queryable {
	t.Helper()
	var load strings.Builder
	load.WriteString("load 1s\n")
	for i, name := range names {
		kinds := map[string]string{}
		for line := range strings.Lines(realpages.Read(t, name)) {
			line = strings.TrimSpace(line)
			if metric, kind, ok := strings.Cut(strings.TrimPrefix(line, "# TYPE "), " "); ok && strings.HasPrefix(line, "# TYPE ") {
				kinds[metric] = kind
			}
			space := strings.LastIndex(line, " ")
			if line == "" || line[0] == '#' || space < 0 {
				continue
			}
			series, value := line[:space], line[space+1:]
			metric, rest, labelled := strings.Cut(series, "{")
			if !labelled {
				rest = "}"
			}
			if kind := kinds[metric]; kind == "gauge" || kind == "" && !cumulative(metric) {
				value += "x60"
			} else {
				value = "0+" + value + "x60"
			}
			fmt.Fprintf(&load, "  %s{instance=\"target-%d\",%s %s\n", metric, i, rest, value)
		}
	}
	return promqltest.LoadedStorage(t, load.String())
}

func cumulative(metric string) bool {
	for _, end := range []string{"_total", "_bucket", "_sum", "_count"} {
		if strings.HasSuffix(metric, end) {
			return true
		}
	}
	return false
}

// The totals are those that the README of the pages names, or sums of a few lines
// of the page done by hand.
func TestRealPagesGiveTheTotalsTheyName(t *testing.T) {
	const (
		prefill  = "sglang-pd-tp2-prefill-fixture.prom"
		decode   = "sglang-pd-tp2-decode-fixture.prom"
		priority = "sglang-priority-fixture.prom"
		old      = "sglang-0.4.x-deepseek-r1-no-engine_type-on-tokenizer.prom"
		attn     = "sglang-dp-attention-tp8dp8-gen_throughput.prom"
		vllm29   = "vllm-0.29.0-t4-waiting-by-reason.prom"
		v0       = "vllm-v0-llama31-8b.prom"
		bloom    = "vllm-old-tgis-bloom.prom"
	)
	both := []string{prefill, decode}
	one := func(label string, v float64) map[string]float64 { return map[string]float64{label: v} }
	unrolled := func(metrics ...string) func(*compile.Request) {
		return holding(server("sglang", deployment.RoleByNothing, metrics...))
	}
	const sglang, glm = `{system="sglang"}`, `{model="glm", system="sglang"}`
	tests := map[string]struct {
		pages []string
		ask   compile.Request
		want  map[string]float64
	}{
		"priority: running 3 + 4, where a plain sum gives 13": {[]string{priority}, ask("requests_running", unrolled("sglang:num_running_reqs")), one(sglang, 7)},
		"priority: queued 0, where a plain sum gives 5":       {[]string{priority}, ask("requests_waiting", unrolled("sglang:num_queue_reqs")), one(sglang, 0)},
		"PD: queue times of 67 requests, not 134":             {both, ask("queue_time", on(query.RolePrefill), statistic(query.StatRate), byModel, of("sglang")), one(`{model="glm", role="prefill", system="sglang"}`, 67)},
		"PD: 13 requests prefilled":                           {both, ask("prefill_request_rate", of("sglang"), byModel), one(glm, 13)},
		"PD: 14 requests decoded":                             {both, ask("decode_request_rate", of("sglang"), byModel), one(glm, 14)},
		"PD: 15 first tokens, on decode alone":                {both, ask("ttft", of("sglang"), statistic(query.StatRate)), one(sglang, 15)},
		// The 99th % of 15 is the 14.85th, in the last, infinite bucket: its lower bound.
		"PD: TTFT P99 is stuck at the last finite bucket": {both, ask("ttft", of("sglang")), one(sglang, 20)},
		// 190 s over 15; 12.5 s over 1000 tokens.
		"PD: mean TTFT":                     {both, ask("ttft", of("sglang"), statistic(query.StatMean)), one(sglang, 190.0/15)},
		"PD: mean ITL":                      {both, ask("itl", of("sglang"), statistic(query.StatMean)), one(sglang, 0.0125)},
		"PD: transfer latency P99, 5000 ms": {both, ask("kv_transfer_latency", of("sglang")), one(sglang, 5)},
		// 107 754 ms over 12.
		"PD: mean transfer latency":                 {both, ask("kv_transfer_latency", of("sglang"), statistic(query.StatMean)), one(sglang, 8.9795)},
		"PD: 12 transfers":                          {both, ask("kv_transfer_latency", of("sglang"), statistic(query.StatRate)), one(sglang, 12)},
		"PD: end-to-end per role":                   {both, ask("e2e_latency", of("sglang"), statistic(query.StatMean)), one(`{role="prefill", system="sglang"}`, 510.0/13)},
		"PD: prefill computed 146":                  {both, ask("prefill_token_rate", of("sglang")), one(sglang, 146)},
		"PD: 470 of 616 tokens found":               {both, ask("prefix_cache_hit_rate", of("sglang")), one(sglang, 470.0/616)},
		"PD: the raw hit rate":                      {both, ask("prefix_cache_hit_rate_last_batch"), one(sglang, 0.76)},
		"PD: running by role":                       {both, ask("requests_running", of("sglang")), map[string]float64{`{role="prefill", system="sglang"}`: 0, `{role="decode", system="sglang"}`: 1}},
		"PD: bootstrap queue":                       {both, ask("prefill_bootstrap_queue"), one(sglang, 2)},
		"PD: transfer queue":                        {both, ask("decode_transfer_queue"), one(sglang, 3)},
		"PD: usage by role":                         {both, ask("kv_cache_usage", of("sglang")), map[string]float64{`{role="prefill", system="sglang"}`: 0, `{role="decode", system="sglang"}`: 0.33}},
		"PD: active share":                          {both, ask("kv_cache_active", on(query.RoleDecode)), one(`{role="decode", system="sglang"}`, 145856.0/441792)},
		"PD: no evictable gauge, no occupied share": {both, ask("kv_cache_occupied", on(query.RoleDecode)), map[string]float64{}},
		"0.4: requests without engine_type":         {[]string{old}, ask("decode_request_rate", unrolled("sglang:num_requests_total")), one(sglang, 217)},
		"0.4: used tokens under the old name":       {[]string{old}, ask("kv_cache_used_tokens", unrolled("sglang:num_used_tokens")), one(sglang, 0)},
		"DP attention: the old queue name, all eight ranks": {[]string{attn}, ask("prefill_bootstrap_queue", by("dp_rank"), unrolled("sglang:num_prefill_prealloc_queue_reqs")),
			map[string]float64{`{dp_rank="0", system="sglang"}`: 0, `{dp_rank="1", system="sglang"}`: 0, `{dp_rank="2", system="sglang"}`: 0,
				`{dp_rank="3", system="sglang"}`: 0, `{dp_rank="4", system="sglang"}`: 0, `{dp_rank="7", system="sglang"}`: 0}},
		"vLLM 0.29: running":             {[]string{vllm29}, ask("requests_running", of("vllm")), one(`{system="vllm"}`, 37)},
		"vLLM 0.29: waiting, 9 + 3":      {[]string{vllm29}, ask("requests_waiting", of("vllm")), one(`{system="vllm"}`, 12)},
		"vLLM V0: usage by the old name": {[]string{v0}, ask("kv_cache_usage", of("vllm")), one(`{system="vllm"}`, 0)},
		"vLLM V0: prompt tokens, idle":   {[]string{v0}, ask("prefill_token_rate", of("vllm")), one(`{system="vllm"}`, 0)},
		"vLLM V0: no hit rate from −1":   {[]string{v0}, ask("prefix_cache_hit_rate", of("vllm")), map[string]float64{}},
		"early vLLM: prompt tokens":      {[]string{bloom}, ask("prefill_token_rate", of("vllm"), byModel), one(`{model="bigscience/bloom-560m", system="vllm"}`, 1196)},
		"early vLLM: output tokens":      {[]string{bloom}, ask("decode_token_rate", of("vllm"), byModel), one(`{model="bigscience/bloom-560m", system="vllm"}`, 218152)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := planned(t, test.ask)
			got := answers(t, page(t, test.pages...), p, minute)
			require.Len(t, got, len(test.want), "got %v from\n%s", got, strings.Join(promqls(p), "\n"))
			for key, want := range test.want {
				require.Contains(t, got, key)
				require.InDelta(t, want, got[key], 1e-9*max(1, want), "%s from\n%s", key, strings.Join(promqls(p), "\n"))
			}
		})
	}
}
