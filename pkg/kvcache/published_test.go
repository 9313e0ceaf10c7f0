package kvcache_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

const (
	llama405B  = `{"model_type": "llama", "num_hidden_layers": 126, "hidden_size": 16384, "num_attention_heads": 128, "num_key_value_heads": 8}`
	opt13B     = `{"model_type": "opt", "num_hidden_layers": 40, "hidden_size": 5120, "num_attention_heads": 40}`
	opt66B     = `{"model_type": "opt", "num_hidden_layers": 64, "hidden_size": 9216, "num_attention_heads": 72}`
	qwen3x14B  = `{"model_type": "qwen3", "num_hidden_layers": 40, "hidden_size": 5120, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128}`
	qwen25x05B = `{"model_type": "qwen2", "num_hidden_layers": 24, "hidden_size": 896, "num_attention_heads": 14, "num_key_value_heads": 2}`
	glm51      = `{"model_type": "glm_moe_dsa", "num_hidden_layers": 78, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "index_head_dim": 128}`
	kimiLinear = `{"model_type": "kimi_linear", "num_hidden_layers": 27, "kv_lora_rank": 512, "qk_rope_head_dim": 64,
		"linear_attn_config": {"full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "num_heads": 32, "head_dim": 128, "short_conv_kernel_size": 4}}`
	qwen35x08B = `{"model_type": "qwen3_5_text", "num_hidden_layers": 24, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 256, "full_attention_interval": 4,
		"linear_num_key_heads": 16, "linear_num_value_heads": 16, "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4, "mamba_ssm_dtype": "float32"}`
	qwen35x27B = `{"model_type": "qwen3_5_text", "num_hidden_layers": 64, "num_attention_heads": 24, "num_key_value_heads": 4, "head_dim": 256, "full_attention_interval": 4,
		"linear_num_key_heads": 16, "linear_num_value_heads": 48, "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4, "mamba_ssm_dtype": "float32"}`
)

func by(config string, tokens int64, dtype string, deployment kvcache.Deployment) kvcache.Size {
	return kvcache.Size{Config: json.RawMessage(config), InputTokens: tokens, KVDtype: dtype, Deployment: deployment}
}

func of(preset string, tokens int64, dtype string, deployment kvcache.Deployment) kvcache.Size {
	return kvcache.Size{Preset: preset, InputTokens: tokens, KVDtype: dtype, Deployment: deployment}
}

func vllm(connector string) kvcache.Deployment {
	return kvcache.Deployment{Engine: "vllm", Connector: connector}
}

// TestPublishedNumbers reproduces what papers, documents and logs say.
func TestPublishedNumbers(t *testing.T) {
	tests := []struct {
		name string
		size kvcache.Size
		want int64
	}{
		{"a token of DeepSeek-V3 is 70.272 KB", of("deepseek-v3", 1, "bf16", kvcache.Deployment{}), 70272},
		{"a token of Qwen2.5 72B is 327.680 KB", of("qwen2.5-72b", 1, "bf16", kvcache.Deployment{}), 327680},
		{"a token of Llama 3.1 405B is 516.096 KB", by(llama405B, 1, "bf16", kvcache.Deployment{}), 516096},
		{"a token of Llama 3 8B is 128 KiB", of("llama-3.1-8b", 1, "bf16", kvcache.Deployment{}), 128 << 10},
		{"a token of GPT-2 XL is 300 KiB", of("gpt2-xl", 1, "fp16", kvcache.Deployment{}), 300 << 10},
		{"a token of OPT 13B is 800 KiB", by(opt13B, 1, "fp16", kvcache.Deployment{}), 800 << 10},
		{"512 tokens of OPT 66B are 1.125 GiB", by(opt66B, 512, "fp16", kvcache.Deployment{}), 9 << 27},
		{"16k tokens of Llama 70B are 640 MiB on each of 8 GPUs", of("llama-3.1-70b", 16384, "bf16", kvcache.Deployment{Engine: "vllm", TP: 8}), 8 * 640 << 20},
		{"a page of GLM 5.1 FP8", by(glm51, 64, "fp8_ds_mla", kvcache.Deployment{BlockSize: 64}), 3274752 + 658944},
		{"4,522 tokens of Qwen3 14B in blocks of 128 are 720 MiB", by(qwen3x14B, 4522, "bf16", kvcache.Deployment{Engine: "vllm", BlockSize: 128}), 720 << 20},
		{"313 blocks of Qwen2.5 0.5B on two ranks", by(qwen25x05B, 5001, "bf16", kvcache.Deployment{Engine: "vllm", TP: 2}), 2 * 6144 * 5008},
		{"four ranks double it", by(qwen25x05B, 5001, "bf16", kvcache.Deployment{Engine: "vllm", TP: 4}), 4 * 6144 * 5008},
		{"a million tokens of DeepSeek's latents are 68.625 GiB", of("deepseek-v3", 1<<20, "fp16", kvcache.Deployment{}), 70272 << 20},
		{"DeepSeek-V3 to eight decode ranks", of("deepseek-v3", 8192, "bf16", kvcache.Deployment{Engine: "vllm", DecodeTP: 8}), 4605345792},
		{"DeepSeek-V3 with DP attention", of("deepseek-v3", 8192, "bf16", kvcache.Deployment{Engine: "sglang", DecodeTP: 8, DecodeDP: 8}), 575668224},
		{"Qwen3 235B to eight decode ranks", of("qwen3-235b-a22b", 8192, "bf16", kvcache.Deployment{Engine: "vllm", DecodeTP: 8}), 3154116608},
		{"Llama 70B to sixteen decode ranks", of("llama-3.1-70b", 8192, "bf16", kvcache.Deployment{Engine: "vllm", DecodeTP: 16}), 5368709120},
		{"DeepSeek-V3 with its draft layer", of("deepseek-v3", 1, "bf16", kvcache.Deployment{Draft: new(true)}), 71424},
		{"Nemotron 3 Ultra on eight ranks, 1k tokens, is 486.56 MiB", of("nemotron-3-ultra-550b-a55b", 1024, "bf16", kvcache.Deployment{Engine: "vllm", TP: 8}), 510197760},
		{"Gemma 3 with every token", of("gemma-3-27b", 16384, "bf16", kvcache.Deployment{Engine: "sglang"}), 8321499136},
		{"gpt-oss from SGLang's sliding-window pool", of("gpt-oss-120b", 8192, "bf16", kvcache.Deployment{Engine: "sglang"}), 306708480},
		{"Llama 4 keeps every token on vLLM", of("llama-4-scout", 16384, "bf16", kvcache.Deployment{Engine: "vllm"}), 3221225472},
		{"Qwen3-Next pads its states", of("qwen3-next-80b-a3b", 8192, "bf16", vllm("flagcx")), 254017536},
		{"Qwen3-Next sends true states", of("qwen3-next-80b-a3b", 8192, "bf16", vllm("nixl")), 253427712},
		{"Qwen3.5 pads its states", of("qwen3.5-397b-a17b", 8192, "bf16", vllm("mooncake")), 450723840},
		{"Qwen3.5 sends true states", of("qwen3.5-397b-a17b", 8192, "bf16", vllm("nixl")), 449617920},
		{"Kimi K3 pads its states", of("kimi-k3", 8192, "bf16", vllm("flagcx")), 776355840},
		{"Kimi K3 sends true states", of("kimi-k3", 8192, "bf16", vllm("nixl")), 767877120},
		{"MiniMax M1 has nothing to pad", of("minimax-m1", 8192, "bf16", vllm("flagcx")), 629145600},
		{"Jamba pads its states", of("jamba-1.5-large", 8192, "bf16", vllm("flagcx")), 347996160},
		{"Jamba sends true states", of("jamba-1.5-large", 8192, "bf16", vllm("nixl")), 345931776},
		{"Nemotron-H pads its states", of("nemotron-h-56b", 8192, "bf16", vllm("flagcx")), 1251213312},
		{"Nemotron-H sends true states", of("nemotron-h-56b", 8192, "bf16", vllm("nixl")), 1250770944},
		{"Nemotron 3 Super pads its states", of("nemotron-3-super-120b-a12b", 8192, "bf16", vllm("flagcx")), 238551040},
		{"Nemotron 3 Super sends true states", of("nemotron-3-super-120b-a12b", 8192, "bf16", vllm("nixl")), 238387200},
		{"Nemotron 3 Ultra pads its states", of("nemotron-3-ultra-550b-a55b", 8192, "bf16", vllm("flagcx")), 510197760},
		{"Nemotron 3 Ultra sends true states", of("nemotron-3-ultra-550b-a55b", 8192, "bf16", vllm("nixl")), 510001152},
		{"DeepSeek-V3.2 packed", of("deepseek-v3.2", 8192, "fp8_ds_mla", kvcache.Deployment{}), 393773056},
		{"GLM 5 packed", by(glm51, 8192, "fp8_ds_mla", kvcache.Deployment{}), 503513088},
		{"a block of Llama 3.1 8B", of("llama-3.1-8b", 1, "bf16", kvcache.Deployment{BlockSize: 16}), 2097152},
		{"a block of DeepSeek-V3", of("deepseek-v3", 1, "bf16", kvcache.Deployment{BlockSize: 64}), 4497408},
		{"a block of Qwen3 235B", of("qwen3-235b-a22b", 1, "bf16", kvcache.Deployment{BlockSize: 128}), 24641536},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.size.Breakdown()
			require.NoError(t, err)
			require.Equal(t, tt.want, got.PerRequest, "%s", got.Derivation())
		})
	}
}

func TestKimiLinearGrowsByAQuarter(t *testing.T) {
	got, err := by(kimiLinear, 8192, "bf16", kvcache.Deployment{}).Breakdown()
	require.NoError(t, err)
	require.EqualValues(t, 8064, got.PerToken)
}

// TestAttentionBlocksAsLogged holds vLLM's "Setting attention block size to N".
func TestAttentionBlocksAsLogged(t *testing.T) {
	tests := []struct {
		name string
		size kvcache.Size
		want int64
	}{
		{"Qwen3-Next", of("qwen3-next-80b-a3b", 2, "bf16", vllm("nixl")), 544},
		{"Qwen3.5 0.8B", by(qwen35x08B, 2, "bf16", vllm("nixl")), 544},
		{"Qwen3.5 27B", by(qwen35x27B, 2, "bf16", vllm("nixl")), 784},
		{"Kimi K3 on eight ranks", of("kimi-k3", 2, "bf16", kvcache.Deployment{Engine: "vllm", TP: 8}), 768},
		{"Nemotron 3 Ultra on eight ranks", of("nemotron-3-ultra-550b-a55b", 2, "bf16", kvcache.Deployment{Engine: "vllm", TP: 8}), 2080},
		{"one that the user read in the log", of("qwen3-next-80b-a3b", 2, "bf16", kvcache.Deployment{Engine: "vllm", AttentionBlockSize: 944}), 944},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.size.Breakdown()
			require.NoError(t, err)
			require.Equal(t, tt.want, got.Tokens, "one block")
		})
	}
}

// TestBytesOfEveryLayout is a token of Llama 3.1 70B: 80 layers, 8 heads of 128.
func TestBytesOfEveryLayout(t *testing.T) {
	tests := map[string]int64{
		"bf16": 327680, "bfloat16": 327680, "float16": 327680, "auto": 327680, "": 327680,
		"fp8": 163840, "fp8_e4m3": 163840, "fp8_e5m2": 163840, "fp8_inc": 163840, "int8": 163840, "float32": 655360,
		"int8_per_token_head": 168960, "fp8_per_token_head": 168960, "int4_per_token_head": 87040,
		"nvfp4": 92160, "nvfp4_4over6": 92160, "fp4_mx_block16": 92160, "fp4_e2m1": 92160,
		"mxfp8": 80 * 8 * 2 * (128 + 4),
		// The first and last two layers of a dense model stay at 2 B.
		"turboquant_k8v4": 76*8*196 + 4*4096, "turboquant_4bit_nc": 76*8*134 + 4*4096,
		"turboquant_k3v4_nc": 76*8*118 + 4*4096, "turboquant_3bit_nc": 76*8*102 + 4*4096,
	}
	for dtype, want := range tests {
		t.Run(dtype, func(t *testing.T) {
			got, err := of("llama-3.1-70b", 1, dtype, kvcache.Deployment{}).Breakdown()
			require.NoError(t, err)
			require.Equal(t, want, got.PerRequest)
		})
	}
}
