package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// replayed is a simulated cluster whose past lies in an embedded Prometheus, one
// sample a second, and a data source that asks it. Instants are virtual times.
type replayed struct {
	cluster simulator.Cluster
	truth   simulator.Truth
	server  *promserver.Server
	source  *plugin.Datasource
	start   time.Time
}

// The default cluster is replayed for three minutes; what is asked of it begins
// when a third of them is over, so that series which appear with their first
// event have appeared. A counter's first step, from absent to n, is not visible.
const (
	settled = 60 * time.Second
	ended   = 180 * time.Second
)

// shortReplay is what even a short run has the time for.
const shortReplay = 30 * time.Second

func skipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("replays minutes of a cluster")
	}
}

// defaultCluster is replayed once for all tests, which only read.
var defaultCluster = sync.OnceValues(func() (*replayed, error) {
	return newShared(simulator.DefaultCluster(), ended)
})

// shared are the ends of what all tests use. Tests do not run in parallel.
var shared []func() error

func newShared(cluster simulator.Cluster, length time.Duration) (*replayed, error) {
	r, err := newReplayed(cluster, length, nil)
	if err == nil {
		shared = append(shared, r.server.Close)
	}
	return r, err
}

func TestMain(m *testing.M) {
	// The SDK logs every query, which would bury what fails.
	log.DefaultLogger = log.NewNullLogger()
	backend.Logger = log.DefaultLogger
	code := m.Run()
	for _, stop := range shared {
		_ = stop()
	}
	os.Exit(code)
}

func theDefaultCluster(t testing.TB) *replayed {
	t.Helper()
	skipShort(t)
	r, err := defaultCluster()
	require.NoError(t, err)
	return r
}

// replay runs a cluster of the test's own.
func replay(t testing.TB, cluster simulator.Cluster, length time.Duration, jsonData map[string]any) *replayed {
	t.Helper()
	if length > shortReplay {
		skipShort(t)
	}
	r, err := newReplayed(cluster, length, jsonData)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.server.Close()) })
	return r
}

func newReplayed(cluster simulator.Cluster, length time.Duration, jsonData map[string]any) (*replayed, error) {
	ctx := context.Background()
	simulation, err := simulator.New(cluster, time.Now())
	if err != nil {
		return nil, err
	}
	server, err := promserver.Start(ctx, promserver.Config{})
	if err != nil {
		return nil, err
	}
	// It ends now, because discovery looks for the engines of now.
	start := time.Now().Add(-length).Truncate(time.Second)
	if err := simulation.Replay(ctx, server, start, length, time.Second); err != nil {
		_ = server.Close()
		return nil, err
	}
	r := &replayed{cluster: cluster, truth: simulation.Truth(), server: server, start: start}
	r.source, err = r.open(jsonData)
	return r, err
}

// open makes a data source over the replay. Request sizes are the cluster's.
func (r *replayed) open(jsonData map[string]any) (*plugin.Datasource, error) {
	return r.openAt(r.server.URL(), jsonData)
}

// openAt is open by way of a proxy.
func (r *replayed) openAt(address string, jsonData map[string]any) (*plugin.Datasource, error) {
	all := map[string]any{"requestSizes": r.sizes()}
	maps.Copy(all, jsonData)
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return plugin.Open(context.Background(), backend.DataSourceInstanceSettings{Type: plugin.ID, URL: address, JSONData: text})
}

func (r *replayed) sizes() []any {
	var sizes []any
	for _, g := range r.cluster.Groups {
		sizes = append(sizes, map[string]any{"model": g.Model, "bytesPerRequest": g.BytesPerRequest})
	}
	return sizes
}

// with is the same replay through a data source with other settings.
func (r *replayed) with(t testing.TB, jsonData map[string]any) *replayed {
	t.Helper()
	other := *r
	var err error
	other.source, err = r.open(jsonData)
	require.NoError(t, err)
	return &other
}

// curve is one series of an answer.
type curve struct {
	labels data.Labels
	points map[time.Duration]float64
}

// total is what a rate with a point a second counts.
func (c curve) total() float64 {
	all := 0.0
	for _, v := range c.points {
		all += v
	}
	return all
}

func (c curve) mean() float64 { return c.total() / float64(len(c.points)) }

// answer is what came back for one query that did not fail.
type answer struct {
	curves  []curve
	frames  data.Frames
	notices []string
}

// ask runs a query with one point a second over (from, to].
func (r *replayed) ask(t testing.TB, q query.Query, from, to time.Duration) answer {
	t.Helper()
	return r.run(t, r.query(t, q, from, to))
}

// query is what Grafana would send for one point a second over (from, to].
func (r *replayed) query(t testing.TB, q query.Query, from, to time.Duration) backend.DataQuery {
	t.Helper()
	return backend.DataQuery{Interval: time.Second, JSON: asJSON(t, q), TimeRange: backend.TimeRange{
		From: r.start.Add(from + time.Second), To: r.start.Add(to),
	}}
}

func (r *replayed) run(t testing.TB, dq backend.DataQuery) answer {
	t.Helper()
	dq.RefID = "A"
	response, err := r.source.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{dq}})
	require.NoError(t, err)
	one := response.Responses["A"]
	require.NoError(t, one.Error, "%s", dq.JSON)
	require.Equal(t, backend.StatusOK, one.Status)
	return r.read(t, one.Frames)
}

// read takes frames apart and holds every value against what no answer may hold.
func (r *replayed) read(t testing.TB, frames data.Frames) answer {
	t.Helper()
	require.NotEmpty(t, frames, "an answer has at least a frame without fields")
	a := answer{frames: frames}
	for _, n := range plugin.Notices(frames) {
		a.notices = append(a.notices, n.Text)
	}
	for _, f := range frames {
		require.NotEmpty(t, f.Meta.ExecutedQueryString)
		if len(f.Fields) == 0 {
			continue
		}
		if f.Meta.Type != "heatmap-rows" {
			require.Len(t, f.Fields, 2)
		}
		for _, field := range f.Fields[1:] {
			c := curve{labels: field.Labels, points: map[time.Duration]float64{}}
			for i := range f.Fields[0].Len() {
				value, ok := field.ConcreteAt(i)
				if !ok {
					continue // a bucket that was not there yet
				}
				v := value.(float64)
				require.False(t, math.IsNaN(v) || math.IsInf(v, 0), "%s has %v", f.Name, v)
				require.GreaterOrEqual(t, v, 0.0, "%s: nothing that is measured here can be negative", f.Name)
				c.points[f.Fields[0].At(i).(time.Time).Sub(r.start)] = v
			}
			a.curves = append(a.curves, c)
		}
	}
	return a
}

// labelsOf finds the curve of a group's model; where roles are drawn apart, that of
// the role.
func labelsOf(g simulator.Group, role simulator.Role, apart bool) []string {
	pairs := []string{"model", g.Model}
	if apart {
		pairs = append(pairs, "role", string(role))
	}
	return pairs
}

// of is the curve with these labels among others, and whether it is there once.
func (a answer) of(t testing.TB, pairs ...string) curve {
	t.Helper()
	var found []curve
	for _, c := range a.curves {
		if c.has(pairs...) {
			found = append(found, c)
		}
	}
	require.Len(t, found, 1, "curves %v of %s", pairs, a.labels())
	return found[0]
}

func (c curve) has(pairs ...string) bool {
	for i := 0; i < len(pairs); i += 2 {
		if c.labels[pairs[i]] != pairs[i+1] {
			return false
		}
	}
	return true
}

func (a answer) labels() string {
	var all []string
	for _, c := range a.curves {
		all = append(all, fmt.Sprint(c.labels))
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}

func asJSON(t testing.TB, q query.Query) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(q.WithDefaults())
	require.NoError(t, err)
	return text
}

// byModel asks for a signal split by model.
func byModel(signal string) query.Query {
	return query.Query{Signal: signal, GroupBy: []string{"model"}}
}
