package compile

import (
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// join makes one vector of all inputs: the names of a source are alternatives,
// copies of ranks are dropped, then the sources are alternatives in turn.
func (b *builder) join(inputs []input, value func(input, string) promql.Expr) promql.Expr {
	var all promql.Expr
	var before input
	for i, in := range inputs {
		if in.variant {
			continue // taken together with the input before it
		}
		one := b.single(in, value)
		for _, other := range inputs[i+1:] {
			if !other.variant {
				break
			}
			one = promql.Or(one, b.single(other, value)) // other engines
		}
		switch {
		case all == nil:
			all = one
		case before.source.Exporter != in.source.Exporter:
			all = promql.Or(all, one) // other engines
		default:
			all = promql.OrOn(all, one, b.identity(before, in)...)
		}
		before = in
	}
	return all
}

// single makes one vector of an input: its names are alternatives, copies of ranks
// are dropped, engines that have a better source are left out.
func (b *builder) single(in input, value func(input, string) promql.Expr) promql.Expr {
	var one promql.Expr
	for _, name := range in.names {
		switch {
		case one == nil:
			one = value(in, name)
		case in.severalPrefixes:
			one = promql.OrOn(one, value(in, name), b.identity(in, in)...)
		case in.source.Type == catalog.TypeHistogram:
			// The buckets of two names must not mix, nor their different bounds.
			one = promql.OrIgnoring(one, value(in, name), model.BucketLabel)
		default:
			one = promql.Or(one, value(in, name))
		}
	}
	one = b.collapse(in, one)
	for _, better := range in.except {
		one = promql.UnlessOn(one, promql.Sel(better), b.engineLabels(in)...)
	}
	return one
}

// engineLabels identify the engine of an input's series.
func (b *builder) engineLabels(in input) []string {
	return deployment.EngineLabels(b.engineGroup(), b.seen(in.source.Exporter))
}

// seen are the labels that the series of an exporter's engines have, nil where that is not known.
func (b *builder) seen(exporter string) []string {
	if b.request.Deployment == nil {
		return nil
	}
	return b.request.Deployment.Systems[exporter].Labels
}

// identity are the labels by which two metrics of one engine are known to be of
// the same engine: those of the target, and those that both carry. Labels that a
// site adds to one of them alone do not hide that they count the same.
func (b *builder) identity(first, second input) []string {
	a, other := first.source, second.source
	exporter, _ := b.catalog.System(a.Exporter)
	same := []string{model.InstanceLabel, model.JobLabel}
	extra := slices.Concat(a.Extra, other.Extra)
	engine := slices.Concat(extra, exporter.Copies)
	if exporter.Roles != nil && exporter.Roles.Label != "" {
		engine = append(engine, exporter.Roles.Label)
		// Where one of the two lacks it, each is restricted to the role by itself.
		if !b.lacksRole(a, first.names) && !b.lacksRole(other, second.names) {
			same = append(same, exporter.Roles.Label)
		}
	}
	for _, logical := range exporter.Carries[a.From] {
		physical := b.physical(a, logical)
		engine = append(engine, physical)
		if slices.Contains(exporter.Carries[other.From], logical) && !slices.Contains(extra, physical) {
			same = append(same, physical)
		}
	}
	target := slices.Concat(deployment.TargetLabels(), slices.Collect(maps.Keys(b.grouping(first))))
	if b.request.Deployment != nil {
		target = b.request.Deployment.Systems[a.Exporter].Labels
	}
	for _, label := range target {
		if !slices.Contains(engine, label) {
			same = append(same, label)
		}
	}
	if group := b.engineGroup(); group != "" {
		same = append(same, group)
		same = slices.DeleteFunc(same, func(label string) bool { return slices.Contains(deployment.NodeLabels(), label) })
	}
	return same
}

// collapse keeps one of the copies that ranks of one engine repeat.
func (b *builder) collapse(in input, e promql.Expr) promql.Expr {
	if in.collapse == "" || len(in.copies) == 0 {
		return e
	}
	b.explain("rank copies collapsed (%s)", strings.Join(in.copies, ", "))
	if in.collapse == catalog.ShapeRavg {
		return promql.AvgWithout(e, in.copies...)
	}
	return promql.MaxWithout(e, in.copies...)
}
