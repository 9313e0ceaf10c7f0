package compile

import (
	"slices"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// constantLabels are set by the plan itself and need no grouping in PromQL.
var constantLabels = []string{"role", "system"}

// withLabels leaves out the sources that lack a label of a filter or of the
// grouping where another source has it.
func (b *builder) withLabels(sources []catalog.Source) []catalog.Source {
	need := slices.Clone(b.request.Query.GroupBy)
	for _, f := range b.request.Query.Filters {
		need = append(need, f.Label)
	}
	for _, label := range need {
		lacks := func(s catalog.Source) bool { return !b.carries(s, label) }
		if with := slices.DeleteFunc(slices.Clone(sources), lacks); len(with) > 0 {
			sources = with
		}
	}
	return sources
}

// grouping maps the physical labels of a source that are kept to the logical ones
// that were asked for.
func (b *builder) grouping(s catalog.Source) map[string]string {
	kept := map[string]string{}
	for _, logical := range b.request.Query.GroupBy {
		if slices.Contains(constantLabels, logical) {
			continue
		}
		if !b.carries(s, logical) {
			b.notice(query.SeverityWarning, "%s is not split by %s: it has no such label.", b.signal.ID, logical)
			continue
		}
		kept[b.physical(s, logical)] = logical
	}
	return kept
}

// carries reports whether the series of a source have the label. Labels that no
// system claims come from the scrape configuration and may be on any series.
func (b *builder) carries(s catalog.Source, logical string) bool {
	exporter, _ := b.catalog.System(s.Exporter)
	if slices.Contains(exporter.Carries[s.From], logical) || slices.Contains(s.Has, logical) {
		return true
	}
	for _, system := range b.catalog.Systems() {
		if _, claimed := system.Labels[logical]; claimed {
			return false
		}
	}
	return true
}

// physical is the label of a source's series that a logical label stands for: the
// settings' candidates come before the system's own, one that was found on the
// server before the others.
func (b *builder) physical(s catalog.Source, logical string) string {
	exporter, _ := b.catalog.System(s.Exporter)
	candidates := b.request.Options.Labels[logical]
	if len(candidates) == 0 {
		candidates = exporter.Labels[logical]
	}
	if len(candidates) == 0 {
		return logical
	}
	if b.request.Deployment != nil {
		found := b.request.Deployment.Systems[s.Exporter].Labels
		for _, candidate := range candidates {
			if slices.Contains(found, candidate) {
				return candidate
			}
		}
	}
	return candidates[0]
}
