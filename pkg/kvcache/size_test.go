package kvcache_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

func TestBytes(t *testing.T) {
	tests := []struct {
		name       string
		size       kvcache.Size
		want       int64
		derivation string
		notes      int
	}{
		{
			name:       "a 70B model with grouped heads and 8k tokens in bf16",
			size:       kvcache.Size{Model: "m", Layers: 80, KVHeads: 8, HeadDim: 128, InputTokens: 8192, KVDtype: "bf16"},
			want:       2684354560,
			derivation: "80 layers × 8 KV heads × 2 × 128 × 8192 tokens × 2 B = 2,684,354,560 B",
		},
		{
			// 61·128 = 7808; ·2·128 = 1,998,848; ·1000 = 1,998,848,000; ·1 B.
			name:       "61 layers of 128 heads in eight bits",
			size:       kvcache.Size{Model: "m", Layers: 61, KVHeads: 128, HeadDim: 128, InputTokens: 1000, KVDtype: "fp8_e4m3"},
			want:       1998848000,
			derivation: "61 layers × 128 KV heads × 2 × 128 × 1000 tokens × 1 B = 1,998,848,000 B",
		},
		{
			// 1·1·2·1·1·4 = 8.
			name:       "the smallest geometry in four bytes",
			size:       kvcache.Size{Model: "m", Layers: 1, KVHeads: 1, HeadDim: 1, InputTokens: 1, KVDtype: "float32"},
			want:       8,
			derivation: "1 layers × 1 KV heads × 2 × 1 × 1 tokens × 4 B = 8 B",
		},
		{
			// 32·8·2·128·4096·2 = 536,870,912 = 2^29.
			name:       "auto is two bytes and says so",
			size:       kvcache.Size{Model: "m", Layers: 32, KVHeads: 8, HeadDim: 128, InputTokens: 4096, KVDtype: "auto"},
			want:       536870912,
			derivation: "32 layers × 8 KV heads × 2 × 128 × 4096 tokens × 2 B = 536,870,912 B",
			notes:      1,
		},
		{
			name:       "bytes as configured",
			size:       kvcache.Size{Model: "m", BytesPerRequest: 999},
			want:       999,
			derivation: "as configured",
		},
		{
			name:       "the largest exact float",
			size:       kvcache.Size{Model: "m", BytesPerRequest: 1 << 53},
			want:       9007199254740992,
			derivation: "as configured",
		},
		{
			// 2^49 tokens · 2 (K, V) · 2 B · 4 heads = 2^53.
			name:       "a product of exactly 2^53",
			size:       kvcache.Size{Model: "m", Layers: 1, KVHeads: 4, HeadDim: 1, InputTokens: 1 << 49, KVDtype: "half"},
			want:       9007199254740992,
			derivation: "1 layers × 4 KV heads × 2 × 1 × 562949953421312 tokens × 2 B = 9,007,199,254,740,992 B",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.size.Bytes()
			require.NoError(t, err)
			require.Equal(t, tt.want, got.PerRequest)
			require.Equal(t, tt.derivation, got.Derivation)
			require.Len(t, got.Notes, tt.notes)
		})
	}
}

func TestBytesOfEveryDtype(t *testing.T) {
	widths := map[string]int64{
		"auto": 2, "bf16": 2, "bfloat16": 2, "fp16": 2, "float16": 2, "half": 2,
		"fp8": 1, "fp8_e4m3": 1, "fp8_e5m2": 1, "int8": 1,
		"fp32": 4, "float32": 4,
	}
	for dtype, width := range widths {
		t.Run(dtype, func(t *testing.T) {
			got, err := kvcache.Size{Model: "m", Layers: 1, KVHeads: 1, HeadDim: 1, InputTokens: 1, KVDtype: dtype}.Bytes()
			require.NoError(t, err)
			require.Equal(t, 2*width, got.PerRequest)
		})
	}
}

func TestBytesRefusals(t *testing.T) {
	good := kvcache.Size{Model: "m", Layers: 80, KVHeads: 8, HeadDim: 128, InputTokens: 8192, KVDtype: "bf16"}
	with := func(change func(*kvcache.Size)) kvcache.Size {
		size := good
		change(&size)
		return size
	}
	tests := []struct {
		name string
		size kvcache.Size
		want []string
	}{
		{"nothing is given", kvcache.Size{Model: "m"}, []string{"bytesPerRequest is 0 or missing", "layers, kvHeads"}},
		{"no model", kvcache.Size{BytesPerRequest: 1}, []string{"model is missing", "/.*/"}},
		{"bytes below zero", kvcache.Size{Model: "m", BytesPerRequest: -1}, []string{"bytesPerRequest is -1", "above 0"}},
		{"bytes beyond an exact float", kvcache.Size{Model: "m", BytesPerRequest: 1<<53 + 1}, []string{"bytesPerRequest is 9007199254740993", "2^53"}},
		{"both forms at once", with(func(s *kvcache.Size) { s.BytesPerRequest = 5 }), []string{"bytesPerRequest is 5", "only one of the two"}},
		{"both forms at once, with nothing but a dtype", kvcache.Size{Model: "m", BytesPerRequest: 5, KVDtype: "fp8"}, []string{"only one of the two"}},
		{"layers are missing", with(func(s *kvcache.Size) { s.Layers = 0 }), []string{"layers is 0 or missing", "num_hidden_layers"}},
		{"heads are negative", with(func(s *kvcache.Size) { s.KVHeads = -8 }), []string{"kvHeads is -8", "above 0"}},
		{"the head dimension is missing", with(func(s *kvcache.Size) { s.HeadDim = 0 }), []string{"headDim is 0 or missing"}},
		{"tokens are negative", with(func(s *kvcache.Size) { s.InputTokens = -1 }), []string{"inputTokens is -1"}},
		{"the dtype is missing", with(func(s *kvcache.Size) { s.KVDtype = "" }), []string{"kvDtype is missing", "--kv-cache-dtype"}},
		{"the dtype is unknown", with(func(s *kvcache.Size) { s.KVDtype = "fp4_e2m1" }), []string{`kvDtype "fp4_e2m1" is not known`, "bf16", "bytesPerRequest instead"}},
		{"dtypes are spelt as on the command line", with(func(s *kvcache.Size) { s.KVDtype = "BF16" }), []string{`"BF16" is not known`}},
		{"one step beyond 2^53", kvcache.Size{Model: "m", Layers: 1, KVHeads: 4, HeadDim: 1, InputTokens: 1<<49 + 1, KVDtype: "half"}, []string{"inputTokens 562949953421313", "more than 2^53"}},
		{"a product that wraps round int64", with(func(s *kvcache.Size) { s.Layers, s.KVHeads = math.MaxInt64, math.MaxInt64 }), []string{"more than 2^53"}},
		{"a product that wraps round to a small number", with(func(s *kvcache.Size) { s.Layers, s.KVHeads = 1<<32, 1<<32 }), []string{"more than 2^53"}},
		{"a broken expression", with(func(s *kvcache.Size) { s.Model = "/llama(/" }), []string{`model "/llama(/"`, "missing closing )", "exact name"}},
		{"an empty expression", with(func(s *kvcache.Size) { s.Model = "//" }), []string{`model "//" holds no expression`}},
		{"all faults at once", kvcache.Size{Layers: -1, KVDtype: "x"}, []string{"model is missing", "layers is -1", "kvHeads is 0", "headDim is 0", "inputTokens is 0", `kvDtype "x"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.size.Bytes()
			require.Zero(t, got)
			for _, want := range tt.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}
