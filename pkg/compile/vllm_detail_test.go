package compile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func onVLLM(signal string, edits ...func(*compile.Request)) compile.Request {
	return ask(signal, append([]func(*compile.Request){of("vllm")}, edits...)...)
}

// vllmWith is a server where the settings' matchers tell the roles and that holds these metrics alone.
func vllmWith(metrics ...string) func(*compile.Request) {
	return func(r *compile.Request) {
		perRole(r)
		r.Deployment = server("vllm", deployment.RoleByMatchers, metrics...)
	}
}

func TestPromQLOfVLLMInDetail(t *testing.T) {
	cached := vllmWith("vllm:prompt_tokens_cached_by_source_total", "vllm:prompt_tokens_cached_total")
	sayExactly(t, map[string]wording{
		"waiting is always split by reason": {onVLLM("requests_waiting_by_reason", byModel),
			`sum by (model_name, reason) (vllm:num_requests_waiting_by_reason)`},
		"one reason": {onVLLM("requests_waiting_by_reason", where("reason", query.OpEqual, "capacity")),
			`sum(vllm:num_requests_waiting_by_reason{reason="capacity"})`},
		"completions call their reason otherwise": {onVLLM("decode_request_rate", by("reason"), perRole),
			`sum by (finished_reason) (irate(vllm:request_success_total{finished_reason!~"abort|error",instance=~"decode.*"}[4s]))`},
		"KV fetches by stage on decode": {onVLLM("kv_fetch_requests_by_stage", on(query.RoleDecode), perRole),
			`sum by (stage) (vllm:num_requests_kv_fetch_by_stage{instance=~"decode.*"})`},
		"finished requests by reason": {onVLLM("finished_request_rate", by("reason"), on(query.RoleDecode), perRole),
			`sum by (finished_reason) (irate(vllm:request_success_total{instance=~"decode.*"}[4s]))`},
		"success ratio": {onVLLM("request_success_ratio", byModel, on(query.RoleDecode), perRole),
			`sum by (model_name) (rate(vllm:request_success_total{finished_reason!~"abort|error",instance=~"decode.*"}[4s])) / (sum by (model_name) (rate(vllm:request_success_total{instance=~"decode.*"}[4s])) > 0)`},
		"rejections by reason": {onVLLM("admission_rejection_rate", by("reason")),
			`sum by (reason) (irate(vllm:admission_rejections_total[4s]))`},
		"preemptions of a request": {onVLLM("preemptions_per_request"),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:request_num_preemptions_bucket[4s]))) >= 0`},
		"prompt tokens, on prefill alone": {onVLLM("prompt_token_rate", perRole),
			`sum(irate(vllm:prompt_tokens_total{instance=~"prefill.*"}[4s]))`},
		"prompt tokens by source": {onVLLM("prompt_tokens_by_source_rate", byModel),
			`sum by (model_name, source) (irate(vllm:prompt_tokens_by_source_total[4s]))`},
		"cached tokens by source read the counter that tells it": {onVLLM("cached_token_rate", by("source"), on(query.RolePrefill), cached),
			`sum by (source) (irate(vllm:prompt_tokens_cached_by_source_total{instance=~"prefill.*"}[4s]))`},
		"tokens of a step, mean": {onVLLM("tokens_per_step", statistic(query.StatMean)),
			`sum(rate(vllm:iteration_tokens_total_sum[4s])) / (sum(rate(vllm:iteration_tokens_total_count[4s])) > 0)`},
		"steps per second": {onVLLM("tokens_per_step", statistic(query.StatRate)),
			`sum(rate(vllm:iteration_tokens_total_count[4s]))`},
		"prompt length": {onVLLM("prompt_tokens_per_request", quantile(0.5)),
			`histogram_quantile(0.5, sum by (le) (rate(vllm:request_prompt_tokens_bucket[4s]))) >= 0`},
		"output length, on decode alone": {onVLLM("output_tokens_per_request", perRole),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:request_generation_tokens_bucket{instance=~"decode.*"}[4s]))) >= 0`},
		"computed prompt tokens, on prefill alone": {onVLLM("prefill_computed_tokens_per_request", statistic(query.StatMean), perRole),
			`sum(rate(vllm:request_prefill_kv_computed_tokens_sum{instance=~"prefill.*"}[4s])) / (sum(rate(vllm:request_prefill_kv_computed_tokens_count{instance=~"prefill.*"}[4s])) > 0)`},
		"inference time": {onVLLM("inference_time", on(query.RoleDecode), perRole),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:request_inference_time_seconds_bucket{instance=~"decode.*"}[4s]))) >= 0`},
		"forward time is milliseconds": {onVLLM("model_forward_time"),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:model_forward_time_milliseconds_bucket[4s]))) / 1000 >= 0`},
		"execute time is milliseconds": {onVLLM("model_execute_time", statistic(query.StatMean)),
			`(sum(rate(vllm:model_execute_time_milliseconds_sum[4s])) / (sum(rate(vllm:model_execute_time_milliseconds_count[4s])) > 0)) / 1000`},
		"external hits, on prefill alone": {onVLLM("external_prefix_cache_hit_rate", byModel, perRole),
			`sum by (model_name) (rate(vllm:external_prefix_cache_hits_total{instance=~"prefill.*"}[4s])) / (sum by (model_name) (rate(vllm:external_prefix_cache_queries_total{instance=~"prefill.*"}[4s])) > 0)`},
		"block lifetime": {onVLLM("kv_block_lifetime"),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:kv_block_lifetime_seconds_bucket[4s]))) >= 0`},
		"block idle time": {onVLLM("kv_block_idle_before_eviction"),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:kv_block_idle_before_evict_seconds_bucket[4s]))) >= 0`},
		"block reuse gap": {onVLLM("kv_block_reuse_gap"),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:kv_block_reuse_gap_seconds_bucket[4s]))) >= 0`},
		"FLOP/s of a GPU is the mean of the engines": {onVLLM("estimated_flops_per_gpu_rate", byModel),
			`avg by (model_name) (irate(vllm:estimated_flops_per_gpu_total[4s]))`},
		"memory reads of a GPU": {onVLLM("estimated_read_bytes_per_gpu_rate"),
			`avg(irate(vllm:estimated_read_bytes_per_gpu_total[4s]))`},
		"memory writes of a GPU": {onVLLM("estimated_write_bytes_per_gpu_rate", windowed),
			`avg(rate(vllm:estimated_write_bytes_per_gpu_total[30s]))`},
	})
}

func TestHowVLLMRequestsEnd(t *testing.T) {
	const ends = `
		vllm:request_success_total{instance="decode-0",finished_reason="stop"} 0+6x60
		vllm:request_success_total{instance="decode-1",finished_reason="length"} 0+9x60
		vllm:request_success_total{instance="decode-1",finished_reason="abort"} 0+4x60
		vllm:request_success_total{instance="decode-1",finished_reason="error"} 0+1x60
		vllm:request_success_total{instance="prefill-0",finished_reason="length"} 0+20x60`
	check(t, map[string]numbers{
		// 15 of decode's 20, all of prefill's 20: never 35 of 40.
		"success ratio of each role": {ends, onVLLM("request_success_ratio", perRole), map[string]float64{
			`{role="decode", system="vllm"}`: 0.75, `{role="prefill", system="vllm"}`: 1}},
		"no success ratio while nothing ends": {`
			vllm:request_success_total{instance="decode-0",finished_reason="stop"} 6x60`,
			onVLLM("request_success_ratio", on(query.RoleDecode), perRole), map[string]float64{}},
		"all that ended, by reason": {ends, onVLLM("finished_request_rate", on(query.RoleDecode), perRole, by("reason")), map[string]float64{
			`{reason="stop", role="decode", system="vllm"}`: 6, `{reason="length", role="decode", system="vllm"}`: 9,
			`{reason="abort", role="decode", system="vllm"}`: 4, `{reason="error", role="decode", system="vllm"}`: 1}},
		"rejections": {`
			vllm:admission_rejections_total{instance="a",reason="max_num_queued_reqs"} 0+2x60
			vllm:admission_rejections_total{instance="b",reason="max_num_queued_tokens"} 0+3x60`,
			onVLLM("admission_rejection_rate"), map[string]float64{`{system="vllm"}`: 5}},
	})
}

func TestWhereVLLMPromptTokensComeFrom(t *testing.T) {
	const sources = `
		vllm:prompt_tokens_by_source_total{instance="prefill-0",source="local_compute"} 0+30x60
		vllm:prompt_tokens_by_source_total{instance="prefill-0",source="local_cache_hit"} 0+70x60
		vllm:prompt_tokens_by_source_total{instance="decode-0",source="local_compute"} 0+1x60
		vllm:prompt_tokens_by_source_total{instance="decode-0",source="external_kv_transfer"} 0+99x60`
	check(t, map[string]numbers{
		// Each role apart: one prompt is counted on both.
		"by source and role": {sources, onVLLM("prompt_tokens_by_source_rate", perRole), map[string]float64{
			`{role="prefill", source="local_compute", system="vllm"}`: 30, `{role="prefill", source="local_cache_hit", system="vllm"}`: 70,
			`{role="decode", source="local_compute", system="vllm"}`: 1, `{role="decode", source="external_kv_transfer", system="vllm"}`: 99}},
		// a tells the sources, 5 + 3; b is older and has the total alone, 4.
		"cached tokens of two versions": {`
			vllm:prompt_tokens_cached_by_source_total{instance="prefill-a",source="device"} 0+5x60
			vllm:prompt_tokens_cached_by_source_total{instance="prefill-a",source="host"} 0+3x60
			vllm:prompt_tokens_cached_total{instance="prefill-a"} 0+8x60
			vllm:prompt_tokens_cached_total{instance="prefill-b"} 0+4x60`,
			onVLLM("cached_token_rate", on(query.RolePrefill), perRole), map[string]float64{`{role="prefill", system="vllm"}`: 12}},
		// 24 of 96; decode's 100 % is left out.
		"external hits are prefill's": {`
			vllm:external_prefix_cache_hits_total{instance="prefill-0"} 0+24x60
			vllm:external_prefix_cache_queries_total{instance="prefill-0"} 0+96x60
			vllm:external_prefix_cache_hits_total{instance="decode-0"} 0+100x60
			vllm:external_prefix_cache_queries_total{instance="decode-0"} 0+100x60`,
			onVLLM("external_prefix_cache_hit_rate", perRole), map[string]float64{`{system="vllm"}`: 0.25}},
	})
}

func TestVLLMStepsAndGPUs(t *testing.T) {
	check(t, map[string]numbers{
		// A histogram in spite of its name: 6000 tokens in 20 steps.
		"mean tokens of a step over engines": {`
			vllm:iteration_tokens_total_sum{instance="a",engine="0"} 0+4000x60
			vllm:iteration_tokens_total_count{instance="a",engine="0"} 0+5x60
			vllm:iteration_tokens_total_sum{instance="a",engine="1"} 0+2000x60
			vllm:iteration_tokens_total_count{instance="a",engine="1"} 0+15x60`,
			onVLLM("tokens_per_step", statistic(query.StatMean)), map[string]float64{`{system="vllm"}`: 300}},
		// What is counted for each GPU already is averaged: 2e12 and 4e12.
		"FLOP/s of a GPU": {`
			vllm:estimated_flops_per_gpu_total{instance="a"} 0+2e12x60
			vllm:estimated_flops_per_gpu_total{instance="b"} 0+4e12x60`,
			onVLLM("estimated_flops_per_gpu_rate"), map[string]float64{`{system="vllm"}`: 3e12}},
		// 36 ms in 3 passes.
		"forward passes are ms": {`
			vllm:model_forward_time_milliseconds_sum 0+36x60
			vllm:model_forward_time_milliseconds_count 0+3x60`,
			onVLLM("model_forward_time", statistic(query.StatMean)), map[string]float64{`{system="vllm"}`: 0.012}},
	})
}

func TestRealPagesOfVLLMInDetail(t *testing.T) {
	const reasons, stages = "vllm-0.29.0-t4-waiting-by-reason.prom", "vllm-kv-fetch-by-stage-dp2-via-dynamo.prom"
	tests := map[string]struct {
		page string
		ask  compile.Request
		want map[string]float64
	}{
		"9 and 3 of the 12 that wait": {reasons, onVLLM("requests_waiting_by_reason"), map[string]float64{
			`{reason="capacity", system="vllm"}`: 9, `{reason="deferred", system="vllm"}`: 3}},
		"the one that ended": {reasons, onVLLM("finished_request_rate", by("reason")), map[string]float64{`{reason="stop", system="vllm"}`: 1}},
		"stages over both engines": {stages, onVLLM("kv_fetch_requests_by_stage"), map[string]float64{
			`{stage="waiting_to_start", system="vllm"}`: 3, `{stage="in_progress", system="vllm"}`: 7, `{stage="completed_waiting", system="vllm"}`: 5}},
		"a stage by engine": {stages, onVLLM("kv_fetch_requests_by_stage", by("engine"), where("stage", query.OpEqual, "in_progress")), map[string]float64{
			`{engine="0", system="vllm"}`: 6, `{engine="1", system="vllm"}`: 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, answers(t, page(t, test.page), planned(t, test.ask), minute))
		})
	}
}
