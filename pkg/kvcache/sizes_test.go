package kvcache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

func TestSizesFor(t *testing.T) {
	sizes := kvcache.Sizes{
		{Model: "meta-llama/Llama-3.1-70B", BytesPerRequest: 1},
		{Model: "/^meta-llama//", BytesPerRequest: 2},
		{Model: "/Llama/", BytesPerRequest: 3},
		{Model: "/(/", BytesPerRequest: 4},
		{Model: "/models/qwen", BytesPerRequest: 5},
		{Model: "/data/glm/", BytesPerRequest: 6},
	}
	tests := []struct {
		name, model string
		want        int64
	}{
		{"an exact name before an expression", "meta-llama/Llama-3.1-70B", 1},
		{"an anchored expression with a slash of its own", "meta-llama/Llama-3.2-1B", 2},
		{"an expression matches anywhere in the name", "my/Llama-finetune", 3},
		{"a dot of an exact name is a dot", "meta-llamaXLlama-3x1-70B", 3},
		{"a path is an exact name", "/models/qwen", 5},
		{"a path is not an expression", "my/models/qwen", 0},
		{"a path with a slash at its end still matches itself", "/data/glm/", 6},
		{"no size is meant for this model", "mistral", 0},
		{"no name, no size", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			size, ok := sizes.For(tt.model)
			require.Equal(t, tt.want != 0, ok)
			require.Equal(t, tt.want, size.BytesPerRequest)
		})
	}
}
