package host_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/host"
	"github.com/ptd-monitor/pdmonitor/internal/promserver"
)

// What a new engine is: its catalog, and a page of it.
const (
	newEngine = `signals:
  - {id: acme_plan_rate, title: Plans/s, meaning: Plans per second., group: Throughput, level: operation, kind: rate, unit: "suffix:/s"}
systems:
  - system: acme
    title: Acme
    prefixes: ["acme_"]
    condition: --metrics
    labels: {model: [llm], tp_rank: [slice], dp_rank: [lane]}
    carries: {server: [model, tp_rank, dp_rank]}
    copies: [slice]
    ranks: {tensor: tp_rank, data: dp_rank}
    identity: [dp_rank]
    roles: {label: side, values: {prefill: P, decode: D}}
    probe: running
    bindings:
      - {signal: requests_running, shape: gmax, names: [running], type: gauge, from: server}
      - {signal: prefill_request_rate, role: prefill, shape: ravg, names: [done_total], type: counter, from: server}
      - {signal: decode_request_rate, role: decode, shape: ravg, names: [done_total], type: counter, from: server}
      - {signal: kv_transfer_byte_rate, role: prefill, shape: shard, unit: MiB, names: [moved_mib_total], type: counter, from: server}
      - {signal: ttft, role: decode, shape: ravg, unit: ms, names: [ttft_ms], type: histogram, from: server}
      - {signal: acme_plan_rate, shape: ravg, names: [plans_total], type: counter, from: server, has: [mode], labels: {mode: [kind]}}
`
	// $N is how many seconds the engine has run.
	newPage = `# TYPE acme_running gauge
acme_running{side="P",llm="m1",slice="0",lane="0"} 3
acme_running{side="P",llm="m1",slice="1",lane="0"} 3
acme_running{side="D",llm="m1",slice="0",lane="0"} 5
# TYPE acme_done_total counter
acme_done_total{side="P",llm="m1",slice="0",lane="0"} 4$N
acme_done_total{side="P",llm="m1",slice="1",lane="0"} 4$N
acme_done_total{side="D",llm="m1",slice="0",lane="0"} 4$N
# TYPE acme_moved_mib_total counter
acme_moved_mib_total{side="P",llm="m1",slice="0",lane="0"} 4$N
acme_moved_mib_total{side="P",llm="m1",slice="1",lane="0"} 4$N
# TYPE acme_ttft_ms histogram
acme_ttft_ms_bucket{side="D",llm="m1",slice="0",lane="0",le="100"} 4$N
acme_ttft_ms_bucket{side="D",llm="m1",slice="0",lane="0",le="+Inf"} 4$N
acme_ttft_ms_sum{side="D",llm="m1",slice="0",lane="0"} 4$N
acme_ttft_ms_count{side="D",llm="m1",slice="0",lane="0"} 4$N
# TYPE acme_plans_total counter
acme_plans_total{side="P",llm="m1",slice="0",lane="0",kind="long"} 4$N
acme_plans_total{side="P",llm="m1",slice="1",lane="0",kind="long"} 4$N
`
)

// A new engine is YAML and a page, and no code: both are written while the test runs, and
// the plugin's own process, built before it knew of them, answers for the engine.
func TestANewEngineIsYAMLAndAPage(t *testing.T) {
	dir := t.TempDir()
	description, page := filepath.Join(dir, "acme.yaml"), filepath.Join(dir, "acme.prom")
	require.NoError(t, os.WriteFile(description, []byte(newEngine), 0o600))
	require.NoError(t, os.WriteFile(page, []byte(newPage), 0o600))

	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	end := time.Now().Truncate(time.Second)
	const ran = 120
	for second := range ran + 1 {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		now := strings.ReplaceAll(string(text), "4$N", fmt.Sprint(4*second))
		at := end.Add(time.Duration(second-ran) * time.Second)
		require.NoError(t, server.AppendText(t.Context(), []byte(now), map[string]string{"instance": "acme-0", "job": "acme"}, at))
	}

	binary, err := host.Build(t.Context(), dir)
	require.NoError(t, err)
	plugin, err := host.Start(binary, nil)
	require.NoError(t, err)
	t.Cleanup(plugin.Kill)
	own, err := os.ReadFile(description)
	require.NoError(t, err)
	about := source(t, 1, server.URL(), map[string]any{"scrapeInterval": "1s", "catalog": string(own),
		"requestSizes": []any{map[string]any{"model": "m1", "bytesPerRequest": 2 << 20}}})

	health, err := plugin.CheckHealth(t.Context(), &backend.CheckHealthRequest{PluginContext: about})
	require.NoError(t, err)
	require.Equal(t, backend.HealthStatusOk, health.Status, health.Message)
	require.Contains(t, health.Message, "Found Acme (1 prefill, 1 decode)")

	for query, want := range map[string]map[string]float64{
		`{"signal": "requests_running", "groupBy": ["role"]}`:                                                             {"prefill": 3, "decode": 5},
		`{"signal": "prefill_request_rate", "groupBy": ["model"]}`:                                                        {"m1": 4},
		`{"signal": "decode_request_rate", "groupBy": ["model"]}`:                                                         {"m1": 4},
		`{"signal": "kv_transfer_byte_rate", "groupBy": ["model"]}`:                                                       {"m1": 8 << 20},
		`{"signal": "kv_transfer_request_rate", "groupBy": ["model"]}`:                                                    {"m1": 4},
		`{"signal": "ttft", "stat": "mean", "groupBy": ["model"]}`:                                                        {"m1": 0.001},
		`{"signal": "acme_plan_rate", "groupBy": ["mode"], "filters": [{"label": "model", "op": "=", "values": ["m1"]}]}`: {"long": 4},
	} {
		require.Equal(t, want, asked(t, plugin, about, query, end), query)
	}
	// Another data source of the same process does not know the engine.
	status, body, err := plugin.Resource(t.Context(), source(t, 2, server.URL(), nil), http.MethodGet, "catalog")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	require.NotContains(t, body, "acme")

	wrong := strings.Replace(newEngine, "role: prefill", "role: prefil", 1)
	health, err = plugin.CheckHealth(t.Context(), &backend.CheckHealthRequest{PluginContext: source(t, 3, server.URL(), map[string]any{"catalog": wrong})})
	require.NoError(t, err)
	require.Equal(t, backend.HealthStatusError, health.Status)
	require.Equal(t, `The data source settings are wrong: catalog:17: systems[0].bindings[1].role "prefil" is no role: did you mean prefill?`, health.Message)
}

// source is what the host sends of a data source with every call.
func source(t *testing.T, id int64, address string, jsonData map[string]any) backend.PluginContext {
	t.Helper()
	text, err := json.Marshal(jsonData)
	require.NoError(t, err)
	return backend.PluginContext{Namespace: "default", PluginID: "ptd-pdmonitor-datasource", DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
		ID: id, UID: fmt.Sprint(id), Name: "PD", Type: "ptd-pdmonitor-datasource", URL: address, JSONData: text, Updated: time.Now(),
	}}
}

// asked is the last value of each series, by the only label that they are split by.
func asked(t *testing.T, plugin *host.Plugin, about backend.PluginContext, query string, end time.Time) map[string]float64 {
	t.Helper()
	response, err := plugin.QueryData(t.Context(), &backend.QueryDataRequest{PluginContext: about, Queries: []backend.DataQuery{{
		RefID: "A", JSON: json.RawMessage(query), Interval: time.Second, MaxDataPoints: 1000,
		TimeRange: backend.TimeRange{From: end.Add(-30 * time.Second), To: end},
	}}})
	require.NoError(t, err)
	require.NoError(t, response.Responses["A"].Error, query)
	values := map[string]float64{}
	for _, frame := range response.Responses["A"].Frames {
		if len(frame.Fields) < 2 || frame.Fields[0].Len() == 0 {
			continue
		}
		labels := frame.Fields[1].Labels
		name := labels["model"] + labels["mode"]
		if name == "" {
			name = labels["role"]
		}
		values[name], _ = frame.Fields[1].At(frame.Fields[1].Len() - 1).(float64)
	}
	return values
}
