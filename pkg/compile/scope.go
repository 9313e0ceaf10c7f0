package compile

import (
	"slices"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// scope is a binding, and what of its series is meant.
type scope struct {
	catalog.Binding
	// except are, by exporter, the metrics of better systems that report the same: engines
	// that have them are left out.
	except map[string][]string
	// only restricts every selector to the models whose requests have one size.
	only []*labels.Matcher
	// shared are labels of a numerator by which its denominator is meant not to be filtered.
	shared []string
}

// scoped are bindings of which nothing is left out.
func scoped(bindings []catalog.Binding) []scope {
	all := make([]scope, len(bindings))
	for i, b := range bindings {
		all[i].Binding = b
	}
	return all
}

// onlyModels is the scope restricted to some models.
func (s scope) onlyModels(matchers []*labels.Matcher) scope {
	s.only = matchers
	return s
}

// sharing is the scope whose filters on some labels are meant not to apply.
func (s scope) sharing(labels []string) scope {
	s.shared = labels
	return s
}

// exportedBy restricts the scope to the sources of some exporters.
func (s scope) exportedBy(exporters ...string) scope {
	s.Binding = exportedBy(s.Binding, exporters...)
	return s
}

// splitBy are the logical labels to split an answer by: those that were asked for, and
// always, without which the numbers would mean nothing unless a filter fixes them.
func splitBy(q query.Query, always []string) []string {
	split := slices.Clone(q.GroupBy)
	for _, label := range always {
		fixed := slices.ContainsFunc(q.Filters, func(f query.Filter) bool {
			return f.Label == label && f.Op == query.OpEqual && len(f.Values) == 1
		})
		if !fixed {
			split = appendNew(split, label)
		}
	}
	return split
}
