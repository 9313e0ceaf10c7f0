//lint:file-ignore SA1019 The classic form is what an include of a plugin and file provisioning read on every Grafana from 12.3 on.

package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
)

// board is one dashboard.
type board struct {
	// name of the file, without its ending; the uid is made of it.
	name, title, about string
	// variables beside the data source, by name and in order.
	variables []string
	rows      []row
}

// row is a heading and the panels under it.
type row struct {
	title  string
	height uint32
	// collapsed rows ask for nothing until they are opened.
	collapsed bool
	panels    []drawn
}

// drawn is whatever can stand in a row.
type drawn interface {
	build(signals *catalog.Catalog, id, height uint32) (cog.Builder[dashboard.Panel], error)
}

// boards are all dashboards, in the order in which a question leads through them.
func boards() []board {
	return []board{overview(), prefill(), decode(), transfer(), tiers(), gateway(), devices(), health()}
}

// refreshIntervals begin with one second: without it in the list the dashboard's
// own refresh of one second has no effect.
var refreshIntervals = []string{"1s", "2s", "5s", "10s", "30s", "1m", "5m"}

// family is the tag that all dashboards carry and by which they link to each other.
const family = "pdmonitor"

func uid(name string) string { return family + "-" + name }

func (b board) build(signals *catalog.Catalog) (dashboard.Dashboard, error) {
	made := dashboard.NewDashboardBuilder(b.title).
		Uid(uid(b.name)).
		Description(b.about).
		Tags([]string{family, "llm"}).
		Time("now-5m", "now").
		Timepicker(dashboard.NewTimePickerBuilder().RefreshIntervals(refreshIntervals)).
		Refresh("1s").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Link(dashboard.NewDashboardLinkBuilder("PD Monitor").
			Type(dashboard.DashboardLinkTypeDashboards).
			Tags([]string{family}).
			AsDropdown(false).
			KeepTime(true).
			IncludeVars(true))
	made.WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type(pluginID))
	for _, name := range b.variables {
		made.WithVariable(variable(name))
	}
	id := uint32(0)
	next := func() uint32 { id++; return id }
	for _, r := range b.rows {
		if err := r.place(made, signals, next); err != nil {
			return dashboard.Dashboard{}, fmt.Errorf("row %q: %w", r.title, err)
		}
	}
	return made.Build()
}

// place adds a row and its panels, with ids in order of appearance.
func (r row) place(made *dashboard.DashboardBuilder, signals *catalog.Catalog, next func() uint32) error {
	heading := dashboard.NewRowBuilder(r.title).Id(next()).Collapsed(r.collapsed)
	var panels []cog.Builder[dashboard.Panel]
	for _, p := range r.panels {
		panel, err := p.build(signals, next(), r.height)
		if err != nil {
			return err
		}
		panels = append(panels, panel)
	}
	if r.collapsed {
		for _, p := range panels {
			heading.WithPanel(p)
		}
		made.WithRow(heading)
		return nil
	}
	made.WithRow(heading)
	for _, p := range panels {
		made.WithPanel(p)
	}
	return nil
}
