package plugin_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// target is an engine of one of two clusters whose pods are called alike.
type target struct {
	labels map[string]string
	// page is its text after some seconds.
	page func(seconds int) string
}

// twoClusters are behind one server: with FlagCX in the first, which moves 100 MB/s, and with
// NIXL in the second, which moves 40 MB/s. Instance and job are equal. An engine exports the
// counters of its connector also on the side that does not count.
func twoClusters() []target {
	engine := func(cluster, role string, page func(seconds, moves int) string, moves int) target {
		labels := map[string]string{"cluster": cluster, "namespace": "llm", "instance": role + "-0:8000", "job": "vllm"}
		return target{labels, func(seconds int) string {
			return `vllm:num_requests_running{model_name="m",engine="0"} 1` + "\n" + page(seconds, moves)
		}}
	}
	flagcx := func(seconds, moves int) string {
		return fmt.Sprintf("vllm:flagcx_total_bytes_transferred_total{model_name=\"m\",engine=\"0\"} %d\n", moves*seconds)
	}
	nixl := func(seconds, moves int) string {
		const series = `vllm:nixl_bytes_transferred_%s{model_name="m",engine="0"%s} %d` + "\n"
		return fmt.Sprintf(series, "sum", "", moves*seconds) + fmt.Sprintf(series, "count", "", seconds) + fmt.Sprintf(series, "bucket", `,le="+Inf"`, seconds)
	}
	return []target{
		engine("a", "prefill", flagcx, 100_000_000), engine("a", "decode", flagcx, 0),
		engine("b", "prefill", nixl, 0), engine("b", "decode", nixl, 40_000_000),
	}
}

func TestTwoClustersWhoseEnginesAreCalledAlike(t *testing.T) {
	const length = time.Minute
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	start := time.Now().Add(-length).Truncate(time.Second)
	targets := twoClusters()
	for second := range int(length/time.Second) + 1 {
		for _, one := range targets {
			at := start.Add(time.Duration(second) * time.Second)
			require.NoError(t, server.AppendText(t.Context(), []byte(one.page(second)), maps.Clone(one.labels), at))
		}
	}
	source := opened(t, server.URL(), map[string]any{"roles": map[string]string{"prefill": `instance=~"prefill.*"`, "decode": `instance=~"decode.*"`}})
	r := &replayed{server: server, start: start, source: source}
	total := func(q query.Query) float64 {
		sum := 0.0
		for _, one := range r.ask(t, q, 0, length).curves {
			sum += one.points[50*time.Second]
		}
		return sum
	}
	moved := query.Query{Signal: "kv_transfer_byte_rate", RateMode: query.RateWindow, Window: "10s"}
	require.InDelta(t, 140e6, total(moved), 1, "of both clusters")
	byCluster := moved
	byCluster.GroupBy = []string{"cluster"}
	require.InDelta(t, 140e6, total(byCluster), 1)
	for cluster, want := range map[string]float64{"a": 100e6, "b": 40e6} {
		one := moved
		one.Filters = []query.Filter{{Label: "cluster", Op: query.OpEqual, Values: []string{cluster}}}
		require.InDelta(t, want, total(one), 1, cluster)
	}

	found := call(t, source, http.MethodGet, "discovery", "")
	require.Equal(t, http.StatusOK, found.status)
	require.Contains(t, string(found.body), `"engines":4`, "two of each cluster")
}
