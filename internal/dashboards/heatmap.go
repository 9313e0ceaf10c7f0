//lint:file-ignore SA1019 The classic form is what an include of a plugin and file provisioning read on every Grafana from 12.3 on.

package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	sdkheatmap "github.com/grafana/grafana-foundation-sdk/go/heatmap"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// heatmap draws a distribution's buckets over time, once for each model.
type heatmap struct {
	title, reads, silent string
	width                uint32
	next                 []string
	query                query.Query
}

func (h heatmap) build(signals *catalog.Catalog, id, height uint32) (cog.Builder[dashboard.Panel], error) {
	signal, ok := signals.Signal(h.query.Signal)
	if !ok {
		return nil, fmt.Errorf("heatmap %q: the catalog has no signal %q", h.title, h.query.Signal)
	}
	asked := h.query
	asked.Stat, asked.Legend = query.StatHeatmap, ""
	made, err := newTarget(signals, "A", asked)
	if err != nil {
		return nil, err
	}
	return sdkheatmap.NewPanelBuilder().
		Id(id).
		Title(h.title).
		Description(described(h.reads, h.silent)).
		Datasource(datasource()).
		Span(h.width).
		Height(height).
		Repeat("model").RepeatDirection(dashboard.PanelRepeatDirectionH).MaxPerRow(3).
		Calculate(false).
		Unit(unitOf(signal, asked.Stat)).
		YAxis(sdkheatmap.NewYAxisConfigBuilder().Unit(signal.Unit)).
		Color(sdkheatmap.NewHeatmapColorOptionsBuilder().Mode(sdkheatmap.HeatmapColorModeScheme).Scheme("Oranges").Steps(64).Exponent(0.5)).
		WithTarget(made).
		Links(panelLinks(h.next)), nil
}
