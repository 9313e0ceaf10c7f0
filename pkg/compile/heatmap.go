package compile

import (
	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// heatmap is the rate of each bucket, added up over engines. What lies below a
// bucket is taken off where the answer becomes a frame: PromQL has no way to
// subtract the neighbour.
func (b *builder) heatmap(binding scope, inputs []input, group []string, suffix string, into *Expression) promql.Expr {
	b.plan.Title = b.signal.Title + " heatmap"
	if suffix == "" {
		b.notice(notice.NativeHeatmap)
		return nil
	}
	inputs, _, ok := b.commonBuckets(inputs, "heatmap")
	if !ok {
		return nil
	}
	unit := catalog.Units[binding.Unit]
	into.Buckets = &BucketScale{Unit: b.signal.Unit, Mul: unit.Mul, Div: unit.Div}
	if unit.Text != "" {
		b.explain("bounds of buckets: %s", unit.Text)
	}
	buckets := b.join(inputs, func(in input, name string) promql.Expr { return b.observed(in, name, suffix) })
	b.explain("observations per second in each bucket over a window of %s, those of the buckets below taken off", model.Duration(b.plan.Window))
	return promql.SumBy(buckets, append([]string{model.BucketLabel}, group...)...)
}
