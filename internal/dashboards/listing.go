//lint:file-ignore SA1019 The classic form is what an include of a plugin and file provisioning read on every Grafana from 12.3 on.

package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	sdktable "github.com/grafana/grafana-foundation-sdk/go/table"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// listing is a table that the data source answers as it is shown.
type listing struct {
	title, reads, silent string
	width                uint32
	inventory            query.Inventory
	// long listings get a filter for each column.
	long bool
	// statuses colour the cells of the column status that are to be looked at.
	statuses map[string]colour
	// widths of columns, in pixels.
	widths map[string]int
}

func (l listing) build(_ *catalog.Catalog, id, height uint32) (cog.Builder[dashboard.Panel], error) {
	asked := query.Query{QueryType: query.TypeInventory, Inventory: l.inventory}.WithDefaults()
	b := sdktable.NewPanelBuilder().
		Id(id).
		Title(l.title).
		Description(described(l.reads, l.silent)).
		Datasource(datasource()).
		Span(l.width).
		Height(height).
		CellHeight(common.TableCellHeightSm).
		Footer(common.NewTableFooterOptionsBuilder().Reducer([]string{})).
		Filterable(l.long).
		WithTarget(&target{Query: asked, RefID: "A", Datasource: datasource()})
	shown := map[string]any{}
	for status, c := range l.statuses {
		shown[status] = map[string]string{"color": string(c)}
	}
	b.OverrideByName("status", []dashboard.DynamicConfigValue{
		{Id: "mappings", Value: []any{map[string]any{"type": "value", "options": shown}}},
		{Id: "color", Value: map[string]string{"mode": "fixed", "fixedColor": "transparent"}},
		{Id: "custom.cellOptions", Value: map[string]string{"type": "color-background"}},
	})
	for _, column := range sorted(l.widths) {
		b.OverrideByName(column, []dashboard.DynamicConfigValue{{Id: "custom.width", Value: l.widths[column]}})
	}
	return b, nil
}
