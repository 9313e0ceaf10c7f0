// Package compile turns a semantic query into PromQL. It is pure: the same
// query, catalog, options and deployment give the same bytes.
package compile

import (
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Plan is what the compiler makes of a query.
type Plan struct {
	// Expressions are run side by side; their results are never combined.
	Expressions []Expression
	// Title names the signal; Unit is Grafana's unit id of every value ("s", "reqps").
	Title string
	Unit  string
	// Legend is the template of display names; "" means the label values in GroupBy order.
	Legend string
	// GroupBy are the logical labels that the query asked for.
	GroupBy []string
	// Histograms are the selectors of the buckets that are merged, Counters those of
	// the counters whose rate is drawn.
	Histograms, Counters []string
	// Kind is what the numbers are, "" of PromQL.
	Kind catalog.Kind
	// Window is the range of every rate in the plan, 0 when there is none.
	Window time.Duration
	// Explanation lists what was done, in order, one plain sentence each.
	Explanation []string
	Notices     []query.Notice
}

// Expression is one PromQL query of a plan.
type Expression struct {
	// Tree is the expression, PromQL its text.
	Tree   promql.Expr
	PromQL string
	// Lasting says that a point depends on nothing but the samples up to its own time.
	Lasting bool
	// Labels are added to every series of the answer (system, role).
	Labels map[string]string
	// Rename maps the labels of the answer to logical ones ("model_name" → "model").
	Rename map[string]string
	// Quantile is set when the value is a quantile of a classic histogram whose
	// finite buckets end at these bounds, in the plan's unit.
	Quantile *Bounds
	// Beyond is the PromQL of the share of observations over the last finite bucket,
	// "" where there is none.
	Beyond string

	// Buckets is set when the series are a histogram's buckets, told by le, and not
	// yet told apart: each counts those below it too.
	Buckets *BucketScale

	// exporter is whose page holds the series.
	exporter string
	// recorded says what the expression is when a recording is planned.
	recorded deployment.Recorded
}

// print writes the text of every expression, once.
func (p *Plan) print() {
	for i := range p.Expressions {
		e := &p.Expressions[i]
		e.PromQL, e.Lasting = e.Tree.String(), promql.Lasting(e.Tree)
	}
}

// Bounds are the first and last finite bucket of a histogram, in the plan's unit.
// A quantile at or below First is only an upper bound; one at Last only a lower bound.
type Bounds struct {
	First, Last float64
	// Ends are the ends of all finite buckets, rising; nil where the server was not asked.
	Ends []float64
}

// BucketScale turns the bounds of buckets as exported (le) into Unit, Grafana's unit
// id of what was observed: they are multiplied by Mul, then divided by Div.
type BucketScale struct {
	Unit     string
	Mul, Div float64
}
