package plugin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// A graph that refreshes every second would otherwise shimmer, and no cache hit.
func TestRequestsASecondApartShareTheirPoints(t *testing.T) {
	r := theDefaultCluster(t)
	for _, q := range []query.Query{
		byModel("decode_token_rate"), byModel("requests_running"), {Signal: "ttft", Stat: query.StatMean}, {Expr: "sum(rate(vllm:generation_tokens_total[$__rate_interval]))"},
	} {
		for _, step := range []time.Duration{time.Second, 7 * time.Second, 15 * time.Second} {
			t.Run(fmt.Sprintf("%s%s every %s", q.Signal, q.Expr, step), func(t *testing.T) {
				dq := r.query(t, q, settled, ended-10*time.Second)
				dq.Interval = step
				first := r.run(t, dq)
				dq.TimeRange.From, dq.TimeRange.To = dq.TimeRange.From.Add(time.Second), dq.TimeRange.To.Add(time.Second)
				second := r.run(t, dq)
				require.Len(t, second.curves, len(first.curves))
				for i, c := range first.curves {
					require.Equal(t, c.labels, second.curves[i].labels)
					shared := 0
					for at, v := range c.points {
						if again, ok := second.curves[i].points[at]; ok {
							require.Equal(t, v, again, "at %s", at)
							shared++
						}
					}
					// One may be gone at the beginning, and one be new at the end.
					require.GreaterOrEqual(t, shared, len(c.points)-1)
					require.GreaterOrEqual(t, shared, len(second.curves[i].points)-1)
					require.Positive(t, shared)
				}
			})
		}
	}
}

func TestPointsLieOnMultiplesOfTheStep(t *testing.T) {
	r := theDefaultCluster(t)
	for _, step := range []time.Duration{time.Second, 7 * time.Second, 30 * time.Second} {
		dq := r.query(t, byModel("requests_running"), settled, ended)
		dq.Interval = step
		// Grafana's ranges begin anywhere.
		dq.TimeRange.From, dq.TimeRange.To = dq.TimeRange.From.Add(123*time.Millisecond), dq.TimeRange.To.Add(456*time.Millisecond)
		for _, c := range r.run(t, dq).curves {
			require.NotEmpty(t, c.points)
			for at := range c.points {
				require.Zero(t, r.start.Add(at).UnixMilli()%step.Milliseconds())
			}
		}
	}
}

// No step is finer than the scrapes, and none is needed to be given.
func TestTheStepIsNeverFinerThanTheScrapes(t *testing.T) {
	r := theDefaultCluster(t)
	dq := r.query(t, byModel("requests_running"), settled, ended)
	for name, change := range map[string]func(){
		"finer than the scrapes":  func() { dq.Interval = 50 * time.Millisecond },
		"of no length":            func() { dq.Interval, dq.MaxDataPoints = 0, 5000 },
		"without anything at all": func() { dq.Interval, dq.MaxDataPoints = 0, 0 },
	} {
		t.Run(name, func(t *testing.T) {
			change()
			got := r.run(t, dq)
			require.Contains(t, got.frames[0].Meta.ExecutedQueryString, "Step: 1s")
			require.Len(t, got.curves[0].points, int((ended-settled)/time.Second))
		})
	}
	dq.Interval, dq.MaxDataPoints = 0, 12
	require.Contains(t, r.run(t, dq).frames[0].Meta.ExecutedQueryString, "Step: 10s")
}

// A table of a query is the last point of its graph.
func TestAnInstantIsTheLastPointOfTheGraph(t *testing.T) {
	r := theDefaultCluster(t)
	for _, q := range []query.Query{
		{Signal: "decode_token_rate", RateMode: query.RateWindow, Window: "8s", GroupBy: []string{"model"}},
		{Signal: "kv_transfer_bytes", GroupBy: []string{"model"}},
		{Signal: "itl", Stat: query.StatMean, GroupBy: []string{"model"}},
	} {
		t.Run(q.Signal, func(t *testing.T) {
			graph := r.ask(t, q, settled, ended)
			q.Format = query.FormatTable
			table := respond(t, r.source, r.query(t, q, settled, ended))
			require.NoError(t, table.Error)
			frame := table.Frames[0]
			model, _ := frame.FieldByName("model")
			require.Equal(t, len(graph.curves), frame.Rows())
			for row := range frame.Rows() {
				want := graph.of(t, "model", model.At(row).(string)).points[ended]
				require.InEpsilon(t, want, frame.Fields[len(frame.Fields)-1].At(row), exact)
			}
		})
	}
}

// PromQL that gives a scalar has no labels to be drawn by.
func TestAScalarIsDrawnToo(t *testing.T) {
	r := theDefaultCluster(t)
	got := r.ask(t, query.Query{Expr: "time() * 0 + 5"}, settled, ended)
	require.InDelta(t, 5, got.of(t).mean(), exact)
	table := respond(t, r.source, r.query(t, query.Query{Expr: "time() * 0 + 5", Format: query.FormatTable}, settled, ended))
	require.NoError(t, table.Error)
	require.Equal(t, data.FrameTypeNumericLong, table.Frames[0].Meta.Type)
	require.Equal(t, 1, table.Frames[0].Rows())
}

func TestMacrosHaveTheSameValueInEveryForm(t *testing.T) {
	r := theDefaultCluster(t)
	for _, test := range []struct {
		step time.Duration
		expr string
		want float64
	}{
		{time.Second, "vector($__range_s)", 119}, {time.Second, "vector(${__range_s})", 119}, {time.Second, "vector(${__range_s:raw})", 119},
		{time.Second, "vector($__range_ms)", 119_000}, {time.Second, "vector(${__range_ms})", 119_000},
		{time.Second, "vector($__interval_ms)", 1000}, {time.Second, "vector(${__interval_ms})", 1000}, {15 * time.Second, "vector($__interval_ms)", 15_000},
		{time.Second, "vector($__rate_interval_ms)", 4000}, {15 * time.Second, "vector(${__rate_interval_ms})", 16_000},
		{time.Second, "count_over_time(vector(1)[$__interval:1s])", 1}, {time.Second, "count_over_time(vector(1)[${__interval}:1s])", 1},
		{time.Second, "count_over_time(vector(1)[$__rate_interval:1s])", 4}, {time.Second, "count_over_time(vector(1)[${__rate_interval}:1s])", 4},
		{time.Second, "count_over_time(vector(1)[$__range:1s])", 119}, {time.Second, "count_over_time(vector(1)[${__range}:1s])", 119},
		{5 * time.Second, "vector($__interval_ms+${__interval_ms})", 10_000},
	} {
		t.Run(fmt.Sprintf("%s every %s", test.expr, test.step), func(t *testing.T) {
			dq := r.query(t, query.Query{Expr: test.expr}, settled, ended)
			dq.Interval = test.step
			// The range is that of the grid; it begins on it here.
			if test.step > time.Second {
				dq.TimeRange.From = dq.TimeRange.From.Truncate(test.step)
			}
			got := r.run(t, dq)
			require.NotEmpty(t, got.curves)
			for _, v := range got.of(t).points {
				require.InDelta(t, test.want, v, exact)
			}
			require.NotContains(t, got.frames[0].Meta.ExecutedQueryString, "$")
		})
	}
}

func TestWhatIsNoMacroIsNamed(t *testing.T) {
	r := theDefaultCluster(t)
	for expr, name := range map[string]string{
		`rate(x[$interval])`:           "$interval",
		`rate(x[${interval}])`:         "${interval}",
		`rate(x[$__rate_intervals])`:   "$__rate_intervals",
		`rate(x[${__rate_interval2}])`: "${__rate_interval2}",
		`x{a="[[b]]"}`:                 "[[b]]",
		`x{a=~"${b:pipe}"}`:            "${b:pipe}",
		`x{a="$__user.login"}`:         "$__user",
	} {
		t.Run(expr, func(t *testing.T) {
			text, err := json.Marshal(map[string]any{"queryType": "promql", "expr": expr})
			require.NoError(t, err)
			dq := r.query(t, query.Query{Expr: "up"}, settled, ended)
			dq.JSON = text
			got := respond(t, r.source, dq)
			require.ErrorContains(t, got.Error, fmt.Sprintf("%q is not allowed: the variable was not replaced", name))
			require.EqualValues(t, http.StatusBadRequest, got.Status)
			require.Equal(t, backend.ErrorSourceDownstream, got.ErrorSource)
		})
	}
	// A dollar sign at the end of an expression is none.
	got := r.ask(t, query.Query{Expr: `count(up{instance=~"^prefill.*$",job=~"v[[:alpha:]]+$"})`}, settled, ended)
	require.NotEmpty(t, got.curves, strings.Join(got.notices, "\n"))
}
