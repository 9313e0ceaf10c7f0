package plugin_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/experimental/datasourcetest"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/pointcache"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// thePlugin is the plugin behind its real gRPC server, as Grafana runs it. The SDK
// allows for one in a process.
var thePlugin = sync.OnceValues(func() (*datasourcetest.TestPluginClient, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if err := listener.Close(); err != nil {
		return nil, err
	}
	p, err := datasourcetest.Manage(plugin.New(pointcache.NewFigures()), datasourcetest.ManageOpts{Address: listener.Addr().String()})
	if err != nil {
		return nil, err
	}
	shared = append(shared, p.Shutdown)
	return p.Client, nil
})

func served(t *testing.T) *datasourcetest.TestPluginClient {
	t.Helper()
	client, err := thePlugin()
	require.NoError(t, err)
	return client
}

var instances atomic.Int64

// instanceOf is what Grafana sends of the data source with every call.
func instanceOf(t *testing.T, address string, jsonData map[string]any) backend.PluginContext {
	t.Helper()
	text, err := json.Marshal(jsonData)
	require.NoError(t, err)
	return backend.PluginContext{
		Namespace: "default", PluginID: plugin.ID,
		DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
			ID: instances.Add(1), UID: t.Name(), Name: "PD", Type: plugin.ID, URL: address, JSONData: text, Updated: time.Now(),
		},
	}
}

func TestOverGRPCEveryQueryHasItsOwnAnswer(t *testing.T) {
	r := theDefaultCluster(t)
	client := served(t)
	named := func(ref string, dq backend.DataQuery) backend.DataQuery {
		dq.RefID = ref
		return dq
	}
	curve := r.query(t, byModel("kv_transfer_request_rate"), settled, ended)
	broken := curve
	broken.JSON = json.RawMessage(`{"signal":"ttft","quantile":99}`)
	request := &backend.QueryDataRequest{
		PluginContext: instanceOf(t, r.server.URL(), map[string]any{"requestSizes": r.sizes()}),
		Queries: []backend.DataQuery{
			named("curve", curve),
			named("latency", r.query(t, query.Query{Signal: "ttft", GroupBy: []string{"model"}}, settled, ended)),
			named("typo", r.query(t, byModel("decode_requests_rate"), settled, ended)),
			named("broken", broken),
			named("promql", r.query(t, query.Query{Expr: "up{"}, settled, ended)),
		},
	}
	response, err := client.QueryData(t.Context(), request)
	require.NoError(t, err)
	require.Len(t, response.Responses, 5)

	require.NoError(t, response.Responses["latency"].Error)
	got := response.Responses["curve"]
	require.NoError(t, got.Error)
	overGRPC := r.read(t, got.Frames)
	direct := r.ask(t, byModel("kv_transfer_request_rate"), settled, ended)
	require.Equal(t, direct.curves, overGRPC.curves)
	require.Equal(t, direct.notices, overGRPC.notices)

	for ref, text := range map[string]string{
		"typo": "decode_request_rate", "broken": "quantile: 99 is not allowed", "promql": "expr",
	} {
		wrong := response.Responses[ref]
		require.ErrorContains(t, wrong.Error, text, ref)
		require.Equal(t, backend.StatusBadRequest, wrong.Status, ref)
		require.Equal(t, backend.ErrorSourceDownstream, wrong.ErrorSource, "%s: the user's words are no fault of the plugin", ref)
	}
}

func TestOverGRPCHealthAndResourcesAnswer(t *testing.T) {
	r := theDefaultCluster(t)
	client := served(t)
	about := instanceOf(t, r.server.URL(), map[string]any{"requestSizes": r.sizes()})
	health, err := client.CheckHealth(t.Context(), &backend.CheckHealthRequest{PluginContext: about})
	require.NoError(t, err)
	require.Equal(t, backend.HealthStatusOk, health.Status, health.Message)

	var got *backend.CallResourceResponse
	err = client.CallResource(t.Context(), &backend.CallResourceRequest{
		PluginContext: about, Method: http.MethodGet, Path: "labels/model/values", URL: "labels/model/values?signal=ttft",
	}, backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
		got = r
		return nil
	}))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, got.Status)
	require.JSONEq(t, `{"values":["Qwen/Qwen2.5-32B-Instruct","deepseek-ai/DeepSeek-V3","meta-llama/Llama-3.1-70B-Instruct"]}`, string(got.Body))
}

func TestSettingsThatChangeMakeANewDataSource(t *testing.T) {
	r := theDefaultCluster(t)
	client := served(t)
	about := instanceOf(t, refusing(t), nil)
	health, err := client.CheckHealth(t.Context(), &backend.CheckHealthRequest{PluginContext: about})
	require.NoError(t, err)
	require.Equal(t, backend.HealthStatusError, health.Status)

	about.DataSourceInstanceSettings.URL = r.server.URL()
	about.DataSourceInstanceSettings.Updated = time.Now().Add(time.Second)
	health, err = client.CheckHealth(t.Context(), &backend.CheckHealthRequest{PluginContext: about})
	require.NoError(t, err)
	require.Equal(t, backend.HealthStatusOk, health.Status, health.Message)
}

func TestCancellingACallEndsTheRequestToTheServer(t *testing.T) {
	began, over := make(chan struct{}, 2), make(chan struct{}, 2) // one expression for each role
	address := failingOn(t, func(w http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		hanging(w, r)
		over <- struct{}{}
	}, onRanges)
	r := theDefaultCluster(t)
	client := served(t)
	dq := r.query(t, byModel("retraction_rate"), settled, ended)
	dq.RefID = "A"
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan error, 1)
	go func() {
		_, err := client.QueryData(ctx, &backend.QueryDataRequest{
			PluginContext: instanceOf(t, address, nil), Queries: []backend.DataQuery{dq},
		})
		returned <- err
	}()
	<-began
	<-began
	cancel()
	for what, done := range map[string]func() bool{
		"the server's request": func() bool { return len(over) == 2 },
		"the call":             func() bool { return len(returned) == 1 },
	} {
		require.Eventually(t, done, 2*time.Second, 5*time.Millisecond, what)
	}
	require.Error(t, <-returned)
}

func TestACallerThatGoesDoesNotWaitForDiscovery(t *testing.T) {
	source := opened(t, failingOn(t, hanging, everywhere), map[string]any{"timeout": "1500ms"})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	dq := decodeRate(t)
	dq.RefID = "A"
	began := time.Now()
	response, err := source.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{dq}})
	require.NoError(t, err)
	require.Less(t, time.Since(began), 1400*time.Millisecond)
	require.EqualValues(t, http.StatusGatewayTimeout, response.Responses["A"].Status)
	require.Equal(t, backend.ErrorSourceDownstream, response.Responses["A"].ErrorSource)
}
