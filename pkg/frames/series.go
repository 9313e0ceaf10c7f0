package frames

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// series is one series of an answer with at least one finite value.
type series struct {
	expression int
	metric     model.Metric // as answered
	labels     data.Labels  // as shown
	title      string       // of the plan; "" where that is only the expression
	field      string       // the value field's name
	display    string
	points     prom.Series
	finite     int  // values that are numbers
	ranged     bool // of a range query
}

func newSeries(plan compile.Plan, expression int, points prom.Series, finite int, ranged bool) *series {
	metric := points.Metric
	s := &series{expression: expression, metric: metric, points: points, finite: finite, ranged: ranged}
	e := plan.Expressions[expression]
	s.labels = logicalLabels(metric, e)
	// A user's own PromQL has no other title than itself, which names no series.
	if plan.Title != e.PromQL {
		s.title = plan.Title
	}
	s.field = s.title
	if s.field == "" {
		s.field = string(metric[model.MetricNameLabel])
	}
	if s.field == "" {
		s.field = data.TimeSeriesValueFieldName
	}
	return s
}

// logicalLabels renames the labels of a series and adds those of its expression.
// A label that has to make room is kept as exported_…, like Prometheus does on
// scrapes, unless it says the same.
func logicalLabels(metric model.Metric, e compile.Expression) data.Labels {
	labels := data.Labels{}
	var renamed []string
	for name, value := range metric {
		physical := string(name)
		if name == model.MetricNameLabel {
			continue
		}
		if logical, ok := e.Rename[physical]; ok && logical != physical {
			renamed = append(renamed, physical)
			continue
		}
		labels[physical] = string(value)
	}
	slices.Sort(renamed)
	for _, physical := range renamed {
		displace(labels, e.Rename[physical], string(metric[model.LabelName(physical)]))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Labels)) {
		displace(labels, name, e.Labels[name])
	}
	return labels
}

// displace sets a label; another value that was there moves to exported_….
func displace(labels data.Labels, name, value string) {
	if old, ok := labels[name]; ok && old != value {
		displace(labels, model.ExportedLabelPrefix+name, old)
	}
	labels[name] = value
}

// key is the same for two series exactly if a reader cannot tell them apart. It
// also sorts: by the plan's order, then by labels.
func (s *series) key() string {
	var b strings.Builder
	b.WriteString(s.field)
	for _, name := range slices.Sorted(maps.Keys(s.labels)) {
		b.WriteByte(0)
		b.WriteString(name)
		b.WriteByte(1)
		b.WriteString(s.labels[name])
	}
	return b.String()
}

// distinguish gives series with equal names and labels back what told them apart
// before the renaming, since Grafana would draw or alert on them as one. It
// reports whether there were any.
func distinguish(all []*series) bool {
	equal := equals(all)
	if len(equal) == 0 {
		return false
	}
	for _, group := range equal {
		for _, s := range group {
			for name, value := range s.metric {
				if s.labels[string(name)] == "" {
					s.labels[string(name)] = string(value)
				}
			}
		}
	}
	// Only expressions that the plan gave no labels can still be equal.
	for _, group := range equals(all) {
		for i, s := range group {
			s.labels["series"] = strconv.Itoa(i + 1)
		}
	}
	return true
}

// equals are the groups of two and more series with the same key.
func equals(all []*series) map[string][]*series {
	groups := make(map[string][]*series, len(all))
	for _, s := range all {
		key := s.key()
		groups[key] = append(groups[key], s)
	}
	maps.DeleteFunc(groups, func(_ string, group []*series) bool { return len(group) < 2 })
	return groups
}

func sortSeries(all []*series) {
	type keyed struct {
		key string
		*series
	}
	sorted := make([]keyed, len(all))
	for i, s := range all {
		sorted[i] = keyed{s.key(), s}
	}
	slices.SortStableFunc(sorted, func(a, b keyed) int {
		if a.expression != b.expression {
			return a.expression - b.expression
		}
		return strings.Compare(a.key, b.key)
	})
	for i, s := range sorted {
		all[i] = s.series
	}
}
