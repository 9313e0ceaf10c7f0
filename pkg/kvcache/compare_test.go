package kvcache_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

func TestWhatARatioMeans(t *testing.T) {
	yes := true
	deepseek := kvcache.Size{Model: "deepseek-ai/DeepSeek-V3", Preset: "deepseek-v3", InputTokens: 8192, KVDtype: "bf16"}
	eightfold := deepseek
	eightfold.Copies = 8
	gemma := kvcache.Size{Model: "google/gemma-3-27b-it", Preset: "gemma-3-27b", InputTokens: 8192, KVDtype: "bf16", Deployment: kvcache.Deployment{Engine: "vllm"}}
	everything := gemma
	everything.AllTokens = &yes
	all, err := everything.Breakdown()
	require.NoError(t, err)
	windowed, err := gemma.Breakdown()
	require.NoError(t, err)
	plain := kvcache.Size{Model: "m", BytesPerRequest: 1000}
	// The attention of DeepSeek-V3 written down as if it had 128 heads of 128.
	asHeads := kvcache.Size{Model: "deepseek-ai/DeepSeek-V3", Layers: 61, KVHeads: 128, HeadDim: 128, InputTokens: 8192, KVDtype: "bf16"}
	for name, tt := range map[string]struct {
		size    kvcache.Size
		ratio   float64
		tokens  float64
		says    []string
		warning bool
	}{
		"right":                          {plain, 0.98, 0, []string{"the configured value is right", "0.98 × the configured 1,000 B"}, false},
		"blocks and templates":           {plain, 1.04, 0, []string{"whole blocks", "draft layer"}, false},
		"more than blocks":               {plain, 1.065, 0, []string{"whole blocks"}, true},
		"half":                           {plain, 0.5, 0, []string{"KV dtype differs"}, true},
		"ranks, without a config":        {plain, 8.05, 0, []string{"set copies to 8"}, true},
		"one rank of four":               {plain, 0.25, 0, []string{"one of 4 ranks is counted"}, true},
		"nothing counted":                {plain, 0.001, 0, []string{"hardly any bytes"}, true},
		"somewhat less":                  {plain, 0.8, 0, []string{"shorter than inputTokens", "prefixHitTokens"}, true},
		"somewhat more":                  {plain, 1.5, 0, []string{"transfers fail and are repeated"}, true},
		"every rank pulls the latent":    {deepseek, 8, 0, []string{"every decode rank pulls a copy of its own: set copies to 8"}, true},
		"one copy in place of eight":     {eightfold, 0.125, 0, []string{"set copies to 1"}, true},
		"fp8 in place of bf16":           {deepseek, 0.5, 0, []string{"the KV cache is fp8"}, true},
		"two copies, nothing else":       {deepseek, 2, 0, []string{"set copies to 2"}, true},
		"windows are not used":           {gemma, float64(all.PerRequest) / float64(windowed.PerRequest), 0, []string{"set allTokens to true"}, true},
		"windows are used":               {everything, float64(windowed.PerRequest) / float64(all.PerRequest), 0, []string{"set allTokens to false"}, true},
		"prompts of another length":      {deepseek, 0.75, 6144, []string{"prompts have 6,144 tokens: set inputTokens"}, true},
		"latents configured as heads":    {asHeads, 1 / 56.9, 0, []string{"set preset to deepseek-v3"}, true},
		"a draft layer on prefill, 1/61": {deepseek, 62.0 / 61, 0, []string{"the configured value is right"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			note, ok := tt.size.Compare(tt.ratio, tt.tokens)
			require.True(t, ok)
			for _, part := range tt.says {
				require.Contains(t, note.Text, part)
			}
			require.Equal(t, tt.warning, note.Warning, note.Text)
		})
	}
}

func TestNothingComparesToNothing(t *testing.T) {
	size := kvcache.Size{Model: "m", BytesPerRequest: 1000}
	for _, ratio := range []float64{math.NaN(), math.Inf(1), -1} {
		_, ok := size.Compare(ratio, 0)
		require.False(t, ok, "%g", ratio)
	}
	_, ok := kvcache.Size{Model: "m"}.Compare(1, 0)
	require.False(t, ok)
}
