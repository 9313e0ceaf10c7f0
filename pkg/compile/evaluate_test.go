package compile_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/storage"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// byInstance are the role matchers that the settings have by default.
var byInstance = map[query.Role]string{
	query.RolePrefill: `instance=~"prefill.*"`,
	query.RoleDecode:  `instance=~"decode.*"`,
}

// ask is a request for a signal as a panel would make it; edits change the rest.
func ask(signal string, edits ...func(*compile.Request)) compile.Request {
	r := compile.Request{
		Query:   query.Query{Signal: signal}.WithDefaults(),
		Options: compile.Options{ScrapeInterval: time.Second},
		Step:    time.Second,
	}
	for _, edit := range edits {
		edit(&r)
	}
	return r
}

func byModel(r *compile.Request)  { r.Query.GroupBy = []string{"model"} }
func perRole(r *compile.Request)  { r.Options.Roles = byInstance }
func zoomed(r *compile.Request)   { r.Step = 15 * time.Second }
func windowed(r *compile.Request) { r.Query.RateMode, r.Query.Window = query.RateWindow, "30s" }

func of(system string) func(*compile.Request) {
	return func(r *compile.Request) { r.Query.System = system }
}

func on(role query.Role) func(*compile.Request) {
	return func(r *compile.Request) { r.Query.Role = role }
}

func by(labels ...string) func(*compile.Request) {
	return func(r *compile.Request) { r.Query.GroupBy = labels }
}

func where(label string, op query.Op, values ...string) func(*compile.Request) {
	return func(r *compile.Request) {
		r.Query.Filters = append(r.Query.Filters, query.Filter{Label: label, Op: op, Values: values})
	}
}

func ranked(s compile.RankStrategy) func(*compile.Request) {
	return func(r *compile.Request) { r.Options.RankStrategy = s }
}

func quantile(q float64) func(*compile.Request) {
	return func(r *compile.Request) { r.Query.Stat, r.Query.Quantile = query.StatQuantile, q }
}

func statistic(s query.Stat) func(*compile.Request) {
	return func(r *compile.Request) { r.Query.Stat = s }
}

func holding(d *deployment.Deployment) func(*compile.Request) {
	return func(r *compile.Request) { r.Deployment = d }
}

// server describes what a server holds: one system whose roles are told in one
// way, with two engines of each role that can then be told, and the metrics named.
func server(system string, told deployment.RoleBy, metrics ...string) *deployment.Deployment {
	found := deployment.Found{RoleBy: told, Instances: map[query.Role]int{query.RolePrefill: 2, query.RoleDecode: 2}, Models: []string{"m"}}
	if told == deployment.RoleByNothing {
		found.Instances = map[query.Role]int{query.RoleUnified: 2}
	}
	d := &deployment.Deployment{
		Metrics: map[string]bool{}, Gauges: map[string]bool{},
		Systems:        map[string]deployment.Found{system: found},
		ScrapeInterval: time.Second,
	}
	for _, name := range metrics {
		d.Metrics[name] = true
	}
	return d
}

var loaded = sync.OnceValues(catalog.Load)

func compiler(t testing.TB) *compile.Compiler {
	t.Helper()
	c, err := loaded()
	require.NoError(t, err)
	return compile.New(c)
}

func planned(t testing.TB, r compile.Request) compile.Plan {
	t.Helper()
	require.NoError(t, r.Query.Validate())
	p, err := compiler(t).Compile(r)
	require.NoError(t, err)
	return p
}

// only is the expression of a plan that has exactly one.
func only(t testing.TB, r compile.Request) string {
	t.Helper()
	p := planned(t, r)
	require.Len(t, p.Expressions, 1, "notices: %v", p.Notices)
	return p.Expressions[0].PromQL
}

// promqls are the expressions of a plan, each after the labels that it adds.
func promqls(p compile.Plan) []string {
	var all []string
	for _, e := range p.Expressions {
		all = append(all, strings.TrimSuffix(e.Labels["system"]+"/"+e.Labels["role"], "/")+": "+e.PromQL)
	}
	return all
}

func texts(p compile.Plan) string {
	var all []string
	for _, n := range p.Notices {
		all = append(all, string(n.Severity)+": "+n.Text)
	}
	return strings.Join(all, "\n")
}

func engine(t testing.TB) *promql.Engine {
	return promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery)
}

// answers runs every expression of a plan at one time and returns the values by
// the label set that the reader of the panel would see.
func answers(t testing.TB, series storage.Queryable, p compile.Plan, at time.Duration) map[string]float64 {
	t.Helper()
	got := map[string]float64{}
	e := engine(t)
	for _, x := range p.Expressions {
		q, err := e.NewInstantQuery(context.Background(), series, nil, x.PromQL, time.Unix(0, 0).Add(at))
		require.NoError(t, err, x.PromQL)
		result := q.Exec(context.Background())
		require.NoError(t, result.Err, x.PromQL)
		vector, err := result.Vector()
		require.NoError(t, err, x.PromQL)
		for _, s := range vector {
			require.False(t, math.IsNaN(s.F), "NaN from %s", x.PromQL)
			seen := map[string]string{}
			maps.Copy(seen, x.Labels)
			s.Metric.Range(func(l labels.Label) {
				name := l.Name
				if logical, ok := x.Rename[name]; ok {
					name = logical
				}
				seen[name] = l.Value
			})
			key := labels.FromMap(seen).String()
			require.NotContains(t, got, key, "two series with the same labels")
			got[key] = s.F
		}
		q.Close()
	}
	return got
}

// values checks a plan's answer to a set of series against numbers by label set.
func values(t testing.TB, lines string, r compile.Request, at time.Duration, want map[string]float64) {
	t.Helper()
	p := planned(t, r)
	got := answers(t, loadedSeries(t, lines), p, at)
	shown := fmt.Sprintf("%s\nnotices:\n%s", strings.Join(promqls(p), "\n"), texts(p))
	require.Len(t, got, len(want), "got %v from %s", got, shown)
	for key, value := range want {
		require.Contains(t, got, key, "got %v from %s", got, shown)
		require.InDelta(t, value, got[key], 1e-9*math.Max(1, math.Abs(value)), "%s of %s", key, shown)
	}
}

// loadedSeries holds series that are written one a line, scraped every second.
func loadedSeries(t testing.TB, lines string) storage.Queryable {
	t.Helper()
	return promqltest.LoadedStorage(t, "load 1s\n  "+strings.TrimSpace(lines))
}
