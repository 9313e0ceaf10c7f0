package compile

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// input is a source made concrete: the names to ask for and the matchers.
type input struct {
	source   catalog.Source
	names    []string
	matchers []*labels.Matcher
	// collapse is how copies of ranks are dropped, "" for not at all.
	collapse catalog.Shape
	copies   []string
	// severalPrefixes says that names are the same metric under several prefixes,
	// which an engine may show at once with different labels.
	severalPrefixes bool
	// variant says that the input is of the same source as the one before it, on
	// engines that tell their role in another way.
	variant bool
	// recorded are the names by which recording rules hold the parts of the source, nil
	// where it is read as it is exported.
	recorded map[half]string
	// except are metrics that count the same and are preferred where an engine has them.
	except []string
	// always are logical labels that the answer is always split by.
	always []string
}

// inputs makes the sources of a binding concrete. Sources that are not on the
// server are left out; so are those without a label that a filter or the grouping
// needs, as long as another source has it.
func (b *builder) inputs(binding scope, sources []catalog.Source, role query.Role) ([]input, error) {
	var usable []catalog.Source
	for _, s := range sources {
		if len(b.names(s)) > 0 {
			usable = append(usable, s)
		}
	}
	usable = b.withLabels(usable, binding.Always)
	var made []input
	for _, s := range usable {
		in := input{
			source: s, names: b.names(s), severalPrefixes: b.severalPrefixes(s), except: binding.except[s.Exporter], always: binding.Always,
		}
		variants, err := b.roleMatchers(s, role, in.names)
		if err != nil {
			return nil, err
		}
		if err := b.match(&in, binding.shared); err != nil {
			return nil, err
		}
		if err := b.ranks(binding, &in); err != nil {
			return nil, err
		}
		b.remarks(sources, s, in.names)
		for i, byRole := range variants {
			one := in
			one.matchers = slices.Concat(in.matchers, byRole, binding.only)
			one.variant = i > 0
			made = append(made, one)
		}
	}
	return made, nil
}

// names lists the full metric names of a source, newest first: those found on the
// server, or without discovery every name under the usual prefix.
func (b *builder) names(s catalog.Source) []string {
	prefixes := b.catalog.Prefixes(s)
	own := b.request.Options.Prefixes[s.Exporter]
	switch {
	case len(own) > 0:
		prefixes = own
	case b.request.Deployment == nil:
		prefixes = prefixes[:1]
	case b.request.Deployment.Systems[s.Exporter].ShownAgain:
		prefixes = b.request.Deployment.Systems[s.Exporter].Prefixes
	}
	var names []string
	for _, name := range s.Names {
		for _, prefix := range prefixes {
			if full := prefix + name; b.request.Deployment == nil || b.request.Deployment.Has(full, s.Type) {
				names = append(names, full)
			}
		}
	}
	return names
}

// severalPrefixes reports whether one name of a source was found under more than
// one prefix.
func (b *builder) severalPrefixes(s catalog.Source) bool {
	return b.request.Deployment != nil && len(b.names(s)) > 1 && len(b.names(catalog.Source{Exporter: s.Exporter, Names: s.Names[:1], Type: s.Type})) > 1
}

// remarks says what the reader should know of the names that had to be taken.
func (b *builder) remarks(sources []catalog.Source, s catalog.Source, names []string) {
	if b.request.Deployment == nil {
		return
	}
	if !strings.HasSuffix(names[0], s.Names[0]) {
		b.notice(notice.OlderName, names[0], s.Names[0])
	}
	better := func(other catalog.Source) bool {
		return other.Exporter == s.Exporter && other.Note == "" && len(b.names(other)) > 0
	}
	if s.Note != "" && !slices.ContainsFunc(sources, better) {
		b.notice(notice.Remark, s.Note)
	}
}

// match collects the matchers of an input but for the role's: its own, the filters'. What it
// lacks of the labels shared is no fault.
func (b *builder) match(in *input, shared []string) error {
	own, err := promql.ParseMatchers(in.source.Match)
	if err != nil {
		return err
	}
	in.matchers = own
	if b.request.Deployment != nil && b.request.Deployment.Systems[in.source.Exporter].ShownAgain {
		exporter, _ := b.catalog.System(in.source.Exporter)
		for _, label := range exporter.Reexport {
			m, err := promql.OneOf(label, "")
			if err != nil {
				return err
			}
			in.matchers = append(in.matchers, m)
		}
	}
	for _, f := range b.request.Query.Filters {
		if slices.Contains(constantLabels, f.Label) {
			continue // applied where roles and systems are chosen
		}
		if !b.carries(in.source, f.Label) && !b.hasPhysical(in.source, f.Label) {
			if slices.Contains(shared, f.Label) {
				continue
			}
			b.notice(notice.FilterLacksLabel, f.Label, in.names[0])
			continue
		}
		m, err := filterMatcher(f, b.physical(in.source, f.Label))
		if err != nil {
			return err
		}
		in.matchers = append(in.matchers, m)
	}
	return nil
}

func filterMatcher(f query.Filter, label string) (*labels.Matcher, error) {
	switch f.Op {
	case query.OpNotEqual:
		return promql.NoneOf(label, f.Values...)
	case query.OpMatch:
		return promql.Matching(label, f.Values...)
	case query.OpNotMatch:
		return promql.NotMatching(label, f.Values...)
	default:
		return promql.OneOf(label, f.Values...)
	}
}

// ranks decides how copies of ranks are dropped. A rank label that is grouped by
// is kept. On series without rank labels the collapse changes nothing.
func (b *builder) ranks(binding scope, in *input) error {
	exporter, _ := b.catalog.System(in.source.Exporter)
	shape := cmp.Or(in.source.RankShape, binding.Shape)
	switch b.request.Options.RankStrategy {
	case RanksSum:
		return nil
	case RanksCollapse:
		if shape == catalog.ShapeSum {
			shape = catalog.ShapeRavg
			if in.source.Type == catalog.TypeGauge {
				shape = catalog.ShapeGmax
			}
		}
	case RanksRank0:
		if rank := exporter.TensorCopies(); rank != "" && (shape == catalog.ShapeGmax || shape == catalog.ShapeGavg || shape == catalog.ShapeRavg) {
			return b.rankZero(in, rank)
		}
	}
	if shape != catalog.ShapeGmax && shape != catalog.ShapeGavg && shape != catalog.ShapeRavg {
		return nil
	}
	copies := slices.Clone(exporter.Copies)
	if b.engineGroup() != "" {
		copies = append(copies, deployment.NodeLabels()...)
	}
	grouped := b.grouping(*in)
	in.collapse, in.copies = shape, slices.DeleteFunc(copies, func(label string) bool {
		_, kept := grouped[label]
		if kept {
			b.notice(notice.Copies, in.names[0], label)
		}
		return kept
	})
	return nil
}

// rankZero keeps the copy of TP rank 0 in place of collapsing.
func (b *builder) rankZero(in *input, rank string) error {
	m, err := promql.Matching(rank, "0", "")
	if err != nil {
		return err
	}
	in.matchers = append(in.matchers, m)
	b.explain("rank copies dropped by %s", m)
	if b.request.Deployment != nil && b.request.Deployment.Systems[in.source.Exporter].DPRanks > 1 {
		b.notice(notice.RankZero, rank)
	}
	return nil
}

// group lists the physical labels to keep and how they are called in the answer.
func (b *builder) group(in input) ([]string, map[string]string) {
	return b.groupBy(in.source, splitBy(b.request.Query, in.always))
}

func (b *builder) groupBy(source catalog.Source, by []string) ([]string, map[string]string) {
	rename := b.groupingBy(source, by)
	group := slices.Sorted(maps.Keys(rename))
	for physical, logical := range rename {
		if physical == logical {
			delete(rename, physical)
		}
	}
	return group, rename
}

// byGrouping parts inputs whose grouping has different physical labels: one
// aggregation could not keep both.
func (b *builder) byGrouping(inputs []input) [][]input {
	var parts [][]input
	for _, in := range inputs {
		i := slices.IndexFunc(parts, func(p []input) bool {
			return maps.Equal(b.grouping(p[0]), b.grouping(in))
		})
		if i < 0 {
			parts = append(parts, nil)
			i = len(parts) - 1
		}
		parts[i] = append(parts[i], in)
	}
	return parts
}
