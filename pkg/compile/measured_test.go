package compile_test

import (
	"testing"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// twoModels are sizes of 100 and 200 bytes, of models that a vLLM with FlagCX serves.
func twoModels(r *compile.Request) {
	r.Options.Sizes = kvcache.Sizes{{Model: "a", BytesPerRequest: 100}, {Model: "b", BytesPerRequest: 200}}
	perRole(r)
	found := server("vllm", deployment.RoleByMatchers, "vllm:flagcx_total_bytes_transferred_total", "vllm:request_success_total")
	system := found.Systems["vllm"]
	system.Models = []string{"a", "b", "c"}
	found.Systems["vllm"] = system
	r.Deployment = found
}

func TestPromQLOfMeasuredSizes(t *testing.T) {
	const of5m = `[5m])) / (sum by (model_name) (rate(vllm:request_success_total{finished_reason!~"abort|error",instance=~"prefill.*",model_name=`
	sayExactly(t, map[string]wording{
		"measured over configured, model by model": {ask("kv_bytes_per_request_ratio", twoModels),
			`(sum by (model_name) (rate(vllm:flagcx_total_bytes_transferred_total{instance=~"prefill.*",model_name="a"}` + of5m + `"a"}[5m])) > 0)) / 100` +
				` or (sum by (model_name) (rate(vllm:flagcx_total_bytes_transferred_total{instance=~"prefill.*",model_name="b"}` + of5m + `"b"}[5m])) > 0)) / 200`},
		"of one model": {ask("kv_bytes_per_request_ratio", twoModels, where("model", query.OpEqual, "b")),
			`(sum(rate(vllm:flagcx_total_bytes_transferred_total{instance=~"prefill.*",model_name="b"}[5m]))` +
				` / (sum(rate(vllm:request_success_total{finished_reason!~"abort|error",instance=~"prefill.*",model_name="b"}[5m])) > 0)) / 200`},
		"bytes per token": {ask("kv_bytes_per_token_measured", of("flagcx"), sglangWith("sglang:flagcx_total_bytes_transferred_total", "sglang:prompt_tokens_total")),
			`sum(rate(sglang:flagcx_total_bytes_transferred_total{engine_type="prefill"}[5m])) / (sum(rate(sglang:prompt_tokens_total{engine_type="prefill"}[5m])) > 0)`},
		"prompt length": {ask("input_tokens_per_request_measured", of("vllm"), perRole, vllmWith("vllm:request_prompt_tokens_sum", "vllm:request_prompt_tokens_count")),
			`sum(rate(vllm:request_prompt_tokens_sum{instance=~"prefill.*"}[5m])) / (sum(rate(vllm:request_prompt_tokens_count{instance=~"prefill.*"}[5m])) > 0)`},
		"a window of the query's own": {ask("input_tokens_per_request_measured", of("vllm"), perRole, windowed, vllmWith("vllm:request_prompt_tokens_sum", "vllm:request_prompt_tokens_count")),
			`sum(rate(vllm:request_prompt_tokens_sum{instance=~"prefill.*"}[30s])) / (sum(rate(vllm:request_prompt_tokens_count{instance=~"prefill.*"}[30s])) > 0)`},
		"NIXL counts on the side that reads": {ask("kv_bytes_per_request_measured", of("nixl"), perRole, vllmWith("vllm:nixl_bytes_transferred_sum", "vllm:request_success_total")),
			`sum(rate(vllm:nixl_bytes_transferred_sum{instance=~"decode.*"}[5m])) / (sum(rate(vllm:request_success_total{finished_reason!~"abort|error",instance=~"decode.*"}[5m])) > 0)`},
	})
}

func TestNumbersOfMeasuredSizes(t *testing.T) {
	// a moves 800 B/s for 1 req/s, eight times its 100 B; b 600 B/s for 3 req/s, its
	// 200 B; c has no size.
	const series = `
		vllm:flagcx_total_bytes_transferred_total{instance="prefill-0",model_name="a"} 0+800x400
		vllm:request_success_total{instance="prefill-0",model_name="a",finished_reason="length"} 0+1x400
		vllm:flagcx_total_bytes_transferred_total{instance="prefill-0",model_name="b"} 0+600x400
		vllm:request_success_total{instance="prefill-0",model_name="b",finished_reason="length"} 0+3x400
		vllm:flagcx_total_bytes_transferred_total{instance="prefill-0",model_name="c"} 0+600x400
		vllm:request_success_total{instance="prefill-0",model_name="c",finished_reason="length"} 0+3x400`
	check(t, map[string]numbers{
		"each model over its own size":  {series, ask("kv_bytes_per_request_ratio", twoModels), map[string]float64{`{model="a", system="flagcx"}`: 8, `{model="b", system="flagcx"}`: 1}},
		"one model":                     {series, ask("kv_bytes_per_request_ratio", twoModels, where("model", query.OpEqual, "b")), map[string]float64{`{system="flagcx"}`: 1}},
		"a size for a what-if, 800 B":   {series, ask("kv_bytes_per_request_ratio", twoModels, ofBytes(800), where("model", query.OpEqual, "a")), map[string]float64{`{system="flagcx"}`: 1}},
		"idle has no ratio and not NaN": {`vllm:flagcx_total_bytes_transferred_total{instance="prefill-0",model_name="a"} 5x400` + "\n" + `vllm:request_success_total{instance="prefill-0",model_name="a",finished_reason="length"} 5x400`, ask("kv_bytes_per_request_ratio", twoModels), map[string]float64{}},
	})
}
