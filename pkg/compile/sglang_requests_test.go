package compile_test

import (
	"testing"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// What SGLang and vLLM both tell of requests, of drafts and of each GPU's work.
func TestPromQLOfWhatSGLangSharesWithVLLM(t *testing.T) {
	sayExactly(t, map[string]wording{
		"FLOP/s of a GPU": {onSGLangDecode("estimated_flops_per_gpu_rate"),
			`avg(irate(sglang:estimated_flops_per_gpu_total{engine_type="decode"}[4s]))`},
		"bytes read by a GPU": {onSGLangDecode("estimated_read_bytes_per_gpu_rate"),
			`avg(irate(sglang:estimated_read_bytes_per_gpu_total{engine_type="decode"}[4s]))`},
		"bytes written by a GPU": {onSGLangDecode("estimated_write_bytes_per_gpu_rate"),
			`avg(irate(sglang:estimated_write_bytes_per_gpu_total{engine_type="decode"}[4s]))`},
		"acceptance rate, mean of the engines": {onSGLang("spec_acceptance_rate", byModel),
			`sum by (model_name) (max ` + noRanks + ` (sglang:spec_accept_rate{engine_type="decode"})) / (count by (model_name) (max ` + noRanks + ` (sglang:spec_accept_rate{engine_type="decode"})) > 0)`},
		"acceptance length, mean of the engines": {onSGLang("spec_acceptance_length"),
			`sum(max ` + noRanks + ` (sglang:spec_accept_length{engine_type="decode"})) / (count(max ` + noRanks + ` (sglang:spec_accept_length{engine_type="decode"})) > 0)`},
		"success over all outcomes": {onSGLangDecode("request_success_ratio"),
			`sum(rate(sglang:finished_requests_by_outcome_total{engine_type="decode",outcome="success"}[4s])) / (sum(rate(sglang:finished_requests_by_outcome_total{engine_type="decode"}[4s])) > 0)`},
		"finished requests by outcome": {onSGLangDecode("finished_request_rate", by("outcome")),
			`sum by (outcome) (irate(sglang:finished_requests_by_outcome_total{engine_type="decode"}[4s]))`},
		"finished requests": {onSGLangDecode("finished_request_rate"),
			`sum(irate(sglang:finished_requests_by_outcome_total{engine_type="decode"}[4s]) or on (cluster, engine_type, instance, job, model_name, namespace, node, pod) irate(sglang:num_requests_total{engine_type="decode"}[4s]))`},
		"prompt tokens are prefill's": {onSGLang("prompt_token_rate"), `sum(irate(sglang:prompt_tokens_total{engine_type="prefill"}[4s]))`},
		"length of prompts": {onSGLangDecode("prompt_tokens_per_request", quantile(0.5)),
			`histogram_quantile(0.5, sum by (le) (rate(sglang:prompt_tokens_histogram_bucket{engine_type="decode"}[4s]))) >= 0`},
		"length of answers": {onSGLang("output_tokens_per_request", quantile(0.5)),
			`histogram_quantile(0.5, sum by (le) (rate(sglang:generation_tokens_histogram_bucket{engine_type="decode"}[4s]))) >= 0`},
		"prompt tokens computed": {onSGLang("prefill_computed_tokens_per_request", quantile(0.5)),
			`histogram_quantile(0.5, sum by (le) (rate(sglang:uncached_prompt_tokens_histogram_bucket{engine_type="prefill"}[4s]))) >= 0`},
	})
}

func TestHowRequestsEnd(t *testing.T) {
	// Decode alone sees the user's outcome; prefill succeeds throughout.
	const ends = `
		sglang:finished_requests_by_outcome_total{instance="d",engine_type="decode",outcome="success"} 0+90x60
		sglang:finished_requests_by_outcome_total{instance="d",engine_type="decode",outcome="abort"} 0+8x60
		sglang:finished_requests_by_outcome_total{instance="d",engine_type="decode",outcome="other"} 0+2x60
		sglang:finished_requests_by_outcome_total{instance="p",engine_type="prefill",outcome="success"} 0+100x60
		sglang:num_requests_total{instance="d",engine_type="decode"} 0+100x60
		sglang:num_requests_total{instance="old",engine_type="decode"} 0+11x60`
	check(t, map[string]numbers{
		"success, roles apart": {ends, onSGLang("request_success_ratio"), map[string]float64{
			`{role="decode", system="sglang"}`: 0.9, `{role="prefill", system="sglang"}`: 1}},
		"idle has no ratio": {`
			sglang:finished_requests_by_outcome_total{engine_type="decode",outcome="success"} 90x60`,
			onSGLangDecode("request_success_ratio"), map[string]float64{}},
		// d by its outcomes, the older engine by its one counter.
		"finished": {ends, onSGLangDecode("finished_request_rate"), map[string]float64{`{role="decode", system="sglang"}`: 111}},
		"by outcome": {ends, onSGLangDecode("finished_request_rate", by("outcome"), where("outcome", query.OpNotEqual, "success")), map[string]float64{
			`{outcome="abort", role="decode", system="sglang"}`: 8, `{outcome="other", role="decode", system="sglang"}`: 2}},
		"tokens to be computed again, one copy": {`
			sglang:num_retracted_input_tokens_total{engine_type="decode",tp_rank="0"} 0+400x60
			sglang:num_retracted_input_tokens_total{engine_type="decode",tp_rank="1"} 0+400x60`,
			onSGLangDecode("retracted_input_token_rate"), map[string]float64{`{role="decode", system="sglang"}`: 400}},
	})
}

func TestWhatIsCountedForEachGPUIsAveraged(t *testing.T) {
	// All four ranks of a export, rank 0 alone of b: (2 × 4 + 5) TFLOP/s ÷ 5.
	check(t, map[string]numbers{
		"FLOP/s": {`
			sglang:estimated_flops_per_gpu_total{instance="a",engine_type="decode",tp_rank="0"} 0+2x60
			sglang:estimated_flops_per_gpu_total{instance="a",engine_type="decode",tp_rank="1"} 0+2x60
			sglang:estimated_flops_per_gpu_total{instance="a",engine_type="decode",tp_rank="2"} 0+2x60
			sglang:estimated_flops_per_gpu_total{instance="a",engine_type="decode",tp_rank="3"} 0+2x60
			sglang:estimated_flops_per_gpu_total{instance="b",engine_type="decode",tp_rank="0"} 0+5x60`,
			onSGLangDecode("estimated_flops_per_gpu_rate"), map[string]float64{`{role="decode", system="sglang"}`: 13.0 / 5}},
	})
}

func TestSpeculationIsTheMeanOfTheEngines(t *testing.T) {
	// a repeats its value on two ranks; prefill does not speculate.
	const accepted = `
		sglang:spec_accept_rate{instance="a",engine_type="decode",tp_rank="0"} 0.75x60
		sglang:spec_accept_rate{instance="a",engine_type="decode",tp_rank="1"} 0.75x60
		sglang:spec_accept_rate{instance="b",engine_type="decode",tp_rank="0",dp_rank="0"} 0.5x60
		sglang:spec_accept_rate{instance="b",engine_type="decode",tp_rank="1",dp_rank="1"} 0.25x60
		sglang:spec_accept_rate{instance="p",engine_type="prefill",tp_rank="0"} 0x60
		sglang:spec_accept_length{instance="a",engine_type="decode",tp_rank="0"} 3x60
		sglang:spec_accept_length{instance="b",engine_type="decode",tp_rank="0"} 2x60`
	check(t, map[string]numbers{
		"rate, 1.5 ÷ 3": {accepted, onSGLang("spec_acceptance_rate"), map[string]float64{`{system="sglang"}`: 0.5}},
		"length, 5 ÷ 2": {accepted, onSGLang("spec_acceptance_length"), map[string]float64{`{system="sglang"}`: 2.5}},
		"by instance": {accepted, onSGLang("spec_acceptance_rate", by("instance")), map[string]float64{
			`{instance="a", system="sglang"}`: 0.75, `{instance="b", system="sglang"}`: 0.375}},
	})
}
