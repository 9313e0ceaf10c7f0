package plugin

import (
	"context"
	"errors"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// ListedSignal is a signal as a picker needs it.
type ListedSignal struct {
	ID      string       `json:"id"`
	Title   string       `json:"title"`
	TitleZH string       `json:"titleZh"`
	NoteZH  string       `json:"noteZh"`
	Meaning string       `json:"meaning"`
	Group   string       `json:"group"`
	Level   string       `json:"level"`
	Unit    string       `json:"unit"`
	Kind    catalog.Kind `json:"kind"`
	Stats   []query.Stat `json:"stats"`
	Roles   []query.Role `json:"roles"`
	Labels  []string     `json:"labels"` // logical
	Systems []string     `json:"systems"`
	Caution string       `json:"caution"`
	// PerRequestSize says that the KV bytes of one request bear on the number.
	PerRequestSize bool `json:"perRequestSize"`
	// Available says whether the server has it, nil where it could not be looked at.
	Available *bool `json:"available"`
	// Reason is why it is not available and what would change that.
	Reason string `json:"reason"`
}

// Listing is the catalog in the stable JSON of the command line.
type Listing struct {
	Signals  []ListedSignal  `json:"signals"`
	Systems  []string        `json:"systems"`
	Bindings []ListedBinding `json:"bindings"`
	// Unseen is why the server could not be looked at, "" where it could.
	Unseen string `json:"unseen"`
}

// Reach looks at the server and returns why it cannot be looked at.
func (d *Datasource) Reach(ctx context.Context) error {
	if _, err := d.seen(ctx); err != nil {
		return errors.New(explain(err).message)
	}
	return nil
}

// seen is what the server holds, or why it cannot be looked at.
func (d *Datasource) seen(ctx context.Context) (*deployment.Deployment, error) {
	if err := d.reachable(); err != nil {
		return nil, err
	}
	return d.cache.Latest(ctx, discovery.Fresh, discovery.Window{})
}

// List is the catalog, held against what the server has. It needs no server, but
// knows less without.
func (d *Datasource) List(ctx context.Context) Listing {
	out := Listing{Signals: []ListedSignal{}, Systems: []string{}, Bindings: listedBindings(d.catalog)}
	found, err := d.seen(ctx)
	if err != nil {
		out.Unseen = explain(err).message
	}
	for _, s := range d.catalog.Systems() {
		out.Systems = append(out.Systems, s.Name)
	}
	for _, s := range d.catalog.Signals() {
		out.Signals = append(out.Signals, d.listed(s, found))
	}
	return out
}

func (d *Datasource) listed(s catalog.Signal, found *deployment.Deployment) ListedSignal {
	one := ListedSignal{
		ID: s.ID, Title: s.Title, TitleZH: s.TitleZH, NoteZH: s.NoteZH, Meaning: s.Meaning, Group: s.Group, Level: s.Level, Unit: s.Unit,
		Kind: s.Kind, Stats: append([]query.Stat{}, s.Stats()...), Roles: d.catalog.RolesOf(s), Labels: d.catalog.LabelsOf(s),
		Systems: []string{}, Caution: s.Caution, PerRequestSize: s.PerRequestSize,
	}
	for _, b := range d.catalog.Bindings(s) {
		one.Systems = append(one.Systems, b.System)
	}
	if found == nil {
		return one
	}
	q := query.Query{Signal: s.ID}.WithDefaults()
	plan, err := d.compiler.Compile(compile.Request{Query: q, Options: d.settings.Compile(), Deployment: found, Step: time.Second})
	available := err == nil && len(plan.Expressions) > 0
	one.Available = &available
	if available {
		return one
	}
	if err != nil {
		one.Reason = err.Error()
	}
	for _, n := range plan.Notices {
		if n.Severity != query.SeverityInfo {
			one.Reason = n.Text
			break
		}
	}
	return one
}
