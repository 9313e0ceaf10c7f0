package frames

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// typeVersion is the version of the data plane contract that the frames keep.
func typeVersion() data.FrameTypeVersion { return data.FrameTypeVersion{0, 1} }

// seriesFrame draws one series: a time field and a value field, one row for each
// finite value. Gaps stay gaps.
func seriesFrame(plan compile.Plan, s *series, axis *axis, language string) *data.Frame {
	timeField, values := axis.of(s)
	meta := &data.FrameMeta{Type: data.FrameTypeNumericMulti, TypeVersion: typeVersion()}
	step := time.Duration(0)
	if s.ranged {
		meta.Type = data.FrameTypeTimeSeriesMulti
		meta.PreferredVisualization = data.VisTypeGraph
		step = axis.step
	}
	e := plan.Expressions[s.expression]
	meta.ExecutedQueryString = executed(e.PromQL, step)
	say(meta, language, boundNotices(plan, e.Quantile, values))
	valueField := data.NewField(s.field, s.labels, values)
	valueField.Config = &data.FieldConfig{DisplayNameFromDS: s.display, Unit: plan.Unit}
	frame := data.NewFrame(s.display, timeField, valueField)
	frame.Meta = meta
	return frame
}

// tableFrame has one row for each series with its newest finite value and the
// time of it, since an old value among new ones should be seen as such.
func tableFrame(plan compile.Plan, all []*series, language string) *data.Frame {
	times := make([]time.Time, len(all))
	values := make([]float64, len(all))
	var bounds []query.Notice
	for i, s := range all {
		times[i], values[i] = s.newest()
		bounds = append(bounds, boundNotices(plan, plan.Expressions[s.expression].Quantile, values[i:i+1])...)
	}
	title := all[0].title
	frame := data.NewFrame(title, data.NewField(data.TimeSeriesTimeFieldName, nil, times))
	for _, label := range columns(plan, all) {
		cells := make([]string, len(all))
		for i, s := range all {
			cells[i] = s.label(label)
		}
		frame.Fields = append(frame.Fields, data.NewField(label, nil, cells))
	}
	column := title
	if plan.Legend != "" && !strings.Contains(plan.Legend, "{{") {
		column = plan.Legend // a legend without labels names the values of all series
	}
	value := data.NewField(cmp.Or(column, data.TimeSeriesValueFieldName), nil, values)
	value.Config = &data.FieldConfig{Unit: plan.Unit}
	frame.Fields = append(frame.Fields, value)
	frame.Meta = &data.FrameMeta{
		Type:                   data.FrameTypeNumericLong,
		TypeVersion:            typeVersion(),
		PreferredVisualization: data.VisTypeTable,
		ExecutedQueryString:    executedAll(plan, 0),
	}
	say(frame.Meta, language, bounds)
	return frame
}

// newest is the newest finite value.
func (s *series) newest() (time.Time, float64) {
	for i, v := range slices.Backward(s.points.Values) {
		if isFinite(v) {
			return time.UnixMilli(s.points.Times[i]).UTC(), v
		}
	}
	return time.Time{}, 0 // not reached: a series has a finite value
}

// columns are all labels of the series, those that were asked for first. Where no
// title says what the values are, the metric's name does, in a column of its own.
func columns(plan compile.Plan, all []*series) []string {
	present := map[string]bool{}
	for _, s := range all {
		for label := range s.labels {
			present[label] = true
		}
		if s.title == "" && s.metric[model.MetricNameLabel] != "" {
			present[model.MetricNameLabel] = true
		}
	}
	var names []string
	for _, label := range plan.GroupBy {
		if present[label] {
			names = append(names, label)
			delete(present, label)
		}
	}
	return append(names, slices.Sorted(maps.Keys(present))...)
}

// emptyFrame has a type but no fields: that is "no data" and not the number 0.
func emptyFrame(plan compile.Plan, opts Options) *data.Frame {
	kind := data.FrameTypeTimeSeriesMulti
	switch {
	case opts.Format == query.FormatTable:
		kind = data.FrameTypeNumericLong
	case opts.Step == 0:
		kind = data.FrameTypeNumericMulti
	}
	frame := data.NewFrame("")
	frame.Meta = &data.FrameMeta{Type: kind, TypeVersion: typeVersion(), ExecutedQueryString: executedAll(plan, opts.Step)}
	return frame
}

// executed is the query inspector's text for one expression.
func executed(promql string, step time.Duration) string {
	if step == 0 {
		return promql
	}
	return fmt.Sprintf("%s\nStep: %s", promql, model.Duration(step))
}

func executedAll(plan compile.Plan, step time.Duration) string {
	if len(plan.Expressions) == 0 {
		return "# nothing was asked: the notices say why"
	}
	texts := make([]string, len(plan.Expressions))
	for i, e := range plan.Expressions {
		texts[i] = executed(e.PromQL, step)
	}
	return strings.Join(texts, "\n\n")
}
