package frames

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
)

// nameSeries gives every series its display name. A template is the user's own
// and followed to the letter; names that we choose are made to differ.
func nameSeries(plan compile.Plan, all []*series) {
	if plan.Legend != "" {
		variable := regexp.MustCompile(`\{\{\s*([^{}]+?)\s*\}\}`)
		for _, s := range all {
			s.display = strings.TrimSpace(variable.ReplaceAllStringFunc(plan.Legend, func(match string) string {
				return s.label(strings.TrimSpace(strings.Trim(match, "{}")))
			}))
			if s.display == "" {
				s.display = s.fallback()
			}
		}
		return
	}
	seen := map[string]int{}
	for _, s := range all {
		s.display = s.chosen(plan)
		seen[s.display]++
	}
	for _, s := range all {
		if seen[s.display] > 1 && len(s.labels) > 0 {
			s.display = s.selector(s.display)
		}
	}
}

// differs reports whether the plan's expressions have different values of a label.
func differs(plan compile.Plan, label string) bool {
	return slices.ContainsFunc(plan.Expressions, func(e compile.Expression) bool {
		return e.Labels[label] != plan.Expressions[0].Labels[label]
	})
}

// chosen is the name without a template: the values of what was grouped by, then
// system and role where the plan's expressions differ in them.
func (s *series) chosen(plan compile.Plan) string {
	names := slices.Clone(plan.GroupBy)
	for _, name := range []string{"system", "role", "exporter"} {
		if differs(plan, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var values []string
	for _, name := range names {
		if value := s.labels[name]; value != "" {
			values = append(values, value)
		}
	}
	if len(values) > 0 {
		return strings.Join(values, " ")
	}
	return s.fallback()
}

// fallback is the plan's title, or what Prometheus itself would call the series.
func (s *series) fallback() string {
	switch {
	case s.title != "":
		return s.title
	case len(s.labels) > 0:
		return s.selector(string(s.metric[model.MetricNameLabel]))
	default:
		return s.field
	}
}

// selector prints name{label="value", …}.
func (s *series) selector(name string) string {
	pairs := make([]string, 0, len(s.labels))
	for _, label := range slices.Sorted(maps.Keys(s.labels)) {
		pairs = append(pairs, label+"="+strconv.Quote(s.labels[label]))
	}
	return name + "{" + strings.Join(pairs, ", ") + "}"
}

// label is what {{name}} stands for: the logical label, or the physical one.
func (s *series) label(name string) string {
	if value, ok := s.labels[name]; ok {
		return value
	}
	return string(s.metric[model.LabelName(name)])
}
