package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
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
}

func (b *builder) notice(severity query.Severity, format string, args ...any) {
	n := query.Notice{Severity: severity, Text: fmt.Sprintf(format, args...)}
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
	b.plan.Notices = append(b.plan.Notices, b.rates.notices...)
	for _, binding := range b.bindings() {
		if err := b.bind(binding); err != nil {
			return err
		}
	}
	if len(b.plan.Expressions) == 0 {
		said := func(n query.Notice) bool { return n.Severity != query.SeverityInfo }
		if !slices.ContainsFunc(b.plan.Notices, said) {
			b.notice(query.SeverityError, "%s cannot be had with this role, these filters and this grouping.", b.signal.Title)
		}
		return nil
	}
	if b.signal.Caution != "" {
		b.notice(query.SeverityInfo, "%s", b.signal.Caution)
	}
	return nil
}

// bind adds the expressions of one binding: one for each role that is shown
// apart, and more where one aggregation cannot hold all that is asked for.
func (b *builder) bind(binding catalog.Binding) error {
	made := 0
	for _, part := range b.byRoles(binding) {
		for _, role := range part.roles {
			expressions, err := b.expressions(part.binding, role)
			if err != nil {
				return err
			}
			for i, e := range expressions {
				expressions[i].Labels = map[string]string{"system": binding.System}
				if role != query.RoleAny && (len(part.roles) > 1 || b.request.Query.Role != query.RoleAny || role != binding.Role) {
					expressions[i].Labels["role"] = string(role)
				}
				if len(expressions) > 1 {
					expressions[i].Labels["exporter"] = e.exporter
				}
			}
			made += len(expressions)
			b.plan.Expressions = append(b.plan.Expressions, expressions...)
			if text := binding.Covers[role]; text != "" && len(expressions) > 0 {
				b.explain("%s: %s", b.title(binding.System), text)
			}
		}
	}
	if made > 0 && binding.Caution != "" {
		b.notice(query.SeverityInfo, "%s", binding.Caution)
	}
	return nil
}

func (b *builder) title(system string) string {
	if s, ok := b.catalog.System(system); ok {
		return s.Title
	}
	return system
}

// expressions builds one binding for one role, "" for no role filter.
func (b *builder) expressions(binding catalog.Binding, role query.Role) ([]Expression, error) {
	if len(binding.Ratios) > 0 {
		return b.ratios(binding, role)
	}
	inputs, err := b.inputs(binding, binding.Sources, role)
	if err != nil || len(inputs) == 0 {
		return nil, err
	}
	var made []Expression
	for _, part := range b.byGrouping(inputs) {
		group, rename := b.group(part[0].source)
		var expr promql.Expr
		var bounds *Bounds
		switch {
		case b.signal.Kind == catalog.KindDistribution:
			expr, bounds = b.distribution(binding, part, group)
		case b.signal.PerRequestSize:
			expr, err = b.perRequest(binding, part, group)
		default:
			expr = b.scale(binding, b.aggregate(binding, b.join(part, b.value), group))
		}
		if err != nil {
			return nil, err
		}
		if expr != nil {
			made = append(made, Expression{PromQL: expr.String(), Rename: rename, Quantile: bounds, exporter: part[0].source.Exporter})
		}
	}
	return made, nil
}

// value turns one metric into what is added up: a counter into its rate, unless
// the cumulative value is asked for; a gauge stays as it is.
func (b *builder) value(in input, name string) promql.Expr {
	selector := promql.Sel(name, in.matchers...)
	if in.source.Type != catalog.TypeCounter || b.signal.Kind == catalog.KindTotal {
		return selector
	}
	if b.signal.Kind == catalog.KindRate {
		return b.counter(selector)
	}
	return b.part(selector)
}

// join makes one vector of all inputs: the names of a source are alternatives,
// copies of ranks are dropped, then the sources are alternatives in turn.
func (b *builder) join(inputs []input, value func(input, string) promql.Expr) promql.Expr {
	var extra []string
	for _, in := range inputs {
		extra = append(extra, in.source.Extra...)
	}
	var all promql.Expr
	for _, in := range inputs {
		var one promql.Expr
		for _, name := range in.names {
			if one == nil {
				one = value(in, name)
			} else {
				one = promql.Or(one, value(in, name))
			}
		}
		one = b.collapse(in, one)
		if all == nil {
			all = one
		} else {
			all = promql.Or(all, one, extra...)
		}
	}
	return all
}

func (b *builder) aggregate(binding catalog.Binding, e promql.Expr, group []string) promql.Expr {
	if binding.Shape == catalog.ShapeMax {
		b.explain("the largest value of each group")
		return promql.MaxBy(e, group...)
	}
	return promql.SumBy(e, group...)
}

// scale converts the exported unit into the signal's own.
func (b *builder) scale(binding catalog.Binding, e promql.Expr) promql.Expr {
	conversion := catalog.Units[binding.Unit]
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

// collapse keeps one of the copies that ranks of one engine repeat.
func (b *builder) collapse(in input, e promql.Expr) promql.Expr {
	if in.collapse == "" || len(in.copies) == 0 {
		return e
	}
	b.explain("rank copies collapsed (%s)", strings.Join(in.copies, ", "))
	if in.collapse == catalog.ShapeGmax {
		return promql.MaxWithout(e, in.copies...)
	}
	return promql.AvgWithout(e, in.copies...)
}
