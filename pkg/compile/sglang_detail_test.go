package compile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// wording is a question and the PromQL that answers it, written out in full.
type wording struct {
	ask  compile.Request
	want string
}

func sayExactly(t *testing.T, tests map[string]wording) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, only(t, test.ask))
		})
	}
}

func onSGLang(signal string, edits ...func(*compile.Request)) compile.Request {
	return ask(signal, append([]func(*compile.Request){of("sglang")}, edits...)...)
}

func onSGLangDecode(signal string, edits ...func(*compile.Request)) compile.Request {
	return onSGLang(signal, append([]func(*compile.Request){on(query.RoleDecode)}, edits...)...)
}

// sglangWith is a server where engine_type tells the roles and that holds these metrics alone.
func sglangWith(metrics ...string) func(*compile.Request) {
	return holding(server("sglang", deployment.RoleByLabel, metrics...))
}

// Nothing is known of the server unless a row says so. Shapes are those of the
// field's facts: gauges keep one copy, counters and histograms average copies
// after the rate, shards add up, what is counted for each GPU is averaged.
func TestPromQLOfSGLangInDetail(t *testing.T) {
	sayExactly(t, map[string]wording{
		"cached tokens by source, the total where no source is told": {onSGLang("cached_token_rate", on(query.RolePrefill), by("source")),
			`sum by (cache_source) (irate(sglang:cached_tokens_total{cache_source!="total",engine_type="prefill"}[4s]) or on (cluster, engine_type, instance, job, model_name, namespace, node, pod, priority) irate(sglang:cached_tokens_total{cache_source="total",engine_type="prefill"}[4s]))`},
		"hit rate by source over one denominator": {onSGLang("prefix_cache_hit_rate", by("source"), sglangWith("sglang:cached_tokens_total", "sglang:prompt_tokens_total", "sglang:realtime_tokens_total")),
			`sum by (cache_source) (avg ` + noRanks + ` (rate(sglang:cached_tokens_total{cache_source!="total",engine_type="prefill"}[4s]))) / ignoring (cache_source) group_left () (sum(avg ` + noRanks + ` (rate(sglang:prompt_tokens_total{engine_type="prefill"}[4s]))) > 0)`},
		"hit rate by tier of the smooth counter": {onSGLang("prefix_cache_hit_rate", by("mode"), sglangWith("sglang:prefill_effective_tokens_total", "sglang:realtime_tokens_total")),
			`sum by (mode) (avg ` + noRanks + ` (rate(sglang:prefill_effective_tokens_total{engine_type="prefill",mode=~"device_hit|host_hit|storage_hit"}[4s]))) / ignoring (mode) group_left () (sum(avg ` + noRanks + ` (rate(sglang:prefill_effective_tokens_total{engine_type="prefill",mode=~"device_hit|host_hit|storage_hit|input"}[4s]))) > 0)`},
		"generation throughput, raw": {onSGLang("gen_throughput_raw", byModel),
			`sum by (model_name) (max ` + noRanks + ` (sglang:gen_throughput{engine_type="decode"}))`},
		"forward passes by mode": {onSGLangDecode("forward_pass_rate", by("mode")),
			`sum by (mode) (avg ` + noRanks + ` (irate(sglang:cuda_graph_passes_total{engine_type="decode"}[4s])))`},
		"CUDA graph share of decode passes": {onSGLang("cuda_graph_decode_share"),
			`sum(avg ` + noRanks + ` (rate(sglang:cuda_graph_passes_total{engine_type="decode",mode="decode_cuda_graph"}[4s]))) / (sum(avg ` + noRanks + ` (rate(sglang:cuda_graph_passes_total{engine_type="decode",mode=~"decode_.*"}[4s]))) > 0)`},
		"CUDA graph share of prefill passes": {onSGLang("cuda_graph_prefill_share"),
			`sum(avg ` + noRanks + ` (rate(sglang:cuda_graph_passes_total{engine_type="prefill",mode="prefill_cuda_graph"}[4s]))) / (sum(avg ` + noRanks + ` (rate(sglang:cuda_graph_passes_total{engine_type="prefill",mode=~"prefill_.*"}[4s]))) > 0)`},
		"CUDA graph flag, raw": {onSGLang("cuda_graph_active_raw"), `min(sglang:is_cuda_graph{engine_type="decode"})`},
		"forward time over the data-parallel ranks, by category": {onSGLangDecode("forward_busy_share", by("category")),
			`sum by (category) (avg ` + noRanks + ` (rate(sglang:forward_execution_seconds_total{engine_type="decode"}[4s]) or rate(sglang:gpu_execution_seconds_total{engine_type="decode"}[4s]))) / ignoring (category) group_left () (count(max ` + noRanks + ` (sglang:num_running_reqs{engine_type="decode",priority=""})) > 0)`},
		"stages are always apart": {onSGLangDecode("stage_latency"),
			`histogram_quantile(0.99, sum by (le, stage) (avg ` + noRanks + ` (rate(sglang:per_stage_req_latency_seconds_bucket{engine_type="decode"}[4s])))) >= 0`},
		"one stage": {onSGLangDecode("stage_latency", byModel, where("stage", query.OpEqual, "decode_bootstrap"), statistic(query.StatMean)),
			`sum by (model_name) (avg ` + noRanks + ` (rate(sglang:per_stage_req_latency_seconds_sum{engine_type="decode",stage="decode_bootstrap"}[4s]))) / (sum by (model_name) (avg ` + noRanks + ` (rate(sglang:per_stage_req_latency_seconds_count{engine_type="decode",stage="decode_bootstrap"}[4s]))) > 0)`},
		"grammar compilation": {onSGLangDecode("grammar_compilation_time"),
			`histogram_quantile(0.99, sum by (le) (avg ` + noRanks + ` (rate(sglang:grammar_compilation_time_seconds_bucket{engine_type="decode"}[4s])))) >= 0`},
		"grammar queue":              {onSGLangDecode("grammar_queue"), `sum(max ` + noRanks + ` (sglang:num_grammar_queue_reqs{engine_type="decode"}))`},
		"HTTP requests of all roles": {onSGLang("http_requests_active"), `sum(sglang:http_requests_active{endpoint!="/metrics"})`},
		"HTTP requests know no engine_type": {onSGLangDecode("http_requests_active", perRole),
			`sum(sglang:http_requests_active{endpoint!="/metrics",instance=~"decode.*"})`},
		"full-attention pool": {onSGLangDecode("full_attention_pool_usage"), `max(sglang:full_token_usage{engine_type="decode"})`},
		"sliding-window pool": {onSGLangDecode("swa_pool_usage"), `max(sglang:swa_token_usage{engine_type="decode"})`},
		"Mamba pool":          {onSGLangDecode("mamba_pool_usage"), `max(sglang:mamba_usage{engine_type="decode"})`},
		"bootstrap time in seconds": {onSGLang("kv_transfer_bootstrap_time"),
			`histogram_quantile(0.99, sum by (le) (avg ` + noRanks + ` (rate(sglang:kv_transfer_bootstrap_ms_bucket{engine_type="prefill"}[4s])))) / 1000 >= 0`},
		"allocation wait in seconds": {onSGLang("kv_transfer_alloc_time"),
			`histogram_quantile(0.99, sum by (le) (avg ` + noRanks + ` (rate(sglang:kv_transfer_alloc_ms_bucket{engine_type="prefill"}[4s])))) / 1000 >= 0`},
		"size of a rank's transfer, every rank its own": {onSGLang("kv_transfer_rank_size"),
			`histogram_quantile(0.99, sum by (le) (rate(sglang:kv_transfer_total_mb_bucket{engine_type="prefill"}[4s]))) * 1048576 >= 0`},
		"speed of a rank's transfer, GB of 2^30": {onSGLang("kv_transfer_speed_raw"),
			`histogram_quantile(0.99, sum by (le) (rate(sglang:kv_transfer_speed_gb_s_bucket{engine_type="prefill"}[4s]))) * 1073741824 >= 0`},
		"pending preallocation":   {onSGLang("decode_pending_prealloc_usage"), `max(sglang:pending_prealloc_token_usage{engine_type="decode"})`},
		"retracted input tokens":  {onSGLangDecode("retracted_input_token_rate"), `sum(avg ` + noRanks + ` (irate(sglang:num_retracted_input_tokens_total{engine_type="decode"}[4s])))`},
		"retracted output tokens": {onSGLangDecode("retracted_output_token_rate"), `sum(avg ` + noRanks + ` (irate(sglang:num_retracted_output_tokens_total{engine_type="decode"}[4s])))`},
		"prefill retries":         {onSGLang("prefill_retry_rate"), `sum(avg ` + noRanks + ` (irate(sglang:num_prefill_retries_total{engine_type="prefill"}[4s])))`},
	})
}

func TestTokensByWhereTheyWereCached(t *testing.T) {
	const sources = `
		sglang:cached_tokens_total{engine_type="prefill",cache_source="device"} 0+30x60
		sglang:cached_tokens_total{engine_type="prefill",cache_source="host"} 0+10x60
		sglang:cached_tokens_total{engine_type="prefill",cache_source="storage_file"} 0+5x60
		sglang:cached_tokens_total{engine_type="prefill",cache_source="total"} 0+45x60
		sglang:prompt_tokens_total{engine_type="prefill"} 0+100x60`
	both := sglangWith("sglang:cached_tokens_total", "sglang:prompt_tokens_total")
	check(t, map[string]numbers{
		"the total is not added to its parts": {sources, onSGLang("cached_token_rate", on(query.RolePrefill)), map[string]float64{`{role="prefill", system="sglang"}`: 45}},
		"each source": {sources, onSGLang("cached_token_rate", on(query.RolePrefill), by("source")), map[string]float64{
			`{role="prefill", source="device", system="sglang"}`: 30, `{role="prefill", source="host", system="sglang"}`: 10, `{role="prefill", source="storage_file", system="sglang"}`: 5}},
		"one source": {sources, onSGLang("cached_token_rate", on(query.RolePrefill), where("source", query.OpMatch, "storage.*")), map[string]float64{`{role="prefill", system="sglang"}`: 5}},
		"a build that knows the total alone": {`
			sglang:cached_tokens_total{engine_type="prefill",cache_source="total"} 0+45x60`,
			onSGLang("cached_token_rate", on(query.RolePrefill)), map[string]float64{`{role="prefill", system="sglang"}`: 45}},
		"shares of one denominator add up to the hit rate, 0.45": {sources, onSGLang("prefix_cache_hit_rate", by("source"), both), map[string]float64{
			`{source="device", system="sglang"}`: 0.3, `{source="host", system="sglang"}`: 0.1, `{source="storage_file", system="sglang"}`: 0.05}},
		// Both ranks repeat 80 + 5 + 0 hits and 15 computed.
		"tiers of the smooth counter": {`
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="device_hit",tp_rank="0"} 0+80x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="device_hit",tp_rank="1"} 0+80x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="host_hit",tp_rank="0"} 0+5x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="host_hit",tp_rank="1"} 0+5x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="storage_hit",tp_rank="0"} 0x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="input",tp_rank="0"} 0+15x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="input",tp_rank="1"} 0+15x60
			sglang:realtime_tokens_total{engine_type="prefill",mode="prefill_cache",tp_rank="0"} 0+85x60
			sglang:realtime_tokens_total{engine_type="prefill",mode="prefill_compute",tp_rank="0"} 0+15x60`,
			onSGLang("prefix_cache_hit_rate", by("mode")), map[string]float64{
				`{mode="device_hit", system="sglang"}`: 0.8, `{mode="host_hit", system="sglang"}`: 0.05, `{mode="storage_hit", system="sglang"}`: 0}},
	})
}

func TestForwardPasses(t *testing.T) {
	// Engine a on two ranks, 0.6 s/s of decode and 0.1 of prefill; engine b 0.2 of decode.
	const passes = `
		sglang:forward_execution_seconds_total{instance="a",engine_type="decode",category="decode",tp_rank="0"} 0+0.6x60
		sglang:forward_execution_seconds_total{instance="a",engine_type="decode",category="decode",tp_rank="1"} 0+0.6x60
		sglang:forward_execution_seconds_total{instance="a",engine_type="decode",category="extend",tp_rank="0"} 0+0.1x60
		sglang:forward_execution_seconds_total{instance="a",engine_type="decode",category="extend",tp_rank="1"} 0+0.1x60
		sglang:gpu_execution_seconds_total{instance="b",engine_type="decode",category="decode",tp_rank="0"} 0+0.2x60
		sglang:num_running_reqs{instance="a",engine_type="decode",tp_rank="0"} 7x60
		sglang:num_running_reqs{instance="a",engine_type="decode",tp_rank="1"} 7x60
		sglang:num_running_reqs{instance="a",engine_type="decode",tp_rank="0",priority="3"} 7x60
		sglang:num_running_reqs{instance="b",engine_type="decode",tp_rank="0"} 0x60
		sglang:cuda_graph_passes_total{instance="a",engine_type="decode",mode="decode_cuda_graph",tp_rank="0"} 0+45x60
		sglang:cuda_graph_passes_total{instance="a",engine_type="decode",mode="decode_cuda_graph",tp_rank="1"} 0+45x60
		sglang:cuda_graph_passes_total{instance="a",engine_type="decode",mode="decode_none",tp_rank="0"} 0+5x60
		sglang:cuda_graph_passes_total{instance="a",engine_type="decode",mode="decode_none",tp_rank="1"} 0+5x60
		sglang:cuda_graph_passes_total{instance="a",engine_type="decode",mode="prefill_none",tp_rank="0"} 0+50x60
		sglang:cuda_graph_passes_total{instance="a",engine_type="prefill",mode="prefill_none",tp_rank="0"} 9x60`
	decode := func(v float64) map[string]float64 { return map[string]float64{`{role="decode", system="sglang"}`: v} }
	check(t, map[string]numbers{
		// (0.6 + 0.1 + 0.2) ÷ 2 engines; the idle gauge of b counts as an engine.
		"an engine's mean busy share": {passes, onSGLangDecode("forward_busy_share"), decode(0.45)},
		"by category": {passes, onSGLangDecode("forward_busy_share", by("category")), map[string]float64{
			`{category="decode", role="decode", system="sglang"}`: 0.4, `{category="extend", role="decode", system="sglang"}`: 0.05}},
		"passes of one copy": {passes, onSGLangDecode("forward_pass_rate"), decode(100)},
		// Passes that prefill are no misses of decode: 45 ÷ 50, not 45 ÷ 100.
		"decode passes that a graph ran":      {passes, onSGLang("cuda_graph_decode_share"), map[string]float64{`{system="sglang"}`: 0.9}},
		"no prefill passes, no share of them": {passes, onSGLang("cuda_graph_prefill_share"), map[string]float64{}},
		"the raw flag is 0 where any engine's": {`
			sglang:is_cuda_graph{instance="a",engine_type="decode",tp_rank="0"} 1x60
			sglang:is_cuda_graph{instance="b",engine_type="decode",tp_rank="0"} 0x60`,
			onSGLang("cuda_graph_active_raw"), map[string]float64{`{system="sglang"}`: 0}},
	})
}

func TestPoolsOfHybridModels(t *testing.T) {
	check(t, map[string]numbers{
		"the fullest rank's": {`
			sglang:mamba_usage{engine_type="decode",dp_rank="0",tp_rank="0"} 0.2x60
			sglang:mamba_usage{engine_type="decode",dp_rank="1",tp_rank="1"} 0.9x60
			sglang:swa_token_usage{engine_type="decode",dp_rank="0",tp_rank="0"} 0.4x60`,
			onSGLangDecode("mamba_pool_usage"), map[string]float64{`{role="decode", system="sglang"}`: 0.9}},
	})
}

func TestKVTransferInDetail(t *testing.T) {
	// Each second two requests of 512 MiB, half on each rank, 100 ms of handshake.
	const transfers = `
		sglang:kv_transfer_bootstrap_ms_sum{engine_type="prefill",tp_rank="0"} 0+200x60
		sglang:kv_transfer_bootstrap_ms_sum{engine_type="prefill",tp_rank="1"} 0+200x60
		sglang:kv_transfer_bootstrap_ms_count{engine_type="prefill",tp_rank="0"} 0+2x60
		sglang:kv_transfer_bootstrap_ms_count{engine_type="prefill",tp_rank="1"} 0+2x60
		sglang:kv_transfer_total_mb_sum{engine_type="prefill",tp_rank="0"} 0+512x60
		sglang:kv_transfer_total_mb_sum{engine_type="prefill",tp_rank="1"} 0+512x60
		sglang:kv_transfer_total_mb_count{engine_type="prefill",tp_rank="0"} 0+2x60
		sglang:kv_transfer_total_mb_count{engine_type="prefill",tp_rank="1"} 0+2x60
		sglang:kv_transfer_speed_gb_s_sum{engine_type="prefill",tp_rank="0"} 0+20x60
		sglang:kv_transfer_speed_gb_s_sum{engine_type="prefill",tp_rank="1"} 0+60x60
		sglang:kv_transfer_speed_gb_s_count{engine_type="prefill",tp_rank="0"} 0+2x60
		sglang:kv_transfer_speed_gb_s_count{engine_type="prefill",tp_rank="1"} 0+2x60`
	sglang := func(v float64) map[string]float64 { return map[string]float64{`{system="sglang"}`: v} }
	mean := statistic(query.StatMean)
	check(t, map[string]numbers{
		"the handshake, 0.1 s":          {transfers, onSGLang("kv_transfer_bootstrap_time", mean), sglang(0.1)},
		"handshakes of requests":        {transfers, onSGLang("kv_transfer_bootstrap_time", statistic(query.StatRate)), sglang(2)},
		"a rank's half, 256 MiB":        {transfers, onSGLang("kv_transfer_rank_size", mean), sglang(256 * 1048576)},
		"transfers of ranks":            {transfers, onSGLang("kv_transfer_rank_size", statistic(query.StatRate)), sglang(4)},
		"a rank's speed, 20 times 2^30": {transfers, onSGLang("kv_transfer_speed_raw", mean), sglang(20 * 1073741824)},
		"an old build's gauge of the last": {`
			sglang:kv_transfer_bootstrap_ms{engine_type="prefill",tp_rank="0"} 40x60`,
			onSGLang("kv_transfer_bootstrap_time", holding(gaugeOfBootstrap())), sglang(0.04)},
	})
}

func gaugeOfBootstrap() *deployment.Deployment {
	d := server("sglang", deployment.RoleByLabel, "sglang:kv_transfer_bootstrap_ms")
	d.Gauges["sglang:kv_transfer_bootstrap_ms"] = true
	return d
}

func TestRealPagesOfSGLangInDetail(t *testing.T) {
	pd := []string{"sglang-pd-tp2-prefill-fixture.prom", "sglang-pd-tp2-decode-fixture.prom"}
	attention := []string{"sglang-dp-attention-tp8dp8-gen_throughput.prom"}
	tests := map[string]struct {
		pages []string
		ask   compile.Request
		want  map[string]float64
	}{
		// 0.5 s over 10 and 0.02 s over 23.
		"mean of the stages, never merged": {pd, onSGLang("stage_latency", statistic(query.StatMean)), map[string]float64{
			`{role="prefill", stage="prefill_bootstrap", system="sglang"}`: 0.05, `{role="decode", stage="decode_prepare", system="sglang"}`: 0.02 / 23}},
		"requests through a stage": {pd, onSGLang("stage_latency", statistic(query.StatRate), where("stage", query.OpEqual, "prefill_bootstrap"), on(query.RolePrefill)),
			map[string]float64{`{role="prefill", system="sglang"}`: 10}},
		// 5 of 10 up to 10 ms, 10 up to 100 ms: 10 + 90 × 2.5/5.
		"P75 of a stage": {pd, onSGLang("stage_latency", quantile(0.75), on(query.RolePrefill)), map[string]float64{`{role="prefill", stage="prefill_bootstrap", system="sglang"}`: 0.055}},
		"raw throughput": {pd, onSGLang("gen_throughput_raw"), map[string]float64{`{system="sglang"}`: 70}},
		// 1 + 0 on prefill and 1 on decode.
		"HTTP requests": {pd, onSGLang("http_requests_active"), map[string]float64{`{system="sglang"}`: 2}},
		"HTTP requests by endpoint": {pd, onSGLang("http_requests_active", by("endpoint")), map[string]float64{
			`{endpoint="/v1/completions", system="sglang"}`: 1, `{endpoint="/v1/chat/completions", system="sglang"}`: 1}},
		// The seven ranks of the excerpt, of which tp_rank="0" would be 35.4.
		"raw throughput of data-parallel ranks": {attention, onSGLang("gen_throughput_raw", holding(server("sglang", deployment.RoleByNothing, "sglang:gen_throughput"))),
			map[string]float64{`{system="sglang"}`: 565.985678196382}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := answers(t, page(t, test.pages...), planned(t, test.ask), minute)
			require.Len(t, got, len(test.want), "%v", got)
			for key, want := range test.want {
				require.Contains(t, got, key)
				require.InDelta(t, want, got[key], 1e-9*max(1, want), key)
			}
		})
	}
}
