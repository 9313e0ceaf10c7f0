package frames_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/frames"
)

// heatmapPlan has buckets in milliseconds of what is shown in seconds.
func heatmapPlan() compile.Plan {
	return onePlan(func(p *compile.Plan) {
		p.Title, p.Unit, p.GroupBy = "Transfer heatmap", "suffix:transfers/s", []string{"model"}
		p.Expressions[0].Rename = map[string]string{"model_name": "model"}
		p.Expressions[0].Buckets = &compile.BucketScale{Unit: "s", Mul: 1, Div: 1000}
	})
}

// buckets is a stream of a bucket with a value each second, NaN left out.
func bucketOf(le string, values ...float64) *model.SampleStream {
	s := &model.SampleStream{Metric: model.Metric{"le": model.LabelValue(le), "model_name": "a"}}
	for i, v := range values {
		s.Values = append(s.Values, model.SamplePair{Timestamp: model.Time(1000 * (i + 1)), Value: model.SampleValue(v)})
	}
	return s
}

func counts(f *data.Field) []any {
	var list []any
	for i := range f.Len() {
		if v, ok := f.ConcreteAt(i); ok {
			list = append(list, v)
		} else {
			list = append(list, nil)
		}
	}
	return list
}

func TestAHeatmapIsAFieldForEachBucketFromTheLowestUp(t *testing.T) {
	// In the order of text, in which 1000.0 comes before 5.0.
	got := build(t, heatmapPlan(), frames.Options{Step: time.Second},
		model.Matrix{bucketOf("+Inf", 9, 8), bucketOf("1000.0", 7, 8), bucketOf("25.0", 3, 0), bucketOf("5.0", 1, 0)})
	require.Len(t, got, 1)
	frame := got[0]
	require.Equal(t, data.FrameType("heatmap-rows"), frame.Meta.Type)
	require.Equal(t, "heatmap", frame.Meta.PreferredVisualizationPluginID)
	require.Equal(t, "a", frame.Name)
	require.Equal(t, "x\nStep: 1s", frame.Meta.ExecutedQueryString)
	require.Empty(t, texts(frame))
	require.Equal(t, []any{time.Unix(1, 0).UTC(), time.Unix(2, 0).UTC()}, counts(frame.Fields[0]))
	want := []struct {
		le, shown string
		counts    []any
	}{
		{"0.005", "5 ms", []any{1.0, 0.0}},
		{"0.025", "25 ms", []any{2.0, 0.0}},
		{"1", "1 s", []any{4.0, 8.0}},
		{"+Inf", "+Inf", []any{2.0, 0.0}},
	}
	require.Len(t, frame.Fields, 1+len(want))
	for i, w := range want {
		field := frame.Fields[i+1]
		require.Equal(t, w.le, field.Name)
		require.Equal(t, data.Labels{"le": w.le, "model": "a"}, field.Labels)
		require.Equal(t, w.shown, field.Config.DisplayNameFromDS)
		require.Equal(t, "suffix:transfers/s", field.Config.Unit)
		require.Equal(t, w.counts, counts(field), w.le)
	}
}

func TestHeatmapsOfSeveralGroupsAreSeveralFramesAndSaySo(t *testing.T) {
	other := bucketOf("5.0", 2)
	other.Metric["model_name"] = "b"
	got := build(t, heatmapPlan(), frames.Options{Step: time.Second}, model.Matrix{other, bucketOf("5.0", 1)})
	require.Len(t, got, 2)
	require.Equal(t, []string{"a", "b"}, []string{got[0].Name, got[1].Name})
	require.Equal(t, []string{"a", "b"}, []string{got[0].Fields[1].Labels["model"], got[1].Fields[1].Labels["model"]})
	require.Equal(t, []string{"warning: 2 heatmaps came back, and a heatmap panel draws one: filter by a model, role or system, group by fewer labels, or repeat the panel."}, texts(got[0]))
}

// Grafana's heatmap panel matches exemplars and reads the lower end of the first bucket
// by the first label of the first bucket, in the order of the JSON.
func TestTheBoundIsTheFirstLabelOfABucket(t *testing.T) {
	plan := heatmapPlan()
	plan.Expressions[0].Labels = map[string]string{"system": "vllm", "role": "decode", "exporter": "e"}
	one := bucketOf("5.0", 1)
	one.Metric["engine"], one.Metric["instance"] = "0", "i"
	got := build(t, plan, frames.Options{Step: time.Second}, model.Matrix{one})
	require.Equal(t, data.Labels{"le": "0.005", "model": "a", "role": "decode", "system": "vllm"}, got[0].Fields[1].Labels)
	text, err := json.Marshal(got[0])
	require.NoError(t, err)
	require.Contains(t, string(text), `"labels":{"le":"0.005","model":"a","role":"decode","system":"vllm"}`)
}

func TestOddBucketsOfAHeatmap(t *testing.T) {
	t.Run("two spellings of a bound are one bucket", func(t *testing.T) {
		got := build(t, heatmapPlan(), frames.Options{Step: time.Second}, model.Matrix{bucketOf("5", 1), bucketOf("5.0", 2)})
		require.Len(t, got[0].Fields, 2)
		require.Equal(t, []any{3.0}, counts(got[0].Fields[1]))
	})
	t.Run("a bucket without a value at a time is null there, and the next holds what is not told apart", func(t *testing.T) {
		got := build(t, heatmapPlan(), frames.Options{Step: time.Second}, model.Matrix{bucketOf("5", 1), bucketOf("25", 3, 4)})
		require.Equal(t, []any{1.0, nil}, counts(got[0].Fields[1]))
		require.Equal(t, []any{2.0, 4.0}, counts(got[0].Fields[2]))
	})
	t.Run("what rounding leaves between two bounds is nothing, also below zero", func(t *testing.T) {
		got := build(t, heatmapPlan(), frames.Options{Step: time.Second}, model.Matrix{bucketOf("5", 0.3), bucketOf("25", 0.1+0.2), bucketOf("50", 0.2999)})
		require.Equal(t, []any{0.0}, counts(got[0].Fields[2]))
		require.Equal(t, []any{0.0}, counts(got[0].Fields[3]))
	})
	t.Run("nothing is no data", func(t *testing.T) {
		got := build(t, heatmapPlan(), frames.Options{Step: time.Second}, model.Matrix{})
		require.Empty(t, got[0].Fields)
	})
}
