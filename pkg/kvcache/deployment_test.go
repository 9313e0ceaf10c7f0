package kvcache_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

func TestDeployments(t *testing.T) {
	const mistral = 32 * 8 * 2 * 128 * 2 // bytes of one token, window 4096
	tests := []struct {
		name string
		size kvcache.Size
		want int64
	}{
		{"a token more is a block more", of("llama-3.1-8b", 8193, "bf16", kvcache.Deployment{Engine: "vllm"}), 131072 * 8208},
		{"pages of one token round nothing", of("llama-3.1-8b", 8193, "bf16", kvcache.Deployment{Engine: "sglang"}), 131072 * 8193},
		{"pages of sparse MLA have 64 tokens, and every layer its index key", of("glm-5.2", 65, "bf16", kvcache.Deployment{Engine: "sglang"}), (78*576*2 + 78*132) * 128},
		{"index keys of four bits", of("deepseek-v3.2", 1, "bf16", kvcache.Deployment{IndexDtype: "fp4"}), 61 * (576*2 + 68)},
		{"a hit on the decode side", of("llama-3.1-8b", 8192, "bf16", kvcache.Deployment{PrefixHitTokens: 8191}), 131072},
		{"SGLang copies for the ranks of prefill too", of("qwen3-235b-a22b", 1, "bf16", kvcache.Deployment{Engine: "sglang", PrefillTP: 16, DecodeTP: 4}), 4 * 192512},
		{"vLLM does not", of("qwen3-235b-a22b", 1, "bf16", kvcache.Deployment{Engine: "vllm", BlockSize: 1, PrefillTP: 16, DecodeTP: 4}), 192512},
		{"one side's own size wins over the common one", of("deepseek-v3", 1, "bf16", kvcache.Deployment{TP: 8, DecodeTP: 2}), 2 * 70272},
		{"vLLM's data-parallel size does not divide TP", of("deepseek-v3", 1, "bf16", kvcache.Deployment{Engine: "vllm", BlockSize: 1, TP: 4, DecodeDP: 4}), 4 * 70272},
		{"index keys are copied like latents", of("deepseek-v3.2", 1, "bf16", kvcache.Deployment{DecodeTP: 4}), 4 * 78324},
		{"states are not copied", of("kimi-k3", 1, "bf16", kvcache.Deployment{DecodeTP: 8}), 8*27648 + 449372160},
		{"nor by copies that are given", of("kimi-k3", 1, "bf16", kvcache.Deployment{Copies: 8}), 8*27648 + 449372160},
		{"each kind of layer has its own copies", of("gemma-4-26b-a4b", 1, "bf16", kvcache.Deployment{DecodeTP: 4}), 2*20480 + 25*8*2*256*2},
		{"copies that are given win", of("deepseek-v3", 1, "bf16", kvcache.Deployment{Copies: 3, DecodeTP: 8}), 3 * 70272},
		{"pipeline stages change nothing", of("deepseek-v3", 1, "bf16", kvcache.Deployment{PP: 4}), 70272},
		{"vLLM sends the block in which the window begins", of("mistral-7b-v0.1", 8192, "bf16", kvcache.Deployment{Engine: "vllm"}), mistral * (4096 + 16)},
		{"a prompt below the window", of("mistral-7b-v0.1", 100, "bf16", kvcache.Deployment{Engine: "vllm"}), mistral * 112},
		{"vLLM's P2pNccl sends every token", of("mistral-7b-v0.1", 8192, "bf16", vllm("p2pnccl")), mistral * 8192},
		{"SGLang has no pool for Mistral", of("mistral-7b-v0.1", 8192, "bf16", kvcache.Deployment{Engine: "sglang"}), mistral * 8192},
		{"unless told so, and then drops whole pages", of("mistral-7b-v0.1", 8192, "bf16", kvcache.Deployment{Engine: "sglang", BlockSize: 3000, AllTokens: new(false)}), mistral * (9000 - 3000)},
		{"states of four bytes on SGLang", of("qwen3-next-80b-a3b", 8192, "bf16", kvcache.Deployment{Engine: "sglang"}), 278593536},
		{"states of two bytes where asked for", of("kimi-k3", 1, "bf16", kvcache.Deployment{StateDtype: "bfloat16"}), 27648 + 69*2*(110592+1572864)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.size.Breakdown()
			require.NoError(t, err)
			require.Equal(t, tt.want, got.PerRequest, got.Derivation())
		})
	}
}

func TestDefaultsAreSaid(t *testing.T) {
	tests := []struct {
		name string
		size kvcache.Size
		want []string
	}{
		{"no engine", of("llama-3.1-8b", 1, "", kvcache.Deployment{}), []string{"engine is not set", "kvDtype is not set", "kvDtype auto is bfloat16", "tp is not set"}},
		{"vLLM", of("mistral-7b-v0.1", 1, "bf16", kvcache.Deployment{Engine: "vllm"}), []string{"nixl is taken", "16 is taken", "allTokens is not set"}},
		{"SGLang", of("gemma-3-27b", 1, "bf16", kvcache.Deployment{Engine: "sglang"}), []string{"page of 1", "no sliding-window pool for gemma3_text", "metadata"}},
		{"draft layers", of("deepseek-v3", 1, "bf16", kvcache.Deployment{}), []string{"draft layer"}},
		{"blocks of hybrid models", of("qwen3-next-80b-a3b", 1, "bf16", kvcache.Deployment{Engine: "vllm"}), []string{"blocks of 544 tokens"}},
		{"the packed layout", of("deepseek-v3.2", 1, "fp8", kvcache.Deployment{}), []string{"fp8_ds_mla"}},
		{"a dtype of another engine", of("llama-3.1-8b", 1, "mxfp8", kvcache.Deployment{Engine: "vllm"}), []string{"a name of sglang", "not confirmed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.size.Breakdown()
			require.NoError(t, err)
			var texts []string
			for _, n := range got.Notes {
				texts = append(texts, n.Text)
			}
			for _, want := range tt.want {
				require.Contains(t, strings.Join(texts, "\n"), want)
			}
		})
	}
}

func TestTheDerivationHoldsTheNumbers(t *testing.T) {
	got, err := kvcache.Size{Model: "m", Preset: "deepseek-v3.2", InputTokens: 8192, KVDtype: "bf16", Deployment: kvcache.Deployment{Engine: "vllm", DecodeTP: 8}}.Bytes()
	require.NoError(t, err)
	require.Equal(t, "61 MLA layers × 576 × 2 B = 70,272 B/token × 8,192 tokens × 8 copies = 4,605,345,792 B; "+
		"61 index key layers × 132 B = 8,052 B/token × 8,192 tokens × 8 copies = 527,695,872 B; together 5,133,041,664 B", got.Derivation)
	require.NotEmpty(t, got.Notes)
}
