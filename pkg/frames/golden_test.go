package frames_test

import (
	"flag"
	"math"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/experimental"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/frames"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// The golden files were written by hand; check what -update changes in them.
var update = flag.Bool("update", false, "rewrite the golden files")

// ttftPlan asks two systems for a quantile by model.
func ttftPlan() compile.Plan {
	return compile.Plan{
		Title:   "TTFT P99",
		Unit:    "s",
		GroupBy: []string{"model"},
		Expressions: []compile.Expression{
			{
				PromQL:   "histogram_quantile(0.99, a)",
				Labels:   map[string]string{"system": "vllm", "role": "prefill"},
				Rename:   map[string]string{"model_name": "model"},
				Quantile: &compile.Bounds{First: 0.3, Last: 80},
			},
			{
				PromQL: "histogram_quantile(0.99, b)",
				Labels: map[string]string{"system": "sglang", "role": "decode"},
				Rename: map[string]string{"model_name": "model"},
			},
		},
		Notices: []query.Notice{{Severity: query.SeverityInfo, Text: "Older names are used."}},
	}
}

func ttftAnswers() []frames.Answer {
	return []frames.Answer{
		{
			Expression: 1,
			Value: columns(model.Matrix{
				{Metric: model.Metric{"model_name": "glm"}, Values: []model.SamplePair{
					{Timestamp: 1700000001000, Value: model.SampleValue(math.Inf(1))},
					{Timestamp: 1700000002000, Value: 2},
				}},
			}),
			Warnings: []string{
				`PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "sglang:x" (1:6)`,
				"PromQL warning: bucket label \"le\" is missing",
			},
		},
		{
			Expression: 0,
			Value: columns(model.Matrix{
				{Metric: model.Metric{"model_name": "qwen"}, Values: []model.SamplePair{{Timestamp: 1700000000000, Value: 1.5}}},
				{Metric: model.Metric{"model_name": "idle"}, Values: []model.SamplePair{{Timestamp: 1700000000000, Value: model.SampleValue(math.NaN())}}},
				{Metric: model.Metric{"model_name": "glm"}, Values: []model.SamplePair{
					{Timestamp: 1700000000000, Value: 0.25},
					{Timestamp: 1700000001000, Value: model.SampleValue(math.NaN())},
					{Timestamp: 1700000002500, Value: 80},
				}},
			}),
		},
	}
}

func TestGolden(t *testing.T) {
	plan := ttftPlan()
	tests := []struct {
		name    string
		answers []frames.Answer
		opts    frames.Options
	}{
		{"time_series", ttftAnswers(), frames.Options{Step: time.Second, IsCounter: func(name string) bool { return name == "sglang:x" }}},
		{"table", ttftAnswers(), frames.Options{Format: query.FormatTable}},
		{"empty", []frames.Answer{{Expression: 0, Value: columns(nil)}}, frames.Options{
			Step:  1500 * time.Millisecond,
			Empty: query.Notice{Severity: query.SeverityWarning, Text: "No engine exports it."},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := frames.Build(plan, tt.answers, tt.opts)
			require.NoError(t, err)
			experimental.CheckGoldenJSONResponse(t, "testdata", tt.name,
				&backend.DataResponse{Status: backend.StatusOK, Frames: got}, *update)
		})
	}
}
