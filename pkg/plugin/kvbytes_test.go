package plugin_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

func TestKVBytesOfAnEntryOfRequestSizes(t *testing.T) {
	source := opened(t, "", nil)
	tests := []struct {
		name, body string
		want       int64
		groups     int
	}{
		// 32 layers × 8 KV heads × 2 × 128 × 2 B × 8192 tokens = 2^30.
		{"a config", `{"config": {"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8}, "inputTokens": 8192, "kvDtype": "bf16"}`, 1 << 30, 1},
		{"a preset and its copies", `{"model": "m", "preset": "deepseek-v3", "inputTokens": 8192, "kvDtype": "bf16", "engine": "vllm", "tp": 8}`, 4605345792, 1},
		{"a geometry", `{"layers": 32, "kvHeads": 8, "headDim": 128, "inputTokens": 8192, "kvDtype": "bf16"}`, 1 << 30, 1},
		{"bytes", `{"bytesPerRequest": 5}`, 5, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := call(t, source, http.MethodPost, "kv-bytes", tt.body)
			require.Equal(t, http.StatusOK, got.status, "%s", got.body)
			var answer plugin.KVBytes
			require.NoError(t, json.Unmarshal(got.body, &answer))
			require.Equal(t, tt.want, answer.BytesPerRequest)
			require.Len(t, answer.Groups, tt.groups)
			var keys map[string]any
			require.NoError(t, json.Unmarshal(got.body, &keys))
			for _, key := range []string{"bytesPerRequest", "bytesPerToken", "stateBytes", "copies", "tokens", "groups", "notices"} {
				require.Contains(t, keys, key)
				require.NotNil(t, keys[key], key)
			}
		})
	}
}

func TestKVBytesRefusals(t *testing.T) {
	source := opened(t, "", nil)
	tests := []struct{ name, body, want string }{
		{"nothing", ``, "body is not a JSON object"},
		{"a list", `[]`, "body is not a JSON object"},
		{"an empty object", `{}`, "bytesPerRequest is 0 or missing"},
		{"an unknown key", `{"modle": "a"}`, "modle is not known"},
		{"a field that the config lacks", `{"config": {"text_config": {"model_type": "llama"}}, "inputTokens": 1, "kvDtype": "bf16"}`, "config.text_config.num_hidden_layers is missing"},
		{"a body beyond all configs", `{"model": "` + strings.Repeat("a", 1<<20) + `"}`, "body is longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := call(t, source, http.MethodPost, "kv-bytes", tt.body)
			require.Equal(t, http.StatusBadRequest, got.status, "%s", got.body)
			var answer failed
			require.NoError(t, json.Unmarshal(got.body, &answer))
			require.Contains(t, answer.Error.Message, tt.want)
			require.Equal(t, answer.Error.Message, answer.Message)
			require.Equal(t, "downstream", answer.Error.Source)
		})
	}
}
