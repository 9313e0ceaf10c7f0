package plugin_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func TestTheListHasEveryBinding(t *testing.T) {
	listing := opened(t, "", nil).List(t.Context())
	c, err := catalog.Load()
	require.NoError(t, err)
	listed := map[[2]string]plugin.ListedBinding{}
	for _, b := range listing.Bindings {
		listed[[2]string{b.Signal, b.System}] = b
	}
	require.Len(t, listed, len(listing.Bindings), "none twice")
	total := 0
	for _, system := range c.Systems() {
		for _, b := range system.Bindings {
			total++
			one, ok := listed[[2]string{b.Signal, system.Name}]
			require.True(t, ok, "%s of %s", b.Signal, system.Name)
			require.NotEmpty(t, one.Metrics)
			require.NotEmpty(t, one.Type)
			require.NotEmpty(t, one.Shape)
		}
	}
	require.Len(t, listing.Bindings, total)
}

// The editor reads of a binding which metrics mean the signal, and nothing else.
func TestTheEditorIsSentNoMoreOfABindingThanItReads(t *testing.T) {
	source := opened(t, "", nil)
	got := call(t, source, http.MethodGet, "catalog", "")
	require.Equal(t, http.StatusOK, got.status)
	var answer struct {
		Bindings []map[string]any `json:"bindings"`
	}
	require.NoError(t, json.Unmarshal(got.body, &answer))
	listed := source.List(t.Context()).Bindings
	require.Len(t, answer.Bindings, len(listed))
	for i, b := range answer.Bindings {
		require.Len(t, b, 4)
		require.Equal(t, listed[i].Signal, b["signal"])
		require.Equal(t, listed[i].System, b["system"])
		require.Equal(t, string(listed[i].Role), b["role"])
		require.Len(t, b["metrics"], len(listed[i].Metrics))
	}
}

func TestAListedBindingSaysHowItIsExported(t *testing.T) {
	source := opened(t, "", nil)
	one := func(signal, system string) plugin.ListedBinding {
		for _, b := range source.List(t.Context()).Bindings {
			if b.Signal == signal && b.System == system {
				return b
			}
		}
		t.Fatalf("%s of %s is not listed", signal, system)
		return plugin.ListedBinding{}
	}
	require.Equal(t, plugin.ListedBinding{
		Signal: "gpu_energy_rate", System: "dcgm", Metrics: []string{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"}, Type: "counter", Unit: "mJ", Shape: catalog.ShapeRavg,
	}, one("gpu_energy_rate", "dcgm"))
	latency := one("kv_transfer_latency", "sglang")
	require.Equal(t, []string{"sglang:kv_transfer_latency_ms"}, latency.Metrics)
	require.Equal(t, query.RolePrefill, latency.Role)
	require.Equal(t, "histogram", latency.Type)
	require.Equal(t, "--enable-metrics", latency.Condition)
	require.NotEmpty(t, latency.Caution)
	require.Equal(t, []string{"vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"}, one("itl", "vllm").Metrics)
	require.Equal(t, "counter, gauge", one("rdma_receive_link_share", "rdma").Type)
	require.Contains(t, one("kv_transfer_byte_rate", "flagcx").Metrics, "sglang:flagcx_total_bytes_transferred_total")
}
