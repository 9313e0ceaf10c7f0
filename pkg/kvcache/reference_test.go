package kvcache_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

// expectation is one model of the reference table.
type expectation struct {
	Config json.RawMessage  `json:"config"`
	Refuse string           `json:"refuse"`
	BF16   map[string]int64 `json:"bf16"`
	FP8    map[string]int64 `json:"fp8"`
	Packed map[string]int64 `json:"fp8_ds_mla"`
	Hybrid map[string]struct {
		N           int64 `json:"N"`
		Attention   int64 `json:"attn"`
		StatePadded int64 `json:"state_padded"`
		StateTrue   int64 `json:"state_true"`
	} `json:"hybrid"`
}

func TestTheReferenceTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "reference.json"))
	require.NoError(t, err)
	var models map[string]expectation
	require.NoError(t, json.Unmarshal(text, &models))
	presets, err := kvcache.Presets()
	require.NoError(t, err)
	require.Len(t, presets, len(models))
	for name, want := range models {
		t.Run(name+" by its config", func(t *testing.T) { holds(t, kvcache.Size{Config: want.Config}, want) })
		t.Run(name+" by its preset", func(t *testing.T) { holds(t, kvcache.Size{Preset: name}, want) })
	}
}

// holds compares every number of the table that the plain formula, the engines'
// defaults and the hybrid blocks give.
func holds(t *testing.T, model kvcache.Size, want expectation) {
	t.Helper()
	if want.Refuse != "" {
		model.InputTokens, model.KVDtype = 8192, "bf16"
		_, err := model.Breakdown()
		require.ErrorContains(t, err, want.Refuse)
		return
	}
	on, off := true, false
	for dtype, numbers := range map[string]map[string]int64{"bf16": want.BF16, "fp8": want.FP8, "fp8_ds_mla": want.Packed} {
		if numbers == nil {
			continue
		}
		for _, tokens := range []int64{8192, 16384} {
			size := model
			size.InputTokens, size.KVDtype = tokens, dtype
			is := func(key string, deployment kvcache.Deployment) {
				number, ok := numbers[fmt.Sprintf(key, tokens)]
				if !ok {
					return
				}
				size := size
				size.Deployment = deployment
				got, err := size.Breakdown()
				require.NoError(t, err)
				require.Equal(t, number, got.PerRequest, "%s, %d tokens, %s", dtype, tokens, key)
			}
			is("B_%d", kvcache.Deployment{})
			is("B_%d", kvcache.Deployment{BlockSize: 16})
			is("B_%d_all_full", kvcache.Deployment{AllTokens: &on})
			is("B_%d_vllm_hma_bs16", kvcache.Deployment{Engine: "vllm", BlockSize: 16})
			is("B_%d_sglang", kvcache.Deployment{Engine: "sglang", AllTokens: &off})
			got, err := size.Breakdown()
			require.NoError(t, err)
			require.Equal(t, numbers["per_token_growing"], got.PerToken)
			require.Equal(t, numbers["state_vllm"], got.State)
			require.Equal(t, tokens, got.Tokens)
			require.EqualValues(t, 1, got.Copies)
		}
	}
	for _, tokens := range []int64{8192, 16384} {
		hybrid, ok := want.Hybrid[fmt.Sprint(tokens)]
		if !ok {
			continue
		}
		size := model
		size.InputTokens, size.KVDtype = tokens, "bf16"
		size.Engine, size.Connector = "vllm", "flagcx"
		got, err := size.Breakdown()
		require.NoError(t, err)
		require.Equal(t, hybrid.Attention+hybrid.StatePadded, got.PerRequest)
		require.Zero(t, got.Tokens%hybrid.N)
		size.Connector = "nixl"
		got, err = size.Breakdown()
		require.NoError(t, err)
		require.Equal(t, hybrid.Attention+hybrid.StateTrue, got.PerRequest)
	}
}
