package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Source is what the PromQL of rules depends on.
type Source struct {
	Catalog *catalog.Catalog
	Options compile.Options
	// Deployment is what the server holds, nil when that is not known: the rules then
	// allow for every system and name of the catalog.
	Deployment *catalog.Deployment
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
		if system.Connector { // shown on its engine's page, under the engine's labels
			continue
		}
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
		fires := c.Fires.promQL(map[string]promql.Expr{q.Name: e.expr})
		made = append(made, variant{expr: promql.Renamed(fires, e.rename), labels: e.labels})
	}
	return made, nil
}

// together is a rule over the queries of one system; none when it lacks one of them.
func (s Source) together(c Case, system string) ([]variant, error) {
	joined := make([]expression, len(c.Queries))
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
		joined[i] = expressions[0]
		for _, other := range expressions[1:] {
			joined[i].expr = promql.Or(joined[i].expr, other.expr)
		}
	}
	first := joined[0]
	alike := !slices.ContainsFunc(joined, func(e expression) bool { return !maps.Equal(e.rename, first.rename) })
	values := map[string]promql.Expr{}
	for i, q := range c.Queries {
		values[q.Name] = joined[i].expr
		if !alike { // before they are compared
			values[q.Name] = promql.Renamed(joined[i].expr, joined[i].rename)
		}
	}
	fires := c.Fires.promQL(values)
	if alike {
		fires = promql.Renamed(fires, first.rename)
	}
	return []variant{{expr: fires, labels: first.labels}}, nil
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
		parsed, err := promql.Parse(e.PromQL)
		if err != nil {
			return nil, fmt.Errorf("signal %s: %w", q.Signal, err)
		}
		made = append(made, expression{expr: parsed, rename: e.Rename, labels: e.Labels})
	}
	return made, nil
}
