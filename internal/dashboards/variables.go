package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

const pluginID = "ptd-pdmonitor-datasource"

// allValue is the text that stands for "All". The front end drops a filter that
// holds it, so that "All" includes models and instances that appear after the
// dashboard was loaded.
const allValue = ".*"

// datasource names the data source by variable: the one form that works both for
// an imported and for a provisioned dashboard.
func datasource() common.DataSourceRef {
	return common.DataSourceRef{Type: cog.ToPtr(pluginID), Uid: cog.ToPtr("${datasource}")}
}

// variables are the data source, the two restrictions that every panel obeys and
// a size to try out.
func variables() []cog.Builder[dashboard.VariableModel] {
	return []cog.Builder[dashboard.VariableModel]{
		dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type(pluginID),
		labelVariable("model", "Model"),
		labelVariable("instance", "Instance"),
		dashboard.NewTextBoxVariableBuilder(whatIf).Label("What if B_request were (bytes)").
			Description("Bytes of KV cache per request to try out on this dashboard; empty for the configured sizes.").
			DefaultValue(dashboard.StringOrMap{String: cog.ToPtr("")}),
	}
}

// whatIf is the variable that stands for the configured sizes of all models.
const whatIf = "bytesPerRequest"

// labelVariable offers the values of a logical label. It is read when the dashboard
// loads, not at every refresh: at one refresh a second that would be most of the load.
func labelVariable(label, title string) *dashboard.QueryVariableBuilder {
	query := map[string]any{"refId": "PDVariableQuery", "label": label, "signal": "", "role": "", "system": "auto"}
	return dashboard.NewQueryVariableBuilder(label).
		Label(title).
		Datasource(datasource()).
		Query(dashboard.StringOrMap{Map: query}).
		Definition("values of " + label).
		Refresh(dashboard.VariableRefreshOnDashboardLoad).
		Sort(dashboard.VariableSortNaturalAsc).
		Multi(true).
		IncludeAll(true).
		AllValue(allValue).
		Current(dashboard.VariableOption{
			Selected: cog.ToPtr(true),
			Text:     dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}},
			Value:    dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}},
		})
}
