package dashboards

import (
	"reflect"
	"slices"

	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// target is a query of a panel: the wire form and what Grafana adds to it.
type target struct {
	query.Query
	// BytesPerRequest is the variable of a what-if, where the query has a size.
	BytesPerRequest string               `json:"bytesPerRequest,omitempty"`
	RefID      string               `json:"refId"`
	Datasource common.DataSourceRef `json:"datasource"`
}

// sized are the signals that B_request bears on.
var sized = []string{"kv_transfer_request_rate", "kv_bytes_per_request_ratio"}

// newTarget completes a query: it obeys the dashboard's variables.
func newTarget(refID string, q query.Query) *target {
	q = q.WithDefaults()
	q.Filters = []query.Filter{
		{Label: "model", Op: query.OpEqual, Values: []string{"$model"}},
		{Label: "instance", Op: query.OpEqual, Values: []string{"$instance"}},
	}
	t := &target{Query: q, RefID: refID, Datasource: datasource()}
	if slices.Contains(sized, q.Signal) {
		t.BytesPerRequest = "$" + whatIf
	}
	return t
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
