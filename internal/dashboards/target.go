package dashboards

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// target is a query of a panel: the wire form and what Grafana adds to it.
type target struct {
	query.Query
	// BytesPerRequest is the variable of a what-if, where the query has a size.
	BytesPerRequest string               `json:"bytesPerRequest,omitempty"`
	RefID           string               `json:"refId"`
	Datasource      common.DataSourceRef `json:"datasource"`
}

// newTarget completes a query of a signal: it obeys the dashboard's variables, as far
// as the signal has their labels.
func newTarget(signals *catalog.Catalog, refID string, q query.Query) (*target, error) {
	signal, ok := signals.Signal(q.Signal)
	if !ok {
		return nil, fmt.Errorf("the catalog has no signal %q", q.Signal)
	}
	q = q.WithDefaults()
	labels := signals.LabelsOf(signal)
	group, _ := signals.Group(signal.Group)
	for _, f := range group.Filters {
		if slices.Contains(labels, f.Label) {
			q.Filters = append(q.Filters, query.Filter{Label: f.Label, Op: query.OpEqual, Values: []string{"$" + f.Variable}})
		}
	}
	t := &target{Query: q, RefID: refID, Datasource: datasource()}
	if signal.PerRequestSize {
		t.BytesPerRequest = "$" + whatIf
	}
	return t, nil
}

// Build makes a target its own builder, as the panel builders want one.
func (t *target) Build() (variants.Dataquery, error) { return *t, nil }

// ImplementsDataqueryVariant marks a target as a query.
func (t target) ImplementsDataqueryVariant() {}

// DataqueryType names the plugin that reads the query.
func (t target) DataqueryType() string { return pluginID }

// Validate has nothing to add: the dashboard's variables are still in the query,
// so the tests check it with values in their place.
func (t target) Validate() error { return nil }

// Equals compares by value.
func (t target) Equals(other variants.Dataquery) bool { return reflect.DeepEqual(t, other) }
