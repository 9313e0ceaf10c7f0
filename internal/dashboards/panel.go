//lint:file-ignore SA1019 The classic form is what an include of a plugin and file provisioning read on every Grafana from 12.3 on.

package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// row is a heading and the panels under it.
type row struct {
	title  string
	height uint32
	panels []panel
}

// panel is a graph of signals with one unit.
type panel struct {
	title string
	// reads says how to read the graph; silent says what it cannot tell.
	reads, silent string
	width         uint32
	// byRole colours series by the role at the end of their name.
	byRole bool
	// eachModel draws the graph once for each model that is selected.
	eachModel bool
	curves    []curve
}

// curve is one query of a panel; without a colour Grafana's palette is used.
type curve struct {
	colour colour
	query  query.Query
}

// build makes the panel. The unit is the catalog's, so that no panel can show
// seconds as milliseconds.
func (p panel) build(signals *catalog.Catalog, id, height uint32) (*timeseries.PanelBuilder, error) {
	unit, cumulative, err := p.unit(signals)
	if err != nil {
		return nil, err
	}
	b := timeseries.NewPanelBuilder().
		Id(id).
		Title(p.title).
		Description(fmt.Sprintf("**How to read it:** %s\n\n**What it cannot tell:** %s", p.reads, p.silent)).
		Datasource(datasource()).
		Span(p.width).
		Height(height).
		Unit(unit).
		Min(0).
		LineWidth(1.5).
		FillOpacity(0).
		ShowPoints(common.VisibilityModeAuto).
		Legend(p.legend(cumulative)).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending))
	if p.eachModel {
		b.Repeat("model").RepeatDirection(dashboard.PanelRepeatDirectionH).MaxPerRow(3)
	}
	if unit == "percentunit" {
		b.Max(1)
	}
	for i, c := range p.curves {
		refID := string(rune('A' + i))
		b.WithTarget(newTarget(refID, c.query))
		if c.colour != "" {
			b.OverrideByQuery(refID, c.colour.shades())
		}
	}
	if p.byRole {
		b.OverrideByRegexp("/prefill$/", prefillColour.shades())
		b.OverrideByRegexp("/decode$/", decodeColour.shades())
	}
	return b, nil
}

// unit is the one unit of all curves; cumulative says that a mean makes no sense.
func (p panel) unit(signals *catalog.Catalog) (unit string, cumulative bool, err error) {
	for _, c := range p.curves {
		signal, ok := signals.Signal(c.query.Signal)
		if !ok {
			return "", false, fmt.Errorf("panel %q: the catalog has no signal %q", p.title, c.query.Signal)
		}
		if unit != "" && unit != signal.Unit {
			return "", false, fmt.Errorf("panel %q: %s is in %q, other curves are in %q", p.title, signal.ID, signal.Unit, unit)
		}
		unit = signal.Unit
		cumulative = cumulative || signal.Kind == catalog.KindTotal
	}
	return unit, cumulative, nil
}

// legend has as many columns as make sense and fit.
func (p panel) legend(cumulative bool) *common.VizLegendOptionsBuilder {
	calcs := []string{"lastNotNull", "mean", "max"}
	switch {
	case cumulative || p.width < 8:
		calcs = []string{"lastNotNull"}
	case p.eachModel || p.width < 12: // graphs that share a row are narrow
		calcs = []string{"lastNotNull", "mean"}
	}
	placement := common.LegendPlacementBottom
	if p.width >= 24 && !p.eachModel {
		placement = common.LegendPlacementRight // all curves are in sight
	}
	return common.NewVizLegendOptionsBuilder().
		DisplayMode(common.LegendDisplayModeTable).
		Placement(placement).
		ShowLegend(true).
		Calcs(calcs)
}

// place adds rows and panels to a board, with ids in order of appearance.
func place(board *dashboard.DashboardBuilder, signals *catalog.Catalog, rows []row) error {
	id := uint32(0)
	for _, r := range rows {
		id++
		board.WithRow(dashboard.NewRowBuilder(r.title).Id(id))
		for _, p := range r.panels {
			id++
			made, err := p.build(signals, id, r.height)
			if err != nil {
				return err
			}
			board.WithPanel(made)
		}
	}
	return nil
}
