package compile

import (
	"slices"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// skew is the largest over the mean of engines and their data-parallel ranks: 1
// where all carry the same load.
func (b *builder) skew(binding scope, inputs []input, group []string) promql.Expr {
	each := slices.Clone(group)
	exporter, _ := b.catalog.System(inputs[0].source.Exporter)
	for _, logical := range append([]string{model.InstanceLabel}, exporter.Identity...) {
		if b.carries(inputs[0].source, logical) {
			each = append(each, b.physical(inputs[0].source, logical))
		}
	}
	for _, place := range deployment.PlaceLabels(b.seen(inputs[0].source.Exporter)) {
		each = appendNew(each, place) // engines of two clusters may be called alike
	}
	if b.engineGroup() != "" {
		each = slices.DeleteFunc(each, func(label string) bool {
			return label == model.InstanceLabel && !slices.Contains(group, label)
		})
	}
	b.plan.Title = b.signal.Title + " skew"
	b.explain("skew: the largest of the engines and data-parallel ranks over their mean; no value while all are 0")
	loads := b.aggregate(binding, b.join(inputs, b.value), each)
	return promql.Div(promql.MaxBy(loads, group...), promql.Above(promql.AvgBy(loads, group...), 0))
}
