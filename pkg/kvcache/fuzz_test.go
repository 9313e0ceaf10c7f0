package kvcache_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

// FuzzConfig holds that whatever is pasted as a config.json is refused with a
// field's name or gives a size that is a sum of its groups, from 1 to MaxBytes.
func FuzzConfig(f *testing.F) {
	presets, err := kvcache.Presets()
	require.NoError(f, err)
	for i, p := range presets {
		f.Add([]byte(p.Config), int64(8192), byte(i), byte(i), int64(i%9), int64(16), int64(0), i%2 == 0)
	}
	f.Add([]byte(`{"text_config": {"n_layer": 1e3, "n_head": 8, "n_embd": 1048576}}`), int64(1)<<40, byte(2), byte(1), int64(1)<<20, int64(1)<<20, int64(1), true)
	dtypes := []string{"", "auto", "bf16", "fp8", "float32", "fp8_ds_mla", "nvfp4", "mxfp8", "int8_per_token_head", "int4_per_token_head", "turboquant_k8v4"}
	engines := []kvcache.Deployment{
		{}, {Engine: "vllm"}, {Engine: "sglang"}, {Engine: "vllm", Connector: "flagcx"}, {Engine: "vllm", Connector: "p2pnccl"}, {Engine: "vllm", AttentionBlockSize: 1 << 40},
	}
	f.Fuzz(func(t *testing.T, config []byte, tokens int64, dtype, engine byte, tp, block, hit int64, on bool) {
		deployment := engines[int(engine)%len(engines)]
		deployment.TP, deployment.BlockSize, deployment.PrefixHitTokens = tp, block, hit
		deployment.Draft = &on
		if hit%2 == 0 {
			deployment.AllTokens = &on
		}
		if config == nil {
			config = []byte{}
		}
		size := kvcache.Size{Config: config, InputTokens: tokens, KVDtype: dtypes[int(dtype)%len(dtypes)], Deployment: deployment}
		sane(t, size)
	})
}

// sane holds that a size is refused with a field's name or is the sum of its groups.
func sane(t *testing.T, size kvcache.Size) {
	t.Helper()
	got, err := size.Breakdown()
	again, errAgain := size.Breakdown()
	require.Equal(t, got, again)
	require.Equal(t, err, errAgain)
	if err != nil {
		var field *kvcache.FieldError
		require.ErrorAs(t, err, &field)
		require.NotEmpty(t, field.Field)
		return
	}
	require.Positive(t, got.PerRequest)
	require.LessOrEqual(t, got.PerRequest, kvcache.MaxBytes)
	var sum int64
	for _, g := range got.Groups {
		for _, n := range []int64{g.Layers, g.KVHeads, g.KeyDim, g.ValueDim, g.Window, g.BytesPerToken, g.StateBytes, g.Tokens, g.Bytes} {
			require.GreaterOrEqual(t, n, int64(0), "%+v", g)
		}
		require.Positive(t, g.Copies)
		sum += g.Bytes
	}
	require.Equal(t, sum, got.PerRequest)
	for _, n := range []int64{got.PerToken, got.State, got.Tokens, got.Copies} {
		require.GreaterOrEqual(t, n, int64(0))
	}
	require.LessOrEqual(t, got.State, got.PerRequest)
}

// TestEveryFieldOfEveryPresetMisread puts wrong values in the place of each field
// in turn, and leaves each out.
func TestEveryFieldOfEveryPresetMisread(t *testing.T) {
	presets, err := kvcache.Presets()
	require.NoError(t, err)
	values := []any{nil, 0, -1, 1, 1 << 20, 1 << 40, 1 << 62, 0.5, 1e308, "x", true, []any{}, []any{-1, "full_attention", 1.5}, map[string]any{"a": 1}}
	for _, p := range presets {
		t.Run(p.Name, func(t *testing.T) {
			var whole map[string]any
			require.NoError(t, json.Unmarshal(p.Config, &whole))
			var visit func(object map[string]any)
			visit = func(object map[string]any) {
				for key, kept := range object {
					if inner, ok := kept.(map[string]any); ok {
						visit(inner)
					}
					for _, value := range values {
						object[key] = value
						hold(t, whole)
					}
					delete(object, key)
					hold(t, whole)
					object[key] = kept
				}
			}
			visit(whole)
		})
	}
}

func hold(t *testing.T, config map[string]any) {
	t.Helper()
	text, err := json.Marshal(config)
	require.NoError(t, err)
	for _, deployment := range []kvcache.Deployment{{}, {Engine: "vllm", Connector: "flagcx", TP: 8}, {Engine: "sglang", TP: 16, BlockSize: 1 << 20}} {
		sane(t, kvcache.Size{Config: text, InputTokens: 8192, KVDtype: "bf16", Deployment: deployment})
		sane(t, kvcache.Size{Config: text, InputTokens: 1 << 40, KVDtype: "auto", Deployment: deployment})
	}
}
