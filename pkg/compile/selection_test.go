package compile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// A picker offers what the query could filter by: the values on the series that
// it reads, role included, and none of a source that lacks the label.
func TestValuesOfALabelAreLookedForWhereTheQueryReads(t *testing.T) {
	tests := map[string]struct {
		ask   compile.Request
		label string
		want  []compile.Selection
	}{
		"models of SGLang's TTFT are decode's": {ask("ttft", of("sglang")), "model",
			[]compile.Selection{{Label: "model_name", Selectors: []string{`sglang:time_to_first_token_seconds_count{engine_type="decode"}`}}}},
		"a native histogram has no count": {ask("ttft", of("vllm"), holding(server("vllm", deployment.RoleByNothing, "vllm:time_to_first_token_seconds"))), "model",
			[]compile.Selection{{Label: "model_name", Selectors: []string{`vllm:time_to_first_token_seconds`}}}},
		"instances of both roles": {ask("requests_running", of("vllm"), perRole), "instance",
			[]compile.Selection{{Label: "instance", Selectors: []string{`vllm:num_requests_running{instance=~"decode.*"}`, `vllm:num_requests_running{instance=~"prefill.*"}`}}}},
		"engines have another label on each system": {ask("decode_token_rate", perRole), "engine",
			[]compile.Selection{
				{Label: "instance", Selectors: []string{`sglang:generation_tokens_total{engine_type="decode"}`, `sglang:realtime_tokens_total{engine_type="decode",mode="decode"}`}},
				{Label: "engine", Selectors: []string{`vllm:generation_tokens_total{instance=~"decode.*"}`}},
			}},
		"a source without the label is not asked": {ask("decode_token_rate", of("sglang")), "dp_rank",
			[]compile.Selection{{Label: "dp_rank", Selectors: []string{`sglang:realtime_tokens_total{engine_type="decode",mode="decode"}`}}}},
		"nothing carries it": {ask("decode_token_rate", of("vllm")), "tp_rank", nil},
		"a filter narrows the others": {ask("requests_running", of("vllm"), on(query.RoleDecode), perRole, where("model", query.OpEqual, "m")), "instance",
			[]compile.Selection{{Label: "instance", Selectors: []string{`vllm:num_requests_running{instance=~"decode.*",model_name="m"}`}}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := compiler(t).Selections(test.ask, test.label)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
	_, err := compiler(t).Selections(ask("no_such_signal"), "model")
	require.ErrorContains(t, err, "no_such_signal")
}
