package plugin_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// alerting is how Grafana evaluates a rule: over gRPC, without a front end, with
// the query as it was stored and the fields that Grafana adds.
func alerting(t *testing.T, r *replayed, stored string) backend.DataResponse {
	t.Helper()
	request := &backend.QueryDataRequest{
		PluginContext: instanceOf(t, r.server.URL(), map[string]any{"requestSizes": r.sizes()}),
		Headers:       map[string]string{"FromAlert": "true", "X-Cache-Skip": "true"},
		Queries: []backend.DataQuery{{
			RefID: "A", QueryType: "", MaxDataPoints: 43200, Interval: time.Second, JSON: json.RawMessage(stored),
			TimeRange: backend.TimeRange{From: r.start.Add(settled + time.Second), To: r.start.Add(ended)},
		}},
	}
	response, err := served(t).QueryData(t.Context(), request)
	require.NoError(t, err)
	return response.Responses["A"]
}

func TestAnAlertsQueryNeedsNoFrontEnd(t *testing.T) {
	r := theDefaultCluster(t)
	got := alerting(t, r, `{"refId":"A","datasource":{"type":"ptd-pdmonitor-datasource","uid":"x"},"intervalMs":1000,"maxDataPoints":43200,
		"signal":"kv_transfer_request_rate","groupBy":["model"]}`)
	require.NoError(t, got.Error)
	curves := r.read(t, got.Frames)
	for _, g := range r.cluster.Groups {
		want := r.truth.Rate(simulator.KVTransfers, simulator.Selector{Model: g.Model}, settled+1, ended+1)
		require.InEpsilon(t, want, curves.of(t, "model", g.Model).mean(), exact)
	}
	for _, f := range got.Frames {
		require.Equal(t, data.FrameTypeTimeSeriesMulti, f.Meta.Type, "a type that alerting can reduce")
	}
}

func TestAVariableThatNobodyReplacedIsNamed(t *testing.T) {
	for name, stored := range map[string]string{
		"in a filter":     `{"signal":"ttft","filters":[{"label":"model","op":"=","values":["$model"]}]}`,
		"in PromQL":       `{"queryType":"promql","expr":"up{job=\"$model\"}"}`,
		"with a format":   `{"queryType":"promql","expr":"up{job=~\"${model:regex}\"}"}`,
		"in the grouping": `{"signal":"ttft","groupBy":["[[model]]"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			got := alerting(t, theDefaultCluster(t), stored)
			require.ErrorContains(t, got.Error, "model")
			require.ErrorContains(t, got.Error, "the variable was not replaced")
			require.EqualValues(t, http.StatusBadRequest, got.Status)
			require.Equal(t, backend.ErrorSourceDownstream, got.ErrorSource)
		})
	}
}

func TestWhatARuleCannotReduceIsRefusedWithWhatToAskFor(t *testing.T) {
	for name, test := range map[string]struct{ stored, says string }{
		"a heatmap":       {`{"signal":"ttft","stat":"heatmap"}`, `stat: "heatmap" is not allowed: alert and recording rules need one number for each series, and a heatmap has one for each bucket: ask for a quantile`},
		"an inventory":    {`{"queryType":"inventory"}`, `queryType: "inventory" is not allowed: alert and recording rules need one number for each series`},
		"a text":          {`{"queryType":"promql","expr":"\"up\"","format":"table"}`, `expr: "\"up\"" is not allowed: it gives a text`},
		"a range of time": {`{"queryType":"promql","expr":"up[1m]"}`, `it gives a range of samples for each series`},
	} {
		t.Run(name, func(t *testing.T) {
			got := alerting(t, theDefaultCluster(t), test.stored)
			require.ErrorContains(t, got.Error, test.says)
			require.EqualValues(t, http.StatusBadRequest, got.Status)
			require.Equal(t, backend.ErrorSourceDownstream, got.ErrorSource)
			require.Empty(t, got.Frames)
		})
	}
}

func TestAPanelStillDrawsWhatARuleCannotReduce(t *testing.T) {
	r := theDefaultCluster(t)
	require.NotEmpty(t, r.run(t, r.query(t, query.Query{Signal: "ttft", Stat: query.StatHeatmap}, settled, ended)).frames[0].Fields)
}

func TestAScalarIsANumberWithoutLabels(t *testing.T) {
	for _, format := range []string{"time_series", "table"} {
		got := alerting(t, theDefaultCluster(t), `{"queryType":"promql","expr":"6 * 7","format":"`+format+`"}`)
		require.NoError(t, got.Error)
		require.Len(t, got.Frames, 1)
		value := got.Frames[0].Fields[len(got.Frames[0].Fields)-1]
		require.Equal(t, 42.0, value.At(value.Len()-1))
		require.Empty(t, value.Labels)
	}
}

func TestTimeMacrosAreExpandedByTheBackEnd(t *testing.T) {
	r := theDefaultCluster(t)
	got := alerting(t, r, `{"queryType":"promql","expr":"sum(rate(vllm:generation_tokens_total[$__rate_interval])) * 0 + $__range_s + ${__interval_ms} / 1e6"}`)
	require.NoError(t, got.Error)
	a := r.read(t, got.Frames)
	require.Len(t, a.curves, 1)
	// The range is from the first to the last point, a second is 1,000 ms.
	require.InDelta(t, 119+0.001, a.curves[0].points[ended], exact)
	require.Contains(t, got.Frames[0].Meta.ExecutedQueryString, "[4s]", "$__rate_interval is the window of all rates")
	require.NotContains(t, got.Frames[0].Meta.ExecutedQueryString, "$")
}

func TestTheDashboardsFiltersReachPromQL(t *testing.T) {
	r := theDefaultCluster(t)
	group := r.cluster.Groups[0]
	filter, err := json.Marshal(query.Filter{Label: "model", Op: query.OpEqual, Values: []string{group.Model}})
	require.NoError(t, err)
	got := alerting(t, r, `{"queryType":"promql","expr":"sum by (model_name) (rate({__name__=~\"(vllm|sglang):generation_tokens_total\",model_name!=\"\"}[$__rate_interval]))","filters":[`+string(filter)+`]}`)
	require.NoError(t, got.Error)
	require.NotContains(t, got.Frames[0].Meta.ExecutedQueryString, "$__")
	require.Contains(t, got.Frames[0].Meta.ExecutedQueryString, `,model="`+group.Model+`"`, "a name of several metrics is of no system")
	for _, metric := range []string{"vllm:generation_tokens_total", "sglang:generation_tokens_total"} {
		got := alerting(t, r, `{"queryType":"promql","expr":"sum by (model_name) (rate(`+metric+`[$__rate_interval]))","filters":[`+string(filter)+`]}`)
		require.NoError(t, got.Error)
		require.Contains(t, got.Frames[0].Meta.ExecutedQueryString, metric+`{model_name="`+group.Model+`"}[4s]`)
		require.Contains(t, got.Frames[0].Meta.Notices[0].Text, `Filters of the dashboard: model_name="`+group.Model+`" was added to each selector.`)
		for _, f := range got.Frames {
			for _, field := range f.Fields[min(1, len(f.Fields)):] {
				require.Equal(t, group.Model, field.Labels["model_name"])
			}
		}
	}
}

func TestATableIsOneLongFrameOfTheNewestValues(t *testing.T) {
	r := theDefaultCluster(t)
	got := alerting(t, r, `{"signal":"requests_running","role":"decode","groupBy":["model"],"format":"table"}`)
	require.NoError(t, got.Error)
	require.Len(t, got.Frames, 1)
	f := got.Frames[0]
	require.Equal(t, data.FrameTypeNumericLong, f.Meta.Type)
	models, at := f.FieldByName("model")
	require.NotEqual(t, -1, at)
	value := f.Fields[len(f.Fields)-1]
	require.Equal(t, 3, value.Len())
	for i := range value.Len() {
		model := models.At(i).(string)
		want := r.truth.At(simulator.Running, simulator.Selector{Model: model, Role: simulator.Decode}, ended)
		require.Equal(t, want, value.At(i), model)
	}
}

func TestAnInstantRateTakesTheCalmerWindow(t *testing.T) {
	r := theDefaultCluster(t)
	got := alerting(t, r, `{"signal":"decode_request_rate","groupBy":["model"],"format":"table"}`)
	require.NoError(t, got.Error)
	require.Contains(t, got.Frames[0].Meta.ExecutedQueryString, "rate(")
	require.NotContains(t, got.Frames[0].Meta.ExecutedQueryString, "irate(")
}

func TestAStepThatGivesTooManyPointsIsRaisedAndSaysSo(t *testing.T) {
	r := theDefaultCluster(t)
	dq := r.query(t, byModel("decode_request_rate"), settled, ended)
	dq.TimeRange.From = dq.TimeRange.To.Add(-24 * time.Hour)
	got := r.run(t, dq)
	require.Contains(t, strings.Join(got.notices, "\n"), "The step was raised from 1s to 8s", "86,400 points, 11,000 at most")
	require.Contains(t, got.frames[0].Meta.ExecutedQueryString, "Step: 8s")
}

func TestStepsOfHoursFollowTheUsersMidnight(t *testing.T) {
	r := theDefaultCluster(t)
	// Kathmandu is 5:45 ahead.
	const offset = 5*time.Hour + 45*time.Minute
	for step, want := range map[time.Duration]time.Duration{
		time.Hour:       offset,
		6 * time.Hour:   offset,
		24 * time.Hour:  offset,
		5 * time.Minute: 0, // minutes are the same everywhere
	} {
		dq := r.query(t, query.Query{Expr: "vector(1)"}, settled, ended)
		dq.JSON = json.RawMessage(`{"queryType":"promql","expr":"vector(1)","utcOffsetSec":20700}`)
		dq.TimeRange.From = dq.TimeRange.To.Add(-3 * 24 * time.Hour)
		dq.Interval = step
		got := r.run(t, dq)
		require.NotEmpty(t, got.curves)
		for at := range got.curves[0].points {
			local := r.start.Add(at).UTC().Add(want)
			require.Zero(t, local.Sub(local.Truncate(step)), "step %s: %s", step, local)
		}
	}
}

func TestAWrongUTCOffsetIsAFaultOfTheQuery(t *testing.T) {
	got := alerting(t, theDefaultCluster(t), `{"signal":"ttft","utcOffsetSec":"east"}`)
	require.ErrorContains(t, got.Error, "utcOffsetSec")
	require.EqualValues(t, http.StatusBadRequest, got.Status)
}
