package kvcache_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

func TestReadingConfigs(t *testing.T) {
	const plain = `"num_hidden_layers": 4, "num_attention_heads": 8, "hidden_size": 512`
	tests := []struct {
		name, config string
		want         int64 // elements of 10 tokens
	}{
		{"heads that are null are as many as attention heads", `{` + plain + `, "num_key_value_heads": null}`, 4 * 8 * 2 * 64 * 10},
		{"a head dimension of 0 is none", `{` + plain + `, "head_dim": 0}`, 4 * 8 * 2 * 64 * 10},
		{"a head dimension of its own wins", `{` + plain + `, "head_dim": 80}`, 4 * 8 * 2 * 80 * 10},
		{"values of another dimension", `{` + plain + `, "head_dim": 192, "v_head_dim": 128}`, 4 * 8 * (192 + 128) * 10},
		{"nested in text_config", `{"model_type": "llava", "text_config": {` + plain + `}}`, 4 * 8 * 2 * 64 * 10},
		{"nested in llm_config", `{"llm_config": {` + plain + `}, "num_hidden_layers": 99}`, 4 * 8 * 2 * 64 * 10},
		{"nested in a thinker", `{"thinker_config": {"text_config": {` + plain + `}}}`, 4 * 8 * 2 * 64 * 10},
		{"a nested config that is null", `{"text_config": null, ` + plain + `}`, 4 * 8 * 2 * 64 * 10},
		{"names of MPT", `{"n_layers": 4, "n_heads": 8, "d_model": 512, "attn_config": {"attn_type": "multihead_attention"}}`, 4 * 8 * 2 * 64 * 10},
		{"names of DBRX", `{"n_layers": 40, "n_heads": 48, "d_model": 6144, "attn_config": {"kv_n_heads": 8}}`, 40 * 8 * 2 * 128 * 10},
		{"Falcon with grouped heads", `{"multi_query": true, "new_decoder_architecture": true, "num_kv_heads": 8, "num_hidden_layers": 60, "num_attention_heads": 128, "hidden_size": 8192}`, 60 * 8 * 2 * 64 * 10},
		{"a window that is not used", `{"model_type": "qwen2", ` + plain + `, "sliding_window": 2, "use_sliding_window": false}`, 4 * 8 * 2 * 64 * 10},
		{"a window that the upper layers use", `{"model_type": "qwen2", ` + plain + `, "sliding_window": 2, "use_sliding_window": true, "max_window_layers": 3}`, 8 * 2 * 64 * (3*10 + 2)},
		{"a window of every layer", `{"model_type": "starcoder2", ` + plain + `, "sliding_window": 2}`, 4 * 8 * 2 * 64 * 2},
		{"a window that is null", `{"model_type": "mistral", ` + plain + `, "sliding_window": null}`, 4 * 8 * 2 * 64 * 10},
		{"types of layers win over the interval", `{` + plain + `, "layer_types": ["full_attention", "full_attention", "full_attention", "full_attention"], "full_attention_interval": 2}`, 4 * 8 * 2 * 64 * 10},
		{"every other layer of Gemma 2 slides", `{"model_type": "gemma2", "num_hidden_layers": 5, "num_attention_heads": 8, "head_dim": 64, "sliding_window": 2}`, 8 * 2 * 64 * (2*10 + 3*2)},
		{"MiMo has heads of its own where it slides", `{"model_type": "mimo_v2_flash", "num_hidden_layers": 4, "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 192, "v_head_dim": 128,
			"hybrid_layer_pattern": [0, 1, 1, 1], "sliding_window": 2, "swa_num_key_value_heads": 8, "swa_head_dim": 192, "swa_v_head_dim": 128, "attention_chunk_size": 128}`, 4*320*10 + 3*8*320*2},
		{"Llama 4 with its list of rotary layers", `{"model_type": "llama4_text", ` + plain + `, "no_rope_layers": [1, 0, 1, 1], "attention_chunk_size": 2}`, 8 * 2 * 64 * (10 + 3*2)},
		{"Llama 4 without chunks", `{"model_type": "llama4_text", ` + plain + `, "attention_chunk_size": null}`, 4 * 8 * 2 * 64 * 10},
		{"cross-attention layers read the image", `{"model_type": "mllama_text_model", ` + plain + `, "cross_attention_layers": [1, 3]}`, 2 * 8 * 2 * 64 * 10},
		{"the last layers share", `{` + plain + `, "num_kv_shared_layers": 3}`, 8 * 2 * 64 * 10},
		{"unknown types of an MLA model are latents", `{"num_hidden_layers": 2, "kv_lora_rank": 500, "qk_rope_head_dim": 76, "layer_types": ["sparse", "dense"]}`, 2 * 576 * 10},
		{"a number with a fraction of nothing", `{"num_hidden_layers": 4.0, "num_attention_heads": 8e0, "hidden_size": 5.12e2}`, 4 * 8 * 2 * 64 * 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := by(tt.config, 10, "fp8", kvcache.Deployment{}).Breakdown()
			require.NoError(t, err)
			require.Equal(t, tt.want, got.PerRequest, got.Derivation())
		})
	}
	t.Run("MiniMax' index keys are 2 B per element whatever the KV dtype", func(t *testing.T) {
		got, err := by(`{"model_type": "minimax_m3", "num_hidden_layers": 2, "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 128,
			"sparse_attention_config": {"use_sparse_attention": true, "sparse_index_dim": 128, "sparse_attention_freq": [0, 1]}}`, 10, "fp8", kvcache.Deployment{}).Breakdown()
		require.NoError(t, err)
		require.EqualValues(t, (2*4*2*128+256)*10, got.PerRequest)
	})
}

func TestConfigRefusals(t *testing.T) {
	const plain = `"num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 512`
	tests := []struct {
		name, config string
		want         []string
	}{
		{"nothing", ``, []string{"config is empty"}},
		{"no object", `[]`, []string{"config is a list"}},
		{"an empty object", `{}`, []string{"config.num_hidden_layers is missing", "n_layer"}},
		{"a text that ends early", `{"n_layer": 1`, []string{"config ends before"}},
		{"a text that goes on", `{} {}`, []string{"config goes on after its object"}},
		{"no JSON", `{'n_layer': 1}`, []string{"config is not valid JSON"}},
		{"NaN", `{"n_layer": NaN}`, []string{"config is not valid JSON", "NaN"}},
		{"a key given twice", `{"n_layer": 1, "n_layer": 1}`, []string{"config.n_layer is given twice"}},
		{"a key given twice further down", `{"text_config": {"a": 1, "a": 2}}`, []string{"config.text_config.a is given twice"}},
		{"too deep a nesting", strings.Repeat(`{"a": `, 40) + `1` + strings.Repeat(`}`, 40), []string{"nested deeper than 32"}},
		{"too long a text", `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, []string{"config has 10485"}},
		{"a text for a number", `{"num_hidden_layers": "32"}`, []string{`config.num_hidden_layers is the text "32"`}},
		{"half a layer", `{"num_hidden_layers": 1.5}`, []string{"config.num_hidden_layers is the number 1.5"}},
		{"a number beyond all", `{"num_hidden_layers": 1e999}`, []string{"config.num_hidden_layers is the number 1e999"}},
		{"layers below one", `{"num_hidden_layers": -1}`, []string{"config.num_hidden_layers is -1"}},
		{"more layers than any model has", `{"num_hidden_layers": 1000000}`, []string{"config.num_hidden_layers is 1000000", "10000"}},
		{"a list of heads", `{` + plain + `, "num_key_value_heads": [1, 2]}`, []string{"config.num_key_value_heads is a list"}},
		{"no heads", `{"num_hidden_layers": 2, "hidden_size": 512}`, []string{"config.num_attention_heads is missing"}},
		{"no hidden size", `{"num_hidden_layers": 2, "num_attention_heads": 8}`, []string{"config.hidden_size is missing"}},
		{"a hidden size that heads do not divide", `{"num_hidden_layers": 2, "num_attention_heads": 7, "hidden_size": 512}`, []string{"config.head_dim is missing", "512", "7"}},
		{"a class with a head dimension of its own", `{"model_type": "qwen3", ` + plain + `}`, []string{"config.head_dim is missing", "qwen3"}},
		{"geometry that only the class knows", `{"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32064}}`, []string{"config.text_config.num_hidden_layers is missing"}},
		{"latents without their rotary part", `{"num_hidden_layers": 2, "kv_lora_rank": 512}`, []string{"config.qk_rope_head_dim is missing"}},
		{"an index key without latents", `{` + plain + `, "index_head_dim": 128}`, []string{"config.kv_lora_rank is missing"}},
		{"a compressed cache", `{` + plain + `, "compress_ratios": [4, 128]}`, []string{"config.compress_ratios", "bytesPerRequest"}},
		{"a compressed cache by its name", `{"model_type": "deepseek_v4", ` + plain + `}`, []string{"config.compress_ratios"}},
		{"an encoder and a decoder", `{` + plain + `, "is_encoder_decoder": true}`, []string{"config.is_encoder_decoder"}},
		{"an unknown type of layer", `{` + plain + `, "layer_types": ["full_attention", "conv"]}`, []string{`config.layer_types[1] is "conv"`}},
		{"types for another number of layers", `{` + plain + `, "layer_types": ["full_attention"]}`, []string{"config.layer_types has 1 entries for 2 layers"}},
		{"a sliding layer without a window", `{` + plain + `, "layer_types": ["full_attention", "sliding_attention"]}`, []string{"config.sliding_window is missing"}},
		{"an unknown letter", `{` + plain + `, "hybrid_override_pattern": "*X"}`, []string{`config.hybrid_override_pattern holds "X"`}},
		{"a switch that is neither", `{` + plain + `, "attn_type_list": [1, 2]}`, []string{"config.attn_type_list is 2"}},
		{"a full layer beyond the last", `{` + plain + `, "linear_attn_config": {"full_attn_layers": [3]}}`, []string{"config.linear_attn_config.full_attn_layers is 3"}},
		{"linear layers of no known family", `{` + plain + `, "layer_types": ["full_attention", "linear_attention"]}`, []string{"config.linear_num_key_heads is missing"}},
		{"a state without its kernel", `{` + plain + `, "full_attention_interval": 2, "linear_num_key_heads": 1, "linear_num_value_heads": 1, "linear_key_head_dim": 1, "linear_value_head_dim": 1}`, []string{"config.linear_conv_kernel_dim is missing"}},
		{"a period without its offset", `{` + plain + `, "attn_layer_period": 2}`, []string{"config.attn_layer_offset is missing"}},
		{"a mixture that only the class knows", `{"model_type": "gpt_oss", ` + plain + `, "head_dim": 64, "sliding_window": 128}`, []string{"config.layer_types is missing", "gpt_oss"}},
		{"Gemma 3 without its pattern", `{"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", ` + plain + `, "head_dim": 64, "sliding_window": 128}}`, []string{"config.text_config.layer_types is missing"}},
		{"a hybrid without its pattern", `{` + plain + `, "mamba_d_state": 16}`, []string{"config.layer_types is missing"}},
		{"a window of a model that is not known", `{"model_type": "new", ` + plain + `, "sliding_window": 128}`, []string{"config.layer_types is missing", "new"}},
		{"a window with a default of its own", `{"model_type": "mistral", ` + plain + `}`, []string{"config.sliding_window is missing", "null"}},
		{"a window that may be used", `{"model_type": "qwen2", ` + plain + `, "sliding_window": 128}`, []string{"config.use_sliding_window is missing"}},
		{"a group that does not divide the heads", `{` + plain + `, "block_configs": [{"attention": {"n_heads_in_group": 3}}, {"attention": {"no_op": true}}]}`, []string{"config.block_configs[0].attention.n_heads_in_group is 3"}},
		{"a model without any cache", `{` + plain + `, "hybrid_override_pattern": "--"}`, []string{"transfers nothing"}},
		{"a switch in quotes", `{` + plain + `, "multi_query": "yes"}`, []string{`config.multi_query is the text "yes"`}},
		{"an index key that scales do not fit", `{"num_hidden_layers": 2, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "index_head_dim": 100}`, []string{"config.index_head_dim is 100"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := kvcache.Size{Config: []byte(tt.config), InputTokens: 8192, KVDtype: "bf16"}.Breakdown()
			var field *kvcache.FieldError
			require.ErrorAs(t, err, &field)
			for _, want := range tt.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestDeploymentRefusals(t *testing.T) {
	on := true
	tests := []struct {
		name string
		size kvcache.Size
		want []string
	}{
		{"no tokens", of("llama-3.1-8b", 0, "bf16", kvcache.Deployment{}), []string{"inputTokens is 0"}},
		{"tokens below zero", of("llama-3.1-8b", -1, "bf16", kvcache.Deployment{}), []string{"inputTokens is -1"}},
		{"a hit on everything", of("llama-3.1-8b", 8, "bf16", kvcache.Deployment{PrefixHitTokens: 8}), []string{"prefixHitTokens is 8"}},
		{"a block below zero", of("llama-3.1-8b", 8, "bf16", kvcache.Deployment{BlockSize: -16}), []string{"blockSize is -16"}},
		{"an unknown engine", of("llama-3.1-8b", 8, "bf16", kvcache.Deployment{Engine: "vLLM"}), []string{`engine is "vLLM"`, "vllm or sglang"}},
		{"an unknown connector", of("llama-3.1-8b", 8, "bf16", vllm("nccl")), []string{`connector is "nccl"`, "flagcx"}},
		{"a connector of no engine", of("llama-3.1-8b", 8, "bf16", kvcache.Deployment{Connector: "nixl"}), []string{"engine is not set"}},
		{"unequal ranks of a connector that needs equal ones", of("llama-3.1-8b", 8, "bf16", kvcache.Deployment{Engine: "vllm", Connector: "p2pnccl", PrefillTP: 2, DecodeTP: 4}), []string{"prefillTP is 2 and decodeTP 4"}},
		{"a hit that the connector does not know", of("llama-3.1-8b", 8, "bf16", kvcache.Deployment{Engine: "vllm", Connector: "p2pnccl", PrefixHitTokens: 4}), []string{"prefixHitTokens is 4", "p2pnccl"}},
		{"states that the connector does not carry", of("kimi-k3", 8, "bf16", vllm("p2pnccl")), []string{"connector is p2pnccl"}},
		{"ranks that heads do not divide", of("llama-3.1-8b", 8, "bf16", kvcache.Deployment{DecodeTP: 12}), []string{"decodeTP", "12 ranks for 8 KV heads"}},
		{"DP attention that ranks do not hold", of("deepseek-v3", 8, "bf16", kvcache.Deployment{DecodeTP: 8, DecodeDP: 3}), []string{"decodeDP is 3"}},
		{"a draft that the config does not name", of("llama-3.1-8b", 8, "bf16", kvcache.Deployment{Draft: &on}), []string{"draft is true", "num_nextn_predict_layers"}},
		{"an unknown state dtype", of("kimi-k3", 8, "bf16", kvcache.Deployment{StateDtype: "fp8"}), []string{`stateDtype is "fp8"`}},
		{"an unknown index dtype", of("deepseek-v3.2", 8, "bf16", kvcache.Deployment{IndexDtype: "int8"}), []string{`indexDtype is "int8"`}},
		{"an attention block where none is", of("llama-3.1-8b", 8, "bf16", kvcache.Deployment{AttentionBlockSize: 544}), []string{"attentionBlockSize is 544"}},
		{"an unknown KV dtype", of("llama-3.1-8b", 8, "fp7", kvcache.Deployment{}), []string{`kvDtype is "fp7"`, "bf16", "bytesPerRequest instead"}},
		{"a layout of latents for heads", of("llama-3.1-8b", 8, "fp8_ds_mla", kvcache.Deployment{}), []string{`kvDtype is "fp8_ds_mla"`}},
		{"a layout with index keys for a model without", of("deepseek-v3", 8, "fp8_ds_mla", kvcache.Deployment{}), []string{`kvDtype is "fp8_ds_mla"`, "index_head_dim"}},
		{"a layout of heads for latents", of("deepseek-v3", 8, "nvfp4", kvcache.Deployment{}), []string{`kvDtype is "nvfp4"`, "MLA"}},
		{"a layout of heads of 128 for others", of("gpt2-xl", 8, "turboquant_k8v4", kvcache.Deployment{}), []string{`kvDtype is "turboquant_k8v4"`, "128"}},
		{"auto without a dtype", of("gpt2-xl", 8, "auto", kvcache.Deployment{}), []string{"config.torch_dtype is missing"}},
		{"auto where the GPU decides", of("deepseek-v3.2", 8, "auto", kvcache.Deployment{Engine: "sglang"}), []string{"kvDtype is auto"}},
		{"more bytes than exact floats", of("llama-3.1-70b", 1<<40, "bf16", kvcache.Deployment{}), []string{"2^53"}},
		{"bytes beside a preset", kvcache.Size{Preset: "gpt2-xl", BytesPerRequest: 5, InputTokens: 8}, []string{"bytesPerRequest is set although"}},
		{"a preset beside a config", kvcache.Size{Preset: "gpt2-xl", Config: []byte(`{}`), InputTokens: 8}, []string{"preset is set although"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.size.Breakdown()
			for _, want := range tt.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestDeclaredKVDtypes(t *testing.T) {
	config := func(quantization string) string {
		return `{"num_hidden_layers": 1, "num_attention_heads": 1, "hidden_size": 64, "torch_dtype": "bfloat16", "quantization_config": ` + quantization + `}`
	}
	tests := []struct {
		name, config string
		want         int64
	}{
		{"quantised weights alone change nothing", config(`{"quant_method": "fp8"}`), 256},
		{"a cache declared as FP8", config(`{"quant_method": "modelopt", "kv_cache_quant_algo": "FP8"}`), 128},
		{"a cache declared as FP8 further down", config(`{"quantization": {"kv_cache_quant_algo": "FP8"}}`), 128},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := by(tt.config, 1, "auto", kvcache.Deployment{}).Breakdown()
			require.NoError(t, err)
			require.Equal(t, tt.want, got.PerRequest)
			require.NotEmpty(t, got.Notes)
		})
	}
	_, err := by(config(`{"kv_cache_scheme": {"num_bits": 8}}`), 1, "auto", kvcache.Deployment{}).Breakdown()
	require.ErrorContains(t, err, "kvDtype is auto")
}
