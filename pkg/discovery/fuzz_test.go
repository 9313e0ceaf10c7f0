package discovery_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// holding is a server that holds one set of series under every name that it lists.
type holding struct {
	names  []string
	series []model.Metric
	// gaps are the distances of samples, in tenths of a second.
	gaps []byte
}

func (h holding) LabelValues(context.Context, string, []string, time.Time, time.Time) ([]string, error) {
	return h.names, nil
}

func (h holding) Query(_ context.Context, text string, at time.Time) (prom.Result, error) {
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		return prom.Result{}, fmt.Errorf("%q: %w", text, err)
	}
	if expr.Type() == parser.ValueTypeMatrix {
		var one prom.Series
		for _, gap := range h.gaps {
			one.Times, one.Values = append(one.Times, at.UnixMilli()), append(one.Values, 0)
			at = at.Add(time.Duration(gap) * 100 * time.Millisecond)
		}
		return prom.Result{Value: prom.Matrix{one}}, nil
	}
	vector := model.Vector{}
	for i, metric := range h.named(expr) {
		one := &model.Sample{Metric: metric, Value: model.SampleValue(i)}
		if len(h.gaps) > 0 && h.gaps[i%len(h.gaps)] == 0 {
			one.Histogram = &model.SampleHistogram{}
		}
		vector = append(vector, one)
	}
	return prom.Result{Value: vector}, nil
}

func (h holding) Series(_ context.Context, selectors []string, _, _ time.Time, _ int) ([]model.Metric, error) {
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(strings.Join(selectors, " or "))
	return h.named(expr), err
}

// named are the series under the names that an expression selects, in turn.
func (h holding) named(expr parser.Expr) []model.Metric {
	var names []string
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok && selector.Name != "" {
			names = append(names, selector.Name)
		}
		return nil
	})
	if len(names) == 0 {
		names = h.names
	}
	var list []model.Metric
	for i, metric := range h.series {
		one := metric.Clone()
		one[model.MetricNameLabel] = model.LabelValue(names[i%len(names)])
		list = append(list, one)
	}
	return list
}

// FuzzDiscover looks at servers that nobody foresaw: names are one in a line,
// series are labels (name=value, by semicolons) one in a line. Whatever is found
// is the same the next time, and every signal compiles on it.
func FuzzDiscover(f *testing.F) {
	for _, seed := range [][3]string{
		{"vllm:num_requests_running\nvllm:num_requests_waiting", "instance=prefill-0;job=a;model_name=m;engine=0\ninstance=decode-0;job=a;model_name=m;engine=0", "\x0a\x0a\x0b"},
		{"sglang:num_running_reqs\nsglang:num_requests_total\nsglang:kv_transfer_latency_ms\nsglang:time_to_first_token_seconds_bucket", "instance=p;engine_type=prefill;tp_rank=0;dp_rank=1\ninstance=p;job=b;engine_type=decode;priority=3\ninstance=;engine_type=unified", "\x00\xff"},
		{"ray_vllm_num_requests_running\nvllm:num_requests_running\nkserve_vllm:num_requests_running", "pod=x;model_name=模型", ""},
		{"DCGM_FI_DEV_GPU_UTIL\nvllm:flagcx_total_bytes_transferred_total\nvllm:nixl_bytes_transferred_sum\nmooncake_transfer_bytes_total", "gpu=0;Hostname=h", "\x96"},
		{"", "", ""}, {"sglang:", "=;==;a", "\x01"}, {"dynamo_frontend_requests_total", "model=a|b.*(", "\x01\x01"},
	} {
		f.Add(seed[0], seed[1], []byte(seed[2]), uint8(0))
	}
	known, err := catalog.Load()
	require.NoError(f, err)
	signals := known.Signals()
	compiler := compile.New(known)
	roles := map[query.Role]string{query.RolePrefill: `instance=~"prefill.*"`, query.RoleDecode: `instance=~"decode.*"`}
	f.Fuzz(func(t *testing.T, names, series string, gaps []byte, choice uint8) {
		server := holding{names: strings.Split(names, "\n"), gaps: gaps}
		for line := range strings.Lines(series) {
			metric := model.Metric{}
			for part := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), ";") {
				name, value, _ := strings.Cut(part, "=")
				// A server's names and values are UTF-8, and an empty value is no label.
				if model.UTF8Validation.IsValidLabelName(name) && name != model.MetricNameLabel && value != "" && model.LabelValue(value).IsValid() {
					metric[model.LabelName(name)] = model.LabelValue(value)
				}
			}
			server.series = append(server.series, metric)
		}
		server.names = slices.DeleteFunc(server.names, func(n string) bool { return !model.UTF8Validation.IsValidMetricName(n) })
		if len(server.names) == 0 || len(server.names) > 50 || len(server.series) > 50 {
			return
		}
		discoverer := discovery.New(server, known, discovery.Options{Roles: roles})
		now := time.Unix(1_700_000_000, 0)
		window := discovery.Window{From: now.Add(-time.Hour), To: now}
		found, err := discoverer.Discover(t.Context(), window)
		require.NoError(t, err)
		again, err := discoverer.Discover(t.Context(), window)
		require.NoError(t, err)
		require.Equal(t, found, again)
		require.GreaterOrEqual(t, found.ScrapeInterval, time.Duration(0))
		for name, system := range found.Systems {
			engines := 0
			for _, n := range system.Instances {
				engines += n
			}
			require.LessOrEqual(t, engines, 3*len(server.series), name)
			require.True(t, slices.IsSorted(system.Models))
		}
		signal := signals[int(choice)%len(signals)]
		plan, err := compiler.Compile(compile.Request{
			Query:      query.Query{Signal: signal.ID, GroupBy: []string{"model"}, BytesPerRequest: 1}.WithDefaults(),
			Options:    compile.Options{Roles: roles},
			Deployment: found, Step: time.Second,
		})
		require.NoError(t, err)
		require.True(t, len(plan.Expressions) > 0 || len(plan.Notices) > 0, "%s is empty without a word", signal.ID)
		for _, e := range plan.Expressions {
			_, err := parser.NewParser(parser.Options{}).ParseExpr(e.PromQL)
			require.NoError(t, err, e.PromQL)
		}
	})
}
