package compile

import (
	"slices"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Selection is where the values of a logical label are found.
type Selection struct {
	// Label is the physical label.
	Label string
	// Selectors are PromQL series selectors, sorted.
	Selectors []string
}

// Selections says where the values of a logical label of the query's signal are
// found, so that a picker offers only what the query could filter by.
func (c *Compiler) Selections(r Request, logical string) ([]Selection, error) {
	signal, ok := c.catalog.Signal(r.Query.Signal)
	if !ok {
		return nil, &query.FieldError{Field: "signal", Value: r.Query.Signal, Remedy: "GET /catalog lists the signals"}
	}
	b := &builder{catalog: c.catalog, request: r, signal: signal}
	byLabel := map[string][]string{}
	var order []string
	for _, part := range b.parts() {
		for _, role := range part.roles {
			inputs, err := b.inputs(part.binding, part.binding.AllSources(), role)
			if err != nil {
				return nil, err
			}
			for _, in := range inputs {
				if !b.carries(in.source, logical) {
					continue
				}
				label := b.physical(in.source, logical)
				if !slices.Contains(order, label) {
					order = append(order, label)
				}
				for _, name := range in.names {
					if in.source.Type == catalog.TypeHistogram && (r.Deployment == nil || r.Deployment.Metrics[name+"_count"]) {
						name += "_count"
					}
					byLabel[label] = append(byLabel[label], promql.Sel(name, in.matchers...).String())
				}
			}
		}
	}
	var found []Selection
	for _, label := range order {
		slices.Sort(byLabel[label])
		found = append(found, Selection{Label: label, Selectors: slices.Compact(byLabel[label])})
	}
	return found, nil
}

func (b *builder) parts() []part {
	var all []part
	for _, binding := range b.bindings() {
		all = append(all, b.byRoles(binding)...)
	}
	return all
}
