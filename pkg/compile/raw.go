package compile

import (
	"cmp"
	"fmt"
	"time"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// raw passes a PromQL text through, the filters added to each selector. Its macros are
// already expanded (query.Macros); it is parsed so that a mistake is told before the
// server is asked.
func (c *Compiler) raw(r Request) (Plan, error) {
	expr, err := promql.Parse(r.Query.Expr)
	if variable := leftOver(r.Query.Expr, expr, err); variable != "" {
		return Plan{}, query.NotReplaced("expr", variable)
	}
	if err != nil {
		return Plan{}, &query.FieldError{Field: "expr", Value: r.Query.Expr, Remedy: fmt.Sprintf("it is not PromQL: %v", err)}
	}
	if err := drawable(expr, r); err != nil {
		return Plan{}, err
	}
	b := &builder{catalog: c.catalog, request: r, plan: Plan{
		Legend:      r.Query.Legend,
		Explanation: []string{"the expression as written, its macros replaced"},
	}}
	if err := b.restrict(expr); err != nil {
		return Plan{}, err
	}
	b.plan.Expressions = []Expression{{Tree: expr}}
	b.plan.print()
	b.plan.Title = b.plan.Expressions[0].PromQL
	return b.plan, nil
}

// drawable refuses what is no number at a time.
func drawable(expr promql.Expr, r Request) error {
	switch {
	case expr.Type() == parser.ValueTypeString:
		return &query.FieldError{Field: "expr", Value: r.Query.Expr, Remedy: "it gives a text: write an expression that gives numbers"}
	case expr.Type() == parser.ValueTypeMatrix && r.Step > 0:
		return &query.FieldError{Field: "expr", Value: r.Query.Expr, Remedy: "it gives a range of samples for each series and not one number: take a function of it, such as rate or avg_over_time"}
	}
	return nil
}

// leftOver finds a dashboard variable that nobody replaced: in a text that is no
// PromQL for that reason, or as the value of a matcher. Elsewhere a dollar is
// PromQL's own, as in label_replace, or in a comment.
func leftOver(text string, expr promql.Expr, err error) string {
	if err != nil {
		return query.Unexpanded(text)
	}
	variable := ""
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if s, ok := node.(*parser.VectorSelector); ok {
			for _, m := range s.LabelMatchers {
				variable = cmp.Or(variable, query.Unexpanded(m.Value))
			}
		}
		return nil
	})
	return variable
}

// RateInterval is the value of $__rate_interval: the window that a counter of the
// same request would get.
func RateInterval(r Request) time.Duration {
	scrape, _ := scrapeInterval(r)
	return max(4*scrape, r.Step+scrape)
}
