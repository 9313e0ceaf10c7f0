package kvcache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

// TestBytesOfKnownModels holds the presets against products written out from
// public facts: layers × KV heads × 2 × head dimension, latents, windows, states.
func TestBytesOfKnownModels(t *testing.T) {
	const k = 1024 // tokens
	tests := []struct {
		preset string
		// grows is elements of one token of the layers that keep every token.
		grows int64
		// windowed is elements of one token of the others, window their tokens.
		windowed, window int64
		// index is bytes of index keys, state bytes of states; no KV dtype changes them.
		index, state int64
	}{
		{preset: "llama-3.1-8b", grows: 32 * 8 * 2 * 128},
		{preset: "llama-3.1-70b", grows: 80 * 8 * 2 * 128},
		{preset: "llama-4-scout", grows: 12 * 8 * 2 * 128, windowed: 36 * 8 * 2 * 128, window: 8 * k},
		{preset: "llama-3.3-nemotron-super-49b", grows: 49 * 8 * 2 * 128},
		{preset: "qwen2.5-7b", grows: 28 * 4 * 2 * 128},
		{preset: "qwen2.5-72b", grows: 80 * 8 * 2 * 128},
		{preset: "qwen3-8b", grows: 36 * 8 * 2 * 128},
		{preset: "qwen3-32b", grows: 64 * 8 * 2 * 128},
		{preset: "qwen3-30b-a3b", grows: 48 * 4 * 2 * 128},
		{preset: "qwen3-235b-a22b", grows: 94 * 4 * 2 * 128},
		{preset: "qwen3-coder-480b-a35b", grows: 62 * 8 * 2 * 128},
		{preset: "qwen3-next-80b-a3b", grows: 12 * 2 * 2 * 256, state: 36 * 2 * (8192*3 + 32*128*128)},
		{preset: "qwen3.5-397b-a17b", grows: 15 * 2 * 2 * 256, state: 45 * (2*12288*3 + 4*64*128*128)},
		{preset: "deepseek-v2-lite", grows: 27 * 576},
		{preset: "deepseek-v3", grows: 61 * 576},
		{preset: "deepseek-r1", grows: 61 * 576},
		{preset: "deepseek-v3.2", grows: 61 * 576, index: 61 * 132},
		{preset: "kimi-k2.5", grows: 61 * 576},
		{preset: "kimi-k3", grows: 24 * 576, state: 69 * (2*3*96*128*3 + 4*96*128*128)},
		{preset: "longcat-flash", grows: 2 * 28 * 576},
		{preset: "glm-4.5", grows: 92 * 8 * 2 * 128},
		{preset: "glm-4.5-air", grows: 46 * 8 * 2 * 128},
		{preset: "glm-5.2", grows: 78 * 576, index: 21 * 132},
		{preset: "chatglm3-6b", grows: 28 * 2 * 2 * 128},
		{preset: "minimax-m1", grows: 10 * 8 * 2 * 128, state: 70 * 4 * 64 * 128 * 128},
		{preset: "minimax-m2.5", grows: 62 * 8 * 2 * 128},
		{preset: "gpt-oss-120b", grows: 18 * 8 * 2 * 64, windowed: 18 * 8 * 2 * 64, window: 128},
		{preset: "gemma-2-27b", grows: 23 * 16 * 2 * 128, windowed: 23 * 16 * 2 * 128, window: 4 * k},
		{preset: "gemma-3-27b", grows: 10 * 16 * 2 * 128, windowed: 52 * 16 * 2 * 128, window: 1 * k},
		{preset: "gemma-4-26b-a4b", grows: 5 * 2 * 2 * 512, windowed: 25 * 8 * 2 * 256, window: 1 * k},
		{preset: "gemma-4-e4b", grows: 4 * 2 * 2 * 512, windowed: 20 * 2 * 2 * 256, window: 512},
		{preset: "mistral-7b-v0.1", windowed: 32 * 8 * 2 * 128, window: 4 * k},
		{preset: "mistral-nemo-12b", grows: 40 * 8 * 2 * 128},
		{preset: "mixtral-8x7b", grows: 32 * 8 * 2 * 128},
		{preset: "jamba-1.5-large", grows: 9 * 8 * 2 * 128, state: 63 * 2 * (2*8192*3 + 2*8192*16)},
		{preset: "nemotron-h-56b", grows: 10 * 8 * 2 * 128, state: 54 * (2*(256*64+2*8*256)*3 + 4*256*64*256)},
		{preset: "nemotron-3-super-120b-a12b", grows: 8 * 2 * 2 * 128, state: 40 * (2*(128*64+2*8*128)*3 + 4*128*64*128)},
		{preset: "nemotron-3-ultra-550b-a55b", grows: 12 * 2 * 2 * 128, state: 48 * (2*(256*64+2*8*128)*3 + 4*256*64*128)},
		{preset: "falcon-7b", grows: 32 * 1 * 2 * 64},
		{preset: "phi-3.5-mini", grows: 32 * 32 * 2 * 96},
		{preset: "gpt2-xl", grows: 48 * 25 * 2 * 64},
		{preset: "starcoder-gpt-bigcode", grows: 24 * 1 * 2 * 128},
	}
	presets, err := kvcache.Presets()
	require.NoError(t, err)
	require.Len(t, presets, len(tests)+1, "all but DeepSeek-V4, which is refused")
	for _, tt := range tests {
		t.Run(tt.preset, func(t *testing.T) {
			for dtype, width := range map[string]int64{"bf16": 2, "fp8": 1} {
				for _, tokens := range []int64{8 * k, 16 * k} {
					got, err := kvcache.Size{Preset: tt.preset, InputTokens: tokens, KVDtype: dtype}.Breakdown()
					require.NoError(t, err)
					require.Equal(t, tt.grows*width+tt.index, got.PerToken)
					require.Equal(t, tt.state, got.State)
					require.Equal(t, (tt.grows*width+tt.index)*tokens+tt.windowed*width*min(tokens, tt.window)+tt.state, got.PerRequest)
				}
			}
		})
	}
}

func TestPresetsSayWhereTheyComeFrom(t *testing.T) {
	presets, err := kvcache.Presets()
	require.NoError(t, err)
	for _, p := range presets {
		require.NotEmpty(t, p.Source, p.Name)
		require.Regexp(t, `^\d{4}-\d{2}$`, p.Read, p.Name)
		require.NotEmpty(t, p.Models, p.Name)
		for _, model := range p.Models {
			got, ok := kvcache.Suggest(model)
			require.True(t, ok)
			require.Equal(t, p.Name, got.Name, model)
		}
	}
}

func TestSuggest(t *testing.T) {
	tests := []struct{ name, model, want string }{
		{"organisation and variant", "meta-llama/Llama-3.1-70B-Instruct", "llama-3.1-70b"},
		{"a quantised variant", "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "qwen3-235b-a22b"},
		{"a path", "/models/deepseek-ai/DeepSeek-R1-0528", "deepseek-r1"},
		{"a later version of the same shape", "zai-org/GLM-4.6", "glm-4.5"},
		{"the longer name is another model", "deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-v3.2"},
		{"a smaller sibling is another model", "zai-org/GLM-4.5-Air", "glm-4.5-air"},
		{"a distilled model has its teacher's shape not", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", ""},
		{"a version that is not known", "deepseek-ai/DeepSeek-V3.9", ""},
		{"a part of a name", "my-llama-3.1-70b", ""},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := kvcache.Suggest(tt.model)
			require.Equal(t, tt.want != "", ok)
			require.Equal(t, tt.want, got.Name)
		})
	}
}
