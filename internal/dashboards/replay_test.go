package dashboards_test

import (
	"context"
	"encoding/json"
	"os"
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
)

// A scenario is replayed for four minutes, one sample a second, and looked at over the
// last two: by then series that appear with their first event have appeared.
const (
	lasts   = 240 * time.Second
	settled = 120 * time.Second
)

// played is a scenario whose past lies in an embedded Prometheus, and a data source
// that asks it.
type played struct {
	cluster simulator.Cluster
	truth   simulator.Truth
	server  *promserver.Server
	source  *plugin.Datasource
	start   time.Time
}

// scenarios that were played, by name; all tests only read.
var scenarios sync.Map

func TestMain(m *testing.M) {
	// The SDK logs every query, which would bury what fails.
	log.DefaultLogger = log.NewNullLogger()
	backend.Logger = log.DefaultLogger
	code := m.Run()
	for _, p := range scenarios.Range {
		_ = p.(*played).server.Close()
	}
	os.Exit(code)
}

func play(t *testing.T, name string) *played {
	t.Helper()
	if testing.Short() {
		t.Skip("replays minutes of a cluster")
	}
	if p, ok := scenarios.Load(name); ok {
		return p.(*played)
	}
	scenario, err := simulator.ScenarioNamed(name)
	require.NoError(t, err)
	simulation, err := simulator.New(scenario.Cluster, time.Now())
	require.NoError(t, err)
	server, err := promserver.Start(context.Background(), promserver.Config{})
	require.NoError(t, err)
	// It ends now, because discovery looks for the engines of now.
	p := &played{cluster: scenario.Cluster, truth: simulation.Truth(), server: server, start: time.Now().Add(-lasts).Truncate(time.Second)}
	require.NoError(t, simulation.Replay(t.Context(), server, p.start, lasts, time.Second))
	var sizes []any
	for _, g := range p.cluster.Groups {
		sizes = append(sizes, map[string]any{"model": g.Model, "bytesPerRequest": g.BytesPerRequest})
	}
	settings, err := json.Marshal(map[string]any{"requestSizes": sizes})
	require.NoError(t, err)
	p.source, err = plugin.Open(context.Background(), backend.DataSourceInstanceSettings{Type: plugin.ID, URL: server.URL(), JSONData: settings})
	require.NoError(t, err)
	scenarios.Store(name, p)
	return p
}

// ask runs a query with one point a second over (from, to].
func (p *played) ask(t *testing.T, q target, from, to time.Duration) data.Frames {
	t.Helper()
	text, err := json.Marshal(q.Query)
	require.NoError(t, err)
	response, err := p.source.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{{
		RefID: "A", JSON: text, Interval: time.Second,
		TimeRange: backend.TimeRange{From: p.start.Add(from + time.Second), To: p.start.Add(to)},
	}}})
	require.NoError(t, err)
	one := response.Responses["A"]
	require.NoError(t, one.Error, "%s", text)
	return one.Frames
}

// rows counts what would be drawn: the values of all frames.
func rows(frames data.Frames) int {
	n := 0
	for _, f := range frames {
		if rows, err := f.RowLen(); err == nil && len(f.Fields) > 0 {
			n += rows
		}
	}
	return n
}

// line is one series of an answer.
type line struct {
	labels data.Labels
	points map[time.Duration]float64
}

func (p *played) lines(frames data.Frames) []line {
	var all []line
	for _, f := range frames {
		if len(f.Fields) < 2 {
			continue
		}
		one := line{labels: f.Fields[1].Labels, points: map[time.Duration]float64{}}
		for i := range f.Fields[0].Len() {
			if v, ok := f.Fields[1].At(i).(float64); ok {
				one.points[f.Fields[0].At(i).(time.Time).Sub(p.start)] = v
			}
		}
		all = append(all, one)
	}
	return all
}
