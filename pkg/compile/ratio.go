package compile

import (
	"slices"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// ratios builds Σ numerator ÷ (Σ denominator > 0). An idle denominator gives no
// value: 0 would be a statement, NaN would fire alerts. The ratios of one
// exporter are alternatives, best first; exporters are answered side by side.
func (b *builder) ratios(binding scope, role query.Role) ([]Expression, error) {
	var made []Expression
	alternatives := map[string]promql.Expr{}
	for _, ratio := range b.usable(binding) {
		exporter := ratio.Num[0].Exporter
		build := b.ratio
		if b.signal.PerRequestSize && b.recording == "" {
			build = b.ratioOverSize
		}
		one, rename, err := build(binding, ratio, role)
		if err != nil {
			return nil, err
		}
		if one == nil {
			continue
		}
		if before, ok := alternatives[exporter]; ok {
			one = promql.Or(before, one)
		} else {
			made = append(made, Expression{Rename: rename, exporter: exporter})
		}
		alternatives[exporter] = one
	}
	for i := range made {
		made[i].Tree = b.scale(binding, alternatives[made[i].exporter])
	}
	if len(made) > 0 {
		b.explain("numerator and denominator added up apart%s; no value while the denominator is 0", b.span())
	}
	return made, nil
}

// ratio builds one alternative; nil when a half of it is not to be had.
func (b *builder) ratio(binding scope, r catalog.Ratio, role query.Role) (promql.Expr, map[string]string, error) {
	if read, rename, err := b.recordedRatio(binding, r, role); err != nil || read != nil {
		return read, rename, err
	}
	if r.Aligned {
		return b.aligned(binding, r, role)
	}
	kept, split := b.commonGroup(binding, r)
	num, rename, err := b.sumOf(binding, r.Num, role, slices.Concat(kept, split))
	if err != nil {
		return nil, nil, err
	}
	den, _, err := b.sumOf(binding.sharing(r.Split), r.Den, role, kept)
	if err != nil || num == nil || den == nil {
		return nil, nil, err
	}
	switch b.recording {
	case numerator:
		return num, rename, nil
	case denominator:
		return den, rename, nil
	}
	return b.over(r, num, promql.Above(den, 0), split), rename, nil
}

// ratioOverSize is ratio divided by B_request, model by model. It is nil when no
// model has a size.
func (b *builder) ratioOverSize(binding scope, r catalog.Ratio, role query.Role) (promql.Expr, map[string]string, error) {
	inputs, err := b.inputs(binding, r.Num, role)
	if err != nil || len(inputs) == 0 {
		return nil, nil, err
	}
	sizes, err := b.sizes(inputs, b.physical(r.Num[0], "model"))
	if err != nil {
		return nil, nil, err
	}
	var all promql.Expr
	var rename map[string]string
	for _, s := range sizes {
		one, names, err := b.ratio(binding.onlyModels(s.matchers), r, role)
		if err != nil || one == nil {
			return nil, nil, err
		}
		rename = names
		one = promql.Div(one, promql.Number(float64(s.bytes)))
		if all == nil {
			all = one
		} else {
			all = promql.Or(all, one)
		}
	}
	return all, rename, nil
}

// usable leaves out the ratios that cannot be had here, and those without a label
// of a filter or of the grouping where another ratio of the exporter has it.
func (b *builder) usable(binding scope) []catalog.Ratio {
	have := slices.DeleteFunc(slices.Clone(binding.Ratios), func(r catalog.Ratio) bool {
		return slices.ContainsFunc(r.Sources(), func(s catalog.Source) bool { return len(b.names(s)) == 0 })
	})
	for _, label := range b.needed(binding.Always) {
		carries := func(r catalog.Ratio) bool {
			if slices.Contains(r.Split, label) {
				return true
			}
			return !slices.ContainsFunc(r.Sources(), func(s catalog.Source) bool { return !b.carries(s, label) })
		}
		have = slices.DeleteFunc(slices.Clone(have), func(r catalog.Ratio) bool {
			return !carries(r) && slices.ContainsFunc(have, func(other catalog.Ratio) bool {
				return other.Num[0].Exporter == r.Num[0].Exporter && carries(other)
			})
		})
	}
	return have
}

// aligned builds a ratio engine by engine before anything is added up, so that both
// halves speak of the same engines.
func (b *builder) aligned(binding scope, r catalog.Ratio, role query.Role) (promql.Expr, map[string]string, error) {
	num, err := b.added(binding, r.Num, role)
	if err != nil || num == nil {
		return nil, nil, err
	}
	den, err := b.added(binding, r.Den, role)
	if err != nil || den == nil {
		return nil, nil, err
	}
	kept, _ := b.commonGroup(binding, r)
	group, rename := b.groupBy(r.Num[0], kept)
	b.explain("engines that lack one of the metrics are left out")
	whole := b.aggregate(binding, promql.And(den, num), group)
	switch b.recording {
	case numerator:
		return b.aggregate(binding, num, group), rename, nil
	case denominator:
		return whole, rename, nil
	}
	return promql.Div(b.aggregate(binding, num, group), promql.Above(whole, 0)), rename, nil
}

// added adds gauges of one process, each engine's for itself; nil when one of them
// is not to be had.
func (b *builder) added(binding scope, sources []catalog.Source, role query.Role) (promql.Expr, error) {
	var total promql.Expr
	for _, source := range sources {
		inputs, err := b.inputs(binding, []catalog.Source{source}, role)
		if err != nil || len(inputs) == 0 {
			return nil, err
		}
		one := b.join(inputs, b.value)
		if total == nil {
			total = one
		} else {
			total = promql.Add(total, one)
		}
	}
	return total, nil
}

// over divides; parts of the numerator that are told apart share the denominator.
func (b *builder) over(r catalog.Ratio, num, den promql.Expr, split []string) promql.Expr {
	if len(split) == 0 {
		return promql.Div(num, den)
	}
	var physical []string
	for _, label := range split {
		physical = append(physical, b.physical(r.Num[0], label))
	}
	return promql.DivEach(num, den, physical...)
}

// commonGroup are the logical labels by which both halves of a ratio can be split,
// and those by which the numerator alone can be.
func (b *builder) commonGroup(binding scope, r catalog.Ratio) (kept, split []string) {
	for _, label := range splitBy(b.request.Query, binding.Always) {
		if slices.Contains(constantLabels, label) {
			continue
		}
		lacking := slices.IndexFunc(r.Sources(), func(s catalog.Source) bool { return !b.carries(s, label) })
		if lacking < 0 {
			kept = append(kept, label)
			continue
		}
		if slices.Contains(r.Split, label) {
			split = append(split, label)
			continue
		}
		b.notice(notice.HalfNotSplit, b.signal.Title, label, b.names(r.Sources()[lacking])[0])
	}
	return kept, split
}

func (b *builder) span() string {
	if b.plan.Window == 0 {
		return ""
	}
	return " over a window of " + model.Duration(b.plan.Window).String()
}

// sumOf adds up the metrics of a numerator or denominator, each aggregated alone
// by the labels kept; it is nil when one of them is not to be had.
func (b *builder) sumOf(binding scope, sources []catalog.Source, role query.Role, kept []string) (promql.Expr, map[string]string, error) {
	var total promql.Expr
	var rename map[string]string
	for _, source := range sources {
		inputs, err := b.inputs(binding, []catalog.Source{source}, role)
		if err != nil || len(inputs) == 0 {
			return nil, nil, err
		}
		group, names := b.groupBy(source, kept)
		one := b.join(inputs, b.value)
		if source.Count {
			one = promql.CountBy(one, group...)
		} else {
			one = b.aggregate(binding, one, group)
		}
		if total == nil {
			total, rename = one, names
		} else {
			total = promql.Add(total, one)
		}
	}
	return total, rename, nil
}
