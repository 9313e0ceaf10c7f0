package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func configFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestKVBytesAsJSON(t *testing.T) {
	llama := configFile(t, `{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "torch_dtype": "bfloat16"}`)
	tests := []struct {
		name string
		args []string
		want float64
	}{
		{"a config", []string{"--config", llama, "--input-tokens", "8192", "--kv-dtype", "bf16"}, 1 << 30},
		{"its own dtype by default", []string{"--config", llama, "--input-tokens", "8192"}, 1 << 30},
		{"whole blocks", []string{"--config", llama, "--input-tokens", "8193", "--kv-dtype", "bf16", "--block-size", "16"}, 131072 * 8208},
		{"a hit on the decode side", []string{"--config", llama, "--input-tokens", "8192", "--kv-dtype", "fp8", "--prefix-hit-tokens", "4096"}, 65536 * 4096},
		{"a known model", []string{"--model", "deepseek-v3", "--input-tokens", "8192", "--kv-dtype", "bf16", "--engine", "vllm", "--connector", "flagcx", "--decode-tp", "8"}, 4605345792},
		{"a known model by the name it is served under", []string{"--model", "deepseek-ai/DeepSeek-V3-0324", "--input-tokens", "8192", "--kv-dtype", "bf16", "--copies", "8"}, 4605345792},
		{"every token of windowed layers", []string{"--model", "gpt-oss-120b", "--input-tokens", "8192", "--kv-dtype", "bf16", "--all-tokens"}, 603979776},
		{"draft layers", []string{"--model", "deepseek-v3", "--input-tokens", "1", "--kv-dtype", "bf16", "--draft"}, 71424},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := pdmonitor(t.Context(), append([]string{"kvbytes", "-o", "json"}, tt.args...)...)
			require.Zero(t, got.status, got.err)
			var answer map[string]any
			require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
			require.InDelta(t, tt.want, answer["bytesPerRequest"], 0)
			require.Len(t, answer, 7)
			require.NotEmpty(t, answer["groups"])
		})
	}
}

func TestKVBytesAsText(t *testing.T) {
	got := pdmonitor(t.Context(), "kvbytes", "--model", "deepseek-v3", "--input-tokens", "8192", "--kv-dtype", "bf16", "--tp", "8")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.out, "4605345792")
	require.Contains(t, got.out, "61 MLA layers × 576 × 2 B = 70,272 B/token × 8,192 tokens × 8 copies = 4,605,345,792 B")
	require.Contains(t, got.err, "engine is not set")
}

func TestKVBytesRefusals(t *testing.T) {
	empty := configFile(t, `{"text_config": {"model_type": "llama"}}`)
	broken := configFile(t, `{"n_layer": NaN}`)
	tests := []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"a field is missing", []string{"--config", empty, "--input-tokens", "1", "--kv-dtype", "bf16"}, 1, "config.text_config.num_hidden_layers is missing"},
		{"the file is not JSON", []string{"--config", broken, "--input-tokens", "1", "--kv-dtype", "bf16"}, 1, "NaN and Infinity"},
		{"the file is not there", []string{"--config", empty + ".not", "--input-tokens", "1"}, 1, "--config: "},
		{"the cache has no formula", []string{"--model", "deepseek-v4-pro", "--input-tokens", "1"}, 1, "compress_ratios"},
		{"no model", []string{"--input-tokens", "1"}, 2, "give --config"},
		{"two models", []string{"--model", "gpt2-xl", "--config", empty}, 2, "keep one"},
		{"no tokens", []string{"--model", "gpt2-xl", "--kv-dtype", "bf16"}, 2, "--input-tokens is 0 or missing"},
		{"an unknown dtype", []string{"--model", "gpt2-xl", "--input-tokens", "1", "--kv-dtype", "fp7"}, 2, `--kv-dtype is "fp7"`},
		{"an unknown model", []string{"--model", "llama-9", "--input-tokens", "1"}, 2, `--model is "llama-9"`},
		{"the beginning of a model's name", []string{"--model", "llama", "--input-tokens", "1"}, 2, `--model is "llama", which is not known: did you mean llama-3.1-8b, llama-3.1-70b, llama-4-scout? Otherwise give config, or one of `},
		{"a misspelt model under its organisation", []string{"--model", "Qwen/Qwen3_9B", "--input-tokens", "1"}, 2, "did you mean qwen3-8b, "},
		{"a model like no other", []string{"--model", "zzzzzzzzzzzz", "--input-tokens", "1"}, 2, "which is not known: give config, or one of "},
		{"tokens below zero", []string{"--model", "gpt2-xl", "--input-tokens", "-1", "--kv-dtype", "bf16"}, 2, "--input-tokens is -1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := pdmonitor(t.Context(), append([]string{"kvbytes", "-o", "json"}, tt.args...)...)
			require.Equal(t, tt.status, got.status, got.err)
			require.Contains(t, got.err, tt.want)
			require.Empty(t, got.out)
		})
	}
}

func TestKVBytesListsTheModels(t *testing.T) {
	got := pdmonitor(t.Context(), "kvbytes", "--models")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.out, "llama-3.1-8b")
}
