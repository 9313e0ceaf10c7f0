package rules

import (
	"maps"
	"slices"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Source is what the PromQL of rules depends on.
type Source struct {
	Catalog *catalog.Catalog
	Options compile.Options
	// Deployment is what the server holds, nil when that is not known: the rules then
	// allow for every system and name of the catalog.
	Deployment *deployment.Deployment
}

// unsized reports whether a rule that cannot be answered could be if its queries gave
// the bytes of one request, whatever they are.
func (s Source) unsized(rule Rule) (bool, error) {
	for _, c := range rule.Cases {
		c.Queries = slices.Clone(c.Queries)
		for i := range c.Queries {
			c.Queries[i].Query.BytesPerRequest = 1
		}
		made, err := s.variants(c)
		if err != nil || len(made) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// variant is a case made concrete for one system.
type variant struct {
	expr promql.Expr
	// labels are what every series of the answer has beside those of the grouping.
	labels map[string]string
}

// expression is what one query became, by logical labels.
type expression struct {
	expr   promql.Expr
	rename map[string]string
	labels map[string]string
}

// variants compiles a case for every system that exports all that it asks for.
func (s Source) variants(c Case) ([]variant, error) {
	if _, ok := c.Fires.(absent); ok {
		return s.nothing(c)
	}
	if len(c.Queries) == 1 {
		return s.apart(c)
	}
	var made []variant
	for _, system := range s.Catalog.Systems() {
		one, err := s.together(c, system.Name)
		if err != nil {
			return nil, err
		}
		made = append(made, one...)
	}
	return made, nil
}

// apart is a rule for every expression of a single query.
func (s Source) apart(c Case) ([]variant, error) {
	q := c.Queries[0]
	expressions, err := s.compile(q.Query)
	if err != nil {
		return nil, err
	}
	var made []variant
	for _, e := range expressions {
		made = append(made, variant{expr: c.compared([]expression{e}), labels: e.labels})
	}
	return made, nil
}

// together is a rule over the queries of one system, for each role that is told apart;
// none when the system lacks one of the queries.
func (s Source) together(c Case, system string) ([]variant, error) {
	var first, others []expression
	for i, q := range c.Queries {
		asked := q.Query
		if asked.System == query.SystemAuto {
			asked.System = system
		} else if i > 0 && asked.System != system {
			return nil, nil // this query is about another system
		}
		expressions, err := s.compile(asked)
		if err != nil || len(expressions) == 0 {
			return nil, err
		}
		if i == 0 {
			first = expressions
			continue
		}
		joined := expressions[0]
		for _, other := range expressions[1:] {
			joined.expr = promql.Or(joined.expr, other.expr)
		}
		others = append(others, joined)
	}
	var made []variant
	for _, one := range first {
		if one.labels["system"] != system && c.Queries[0].Query.System == query.SystemAuto {
			continue // an engine shows its connector's numbers, which are the connector's
		}
		made = append(made, variant{expr: c.compared(append([]expression{one}, others...)), labels: one.labels})
	}
	return made, nil
}

// compared writes the condition over its queries' expressions, in the order of the
// queries, and gives the labels of the answer their logical names.
func (c Case) compared(queries []expression) promql.Expr {
	rename := queries[0].rename
	alike := !slices.ContainsFunc(queries, func(e expression) bool { return !maps.Equal(e.rename, rename) })
	values := map[string]promql.Expr{}
	for i, e := range queries {
		values[c.Queries[i].Name] = e.expr
		if !alike { // before they are compared
			values[c.Queries[i].Name] = promql.Renamed(e.expr, e.rename)
		}
	}
	if !alike {
		rename = nil
	}
	return promql.Renamed(c.Fires.promQL(values), rename)
}

// nothing is one rule over all systems: that one of them is not used is no fault.
func (s Source) nothing(c Case) ([]variant, error) {
	q := c.Queries[0]
	expressions, err := s.compile(q.Query)
	if err != nil || len(expressions) == 0 {
		return nil, err
	}
	joined := expressions[0].expr
	for _, other := range expressions[1:] {
		joined = promql.Or(joined, other.expr)
	}
	labels := maps.Clone(expressions[0].labels)
	delete(labels, "system")
	return []variant{{expr: c.Fires.promQL(map[string]promql.Expr{q.Name: joined}), labels: labels}}, nil
}

// compile turns one query into PromQL as an instant query of the data source would.
func (s Source) compile(q query.Query) ([]expression, error) {
	plan, err := compile.New(s.Catalog).Compile(compile.Request{Query: q, Options: s.Options, Deployment: s.Deployment})
	if err != nil {
		return nil, err
	}
	var made []expression
	for _, e := range plan.Expressions {
		made = append(made, expression{expr: e.Tree, rename: e.Rename, labels: e.Labels})
	}
	return made, nil
}
