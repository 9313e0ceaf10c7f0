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
			_, err := settings.FromInstance(t.Context(), instance(`{"requestSizes": [`+tt.entry+`]}`))
			for _, want := range tt.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
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
