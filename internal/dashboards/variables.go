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

// The variables, by name. The hosts of devices have their own, because the exporters
// beside an engine have other instances than the engine.
const (
	models    = "model"
	instances = "instance"
	roles     = "role"
	gpuHosts  = "gpu_host"
	portHosts = "nic_host"
	// whatIf stands for the configured sizes of all models.
	whatIf = "bytesPerRequest"
)

// variable makes the variable of that name.
func variable(name string) cog.Builder[dashboard.VariableModel] {
	switch name {
	case models:
		return labelVariable(models, "Model", "model", "")
	case instances:
		return labelVariable(instances, "Instance", "instance", "")
	case gpuHosts:
		return labelVariable(gpuHosts, "GPU exporter", "instance", "gpu_utilization")
	case portHosts:
		return labelVariable(portHosts, "NIC exporter", "instance", "rdma_receive_byte_rate")
	case roles:
		return dashboard.NewCustomVariableBuilder(roles).Label("Role").
			Values(dashboard.StringOrMap{String: cog.ToPtr("prefill,decode")}).
			IncludeAll(true).
			AllValue(allValue).
			Current(dashboard.VariableOption{
				Selected: cog.ToPtr(true),
				Text:     dashboard.StringOrArrayOfString{String: cog.ToPtr("All")},
				Value:    dashboard.StringOrArrayOfString{String: cog.ToPtr("$__all")},
			})
	default:
		return dashboard.NewTextBoxVariableBuilder(whatIf).Label("What if B_request were (bytes)").
			Description("Bytes of KV cache per request to try out on this dashboard; empty for the configured sizes.").
			DefaultValue(dashboard.StringOrMap{String: cog.ToPtr("")})
	}
}

// labelVariable offers the values of a logical label. It is read when the dashboard
// loads, not at every refresh: at one refresh a second that would be most of the load.
func labelVariable(name, title, label, signal string) *dashboard.QueryVariableBuilder {
	query := map[string]any{"refId": "PDVariableQuery", "label": label, "signal": signal, "role": "", "system": "auto"}
	return dashboard.NewQueryVariableBuilder(name).
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
