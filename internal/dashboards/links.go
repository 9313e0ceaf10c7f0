package dashboards

import (
	"maps"
	"slices"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// panelLinks lead on to other dashboards with the time range and all variables.
func panelLinks(names []string) []cog.Builder[dashboard.DashboardLink] {
	var links []cog.Builder[dashboard.DashboardLink]
	for _, name := range names {
		links = append(links, link("Open "+titleOf(name), path(name)+"&${__all_variables}"))
	}
	return links
}

// seriesLinks lead on with the model, or the engine, of the series that is clicked at.
func (p panel) seriesLinks() []cog.Builder[dashboard.DashboardLink] {
	var links []cog.Builder[dashboard.DashboardLink]
	for _, label := range []string{"model", "instance"} {
		split := func(c curve) bool { return slices.Contains(c.query.GroupBy, label) }
		if slices.IndexFunc(p.curves, func(c curve) bool { return !split(c) }) >= 0 {
			continue
		}
		for _, name := range p.next {
			title := titleOf(name) + " of ${__field.labels." + label + "}"
			links = append(links, link(title, path(name)+"&${datasource:queryparam}&var-"+label+"=${__field.labels."+label+"}"))
		}
	}
	return links
}

func path(name string) string { return "/d/" + uid(name) + "?${__url_time_range}" }

func link(title, url string) *dashboard.DashboardLinkBuilder {
	return dashboard.NewDashboardLinkBuilder(title).Type(dashboard.DashboardLinkTypeLink).Url(url)
}

// titles of the dashboards that panels lead to.
const (
	toPrefill  = "prefill"
	toDecode   = "decode"
	toTransfer = "kv-transfer"
	toTiers    = "cache-tiers"
	toGateway  = "gateway"
	toDevices  = "gpu-network"
	toHealth   = "metrics-health"
)

func titleOf(name string) string {
	return map[string]string{
		toPrefill: "PD prefill", toDecode: "PD decode", toTransfer: "PD KV transfer", toTiers: "PD cache tiers",
		toGateway: "PD gateway and router", toDevices: "PD GPU and network", toHealth: "PD metrics health",
	}[name]
}

// sorted are the keys of a map in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
