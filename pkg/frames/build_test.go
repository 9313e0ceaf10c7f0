package frames_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/frames"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// onePlan has one expression without labels.
func onePlan(change func(*compile.Plan)) compile.Plan {
	plan := compile.Plan{Title: "Rate", Unit: "reqps", Expressions: []compile.Expression{{PromQL: "x"}}}
	if change != nil {
		change(&plan)
	}
	return plan
}

func matrix(metrics ...model.Metric) prom.Matrix {
	var m prom.Matrix
	for i, metric := range metrics {
		m = append(m, prom.Series{Metric: metric, Times: []int64{1000}, Values: []float64{float64(i)}})
	}
	return m
}

// columns is a matrix as package prom gives it; literals are easier to read as pairs.
func columns(m model.Matrix) prom.Matrix {
	list := prom.Matrix{}
	for _, stream := range m {
		one := prom.Series{Metric: stream.Metric, Native: len(stream.Histograms) > 0}
		for _, p := range stream.Values {
			one.Times, one.Values = append(one.Times, int64(p.Timestamp)), append(one.Values, float64(p.Value))
		}
		list = append(list, one)
	}
	return list
}

func build(t *testing.T, plan compile.Plan, opts frames.Options, values ...model.Value) data.Frames {
	t.Helper()
	var answers []frames.Answer
	for i, value := range values {
		if pairs, ok := value.(model.Matrix); ok {
			value = columns(pairs)
		}
		answers = append(answers, frames.Answer{Expression: i, Value: value})
	}
	got, err := frames.Build(plan, answers, opts)
	require.NoError(t, err)
	return got
}

func texts(f *data.Frame) []string {
	var list []string
	for _, n := range f.Meta.Notices {
		list = append(list, n.Severity.String()+": "+n.Text)
	}
	return list
}

func displays(all data.Frames) []string {
	var names []string
	for _, f := range all {
		names = append(names, f.Fields[len(f.Fields)-1].Config.DisplayNameFromDS)
	}
	return names
}

func labelsOf(all data.Frames) []string {
	var list []string
	for _, f := range all {
		list = append(list, f.Fields[len(f.Fields)-1].Labels.String())
	}
	return list
}

func TestDisplayNames(t *testing.T) {
	grouped := func(legend string) compile.Plan {
		return onePlan(func(p *compile.Plan) {
			p.Legend = legend
			p.GroupBy = []string{"model", "system"}
			p.Expressions[0].Labels = map[string]string{"system": "vllm", "role": "decode"}
			p.Expressions[0].Rename = map[string]string{"model_name": "model"}
		})
	}
	raw := onePlan(func(p *compile.Plan) { p.Title = "x" })
	one := model.Metric{"model_name": "a"}
	tests := []struct {
		name   string
		plan   compile.Plan
		series []model.Metric
		want   []string
	}{
		{"what was grouped by, then what the expressions differ in", grouped(""), []model.Metric{one}, []string{"a vllm"}},
		{"a missing group value is left out", grouped(""), []model.Metric{{}}, []string{"vllm"}},
		{"equal names are told apart by all labels", grouped(""), []model.Metric{{"model_name": "a", "i": "1"}, {"model_name": "a", "i": "2"}},
			[]string{`a vllm{i="1", model="a", role="decode", system="vllm"}`, `a vllm{i="2", model="a", role="decode", system="vllm"}`}},
		{"the title where nothing was grouped by", onePlan(nil), []model.Metric{{}}, []string{"Rate"}},
		{"a template", grouped("{{ model }} on {{role}}"), []model.Metric{one}, []string{"a on decode"}},
		{"a template may name physical labels", grouped("{{model_name}}/{{__name__}}"), []model.Metric{{"model_name": "a", "__name__": "up"}}, []string{"a/up"}},
		{"unknown variables of a template are empty", grouped("m {{nope}}!"), []model.Metric{one}, []string{"m !"}},
		{"a template that comes out empty gives the title", grouped("{{nope}}"), []model.Metric{one}, []string{"Rate"}},
		{"a value with a dollar sign is taken to the letter", grouped("{{model}}"), []model.Metric{{"model_name": "$1{{role}}"}}, []string{"$1{{role}}"}},
		{"one's own PromQL has Prometheus' names", raw, []model.Metric{{"__name__": "up", "job": "a\"b"}}, []string{`up{job="a\"b"}`}},
		{"one's own PromQL without labels", raw, []model.Metric{{"__name__": "up"}}, []string{"up"}},
		{"one's own PromQL without anything", raw, []model.Metric{{}}, []string{"Value"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := build(t, tt.plan, frames.Options{Step: time.Second}, matrix(tt.series...))
			require.Equal(t, tt.want, displays(got))
			for _, f := range got {
				require.Equal(t, f.Name, f.Fields[1].Config.DisplayNameFromDS)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	renaming := onePlan(func(p *compile.Plan) {
		p.Expressions[0].Labels = map[string]string{"role": "decode"}
		p.Expressions[0].Rename = map[string]string{"model_name": "model", "served": "model", "pod": "pod"}
	})
	tests := []struct {
		name   string
		series []model.Metric
		want   []string
		notice bool
	}{
		{"physical labels become logical ones, the metric's name goes", []model.Metric{{"__name__": "x", "model_name": "a", "pod": "p"}}, []string{"model=a, pod=p, role=decode"}, false},
		{"a label that the plan sets moves another of that name aside", []model.Metric{{"role": "mine"}}, []string{"exported_role=mine, role=decode"}, false},
		{"a label that says the same needs no second place", []model.Metric{{"role": "decode", "model_name": "a", "model": "a"}}, []string{"model=a, role=decode"}, false},
		{"a renamed label moves another of that name aside", []model.Metric{{"model_name": "a", "model": "b"}}, []string{"exported_model=b, model=a, role=decode"}, false},
		{"moving aside does not run over a third", []model.Metric{{"model_name": "a", "model": "b", "exported_model": "c"}}, []string{"exported_exported_model=c, exported_model=b, model=a, role=decode"}, false},
		{"series that became equal keep their own labels", []model.Metric{{"model_name": "a"}, {"served": "a"}, {"model": "a"}},
			[]string{"model=a, model_name=a, role=decode", "model=a, role=decode", "model=a, role=decode, served=a"}, true},
		{"series that differ only by metric keep its name", []model.Metric{{"__name__": "x"}, {"__name__": "y"}}, []string{"__name__=x, role=decode", "__name__=y, role=decode"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := build(t, renaming, frames.Options{Step: time.Second}, matrix(tt.series...))
			require.Equal(t, tt.want, labelsOf(got))
			require.Equal(t, tt.notice, len(got[0].Meta.Notices) > 0)
		})
	}
	t.Run("equal series of two expressions are numbered", func(t *testing.T) {
		plan := onePlan(func(p *compile.Plan) { p.Expressions = append(p.Expressions, compile.Expression{PromQL: "y"}) })
		got := build(t, plan, frames.Options{Step: time.Second}, matrix(model.Metric{}), matrix(model.Metric{}))
		require.Equal(t, []string{"series=1", "series=2"}, labelsOf(got))
	})
	t.Run("one's own PromQL names its fields by metric, so equal labels do not clash", func(t *testing.T) {
		plan := onePlan(func(p *compile.Plan) { p.Title = "x" })
		got := build(t, plan, frames.Options{Step: time.Second}, matrix(model.Metric{"__name__": "b", "i": "1"}, model.Metric{"__name__": "a", "i": "1"}))
		require.Equal(t, []string{"i=1", "i=1"}, labelsOf(got))
		require.Equal(t, "a", got[0].Fields[1].Name)
		require.Equal(t, "b", got[1].Fields[1].Name)
		require.Empty(t, got[0].Meta.Notices)
	})
}

func TestOrderDoesNotDependOnTheAnswer(t *testing.T) {
	metrics := []model.Metric{{"i": "2"}, {"i": "1"}, {"h": "z"}, {"i": "1", "j": ""}, {}}
	want := labelsOf(build(t, onePlan(nil), frames.Options{Step: time.Second}, matrix(metrics...)))
	require.Equal(t, []string{"", "h=z", "i=1", "i=1, j=", "i=2"}, want)
	slices.Reverse(metrics)
	require.Equal(t, want, labelsOf(build(t, onePlan(nil), frames.Options{Step: time.Second}, matrix(metrics...))))
}

func TestInstantAnswers(t *testing.T) {
	vector := model.Vector{
		{Metric: model.Metric{"i": "b"}, Timestamp: 5000, Value: 2},
		{Metric: model.Metric{"i": "a"}, Timestamp: 5000, Value: 1},
		{Metric: model.Metric{"i": "nan"}, Timestamp: 5000, Value: model.SampleValue(math.NaN())},
		{Metric: model.Metric{"i": "h"}, Timestamp: 5000, Histogram: &model.SampleHistogram{}},
	}
	t.Run("a vector is one number for each series", func(t *testing.T) {
		got := build(t, onePlan(nil), frames.Options{}, vector)
		require.Equal(t, []string{"i=a", "i=b"}, labelsOf(got))
		require.Equal(t, data.FrameTypeNumericMulti, got[0].Meta.Type)
		require.Equal(t, data.FrameTypeVersion{0, 1}, got[0].Meta.TypeVersion)
		require.Equal(t, "x", got[0].Meta.ExecutedQueryString)
		require.Equal(t, 1, got[0].Rows())
		require.Equal(t, time.Unix(5, 0).UTC(), got[0].Fields[0].At(0))
		require.InDelta(t, 1.0, got[0].Fields[1].At(0), 0)
		require.Equal(t, "reqps", got[0].Fields[1].Config.Unit)
		require.Equal(t, []string{"warning: Native histograms in 1 series are left out: ask for a quantile or a mean of them."}, texts(got[0]))
	})
	t.Run("a scalar is one number without labels", func(t *testing.T) {
		got := build(t, onePlan(nil), frames.Options{}, &model.Scalar{Timestamp: 5000, Value: 7})
		require.Len(t, got, 1)
		require.Empty(t, got[0].Fields[1].Labels)
		require.InDelta(t, 7.0, got[0].Fields[1].At(0), 0)
	})
	t.Run("a text is nothing", func(t *testing.T) {
		got := build(t, onePlan(nil), frames.Options{}, &model.String{Value: "a"})
		require.Empty(t, got[0].Fields)
		require.Equal(t, data.FrameTypeNumericMulti, got[0].Meta.Type)
		require.Equal(t, []string{"warning: The query gives a text instead of numbers: there is nothing to draw."}, texts(got[0]))
	})
	t.Run("a table of one's own PromQL names the metrics", func(t *testing.T) {
		plan := onePlan(func(p *compile.Plan) { p.Title = "x" })
		got := build(t, plan, frames.Options{Format: query.FormatTable},
			model.Vector{{Metric: model.Metric{"__name__": "up", "job": "a"}, Value: 1}, {Metric: model.Metric{"job": "b"}, Value: 2}})
		require.Len(t, got[0].Fields, 4)
		for i, name := range []string{"Time", "__name__", "job", "Value"} {
			require.Equal(t, name, got[0].Fields[i].Name)
		}
		require.Equal(t, []any{"", "up"}, []any{got[0].Fields[1].At(0), got[0].Fields[1].At(1)})
		require.Equal(t, []any{2.0, 1.0}, []any{got[0].Fields[3].At(0), got[0].Fields[3].At(1)})
	})
	t.Run("a legend without labels names the values of a table", func(t *testing.T) {
		for legend, want := range map[string]string{"Waiting on prefill": "Waiting on prefill", "on {{job}}": "Rate", "": "Rate"} {
			plan := onePlan(func(p *compile.Plan) { p.Legend = legend })
			got := build(t, plan, frames.Options{Format: query.FormatTable}, model.Vector{{Metric: model.Metric{"job": "a"}, Value: 1}})
			require.Equal(t, want, got[0].Fields[len(got[0].Fields)-1].Name)
		}
	})
	t.Run("a table of nothing is typed as one", func(t *testing.T) {
		got := build(t, onePlan(nil), frames.Options{Format: query.FormatTable}, model.Vector{})
		require.Len(t, got, 1)
		require.Empty(t, got[0].Fields)
		require.Equal(t, data.FrameTypeNumericLong, got[0].Meta.Type)
	})
}

func TestWhatCannotBeDrawnIsLeftOut(t *testing.T) {
	nan, inf := model.SampleValue(math.NaN()), model.SampleValue(math.Inf(1))
	pairs := func(values ...model.SampleValue) []model.SamplePair {
		var list []model.SamplePair
		for i, v := range values {
			list = append(list, model.SamplePair{Timestamp: model.Time(i * 1000), Value: v})
		}
		return list
	}
	t.Run("idle is empty and not 0", func(t *testing.T) {
		got := build(t, onePlan(nil), frames.Options{Step: time.Second}, model.Matrix{{Values: pairs(nan, nan)}})
		require.Len(t, got, 1)
		require.Empty(t, got[0].Fields)
		require.Empty(t, texts(got[0]))
	})
	t.Run("infinite values are counted, also where nothing else is left", func(t *testing.T) {
		got := build(t, onePlan(nil), frames.Options{Step: time.Second, Empty: query.Notice{Text: "Nothing."}},
			model.Matrix{{Metric: model.Metric{"i": "1"}, Values: pairs(inf, nan, -inf)}, {Metric: model.Metric{"i": "2"}, Values: pairs(inf)}})
		require.Empty(t, got[0].Fields)
		require.Equal(t, []string{"warning: 3 values in 2 series left out as infinite: something was divided by zero.", "info: Nothing."}, texts(got[0]))
	})
	t.Run("gaps stay gaps", func(t *testing.T) {
		got := build(t, onePlan(nil), frames.Options{Step: time.Second}, model.Matrix{{Values: pairs(1, nan, 3)}})
		require.Equal(t, 2, got[0].Rows())
		require.Equal(t, time.Unix(2, 0).UTC(), got[0].Fields[0].At(1))
	})
	t.Run("native histograms are left out, numbers beside them stay", func(t *testing.T) {
		got := build(t, onePlan(nil), frames.Options{Step: time.Second},
			model.Matrix{{Values: pairs(1), Histograms: []model.SampleHistogramPair{{}}}, {Metric: model.Metric{"i": "1"}, Histograms: []model.SampleHistogramPair{{}}}})
		require.Len(t, got, 1)
		require.Equal(t, []string{"warning: Native histograms in 2 series are left out: ask for a quantile or a mean of them."}, texts(got[0]))
	})
}

func TestSeriesLimit(t *testing.T) {
	var metrics []model.Metric
	for i := range 1234 {
		metrics = append(metrics, model.Metric{"i": model.LabelValue(fmt.Sprintf("%04d", i))})
	}
	t.Run("more than the limit", func(t *testing.T) {
		got := build(t, onePlan(nil), frames.Options{Step: time.Second, SeriesLimit: 1000}, matrix(metrics...))
		require.Len(t, got, 1000)
		require.Equal(t, []string{"i=0000"}, labelsOf(got[:1]))
		require.Equal(t, []string{"warning: 1,234 series, the first 1,000 shown: narrow the query by a filter or group it by fewer labels."}, texts(got[0]))
	})
	for name, limit := range map[string]int{"exactly the limit": 1234, "no limit": 0} {
		t.Run(name, func(t *testing.T) {
			got := build(t, onePlan(nil), frames.Options{Step: time.Second, SeriesLimit: limit}, matrix(metrics...))
			require.Len(t, got, 1234)
			require.Empty(t, got[0].Meta.Notices)
		})
	}
}

func TestQuantileBounds(t *testing.T) {
	const (
		first = "warning: TTFT P99 lies in the first bucket (≤ 300 ms) at times: there it is only an upper bound."
		last  = "warning: TTFT P99 sits on the last finite bucket (80 s) at times: there the true value is higher."
	)
	tests := []struct {
		name  string
		value float64
		want  []string
	}{
		{"within the first bucket", 0.01, []string{first}},
		{"at the end of the first bucket", 0.3, []string{first}},
		{"a rounding error beyond the first bucket", 0.3 * (1 + 1e-12), []string{first}},
		{"between", 0.301, nil},
		{"just below the last bucket's end", 79.99, nil},
		{"a rounding error below the last bucket's end", 80 * (1 - 1e-12), []string{last}},
		{"on the last bucket's end", 80, []string{last}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan := ttftPlan()
			plan.Notices = nil
			got := build(t, plan, frames.Options{Step: time.Second}, model.Matrix{{Values: []model.SamplePair{{Value: model.SampleValue(tt.value)}}}})
			require.Equal(t, tt.want, texts(got[0]))
			got = build(t, plan, frames.Options{Format: query.FormatTable}, model.Vector{{Value: model.SampleValue(tt.value)}})
			require.Equal(t, tt.want, texts(got[0]))
		})
	}
}

func TestAQuantileThatStaysWithinAWideBucketIsSaidToBeInterpolated(t *testing.T) {
	ends := []float64{0.1, 0.2, 0.4, 0.5, 1}
	const interpolated = "info: TTFT P99 stays within one bucket (200 ms to 400 ms): where in it is interpolated, not measured."
	for name, test := range map[string]struct {
		values []float64
		want   []string
	}{
		"one bucket":                      {[]float64{0.398, 0.21}, []string{interpolated}},
		"up to its end":                   {[]float64{0.398, 0.4}, []string{interpolated}},
		"the end of the one before":       {[]float64{0.2, 0.3}, nil},
		"two buckets":                     {[]float64{0.39, 0.41}, nil},
		"a bucket that is narrow":         {[]float64{0.45}, nil},
		"the first, which says so itself": {[]float64{0.05}, []string{"warning: TTFT P99 lies in the first bucket (≤ 100 ms) at times: there it is only an upper bound."}},
	} {
		t.Run(name, func(t *testing.T) {
			plan := compile.Plan{Title: "TTFT P99", Unit: "s", Expressions: []compile.Expression{{Quantile: &compile.Bounds{First: 0.1, Last: 1, Ends: ends}}}}
			var points []model.SamplePair
			for i, v := range test.values {
				points = append(points, model.SamplePair{Timestamp: model.Time(1000 * i), Value: model.SampleValue(v)})
			}
			got := build(t, plan, frames.Options{Step: time.Second}, model.Matrix{{Values: points}})
			require.Equal(t, test.want, texts(got[0]))
		})
	}
}

func TestServerRemarks(t *testing.T) {
	const remark = `PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "vllm:x" (1:6)`
	other := `PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "y" (1:6)`
	answer := frames.Answer{Value: matrix(model.Metric{}), Warnings: []string{remark, other, remark, "results truncated"}}
	known := func(name string) bool { return name == "vllm:x" }
	t.Run("a counter that is known is not remarked on", func(t *testing.T) {
		got, err := frames.Build(onePlan(nil), []frames.Answer{answer}, frames.Options{IsCounter: known})
		require.NoError(t, err)
		require.Equal(t, []string{"info: " + other, "warning: results truncated"}, texts(got[0]))
	})
	t.Run("without knowledge all is passed on once", func(t *testing.T) {
		got, err := frames.Build(onePlan(nil), []frames.Answer{answer}, frames.Options{})
		require.NoError(t, err)
		require.Equal(t, []string{"info: " + remark, "info: " + other, "warning: results truncated"}, texts(got[0]))
	})
}

func TestNoAnswersAtAll(t *testing.T) {
	plan := ttftPlan()
	got := build(t, plan, frames.Options{Step: time.Second})
	require.Len(t, got, 1)
	require.Equal(t, "histogram_quantile(0.99, a)\nStep: 1s\n\nhistogram_quantile(0.99, b)\nStep: 1s", got[0].Meta.ExecutedQueryString)
	require.Equal(t, []string{"info: Older names are used."}, texts(got[0]))
}

func TestFaultsOfTheCaller(t *testing.T) {
	_, err := frames.Build(onePlan(nil), []frames.Answer{{Expression: 1, Value: model.Matrix{}}}, frames.Options{})
	require.ErrorContains(t, err, "no expression 1")
	_, err = frames.Build(onePlan(nil), []frames.Answer{{}}, frames.Options{})
	require.ErrorContains(t, err, "type <nil> is not known")
}

// BenchmarkBuild times 1,000 series × 1,000 points, and in the same rounds the
// baseline: a plain copy of the points into slices. "times" is our time over the
// baseline's; it holds on any machine, ns/op does not.
func BenchmarkBuild(b *testing.B) {
	var m model.Matrix
	for s := range 1000 {
		stream := &model.SampleStream{Metric: model.Metric{"model_name": "a", "instance": model.LabelValue(fmt.Sprint(s))}}
		for p := range 1000 {
			stream.Values = append(stream.Values, model.SamplePair{Timestamp: model.Time(p * 1000), Value: model.SampleValue(p)})
		}
		m = append(m, stream)
	}
	plan := ttftPlan()
	answers := []frames.Answer{{Value: columns(m)}}
	b.ReportAllocs()
	var ours, baseline time.Duration
	for b.Loop() {
		start := time.Now()
		got, err := frames.Build(plan, answers, frames.Options{Step: time.Second, SeriesLimit: 1000})
		ours += time.Since(start)
		require.NoError(b, err)
		require.Len(b, got, 1000)

		b.StopTimer()
		start = time.Now()
		copied := plainCopy(m)
		baseline += time.Since(start)
		require.Len(b, copied, 1000)
		b.StartTimer()
	}
	b.ReportMetric(float64(ours)/float64(baseline), "times")
}

func plainCopy(m model.Matrix) [][]float64 {
	var all [][]float64
	for _, stream := range m {
		times := make([]time.Time, len(stream.Values))
		values := make([]float64, len(stream.Values))
		for i, p := range stream.Values {
			times[i], values[i] = p.Timestamp.Time(), float64(p.Value)
		}
		all = append(all, values)
	}
	return all
}
