package compile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// distribution builds the statistic of a histogram: buckets are added up before
// the quantile is taken, the mean is one sum over one count.
func (b *builder) distribution(binding scope, inputs []input, group []string, into *Expression) promql.Expr {
	if b.onlyGauges(inputs) {
		if b.recording != "" {
			return nil
		}
		if asked := stat(b.signal, b.request.Query.Stat); asked == query.StatRate || asked == query.StatHeatmap {
			b.notice(notice.GaugeNotCounted, inputs[0].names[0])
			return nil
		}
		b.notice(notice.GaugeOnly, inputs[0].names[0])
		return b.scale(binding, promql.MaxBy(b.join(inputs, b.last), group...))
	}
	suffix := "_bucket"
	if b.onlyNative(inputs) {
		suffix = ""
		b.explain("native histograms: their buckets need no le")
	}
	b.warnOfNative(inputs, suffix)
	summed := func(suffix string, group ...string) promql.Expr { return b.summed(inputs, suffix, group...) }
	count, sum := summed("_count", group...), summed("_sum", group...)
	if suffix == "" {
		native := summed("", group...)
		count, sum = promql.HistogramCount(native), promql.HistogramSum(native)
	}
	switch {
	case b.recording != "" && suffix == "":
		return nil // of native histograms there is no recording yet
	case b.recording == buckets:
		return summed(suffix, append([]string{model.BucketLabel}, group...)...)
	case b.recording == sums:
		return sum
	case b.recording == counts:
		return count
	}
	return ofObservations[stat(b.signal, b.request.Query.Stat)](b, observations{
		binding: binding, inputs: inputs, group: group, suffix: suffix, count: count, sum: sum, into: into,
	})
}

// observations are what a histogram holds: what the statistics of it are built from.
type observations struct {
	binding scope
	inputs  []input
	group   []string
	// suffix of the buckets' names, "" for native histograms.
	suffix     string
	count, sum promql.Expr
	into       *Expression
}

// summed adds up the series of histograms with a suffix, by labels.
func (b *builder) summed(inputs []input, suffix string, group ...string) promql.Expr {
	return promql.SumBy(b.join(inputs, func(in input, name string) promql.Expr { return b.observed(in, name, suffix) }), group...)
}

func (b *builder) observedRate(o observations) promql.Expr {
	b.plan.Title = b.signal.Title + " count"
	b.explain("observations per second over a window of %s", model.Duration(b.plan.Window))
	return o.count
}

func (b *builder) mean(o observations) promql.Expr {
	b.plan.Title = b.signal.Title + " mean"
	b.explain("mean: added-up sums over added-up counts, window %s; no value while nothing was observed", model.Duration(b.plan.Window))
	return b.scale(o.binding, promql.Div(o.sum, promql.Above(o.count, 0)))
}

func (b *builder) quantile(o observations) promql.Expr {
	q := b.request.Query.Quantile
	if q == 0 {
		q = query.DefaultQuantile
	}
	b.plan.Title = b.signal.Title + " " + percentile(q)
	buckets := b.summed(o.inputs, o.suffix, o.group...)
	if o.suffix != "" {
		var merged deployment.Layout
		var ok bool
		if o.inputs, merged, ok = b.commonBuckets(o.inputs, "quantile"); !ok {
			return nil
		}
		buckets = b.summed(o.inputs, o.suffix, append([]string{model.BucketLabel}, o.group...)...)
		o.into.Quantile, o.into.Beyond = b.bounds(o.binding, merged), b.beyond(o.inputs, merged, o.group, o.count)
		b.explain("buckets merged by le over a window of %s, before the quantile", model.Duration(b.plan.Window))
	}
	value := b.scale(o.binding, promql.Quantile(q, buckets))
	b.explain("idle is empty, not NaN")
	return promql.AtLeast(value, 0)
}

func (b *builder) last(in input, name string) promql.Expr { return promql.Sel(name, in.matchers...) }

// onlyNative reports whether discovery found the histograms in native form alone.
func (b *builder) onlyNative(inputs []input) bool {
	return b.every(inputs, func(d *deployment.Deployment, in input, name string) bool {
		return in.recorded == nil && d.Metrics[name] && !d.Metrics[name+"_bucket"]
	})
}

// warnOfNative names what a classic quantile leaves out: native histograms have no
// le by which they could be merged with it.
func (b *builder) warnOfNative(inputs []input, suffix string) {
	if b.request.Deployment == nil || suffix == "" {
		return
	}
	d := b.request.Deployment
	for _, in := range inputs {
		for _, name := range in.names {
			if in.recorded == nil && d.Metrics[name] && !d.Gauges[name] {
				b.notice(notice.NativeLeftOut, name)
			}
		}
	}
}

// onlyGauges reports whether the server says that a histogram's name is a gauge:
// some were gauges of the last value before they became histograms.
func (b *builder) onlyGauges(inputs []input) bool {
	return b.every(inputs, func(d *deployment.Deployment, in input, name string) bool {
		return in.recorded == nil && d.Gauges[name] && !d.Metrics[name+"_bucket"]
	})
}

func (b *builder) every(inputs []input, is func(*deployment.Deployment, input, string) bool) bool {
	if b.request.Deployment == nil {
		return false
	}
	for _, in := range inputs {
		for _, name := range in.names {
			if !is(b.request.Deployment, in, name) {
				return false
			}
		}
	}
	return true
}

// percentile prints 0.99 as P99 and 0.999 as P99.9.
func percentile(q float64) string {
	text := strconv.FormatFloat(q*100, 'f', 6, 64)
	return fmt.Sprintf("P%s", strings.TrimRight(strings.TrimRight(text, "0"), "."))
}
