package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// mostRestricted bounds in bytes what filters of many values make of an expression of
// many selectors.
const mostRestricted = 1 << 20

// restrict adds the filters, which a dashboard sends with all of its queries, to every
// selector of an expression, and says what was added and what could not be.
func (b *builder) restrict(expr promql.Expr) error {
	if len(b.request.Query.Filters) == 0 {
		return nil
	}
	if b.request.Query.Signal != "" {
		// The editor keeps what its other mode needs, and shows no filters in this one.
		b.notice(notice.SignalsFilters)
		return nil
	}
	selectors := promql.Selectors(expr)
	if len(selectors) == 0 {
		b.notice(notice.FiltersSelectNothing)
		return nil
	}
	added, lacking := newGroups(), newGroups()
	size := 0
	for _, s := range selectors {
		shown := cmp.Or(promql.Metric(s), excerpt.Of(s.String()))
		matchers, err := b.restrictOne(s, lacking)
		if err != nil {
			return err
		}
		if matchers == "" {
			continue
		}
		added.put(matchers, shown)
		for _, m := range s.LabelMatchers {
			size += len(m.Value)
		}
		if size > mostRestricted {
			return &query.FieldError{Field: "expr", Value: b.request.Query.Expr, Remedy: "with the values of the dashboard's filters in each of its selectors it is too long for a server: choose fewer values, or write fewer selectors"}
		}
	}
	for _, label := range lacking.keys {
		b.notice(notice.DashboardLabelUnknown, label, lacking.members(label))
	}
	if text := added.text(len(selectors)); text != "" {
		b.notice(notice.FiltersAdded, text)
		b.explain("the filters of the dashboard in every selector")
	}
	return nil
}

// restrictOne adds to a selector the matchers that it lacks, and returns their text.
func (b *builder) restrictOne(s *parser.VectorSelector, lacking *groups) (string, error) {
	metric := promql.Metric(s)
	sources := b.sourcesOf(metric)
	var added []string
	for _, f := range b.request.Query.Filters {
		if slices.Contains(constantLabels, f.Label) && !deployment.IsRecorded(metric) {
			b.notice(notice.FilterNoLabel, f.Label)
			continue
		}
		m, err := filterMatcher(f, b.labelOf(metric, sources, f.Label, lacking))
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(s.LabelMatchers, func(other *labels.Matcher) bool { return other.String() == m.String() }) {
			continue
		}
		s.LabelMatchers = append(s.LabelMatchers, m)
		added = append(added, excerpt.Of(m.String()))
	}
	switch len(added) {
	case 0:
		return "", nil
	case 1:
		return added[0] + " was", nil
	}
	return strings.Join(added, ", ") + " were", nil
}

// labelOf is the label of a metric's series that a filter's label stands for. What the
// catalog does not know is taken as it is written.
func (b *builder) labelOf(metric string, sources []catalog.Source, label string, lacking *groups) string {
	if len(sources) == 0 {
		return label
	}
	i := slices.IndexFunc(sources, func(s catalog.Source) bool { return b.carries(s, label) || b.hasPhysical(s, label) })
	if i < 0 {
		lacking.put(label, metric)
		i = 0
	}
	return b.physical(sources[i], label)
}

// sourcesOf are the sources of the catalog that a series of this name may be of, those
// of systems that the server holds first.
func (b *builder) sourcesOf(metric string) []catalog.Source {
	sources := b.catalog.SourcesOf(metric, b.request.Options.Prefixes)
	if b.request.Deployment == nil {
		return sources
	}
	missing := func(s catalog.Source) int {
		if _, ok := b.request.Deployment.Systems[s.Exporter]; ok {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(sources, func(a, b catalog.Source) int { return missing(a) - missing(b) })
	return sources
}

// groups are names by what they have in common, in the order in which they came, of
// which a notice tells the first.
type groups struct {
	keys  []string
	of    map[string][]string
	count int // of all that were put in, also twice
}

func newGroups() *groups { return &groups{of: map[string][]string{}} }

// mostTold bounds what a notice lists.
const mostTold = 5

func (g *groups) put(key, member string) {
	g.count++
	if _, ok := g.of[key]; !ok {
		g.keys = append(g.keys, key)
	}
	if len(g.of[key]) <= mostTold {
		g.of[key] = appendNew(g.of[key], member)
	}
}

func (g *groups) members(key string) string {
	if names := g.of[key]; len(names) > mostTold {
		return strings.Join(names[:mostTold], ", ") + " and others"
	}
	return strings.Join(g.of[key], ", ")
}

// text says what was added where, "" for nothing; selectors is the number of all.
func (g *groups) text(selectors int) string {
	if len(g.keys) == 1 && g.count == selectors {
		return g.keys[0] + " added to each selector"
	}
	var told []string
	for _, key := range g.keys[:min(mostTold, len(g.keys))] {
		told = append(told, fmt.Sprintf("%s added to %s", key, g.members(key)))
	}
	if len(g.keys) > mostTold {
		told = append(told, "others to more")
	}
	return strings.Join(told, "; ")
}
