package plugin

import "github.com/ptd-monitor/pdmonitor/pkg/query"

// Catalog is the catalog as GET /catalog answers: what the editors read of it, for it
// goes to every browser that opens one.
type Catalog struct {
	Signals  []ListedSignal   `json:"signals"`
	Systems  []string         `json:"systems"`
	Bindings []CatalogBinding `json:"bindings"`
	// Unseen is why the server could not be looked at, "" where it could.
	Unseen string `json:"unseen"`
}

// CatalogBinding is what tells from a PromQL text which signal reads the same.
type CatalogBinding struct {
	Signal string `json:"signal"`
	System string `json:"system"`
	// Metrics are full names under the usual prefix, a histogram's without its ending.
	Metrics []string `json:"metrics"`
	// Role is the only role that means the signal, "" when each has its own.
	Role query.Role `json:"role"`
}

func forEditor(l Listing) Catalog {
	c := Catalog{Signals: l.Signals, Systems: l.Systems, Bindings: make([]CatalogBinding, 0, len(l.Bindings)), Unseen: l.Unseen}
	for _, b := range l.Bindings {
		c.Bindings = append(c.Bindings, CatalogBinding{Signal: b.Signal, System: b.System, Metrics: b.Metrics, Role: b.Role})
	}
	return c
}
