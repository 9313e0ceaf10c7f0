package plugin

import (
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// ListedBinding is how one system exports one signal.
type ListedBinding struct {
	Signal string `json:"signal"`
	System string `json:"system"`
	// Metrics are full names under the usual prefix, newest first.
	Metrics []string `json:"metrics"`
	Type    string   `json:"type"`
	// Unit is what is exported and converted, "" where it is the signal's own.
	Unit string `json:"unit"`
	// Role is the only role that means the signal, "" when each has its own.
	Role      query.Role    `json:"role"`
	Shape     catalog.Shape `json:"shape"`
	Condition string        `json:"condition"`
	Since     string        `json:"since"`
	Caution   string        `json:"caution"`
}

// listedBindings are all bindings, by signal in the order of the catalog. A signal
// that reads another's has none of its own.
func listedBindings(c *catalog.Catalog) []ListedBinding {
	all := []ListedBinding{}
	for _, s := range c.Signals() {
		if s.Reads != "" {
			continue
		}
		for _, b := range c.Bindings(s) {
			var types []string
			for _, t := range b.Types() {
				types = append(types, string(t))
			}
			all = append(all, ListedBinding{
				Signal: b.Signal, System: b.System, Metrics: c.NamesOf(b), Type: strings.Join(types, ", "), Unit: b.Unit,
				Role: b.Role, Shape: b.Shape, Condition: b.Condition, Since: b.Since, Caution: b.Caution,
			})
		}
	}
	return all
}
