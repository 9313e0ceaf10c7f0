package compile

import (
	"slices"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// layout notes which buckets are merged and joins what is known of their bounds.
func (b *builder) layout(inputs []input) deployment.Layout {
	var merged deployment.Layout
	for _, in := range inputs {
		for _, name := range in.names {
			selector := promql.Sel(in.series(name, "_bucket"), in.matchers...).String()
			b.plan.Histograms = appendNew(b.plan.Histograms, selector)
			one := b.request.Layouts[selector]
			if len(one.Common) == 0 {
				continue
			}
			if len(merged.Common) == 0 {
				merged = one
				continue
			}
			if slices.Equal(merged.Common, one.Common) {
				merged.Different = max(merged.Different, one.Different)
			} else {
				merged.Different += one.Different
				merged.Common = slices.DeleteFunc(slices.Clone(merged.Common), func(le string) bool {
					return !slices.Contains(one.Common, le)
				})
			}
		}
	}
	return merged
}

// commonBuckets restricts buckets to the bounds that all engines share: a bound
// that one of them lacks would count its observations too low. It is not ok where
// they share none.
func (b *builder) commonBuckets(inputs []input, what string) ([]input, deployment.Layout, bool) {
	merged := b.layout(inputs)
	if merged.Different < 2 {
		return inputs, merged, true
	}
	if _, _, shared := merged.Bounds(); !shared {
		b.notice(notice.NoCommonBuckets, merged.Different, what)
		return nil, merged, false
	}
	common, err := promql.OneOf(model.BucketLabel, merged.Common...)
	if err != nil {
		return inputs, merged, true // a label value of the server is one
	}
	b.notice(notice.CommonBuckets,
		merged.Different, len(merged.Common), what)
	restricted := slices.Clone(inputs)
	for i := range restricted {
		restricted[i].matchers = append(slices.Clone(restricted[i].matchers), common)
	}
	return restricted, merged, true
}

// bounds are the first and last finite bucket: as found, else by default.
func (b *builder) bounds(binding scope, merged deployment.Layout) *Bounds {
	ends, found := merged.Ends(), true
	if len(ends) == 0 {
		ends, found = slices.Clone(binding.Buckets), false
	}
	if len(ends) == 0 {
		return nil
	}
	unit := catalog.Units[binding.Unit]
	for i := range ends {
		ends[i] = ends[i] * unit.Mul / unit.Div
	}
	bounds := &Bounds{First: ends[0], Last: ends[len(ends)-1]}
	if found {
		bounds.Ends = ends
	}
	return bounds
}

// beyond is the share of observations over the last finite bucket, where it is known.
func (b *builder) beyond(inputs []input, merged deployment.Layout, group []string, count promql.Expr) string {
	_, last, ok := merged.Bounds()
	if !ok {
		return ""
	}
	within, err := promql.OneOf(model.BucketLabel, spellings(last)...)
	if err != nil {
		return ""
	}
	restricted := slices.Clone(inputs)
	for i := range restricted {
		restricted[i].matchers = append(slices.Clone(restricted[i].matchers), within)
	}
	inside := promql.SumBy(b.join(restricted, func(in input, name string) promql.Expr {
		return b.observed(in, name, "_bucket")
	}), group...)
	return promql.Sub(promql.Number(1), promql.Div(inside, promql.Above(count, 0))).String()
}
