package compile

import (
	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// ofObservations is what builds each statistic of a histogram, of those in the
// catalog's table.
var ofObservations = map[query.Stat]func(*builder, observations) promql.Expr{
	query.StatQuantile: (*builder).quantile,
	query.StatMean:     (*builder).mean,
	query.StatRate:     (*builder).observedRate,
	query.StatUnder: func(b *builder, o observations) promql.Expr {
		return b.under(o.binding, o.inputs, o.group, o.count, o.suffix)
	},
	query.StatHeatmap: func(b *builder, o observations) promql.Expr {
		return b.heatmap(o.binding, o.inputs, o.group, o.suffix, o.into)
	},
}

// ofValues is the same of numbers that are added up.
var ofValues = map[query.Stat]func(b *builder, binding scope, inputs []input, group []string) promql.Expr{
	query.StatDefault: (*builder).plain,
	query.StatSkew:    (*builder).skew,
}

// stat is the statistic that is meant: the signal's default where none is asked for.
func stat(signal catalog.Signal, asked query.Stat) query.Stat { return signal.Statistic(asked).Stat }

// plain is the signal's number itself.
func (b *builder) plain(binding scope, inputs []input, group []string) promql.Expr {
	return b.scale(binding, b.aggregate(binding, b.join(inputs, b.value), group))
}
