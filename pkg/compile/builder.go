package compile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// builder collects one plan.
type builder struct {
	catalog *catalog.Catalog
	request Request
	signal  catalog.Signal
	rates   rates
	plan    Plan
	// recording is the part of the signal that is to be recorded, "" for a query.
	recording half
}

func (b *builder) notice(kind notice.Kind, args ...any) {
	n := kind.Of(args...)
	if !slices.Contains(b.plan.Notices, n) {
		b.plan.Notices = append(b.plan.Notices, n)
	}
}

func (b *builder) explain(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if !slices.Contains(b.plan.Explanation, line) {
		b.plan.Explanation = append(b.plan.Explanation, line)
	}
}

func (b *builder) build() error {
	bindings := b.bindings()
	least, err := b.signal.LeastWindow()
	if err != nil {
		return err
	}
	rates, err := chooseRates(b.request, b.scrapeInterval(bindings), least)
	if err != nil {
		return err
	}
	b.rates = rates
	b.plan.Notices = append(b.plan.Notices, rates.notices...)
	for _, binding := range bindings {
		if err := b.bind(binding); err != nil {
			return err
		}
	}
	if len(b.plan.Expressions) == 0 {
		said := func(n query.Notice) bool { return n.Severity != query.SeverityInfo }
		if !slices.ContainsFunc(b.plan.Notices, said) {
			b.notice(notice.NotWithThese, b.signal.Title)
		}
		return nil
	}
	for i := range b.plan.Notices {
		// What one system cannot do is no error where another answers.
		if b.plan.Notices[i].Severity == query.SeverityError {
			b.plan.Notices[i].Severity = query.SeverityWarning
		}
	}
	if b.signal.Caution != "" {
		b.notice(notice.Caution, b.signal.Caution)
	}
	return nil
}

// bind adds the expressions of one binding: one for each role that is shown
// apart, and more where one aggregation cannot hold all that is asked for.
func (b *builder) bind(binding scope) error {
	if b.signal.PerRequestSize && b.signal.Kind == catalog.KindRatio {
		binding.Always = appendNew(slices.Clone(binding.Always), "model") // each model has a size of its own
	}
	var made []Expression
	for _, part := range b.byRoles(binding) {
		for _, role := range part.roles {
			expressions, err := b.expressions(part.binding, role)
			if err != nil {
				return err
			}
			for i := range expressions {
				if b.recording != "" {
					expressions[i].recorded = b.recordedAs(part.binding.Binding, expressions[i].exporter, role, b.recording)
				}
				expressions[i].Labels = map[string]string{"system": binding.System}
				if b.byExporter() {
					expressions[i].Labels["exporter"] = expressions[i].exporter
				}
				if role != query.RoleAny && (len(part.roles) > 1 || b.request.Query.Role != query.RoleAny || role != binding.Role) {
					expressions[i].Labels["role"] = string(role)
				}
			}
			made = append(made, expressions...)
			if text := binding.Covers[role]; text != "" && len(expressions) > 0 {
				b.explain("%s: %s", b.title(binding.System), text)
			}
		}
	}
	if len(made) > 0 && binding.Caution != "" {
		b.notice(notice.Caution, binding.Caution)
	}
	b.plan.Expressions = append(b.plan.Expressions, tellApart(made)...)
	return nil
}

// tellApart names the exporter where two expressions would give equal labels.
func tellApart(made []Expression) []Expression {
	for i, e := range made {
		for _, other := range made[:i] {
			if maps.Equal(e.Labels, other.Labels) {
				for j := range made {
					made[j].Labels["exporter"] = made[j].exporter
				}
				return made
			}
		}
	}
	return made
}

func (b *builder) title(system string) string {
	if s, ok := b.catalog.System(system); ok {
		return s.Title
	}
	return system
}

// expressions builds one binding for one role, "" for no role filter.
func (b *builder) expressions(binding scope, role query.Role) ([]Expression, error) {
	if len(binding.Ratios) > 0 {
		return b.ratios(binding, role)
	}
	inputs, err := b.inputs(binding, binding.Sources, role)
	if err != nil || len(inputs) == 0 {
		return nil, err
	}
	if inputs, err = b.fromRecords(binding, role, inputs); err != nil {
		return nil, err
	}
	var made []Expression
	for _, part := range b.byGrouping(inputs) {
		group, rename := b.group(part[0])
		var expr promql.Expr
		one := Expression{Rename: rename, exporter: part[0].source.Exporter}
		switch {
		case b.signal.Kind == catalog.KindDistribution:
			expr = b.distribution(binding, part, group, &one)
		case b.signal.PerRequestSize && b.recording == "":
			expr, err = b.perRequest(binding, part, group)
		case b.signal.Kind == catalog.KindRestart:
			expr = promql.MaxBy(b.join(part, b.value), group...)
		default:
			expr = ofValues[stat(b.signal, b.request.Query.Stat)](b, binding, part, group)
		}
		if err != nil {
			return nil, err
		}
		if expr != nil {
			one.Tree = expr
			made = append(made, one)
		}
	}
	return made, nil
}

// value turns one metric into what is added up: a counter into its rate, unless
// the cumulative value is asked for; a gauge stays as it is.
func (b *builder) value(in input, name string) promql.Expr {
	if in.recorded != nil {
		return b.ofRecord(in)
	}
	selector := promql.Sel(name, in.matchers...)
	if b.signal.Kind == catalog.KindRestart {
		return b.restarted(selector)
	}
	if in.source.Type == catalog.TypeCounter {
		b.plan.Counters = appendNew(b.plan.Counters, selector.String())
	}
	if in.source.Type != catalog.TypeCounter || b.signal.Kind == catalog.KindTotal {
		return selector
	}
	if b.signal.Kind == catalog.KindRate {
		return b.counter(selector)
	}
	return b.part(selector)
}

func appendNew(list []string, value string) []string {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

func (b *builder) aggregate(binding scope, e promql.Expr, group []string) promql.Expr {
	switch binding.Shape {
	case catalog.ShapeMax:
		b.explain("the largest value of each group")
		return promql.MaxBy(e, group...)
	case catalog.ShapeMin:
		b.explain("the smallest value of each group")
		return promql.MinBy(e, group...)
	case catalog.ShapeAvg, catalog.ShapeGavg:
		b.explain("the mean of each group")
		return promql.AvgBy(e, group...)
	}
	return promql.SumBy(e, group...)
}

// scale converts the exported unit into the signal's own.
func (b *builder) scale(binding scope, e promql.Expr) promql.Expr {
	conversion := catalog.Units[binding.Unit]
	if b.recording != "" {
		return e // converted when it is read
	}
	if conversion.Mul != 1 {
		e = promql.Mul(e, promql.Number(conversion.Mul))
	}
	if conversion.Div != 1 {
		e = promql.Div(e, promql.Number(conversion.Div))
	}
	if conversion.Text != "" {
		b.explain("%s", conversion.Text)
	}
	return e
}
