package plugin_test

import (
	"sort"
	"strconv"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Each bucket of a heatmap holds the observations whose times lie in it, and no
// others.
func TestHeatmapsHoldTheObservedTimes(t *testing.T) {
	r := theDefaultCluster(t)
	for _, row := range distributions() {
		for _, g := range r.cluster.Groups {
			if g.Engine != row.engine {
				continue
			}
			t.Run(row.name()+" "+g.Name, func(t *testing.T) {
				frame := r.heatmap(t, query.Query{
					Signal: row.signal, Stat: query.StatHeatmap, Window: "60s", Role: query.Role(row.role),
					Filters: []query.Filter{{Label: "model", Op: query.OpEqual, Values: []string{g.Model}}},
				})
				samples := r.truth.Samples(row.measure, simulator.Selector{Model: g.Model, Role: row.role}, ended-59*time.Second+1, ended+1)
				require.NotEmpty(t, samples)
				below, names := 0, []string{}
				for _, field := range frame.Fields[1:] {
					bound, err := strconv.ParseFloat(field.Name, 64)
					require.NoError(t, err)
					upTo := sort.Search(len(samples), func(i int) bool { return samples[i] > bound })
					want := row.observations(g) * float64(upTo-below) / 59
					require.InDelta(t, want, *field.At(field.Len() - 1).(*float64), 0.02, "bucket up to %s of %s", field.Name, g.Name)
					below, names = upTo, append(names, field.Name)
				}
				require.Equal(t, len(samples), below, "no observation is left out")
				for _, bound := range row.bounds {
					require.Contains(t, names, strconv.FormatFloat(bound, 'g', -1, 64))
				}
			})
		}
	}
}

// heatmap is the only frame of a query over the last second.
func (r *replayed) heatmap(t *testing.T, q query.Query) *data.Frame {
	t.Helper()
	dq := r.query(t, q, ended-time.Second, ended)
	dq.RefID = "A"
	response, err := r.source.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{dq}})
	require.NoError(t, err)
	require.NoError(t, response.Responses["A"].Error)
	frames := response.Responses["A"].Frames
	require.Len(t, frames, 1)
	return frames[0]
}
