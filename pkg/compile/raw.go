package compile

import (
	"fmt"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// raw passes a PromQL text through. Its macros are already expanded
// (query.Macros); it is parsed so that a mistake is told before the server is asked.
func (c *Compiler) raw(r Request) (Plan, error) {
	expr, err := promql.Parse(r.Query.Expr)
	if err != nil {
		return Plan{}, &query.FieldError{Field: "expr", Value: r.Query.Expr, Remedy: fmt.Sprintf("it is not PromQL: %v", err)}
	}
	return Plan{
		Expressions: []Expression{{PromQL: expr.String()}},
		Title:       expr.String(),
		Legend:      r.Query.Legend,
		Explanation: []string{"the expression as written, its macros replaced"},
	}, nil
}

// RateInterval is the value of $__rate_interval: the window that a counter of the
// same request would get.
func RateInterval(r Request) time.Duration {
	scrape, _ := scrapeInterval(r)
	return max(4*scrape, r.Step+scrape)
}
