package compile

import (
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// constantLabels are set by the plan itself and need no grouping in PromQL.
var constantLabels = []string{"exporter", "role", "system"}

// engineGroup is the label that identifies one engine over all its nodes, "" where
// an instance is an engine.
func (b *builder) engineGroup() string {
	candidates := b.request.Options.Labels["engineGroup"]
	if len(candidates) == 0 || candidates[0] == model.InstanceLabel {
		return ""
	}
	return candidates[0]
}

// needed are the logical labels that a query filters or groups by, and those that its answer
// is always split by.
func (b *builder) needed(always []string) []string {
	need := splitBy(b.request.Query, always)
	for _, f := range b.request.Query.Filters {
		need = append(need, f.Label)
	}
	return slices.DeleteFunc(need, func(label string) bool { return slices.Contains(constantLabels, label) })
}

// withLabels leaves out the sources that lack a label of a filter or of the
// grouping where another source of the same exporter has it.
func (b *builder) withLabels(sources []catalog.Source, always []string) []catalog.Source {
	for _, label := range b.needed(always) {
		sources = slices.DeleteFunc(slices.Clone(sources), func(s catalog.Source) bool {
			return !b.carries(s, label) && slices.ContainsFunc(sources, func(other catalog.Source) bool {
				return other.Exporter == s.Exporter && b.carries(other, label)
			})
		})
	}
	return sources
}

// grouping maps the physical labels of an input that are kept to the logical ones
// that were asked for.
func (b *builder) grouping(in input) map[string]string {
	return b.groupingBy(in.source, splitBy(b.request.Query, in.always))
}

func (b *builder) groupingBy(s catalog.Source, by []string) map[string]string {
	kept := map[string]string{}
	for _, logical := range by {
		if slices.Contains(constantLabels, logical) {
			continue
		}
		if !b.carries(s, logical) {
			b.notice(notice.NotSplit, b.signal.Title, logical)
			continue
		}
		physical := b.physical(s, logical)
		b.warnOfUnseen(s, logical, physical)
		if other, taken := kept[physical]; taken && other != logical {
			b.notice(notice.OneLabel, other, logical, physical, b.title(s.Exporter), other)
			continue
		}
		kept[physical] = logical
	}
	return kept
}

// warnOfUnseen speaks up for a label that no system claims and no engine was seen to
// have: it is likely to be mistyped.
func (b *builder) warnOfUnseen(s catalog.Source, logical, physical string) {
	if b.request.Deployment == nil || b.catalog.Claims(logical) {
		return
	}
	seen := b.request.Deployment.Systems[s.Exporter].Labels
	if len(seen) > 0 && !slices.Contains(seen, physical) {
		b.notice(notice.LabelUnseen, b.title(s.Exporter), logical, strings.Join(seen, ", "))
	}
}

// carries reports whether the series of a source have the label. Labels that no
// system claims come from the scrape configuration and may be on any series.
func (b *builder) carries(s catalog.Source, logical string) bool {
	exporter, _ := b.catalog.System(s.Exporter)
	if slices.Contains(exporter.Carries[s.From], logical) || slices.Contains(s.Has, logical) || len(s.Labels[logical]) > 0 {
		return true
	}
	return !b.catalog.Claims(logical)
}

// hasPhysical reports whether a label is meant by its physical name and is on the
// series of the source.
func (b *builder) hasPhysical(s catalog.Source, label string) bool {
	exporter, _ := b.catalog.System(s.Exporter)
	for _, logical := range slices.Concat(exporter.Carries[s.From], s.Has) {
		if slices.Contains(exporter.Labels[logical], label) {
			return true
		}
	}
	if slices.Contains(s.Extra, label) {
		return true
	}
	matchers, err := promql.ParseMatchers(s.Match)
	return err == nil && slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return m.Name == label })
}

// physical is the label of a source's series that a logical label stands for: the
// settings' candidates come before the system's own, one that was found on the
// server before the others.
func (b *builder) physical(s catalog.Source, logical string) string {
	exporter, _ := b.catalog.System(s.Exporter)
	if own := s.Labels[logical]; len(own) > 0 {
		return own[0]
	}
	candidates := b.request.Options.Labels[logical]
	if group := b.engineGroup(); logical == "engine" && group != "" {
		candidates = []string{group}
	}
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
