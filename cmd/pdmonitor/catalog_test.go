package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

func TestBindingsAreATableOfTheirOwn(t *testing.T) {
	got := pdmonitor(t.Context(), "catalog", "--bindings")
	require.Zero(t, got.status, got.err)
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	require.Equal(t, []string{"SIGNAL", "SYSTEM", "TYPE", "UNIT", "ROLE", "SHAPE", "SINCE", "METRICS", "CONDITION"}, strings.Fields(lines[0]))
	require.Contains(t, got.out, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION")
	require.Contains(t, got.out, "vllm:kv_cache_usage_perc vllm:gpu_cache_usage_perc")

	asJSON := pdmonitor(t.Context(), "catalog", "-o", "json")
	require.Zero(t, asJSON.status, asJSON.err)
	var listing plugin.Listing
	require.NoError(t, json.Unmarshal([]byte(asJSON.out), &listing))
	require.Len(t, listing.Bindings, len(lines)-1)
}

// The short table stays one line for each signal.
func TestWithoutTheFlagSignalsAreListed(t *testing.T) {
	got := pdmonitor(t.Context(), "catalog")
	require.Zero(t, got.status, got.err)
	require.NotContains(t, got.out, "DCGM_FI")
	require.Contains(t, got.out, "gpu_energy_rate")
}
