package faults

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/host"
	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// The plugin is built once and runs once for all tests but those that kill it.
var (
	binary string
	shared *host.Plugin
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("skipped: builds the plugin and waits for what servers do to it")
		return 0, nil
	}
	dir, err := os.MkdirTemp("", "faults-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if binary, err = host.Build(context.Background(), dir); err != nil {
		return 1, err
	}
	if shared, err = host.Start(binary, nil); err != nil {
		return 1, err
	}
	defer shared.Kill()
	return m.Run(), nil
}

// rig is a data source over a proxy that can be made faulty, before a Prometheus
// whose samples the test writes.
type rig struct {
	t      *testing.T
	plugin *host.Plugin
	server *promserver.Server
	dir    string
	about  backend.PluginContext
	front  promserver.Front
	fault  atomic.Pointer[http.HandlerFunc]

	mu      sync.Mutex
	written time.Time
	behind  time.Duration
	count   float64
}

var instances atomic.Int64

const expr = `sum(rate(requests_total[4s]))`

func newRig(t *testing.T, jsonData map[string]any) *rig {
	t.Helper()
	r := &rig{t: t, plugin: shared, dir: t.TempDir(), written: time.Now().Add(-40 * time.Second).Truncate(time.Second)}
	r.start()
	t.Cleanup(func() { require.NoError(t, r.server.Close()) })
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if fault := r.fault.Load(); fault != nil && strings.HasSuffix(req.URL.Path, "/query_range") {
			(*fault)(w, req)
			return
		}
		r.front.ServeHTTP(w, req)
	}))
	t.Cleanup(proxy.Close)
	r.about = instance(t, proxy.URL, jsonData)
	r.write()
	return r
}

// instance is what the host sends of a data source with every call.
func instance(t *testing.T, address string, jsonData map[string]any) backend.PluginContext {
	t.Helper()
	all := map[string]any{"scrapeInterval": "1s", "timeout": "5s", "responseSize": 8}
	for key, value := range jsonData {
		all[key] = value
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return backend.PluginContext{Namespace: "default", PluginID: "ptd-pdmonitor-datasource", DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
		ID: instances.Add(1), UID: t.Name(), Name: "PD", Type: "ptd-pdmonitor-datasource", URL: address, JSONData: text, Updated: time.Now(),
		DecryptedSecureJSONData: map[string]string{"basicAuthPassword": secret},
	}}
}

const secret = "Correct-Horse-Battery"

// start opens the server, also again over what it has stored.
func (r *rig) start() {
	r.t.Helper()
	server, err := promserver.Start(context.Background(), promserver.Config{Dir: r.dir, OutOfOrder: 10 * time.Minute})
	require.NoError(r.t, err)
	r.server = server
	require.NoError(r.t, r.front.Lead(server))
}

// write stores the samples up to now, one a second.
func (r *rig) write() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for next := r.written.Add(time.Second); !next.After(time.Now().Add(-r.behind)); next = next.Add(time.Second) {
		r.count += 1 + float64(next.Unix()%3)
		r.append(next, r.count)
		r.written = next
	}
}

func (r *rig) append(at time.Time, value float64) {
	r.t.Helper()
	require.NoError(r.t, r.server.Append(context.Background(), promserver.Sample{
		Labels: map[string]string{"__name__": "requests_total", "instance": "a"}, Time: at, Value: value,
	}))
}

// breaks makes the proxy faulty for range queries; nil ends the fault.
func (r *rig) breaks(fault http.HandlerFunc) {
	if fault == nil {
		r.fault.Store(nil)
		return
	}
	r.fault.Store(&fault)
}

func now() time.Time { return time.Now().Truncate(time.Second) }

// ask refreshes one graph of the last half minute.
func (r *rig) ask(promql string, end time.Time) backend.DataResponse {
	r.t.Helper()
	return asked(r.t, r.plugin, r.about, promql, end)
}

func asked(t *testing.T, plugin *host.Plugin, about backend.PluginContext, promql string, end time.Time) backend.DataResponse {
	t.Helper()
	text, err := json.Marshal(map[string]any{"schemaVersion": 1, "queryType": "promql", "expr": promql})
	require.NoError(t, err)
	response, err := plugin.QueryData(t.Context(), &backend.QueryDataRequest{PluginContext: about, Queries: []backend.DataQuery{{
		RefID: "A", JSON: text, Interval: time.Second, MaxDataPoints: 1000,
		TimeRange: backend.TimeRange{From: end.Add(-30 * time.Second), To: end},
	}}})
	require.NoError(t, err)
	return response.Responses["A"]
}

// right requires that a refresh shows exactly what the server holds.
func (r *rig) right(promql string) {
	r.t.Helper()
	r.write()
	end := now()
	response := r.ask(promql, end)
	require.NoError(r.t, response.Error)
	got := map[int64]float64{}
	for _, frame := range response.Frames {
		if len(frame.Fields) < 2 {
			continue
		}
		for i := range frame.Fields[0].Len() {
			at, _ := frame.Fields[0].At(i).(time.Time)
			got[at.UnixMilli()], _ = frame.Fields[1].At(i).(float64)
		}
	}
	client, err := prom.New(prom.Options{URL: r.server.URL(), HTTP: http.DefaultClient})
	require.NoError(r.t, err)
	result, err := client.QueryRange(r.t.Context(), promql, prom.Range{Start: end.Add(-30 * time.Second), End: end, Step: time.Second})
	require.NoError(r.t, err)
	want := map[int64]float64{}
	matrix, _ := result.Value.(prom.Matrix)
	for _, s := range matrix {
		for i, v := range s.Values {
			if v-v == 0 {
				want[s.Times[i]] = v
			}
		}
	}
	require.NotEmpty(r.t, want)
	require.Equal(r.t, want, got)
}

func (r *rig) gauge(kind string, at time.Time, value float64) {
	r.t.Helper()
	require.NoError(r.t, r.server.Append(context.Background(), promserver.Sample{
		Labels: map[string]string{"__name__": "odd", "kind": kind}, Time: at, Value: value,
	}))
}
