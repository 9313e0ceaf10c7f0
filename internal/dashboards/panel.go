//lint:file-ignore SA1019 The classic form is what an include of a plugin and file provisioning read on every Grafana from 12.3 on.

package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// panel is a graph of signals with one unit.
type panel struct {
	title string
	// reads says how to read the graph; silent says what it cannot tell.
	reads, silent string
	width         uint32
	// next are the dashboards to go on with, by name.
	next []string
	// byRole colours series by the role at the end of their name.
	byRole bool
	// eachModel draws the graph once for each model that is selected.
	eachModel bool
	// stacked adds the series up to their sum, which has to mean something.
	stacked bool
	// below lets the axis go under 0.
	below bool
	// quiet leaves the legend out: for one series of each card or port, which the
	// tooltip names.
	quiet bool
	// busiest sorts the legend by the largest value, where most series are at rest.
	busiest bool
	curves  []curve
	// transformations of what the curves brought, in the order in which they are made.
	transformations []dashboard.DataTransformerConfig
}

// curve is one query of a panel; without a colour Grafana's palette is used.
type curve struct {
	colour colour
	query  query.Query
}

// build makes the panel. The unit is the catalog's, so that no panel can show
// seconds as milliseconds.
func (p panel) build(signals *catalog.Catalog, id, height uint32) (cog.Builder[dashboard.Panel], error) {
	unit, cumulative, err := p.unit(signals)
	if err != nil {
		return nil, err
	}
	b := timeseries.NewPanelBuilder().
		Id(id).
		Title(p.title).
		Description(described(p.reads, p.silent)).
		Datasource(datasource()).
		Span(p.width).
		Height(height).
		Unit(unit).
		LineWidth(1.5).
		FillOpacity(0).
		ShowPoints(common.VisibilityModeAuto).
		Legend(p.legend(cumulative)).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending)).
		Links(panelLinks(p.next)).
		DataLinks(p.seriesLinks())
	if !p.below {
		b.Min(0)
	}
	if p.stacked {
		b.Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal)).FillOpacity(30)
	}
	if p.eachModel {
		b.Repeat("model").RepeatDirection(dashboard.PanelRepeatDirectionH).MaxPerRow(3)
	}
	if unit == "percentunit" {
		b.Max(1)
	}
	for i, c := range p.curves {
		refID := string(rune('A' + i))
		t, err := newTarget(signals, refID, c.query)
		if err != nil {
			return nil, err
		}
		b.WithTarget(t)
		if c.colour != "" {
			b.OverrideByQuery(refID, c.colour.shades())
		}
	}
	if p.byRole {
		b.OverrideByRegexp("/prefill$/", prefillColour.shades())
		b.OverrideByRegexp("/decode$/", decodeColour.shades())
	}
	for _, t := range p.transformations {
		b.WithTransformation(t)
	}
	return b, nil
}

func described(reads, silent string) string {
	return fmt.Sprintf("**How to read it:** %s\n\n**What it cannot tell:** %s", reads, silent)
}

// unit is the one unit of all curves; cumulative says that a mean makes no sense.
func (p panel) unit(signals *catalog.Catalog) (unit string, cumulative bool, err error) {
	for _, c := range p.curves {
		signal, ok := signals.Signal(c.query.Signal)
		if !ok {
			return "", false, fmt.Errorf("panel %q: the catalog has no signal %q", p.title, c.query.Signal)
		}
		own := unitOf(signal, c.query.Stat)
		if unit != "" && unit != own {
			return "", false, fmt.Errorf("panel %q: %s is in %q, other curves are in %q", p.title, signal.ID, own, unit)
		}
		unit = own
		cumulative = cumulative || signal.Kind == catalog.KindTotal
	}
	return unit, cumulative, nil
}

// unitOf is the unit of a statistic of a signal. What is counted stands in the panel's
// title, and curves of different samples share an axis.
func unitOf(s catalog.Signal, asked query.Stat) string {
	stat := s.Statistic(asked)
	if stat.PerSecond {
		return perSecond
	}
	return stat.UnitOf(s)
}

// perSecond is the unit of what is counted, whatever that is.
const perSecond = "suffix:/s"

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
	made := common.NewVizLegendOptionsBuilder().
		DisplayMode(common.LegendDisplayModeTable).
		Placement(placement).
		ShowLegend(!p.quiet).
		Calcs(calcs)
	// Long names push the numbers of a narrow table out of sight.
	if p.eachModel || p.width < 8 && (p.byRole || len(p.curves) > 1) {
		made.DisplayMode(common.LegendDisplayModeList)
	}
	if p.busiest {
		made.Calcs([]string{"lastNotNull", "max"}).SortBy("Max").SortDesc(true)
	}
	return made
}
