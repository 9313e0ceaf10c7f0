package compile_test

import (
	"testing"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func TestPromQLOfSpeculativeDecoding(t *testing.T) {
	sayExactly(t, map[string]wording{
		"accepted of drafted tokens": {onVLLM("spec_acceptance_rate", byModel, perRole),
			`sum by (model_name) (rate(vllm:spec_decode_num_accepted_tokens_total{instance=~"decode.*"}[4s])) / (sum by (model_name) (rate(vllm:spec_decode_num_draft_tokens_total{instance=~"decode.*"}[4s])) > 0)`},
		"one more than accepted over drafts": {onVLLM("spec_acceptance_length"),
			`(sum(rate(vllm:spec_decode_num_drafts_total[4s])) + sum(rate(vllm:spec_decode_num_accepted_tokens_total[4s]))) / (sum(rate(vllm:spec_decode_num_drafts_total[4s])) > 0)`},
		"positions share the drafts": {onVLLM("spec_acceptance_rate_by_position", byModel),
			`sum by (model_name, position) (rate(vllm:spec_decode_num_accepted_tokens_per_pos_total[4s])) / ignoring (position) group_left () (sum by (model_name) (rate(vllm:spec_decode_num_drafts_total[4s])) > 0)`},
		"drafted tokens":  {onVLLM("spec_draft_token_rate"), `sum(irate(vllm:spec_decode_num_draft_tokens_total[4s]))`},
		"drafts":          {onVLLM("spec_draft_rate"), `sum(irate(vllm:spec_decode_num_drafts_total[4s]))`},
		"accepted tokens": {onVLLM("spec_accepted_token_rate", vllmWith("vllm:spec_decode_num_accepted_tokens_total")), `sum(irate(vllm:spec_decode_num_accepted_tokens_total{instance=~"decode.*"}[4s]))`},
		"accepted tokens by position": {onVLLM("spec_accepted_token_rate", by("position")),
			`sum by (position) (irate(vllm:spec_decode_num_accepted_tokens_per_pos_total[4s]))`},
	})
}

func TestNumbersOfSpeculativeDecoding(t *testing.T) {
	// 10 + 10 drafts of 3 tokens, of which 35 are accepted: 15 at position 0, 12 and 8 behind it.
	const drafts = `
		vllm:spec_decode_num_drafts_total{instance="decode-0",model_name="m"} 0+10x60
		vllm:spec_decode_num_drafts_total{instance="decode-1",model_name="m"} 0+10x60
		vllm:spec_decode_num_draft_tokens_total{instance="decode-0",model_name="m"} 0+30x60
		vllm:spec_decode_num_draft_tokens_total{instance="decode-1",model_name="m"} 0+30x60
		vllm:spec_decode_num_accepted_tokens_total{instance="decode-0",model_name="m"} 0+21x60
		vllm:spec_decode_num_accepted_tokens_total{instance="decode-1",model_name="m"} 0+14x60
		vllm:spec_decode_num_accepted_tokens_per_pos_total{instance="decode-0",model_name="m",position="0"} 0+9x60
		vllm:spec_decode_num_accepted_tokens_per_pos_total{instance="decode-0",model_name="m",position="1"} 0+7x60
		vllm:spec_decode_num_accepted_tokens_per_pos_total{instance="decode-0",model_name="m",position="2"} 0+5x60
		vllm:spec_decode_num_accepted_tokens_per_pos_total{instance="decode-1",model_name="m",position="0"} 0+6x60
		vllm:spec_decode_num_accepted_tokens_per_pos_total{instance="decode-1",model_name="m",position="1"} 0+5x60
		vllm:spec_decode_num_accepted_tokens_per_pos_total{instance="decode-1",model_name="m",position="2"} 0+3x60`
	check(t, map[string]numbers{
		"rate, 35 of 60":                      {drafts, onVLLM("spec_acceptance_rate", perRole), map[string]float64{`{system="vllm"}`: 35.0 / 60}},
		"length, 1 + 35 ÷ 20":                 {drafts, onVLLM("spec_acceptance_length", byModel), map[string]float64{`{model="m", system="vllm"}`: 2.75}},
		"accepted once, whichever counter":    {drafts, onVLLM("spec_accepted_token_rate"), map[string]float64{`{system="vllm"}`: 35}},
		"drafted tokens and drafts are apart": {drafts, onVLLM("spec_draft_rate"), map[string]float64{`{system="vllm"}`: 20}},
		// Over 20 drafts each, not over 60 tokens.
		"by position": {drafts, onVLLM("spec_acceptance_rate_by_position"), map[string]float64{
			`{position="0", system="vllm"}`: 0.75, `{position="1", system="vllm"}`: 0.6, `{position="2", system="vllm"}`: 0.4}},
		"by position and instance": {drafts, onVLLM("spec_acceptance_rate_by_position", by("instance"), where("position", query.OpEqual, "2")), map[string]float64{
			`{instance="decode-0", system="vllm"}`: 0.5, `{instance="decode-1", system="vllm"}`: 0.3}},
		"idle is no share": {`
			vllm:spec_decode_num_drafts_total 7x60
			vllm:spec_decode_num_accepted_tokens_per_pos_total{position="0"} 7x60`,
			onVLLM("spec_acceptance_rate_by_position"), map[string]float64{}},
	})
}
