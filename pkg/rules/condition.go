package rules

import (
	"strconv"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// Term is a number for each series: a query's value, a constant, or a sum or product.
type Term interface {
	// promQL writes the term with the queries' expressions.
	promQL(queries map[string]promql.Expr) promql.Expr
	// math writes the term in the language of Grafana's expressions, where a query's
	// newest value goes by the name that newest gives it.
	math(newest func(string) string) string
}

// Condition is what a rule waits for.
type Condition interface{ Term }

type (
	value    string
	constant float64
	sum      struct{ a, b Term }
	product  struct{ a, b Term }
	above    struct{ a, b Term }
	below    struct{ a, b Term }
	all      []Condition
	// absent holds while a query has no series at all. In Grafana that is no
	// expression but the rule's state for no data.
	absent string
)

func (v value) promQL(queries map[string]promql.Expr) promql.Expr { return queries[string(v)] }
func (v value) math(newest func(string) string) string            { return "${" + newest(string(v)) + "}" }

func (c constant) promQL(map[string]promql.Expr) promql.Expr { return promql.Number(float64(c)) }
func (c constant) math(func(string) string) string {
	return strconv.FormatFloat(float64(c), 'f', -1, 64)
}

func (s sum) promQL(queries map[string]promql.Expr) promql.Expr {
	return promql.Add(s.a.promQL(queries), s.b.promQL(queries))
}
func (s sum) math(newest func(string) string) string {
	return "(" + s.a.math(newest) + " + " + s.b.math(newest) + ")"
}

func (p product) promQL(queries map[string]promql.Expr) promql.Expr {
	return promql.Mul(p.a.promQL(queries), p.b.promQL(queries))
}
func (p product) math(newest func(string) string) string {
	return p.a.math(newest) + " * " + p.b.math(newest)
}

func (c above) promQL(queries map[string]promql.Expr) promql.Expr {
	return promql.Greater(c.a.promQL(queries), c.b.promQL(queries))
}
func (c above) math(newest func(string) string) string {
	return c.a.math(newest) + " > " + c.b.math(newest)
}

func (c below) promQL(queries map[string]promql.Expr) promql.Expr {
	return promql.Less(c.a.promQL(queries), c.b.promQL(queries))
}
func (c below) math(newest func(string) string) string {
	return c.a.math(newest) + " < " + c.b.math(newest)
}

func (a all) promQL(queries map[string]promql.Expr) promql.Expr {
	joined := a[0].promQL(queries)
	for _, c := range a[1:] {
		joined = promql.And(joined, c.promQL(queries))
	}
	return joined
}
func (a all) math(newest func(string) string) string {
	parts := make([]string, len(a))
	for i, c := range a {
		parts[i] = "(" + c.math(newest) + ")"
	}
	return strings.Join(parts, " && ")
}

func (a absent) promQL(queries map[string]promql.Expr) promql.Expr {
	return promql.Absent(queries[string(a)])
}
func (a absent) math(newest func(string) string) string { return value(a).math(newest) + " < 0" }

// times is a multiple of a query's value.
func times(factor float64, name string) Term { return product{constant(factor), value(name)} }
