package frames

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// frameTypeHeatmapRows is Grafana's name for a frame with a field for each bucket,
// which the SDK does not list.
const frameTypeHeatmapRows = data.FrameType("heatmap-rows")

// heatmap is one histogram over time: the series of its buckets, by their bound.
type heatmap struct {
	*series // one of the buckets, without le: what names and sorts the whole
	// below are the rates of all observations up to a bound, by time in milliseconds.
	below map[float64]map[int64]float64
}

// heatmaps puts the buckets of each histogram together; each becomes a frame. A plan
// whose series are no buckets has none.
func (c *collector) heatmaps(buckets []*series, opts Options) data.Frames {
	byKey := map[string]*heatmap{}
	var all []*series
	for _, s := range buckets {
		bound, err := strconv.ParseFloat(s.labels[model.BucketLabel], 64)
		if c.plan.Expressions[s.expression].Buckets == nil || err != nil || math.IsNaN(bound) {
			continue // no bucket
		}
		delete(s.labels, model.BucketLabel)
		key := strconv.Itoa(s.expression) + " " + s.key()
		one, ok := byKey[key]
		if !ok {
			one = &heatmap{series: s, below: map[float64]map[int64]float64{}}
			byKey[key] = one
			all = append(all, s)
		}
		one.add(bound, s.points)
	}
	sortSeries(all)
	all = c.limited(all, opts.SeriesLimit)
	nameSeries(c.plan, all)
	if len(all) > 1 {
		c.notice(notice.SeveralHeatmaps, len(all))
	}
	drawn := data.Frames{}
	for _, s := range all {
		drawn = append(drawn, byKey[strconv.Itoa(s.expression)+" "+s.key()].frame(c.plan, opts.Step))
	}
	return drawn
}

// add takes the points of a bucket. Two spellings of one bound are one bucket.
func (h *heatmap) add(bound float64, points prom.Series) {
	if h.below[bound] == nil {
		h.below[bound] = map[int64]float64{}
	}
	for i, v := range points.Values {
		if isFinite(v) {
			h.below[bound][points.Times[i]] += v
		}
	}
}

// frame has a field for each bucket from the lowest up, named by its upper bound,
// with the observations per second in it. A time at which a bucket has no value is
// null there.
func (h *heatmap) frame(plan compile.Plan, step time.Duration) *data.Frame {
	at := map[int64]bool{}
	for _, points := range h.below {
		for t := range points {
			at[t] = true
		}
	}
	instants := slices.Sorted(maps.Keys(at))
	times := make([]time.Time, len(instants))
	for i, t := range instants {
		times[i] = time.UnixMilli(t).UTC()
	}
	e := plan.Expressions[h.expression]
	timeField := data.NewField(data.TimeSeriesTimeFieldName, nil, times)
	timeField.Config = &data.FieldConfig{Interval: float64(step.Milliseconds())}
	frame := data.NewFrame(h.display, timeField)
	lower := make([]float64, len(instants))
	for _, bound := range slices.SortedFunc(maps.Keys(h.below), cmp.Compare[float64]) {
		counts := make([]*float64, len(instants))
		for i, t := range instants {
			if v, ok := h.below[bound][t]; ok {
				inside := within(lower[i], v)
				counts[i], lower[i] = &inside, max(lower[i], v)
			}
		}
		frame.Fields = append(frame.Fields, h.bucketField(plan, e.Buckets, bound, counts))
	}
	frame.Meta = &data.FrameMeta{
		Type: frameTypeHeatmapRows, TypeVersion: typeVersion(), ExecutedQueryString: executed(e.PromQL, step),
		PreferredVisualizationPluginID: "heatmap", // Explore draws it with that panel
	}
	return frame
}

// bucketField names a bucket by its bound in the unit of what was observed: as a
// number in the field's name and label, in words where a person reads it. The labels of
// the histogram stand beside the bound, as far as they sort after it: Grafana's panel
// takes the first label for the one that tells the buckets apart.
func (h *heatmap) bucketField(plan compile.Plan, scale *compile.BucketScale, bound float64, counts []*float64) *data.Field {
	bound = bound * scale.Mul / scale.Div
	le := strconv.FormatFloat(bound, 'g', 12, 64)
	labels := data.Labels{model.BucketLabel: le}
	for name, value := range h.labels {
		if name > model.BucketLabel { // model, role, system
			labels[name] = value
		}
	}
	field := data.NewField(le, labels, counts)
	field.Config = &data.FieldConfig{DisplayNameFromDS: le, Unit: plan.Unit}
	if !math.IsInf(bound, 0) {
		field.Config.DisplayNameFromDS = measured(bound, scale.Unit)
	}
	return field
}

// within is what lies between two bounds; what rounding alone leaves there is nothing.
func within(lower, upper float64) float64 {
	if upper-lower <= 1e-9*upper {
		return 0
	}
	return upper - lower
}
