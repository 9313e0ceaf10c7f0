package plugin_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ptd-monitor/pdmonitor/internal/dashboards"
	"github.com/ptd-monitor/pdmonitor/internal/host"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

// asked are the queries of the shipped dashboard by panel.
var asked = sync.OnceValues(func() ([][]query.Query, error) { return dashboards.Asked("pd-overview.json") })

// overview are the queries of the shipped dashboard over five minutes that end at a
// time, one point a second.
func overview(t *testing.T, end time.Time) []backend.DataQuery {
	t.Helper()
	panels, err := asked()
	require.NoError(t, err)
	var queries []backend.DataQuery
	for _, q := range slices.Concat(panels...) {
		text, err := json.Marshal(q)
		require.NoError(t, err)
		queries = append(queries, backend.DataQuery{
			RefID: fmt.Sprint(len(queries)), JSON: text, Interval: time.Second,
			TimeRange: backend.TimeRange{From: end.Add(-5 * time.Minute), To: end},
		})
	}
	require.NotEmpty(t, queries)
	return queries
}

// counters are a Prometheus' own: the queries that it ran and the samples that it
// loaded for them.
func counters(t *testing.T, address string) (queries, samples float64) {
	t.Helper()
	resp, err := http.Get(address + "/metrics")
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	page, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	read := func(series string) float64 {
		found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(series) + ` (\S+)$`).FindSubmatch(page)
		require.NotNil(t, found, series)
		value, err := strconv.ParseFloat(string(found[1]), 64)
		require.NoError(t, err)
		return value
	}
	return read(`prometheus_engine_query_duration_seconds_count{slice="inner_eval"}`), read(`prometheus_engine_query_samples_total`)
}

// refresh is one viewer's refresh of the whole dashboard, with what Grafana tells of who is
// logged in.
func refresh(t *testing.T, source *plugin.Datasource, end time.Time, viewer int) {
	t.Helper()
	request := &backend.QueryDataRequest{Queries: overview(t, end)}
	host.LogIn(request, fmt.Sprintf("user:%d", viewer), end)
	request.SetHTTPHeader("X-Query-Group-Id", fmt.Sprint(viewer, end))
	request.SetHTTPHeader("X-Panel-Id", "1")
	answered(t, source, request)
}

func answered(t *testing.T, source *plugin.Datasource, request *backend.QueryDataRequest) {
	t.Helper()
	response, err := source.QueryData(t.Context(), request)
	require.NoError(t, err)
	for ref, one := range response.Responses {
		require.NoError(t, one.Error, ref)
	}
}

// provisioned are the alert rules as Grafana reads them.
type provisioned struct {
	Groups []struct {
		Interval string
		Rules    []struct {
			UID   string
			Title string
			Data  []struct {
				RefID         string                 `yaml:"refId"`
				DatasourceUID string                 `yaml:"datasourceUid"`
				Range         struct{ From, To int } `yaml:"relativeTimeRange"`
				Model         map[string]any
			}
		}
	}
}

// evaluate asks what Grafana asks when it evaluates every shipped rule.
func evaluate(t *testing.T, source *plugin.Datasource, now time.Time) {
	t.Helper()
	text, err := rules.Grafana(rules.All(rules.DefaultTargets()), rules.ProvisionedSource)
	require.NoError(t, err)
	var file provisioned
	require.NoError(t, yaml.Unmarshal(text, &file))
	for _, group := range file.Groups {
		require.Equal(t, "30s", group.Interval)
		for _, rule := range group.Rules {
			request := &backend.QueryDataRequest{Headers: map[string]string{backend.FromAlertHeaderName: "true"}}
			for name, value := range map[string]string{"Name": rule.Title, "Uid": rule.UID, "Folder": "PD Monitor", "Version": "1", "Type": "alerting"} {
				request.SetHTTPHeader("X-Rule-"+name, value)
			}
			request.SetHTTPHeader("X-Cache-Skip", "true")
			for _, asked := range rule.Data {
				if asked.DatasourceUID != rules.ProvisionedSource {
					continue
				}
				model, err := json.Marshal(asked.Model)
				require.NoError(t, err)
				request.Queries = append(request.Queries, backend.DataQuery{
					RefID: asked.RefID, JSON: model, Interval: 30 * time.Second, MaxDataPoints: 10,
					TimeRange: backend.TimeRange{
						From: now.Add(-time.Duration(asked.Range.From) * time.Second), To: now.Add(-time.Duration(asked.Range.To) * time.Second),
					},
				})
			}
			answered(t, source, request)
		}
	}
}

// What one viewer asks while others do and rules are evaluated is answered; with the
// race detector, this is what it watches.
func TestViewersAndRulesAskAtOnce(t *testing.T) {
	r := replay(t, simulator.DefaultCluster(), shortReplay, nil)
	for second := range 3 {
		now := r.start.Add(shortReplay - time.Duration(3-second)*time.Second)
		var all sync.WaitGroup
		for viewer := range 6 {
			all.Go(func() { refresh(t, r.source, now, viewer) })
		}
		if second == 1 {
			all.Go(func() { evaluate(t, r.source, now) })
		}
		all.Wait()
	}
}

// Fifty logged-in viewers who refresh every second, and all alert rules, cost Prometheus at
// most 1.2 times the queries and a tenth of the samples of one viewer without the cache; a
// minute holds one renewal of everything.
func TestFiftyViewersCostLessThanOneWithoutTheCache(t *testing.T) {
	const length, viewers, seconds, alone = 6*time.Minute + 10*time.Second, 50, 65, 5
	r := replay(t, simulator.DefaultCluster(), length, nil)
	first := r.start.Add(length - seconds*time.Second)

	plain := r.with(t, map[string]any{"cache": false})
	refresh(t, plain.source, first, 0) // discovers
	beforeQueries, beforeSamples := counters(t, r.server.URL())
	for second := range alone {
		refresh(t, plain.source, first.Add(time.Duration(second)*time.Second), 0)
	}
	queries, samples := counters(t, r.server.URL())
	perSecond, loaded := (queries-beforeQueries)/alone, (samples-beforeSamples)/alone

	now := first
	var clock atomic.Int64 // in which the data source lives
	clock.Store(now.UnixNano())
	lives := func() time.Time { return time.Unix(0, clock.Load()) }
	cached := r.with(t, nil)
	cached.source.KeepPointsAt(lives)
	cached.source.LookAt(lives)
	refresh(t, cached.source, now.Add(-time.Hour), 0) // discovers
	beforeQueries, beforeSamples = counters(t, r.server.URL())
	for second := range seconds {
		now = first.Add(time.Duration(second) * time.Second)
		clock.Store(now.UnixNano())
		watching := 1
		if second == 1 {
			watching = viewers // after this one stands for all, which takes less time
		}
		var all sync.WaitGroup
		for viewer := range watching {
			all.Go(func() { refresh(t, cached.source, now, viewer) })
		}
		all.Wait()
		if second%30 == 10 {
			evaluate(t, cached.source, now)
		}
	}
	queries, samples = counters(t, r.server.URL())
	t.Logf("queries %.3f, samples %.3f of one viewer's without the cache",
		(queries-beforeQueries)/(perSecond*seconds), (samples-beforeSamples)/(loaded*seconds))
	require.LessOrEqual(t, queries-beforeQueries, 1.2*perSecond*seconds)
	require.LessOrEqual(t, samples-beforeSamples, 0.1*loaded*seconds)
}
