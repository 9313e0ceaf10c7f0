package compile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// under is the share of observations in the buckets up to the limit. The limit has
// to be a bucket's bound: between bounds a histogram knows nothing.
func (b *builder) under(binding scope, inputs []input, group []string, count promql.Expr, suffix string) promql.Expr {
	limit := b.request.Query.Limit
	b.plan.Title = b.signal.Title + " ≤ " + strconv.FormatFloat(limit, 'g', -1, 64) + " " + b.signal.Unit
	if suffix == "" {
		b.notice(notice.NativeShare)
		return nil
	}
	unit := catalog.Units[binding.Unit]
	exported := limit * unit.Div / unit.Mul
	if known := b.layout(inputs).Common; len(known) > 0 && !slices.ContainsFunc(known, func(le string) bool { return slices.Contains(spellings(exported), le) }) {
		b.notice(notice.NoSuchBucket, exported, strings.Join(inOrder(known), ", "))
		return nil
	}
	bound, err := promql.OneOf(model.BucketLabel, spellings(exported)...)
	if err != nil {
		return nil // a printed number is always a label value
	}
	within := func(in input, name string) promql.Expr {
		return b.observed(in, name, suffix, bound)
	}
	if len(binding.Buckets) == 2 && (exported < binding.Buckets[0] || exported > binding.Buckets[1]) {
		b.notice(notice.LimitOutside, binding.Buckets[0], binding.Buckets[1])
	}
	b.explain("share of observations in the buckets up to %g; a bucket has to end exactly there", exported)
	return promql.Div(promql.SumBy(b.join(inputs, within), group...), promql.Above(count, 0))
}

// spellings are the ways in which a bound is written: Prometheus 3 stores 1.0 where
// earlier ones store what the exporter wrote.
func spellings(bound float64) []string {
	plain := strconv.FormatFloat(bound, 'f', -1, 64)
	short := strconv.FormatFloat(bound, 'g', -1, 64)
	all := []string{plain, short}
	if bound == float64(int64(bound)) {
		all = append(all, plain+".0")
	}
	return all
}

// inOrder sorts bounds as numbers.
func inOrder(bounds []string) []string {
	sorted := slices.Clone(bounds)
	slices.SortFunc(sorted, func(a, b string) int {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		return cmp.Compare(x, y)
	})
	return sorted
}
