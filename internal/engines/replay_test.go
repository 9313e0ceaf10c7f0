package engines_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Some minutes of the default cluster end now; what is compared lies away from both
// ends: at the beginning series still appear, and the last half minute is what
// VictoriaMetrics does not show yet (-search.latencyOffset).
const (
	length = 140 * time.Second
	from   = 70 * time.Second
	to     = 105 * time.Second
)

// replayed is the past that all servers hold.
type replayed struct {
	cluster simulator.Cluster
	truth   simulator.Truth
	start   time.Time
	sources map[string]*source
}

// source is the data source over one server.
type source struct {
	*plugin.Datasource
	server *server
	start  time.Time
}

var replay = sync.OnceValues(func() (*replayed, error) {
	ctx := context.Background()
	servers, err := started()
	if err != nil {
		return nil, err
	}
	var here all
	for _, s := range servers {
		if s.missing == "" {
			here = append(here, s)
		}
	}
	r := &replayed{cluster: eventful(), sources: map[string]*source{}}
	simulation, err := simulator.New(r.cluster, time.Now())
	if err != nil {
		return nil, err
	}
	r.truth = simulation.Truth()
	r.start = time.Now().Add(-length).Truncate(time.Second)
	if err := simulation.Replay(ctx, here, r.start, length, time.Second); err != nil {
		return nil, err
	}
	if err := feedOdd(ctx, here, r.start); err != nil {
		return nil, err
	}
	for _, s := range here {
		if s.flush != nil {
			if err := s.flush(ctx); err != nil {
				return nil, err
			}
		}
		if r.sources[s.name], err = r.open(ctx, s, nil); err != nil {
			return nil, err
		}
	}
	return r, nil
})

// open makes a data source over a server. Request sizes are the cluster's.
func (r *replayed) open(ctx context.Context, s *server, jsonData map[string]any) (*source, error) {
	var sizes []any
	for _, g := range r.cluster.Groups {
		sizes = append(sizes, map[string]any{"model": g.Model, "bytesPerRequest": g.BytesPerRequest})
	}
	settings := map[string]any{"requestSizes": sizes}
	maps.Copy(settings, jsonData)
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	d, err := plugin.Open(ctx, backend.DataSourceInstanceSettings{Type: plugin.ID, URL: s.url, JSONData: text})
	return &source{d, s, r.start}, err
}

// with is a data source with other settings over the same server.
func (s *source) with(t *testing.T, jsonData map[string]any) *source {
	t.Helper()
	other, err := theReplay(t).open(t.Context(), s.server, jsonData)
	require.NoError(t, err)
	t.Cleanup(other.Dispose)
	return other
}

// eventful is the default cluster in which one engine of the first model restarts
// and the second model has nothing to do for a while; the third is undisturbed.
func eventful() simulator.Cluster {
	c := simulator.DefaultCluster()
	c.Groups[0].Restart = &simulator.Restart{Instance: "decode-1.llama", At: 85*time.Second + 500*time.Millisecond}
	c.Groups[1].IdleGap = &simulator.Gap{From: 76 * time.Second, To: 96 * time.Second}
	return c
}

func theReplay(t *testing.T) *replayed {
	t.Helper()
	if testing.Short() {
		t.Skip("starts other servers")
	}
	r, err := replay()
	require.NoError(t, err)
	return r
}

// reference is the data source over the embedded Prometheus.
func reference(t *testing.T) *source {
	t.Helper()
	return theReplay(t).sources[theServers(t)[0].name]
}

// answer is the points of each series, by its labels and by the time since the start.
type answer struct {
	curves  map[string]map[time.Duration]float64
	notices []string
}

// ask runs a query with one point a second over (from, to].
func (s *source) ask(t *testing.T, q query.Query) answer {
	t.Helper()
	return s.askEvery(t, q, time.Second)
}

func (s *source) askEvery(t *testing.T, q query.Query, step time.Duration) answer {
	t.Helper()
	text, err := json.Marshal(q.WithDefaults())
	require.NoError(t, err)
	response, err := s.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{{
		RefID: "A", Interval: step, JSON: text,
		TimeRange: backend.TimeRange{From: s.start.Add(from + time.Second), To: s.start.Add(to)},
	}}})
	require.NoError(t, err)
	one := response.Responses["A"]
	require.NoError(t, one.Error, "%s", text)
	a := answer{curves: map[string]map[time.Duration]float64{}}
	for _, n := range plugin.Notices(one.Frames) {
		a.notices = append(a.notices, fmt.Sprintf("%s: %s", n.Severity, n.Text))
	}
	for _, f := range one.Frames {
		if len(f.Fields) == 0 {
			continue
		}
		for _, field := range f.Fields[1:] { // a heatmap has one for each bucket
			points := map[time.Duration]float64{}
			for i := range f.Fields[0].Len() {
				value, ok := field.ConcreteAt(i)
				if !ok {
					continue
				}
				v := value.(float64)
				require.False(t, math.IsNaN(v) || math.IsInf(v, 0), f.Name)
				points[f.Fields[0].At(i).(time.Time).Sub(s.start)] = v
			}
			a.curves[field.Labels.String()] = points
		}
	}
	return a
}

// table is the one frame of the newest values at a time since the start.
func (s *source) table(t *testing.T, q query.Query, at time.Duration) [][]any {
	t.Helper()
	q.Format = query.FormatTable
	text, err := json.Marshal(q.WithDefaults())
	require.NoError(t, err)
	response, err := s.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{{
		RefID: "A", Interval: time.Second, JSON: text,
		TimeRange: backend.TimeRange{From: s.start.Add(from), To: s.start.Add(at)},
	}}})
	require.NoError(t, err)
	one := response.Responses["A"]
	require.NoError(t, one.Error)
	require.Len(t, one.Frames, 1)
	var rows [][]any
	for row := range one.Frames[0].Rows() {
		rows = append(rows, one.Frames[0].RowCopy(row))
	}
	return rows
}
