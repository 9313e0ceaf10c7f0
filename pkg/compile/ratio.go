package compile

import (
	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// ratios builds Σ numerator ÷ (Σ denominator > 0). An idle denominator gives no
// value: 0 would be a statement, NaN would fire alerts. The ratios of one
// exporter are alternatives, best first; exporters are answered side by side.
func (b *builder) ratios(binding catalog.Binding, role query.Role) ([]Expression, error) {
	var made []Expression
	at := map[string]int{}
	alternatives := map[string]promql.Expr{}
	for _, ratio := range binding.Ratios {
		num, rename, err := b.sumOf(binding, ratio.Num, role)
		if err != nil {
			return nil, err
		}
		den, _, err := b.sumOf(binding, ratio.Den, role)
		if err != nil {
			return nil, err
		}
		if num == nil || den == nil {
			continue
		}
		one := promql.Div(num, promql.Above(den, 0))
		exporter := ratio.Num[0].Exporter
		if before, ok := alternatives[exporter]; ok {
			one = promql.Or(before, one)
		} else {
			at[exporter] = len(made)
			made = append(made, Expression{Rename: rename})
		}
		alternatives[exporter] = one
	}
	for exporter, e := range alternatives {
		made[at[exporter]].PromQL = b.scale(binding, e).String()
	}
	if len(made) > 0 {
		b.explain("numerator and denominator added up apart%s; no value while the denominator is 0", b.span())
	} else if b.request.Deployment != nil {
		b.missing([]catalog.Binding{binding})
	}
	return made, nil
}

func (b *builder) span() string {
	if b.plan.Window == 0 {
		return ""
	}
	return " over a window of " + model.Duration(b.plan.Window).String()
}

// sumOf adds up the metrics of a numerator or denominator, each aggregated alone;
// it is nil when one of them is not to be had.
func (b *builder) sumOf(binding catalog.Binding, sources []catalog.Source, role query.Role) (promql.Expr, map[string]string, error) {
	var total promql.Expr
	var rename map[string]string
	for _, source := range sources {
		inputs, err := b.inputs(binding, []catalog.Source{source}, role)
		if err != nil || len(inputs) == 0 {
			return nil, nil, err
		}
		group, names := b.group(inputs)
		one := b.aggregate(binding, b.join(binding, inputs, b.value), group)
		if total == nil {
			total, rename = one, names
		} else {
			total = promql.Add(total, one)
		}
	}
	return total, rename, nil
}
