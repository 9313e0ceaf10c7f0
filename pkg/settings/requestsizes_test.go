package settings_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

const latents = `"config": {"model_type": "deepseek_v3", "num_hidden_layers": 61, "kv_lora_rank": 512, "qk_rope_head_dim": 64}`

func TestRequestSizesByConfig(t *testing.T) {
	tests := []struct {
		name, entry string
		want        int64
	}{
		// 61 layers × 576 × 2 B × 8192 tokens.
		{"a config with its deployment", `{"model": "m", ` + latents + `, "inputTokens": 8192, "kvDtype": "bf16", "blockSize": 16, "copies": 1}`, 575668224},
		{"copies by tensor parallelism", `{"model": "m", ` + latents + `, "inputTokens": 8192, "kvDtype": "bf16", "engine": "vllm", "decodeTP": 8}`, 4605345792},
		{"switches", `{"model": "m", "preset": "gpt-oss-120b", "inputTokens": 8192, "kvDtype": "bf16", "allTokens": true}`, 603979776},
		{"numbers that JavaScript wrote as floats", `{"model": "m", "preset": "llama-3.1-8b", "inputTokens": 8.192e3, "kvDtype": "bf16"}`, 1073741824},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := settings.FromInstance(t.Context(), instance(`{"requestSizes": [`+tt.entry+`]}`))
			require.NoError(t, err)
			require.Len(t, got.RequestSizes, 1)
			bytes, err := got.RequestSizes[0].Bytes()
			require.NoError(t, err)
			require.Equal(t, tt.want, bytes.PerRequest)

			alone, err := settings.ReadRequestSize([]byte(tt.entry))
			require.NoError(t, err)
			bytes, err = alone.Bytes()
			require.NoError(t, err)
			require.Equal(t, tt.want, bytes.PerRequest)
		})
	}
}

func TestRequestSizesByConfigRefusals(t *testing.T) {
	tests := []struct {
		name, entry string
		want        []string
	}{
		{"a size that is no object", `1`, []string{"requestSizes[0] is the number 1"}},
		{"a misspelt key of a size", `{"model": "a", "bytesPerRequests": 1}`, []string{"requestSizes[0].bytesPerRequests is not known", "bytesPerRequest, headDim, inputTokens, kvHeads, layers"}},
		{"a misspelt key with a percent sign", `{"model": "a", "bytes%d": 1}`, []string{"requestSizes[0].bytes%d is not known"}},
		{"a size in quotes", `{"model": "a", "bytesPerRequest": "1"}`, []string{`requestSizes[0].bytesPerRequest is the text "1"`, "without quotes"}},
		{"half a byte", `{"model": "a", "bytesPerRequest": 0.5}`, []string{"requestSizes[0].bytesPerRequest is the number 0.5"}},
		{"a size beyond int64", `{"model": "a", "bytesPerRequest": 9223372036854775808}`, []string{"requestSizes[0].bytesPerRequest is the number 9223372036854775808"}},
		{"a size beyond exact floats", `{"model": "a", "bytesPerRequest": 9007199254740993}`, []string{"requestSizes[0].bytesPerRequest is 9007199254740993", "2^53"}},
		{"a model that is no text", `{"model": 7, "bytesPerRequest": 1}`, []string{"requestSizes[0].model is the number 7"}},
		{"each fault of a size under its own path", `{"layers": 80, "kvDtype": "fp4"}`, []string{"requestSizes[0].model is missing", "requestSizes[0].kvHeads is 0", `requestSizes[0].kvDtype "fp4"`}},
		{"a config that is no object", `{"model": "m", "config": "{}", "inputTokens": 1}`, []string{`requestSizes[0].config is the text "{}"`}},
		{"a field that the config lacks", `{"model": "m", "config": {"num_hidden_layers": 2}, "inputTokens": 1, "kvDtype": "bf16"}`, []string{"requestSizes[0].config.hidden_size is missing"}},
		{"a misspelt option", `{"model": "m", "preset": "llama-3.1-8b", "inputToken": 1}`, []string{"requestSizes[0].inputToken is not known", "attentionBlockSize", "config"}},
		{"a switch in quotes", `{"model": "m", "preset": "llama-3.1-8b", "inputTokens": 1, "draft": "true"}`, []string{`requestSizes[0].draft is the text "true"`, "true or false"}},
		{"no tokens", `{"model": "m", "preset": "llama-3.1-8b"}`, []string{"requestSizes[0].inputTokens is 0 or missing"}},
		{"options without a config", `{"model": "m", "bytesPerRequest": 5, "copies": 2}`, []string{"requestSizes[0].copies is set without config or preset"}},
		{"both a config and bytes", `{"model": "m", "preset": "llama-3.1-8b", "bytesPerRequest": 5, "inputTokens": 1}`, []string{"requestSizes[0].bytesPerRequest is set although"}},
		{"an unknown preset", `{"model": "m", "preset": "llama-9", "inputTokens": 1}`, []string{`requestSizes[0].preset is "llama-9"`, "llama-3.1-8b"}},
		{"a model that a preset is known for", `{"model": "deepseek-ai/DeepSeek-V3", "inputTokens": 1, "kvDtype": "bf16"}`, []string{`"preset": "deepseek-v3" seems to be this model`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := settings.FromInstance(t.Context(), instance(`{"requestSizes": [`+tt.entry+`]}`))
			require.NoError(t, err, "a faulty size stops nothing but the numbers of its model")
			require.Len(t, got.RequestSizes, 1)
			for _, want := range tt.want {
				require.ErrorContains(t, got.RequestSizes[0].Fault, want)
			}
		})
	}
}

func TestTheSecondSizeOfAModelIsTheFaultyOne(t *testing.T) {
	got, err := settings.FromInstance(t.Context(), instance(`{"requestSizes": [{"model": "a", "bytesPerRequest": 1}, {"model": "a", "bytesPerRequest": 2}]}`))
	require.NoError(t, err)
	require.NoError(t, got.RequestSizes[0].Fault)
	require.ErrorContains(t, got.RequestSizes[1].Fault, `requestSizes[1].model is "a", which requestSizes[0] sets already`)
}

func TestAnEntryAlone(t *testing.T) {
	t.Run("a key given twice in its config is seen", func(t *testing.T) {
		size, err := settings.ReadRequestSize([]byte(`{"config": {"n_layer": 1, "n_layer": 2}, "inputTokens": 1}`))
		require.NoError(t, err)
		_, err = size.Breakdown()
		require.ErrorContains(t, err, "config.n_layer is given twice")
	})
	t.Run("its keys are as strict", func(t *testing.T) {
		_, err := settings.ReadRequestSize([]byte(`{"confg": {}}`))
		require.ErrorContains(t, err, "body.confg is not known")
	})
}
