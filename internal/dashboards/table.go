//lint:file-ignore SA1019 The classic form is what an include of a plugin and file provisioning read on every Grafana from 12.3 on.

package dashboards

import (
	"fmt"
	"slices"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	sdktable "github.com/grafana/grafana-foundation-sdk/go/table"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// table holds the newest values of several signals side by side, a row for each value
// of the labels in by.
type table struct {
	title, reads, silent string
	width                uint32
	next                 []string
	// by are logical labels, and what their columns are called.
	by      []named
	columns []column
	// shares are quotients of two columns.
	shares []share
}

// named is a label and its column, whose width is chosen by Grafana if pixels is 0.
type named struct {
	label, title string
	pixels       int
}

// column is one signal. Its query is grouped by the labels of the table.
type column struct {
	title string
	query query.Query
	// limits colour the cell from the first value on that is reached. Numbers have the
	// colour of text: those of the curves are too pale to read on white.
	limits []limit
}

type limit struct {
	from   float64
	colour colour
}

// share is one column over another; limits colour it.
type share struct {
	title, over, under string
	limits             []limit
}

func (t table) build(signals *catalog.Catalog, id, height uint32) (cog.Builder[dashboard.Panel], error) {
	b := sdktable.NewPanelBuilder().
		Id(id).
		Title(t.title).
		Description(described(t.reads, t.silent)).
		Datasource(datasource()).
		Span(t.width).
		Height(height).
		CellHeight(common.TableCellHeightSm).
		MinWidth(75).
		Footer(common.NewTableFooterOptionsBuilder().Reducer([]string{})).
		Links(panelLinks(t.next))
	for i, c := range t.columns {
		signal, ok := signals.Signal(c.query.Signal)
		if !ok {
			return nil, fmt.Errorf("table %q: the catalog has no signal %q", t.title, c.query.Signal)
		}
		refID := string(rune('A' + i))
		asked := c.query
		// The legend is what the values are called.
		asked.Format, asked.Legend = query.FormatTable, c.title
		for _, label := range t.by {
			asked.GroupBy = append(asked.GroupBy, label.label)
		}
		made, err := newTarget(signals, refID, asked)
		if err != nil {
			return nil, err
		}
		b.WithTarget(made)
		b.OverrideByName(c.title, cell(unitOf(signal, asked.Stat), c.limits))
	}
	for _, l := range t.by {
		if l.pixels > 0 {
			b.OverrideByName(l.title, []dashboard.DynamicConfigValue{{Id: "custom.width", Value: l.pixels}})
		}
	}
	b.WithTransformation(bare())
	b.WithTransformation(dashboard.DataTransformerConfig{Id: "merge", Options: map[string]any{}})
	for _, s := range t.shares {
		b.WithTransformation(binary(s.title, s.over, "/", s.under))
		b.OverrideByName(s.title, append(cell("percentunit", s.limits), withoutNaN()))
	}
	return b.WithTransformation(t.order()), nil
}

// withoutNaN leaves the quotient of something that has no number empty, as what it is made of.
func withoutNaN() dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: "mappings", Value: []map[string]any{
		{"type": "special", "options": map[string]any{"match": "nan", "result": map[string]any{"text": "", "color": "transparent"}}},
	}}
}

// bare leaves the answers only the labels of the table in common.
func bare() dashboard.DataTransformerConfig {
	return dashboard.DataTransformerConfig{Id: "organize", Options: map[string]any{
		"excludeByName": map[string]bool{"Time": true, "role": true, "system": true, "exporter": true},
	}}
}

// order puts the labels first and the shares last.
func (t table) order() dashboard.DataTransformerConfig {
	var titles []string
	renamed := map[string]string{}
	for _, l := range t.by {
		titles = append(titles, l.label)
		renamed[l.label] = l.title
	}
	for _, c := range t.columns {
		titles = append(titles, c.title)
	}
	for _, s := range t.shares {
		titles = append(titles, s.title)
	}
	at := map[string]int{}
	for _, title := range titles {
		at[title] = slices.Index(titles, title)
	}
	return dashboard.DataTransformerConfig{Id: "organize", Options: map[string]any{"indexByName": at, "renameByName": renamed}}
}

// binary is a new field made of two others by an operator.
func binary(title, left, operator, right string) dashboard.DataTransformerConfig {
	side := func(field string) map[string]any {
		return map[string]any{"matcher": map[string]string{"id": "byName", "options": field}}
	}
	return dashboard.DataTransformerConfig{Id: "calculateField", Options: map[string]any{
		"mode": "binary", "alias": title,
		"binary": map[string]any{"left": side(left), "operator": operator, "right": side(right)},
	}}
}

// cell says how a column looks.
func cell(unit string, limits []limit) []dashboard.DynamicConfigValue {
	look := []dashboard.DynamicConfigValue{{Id: "unit", Value: unit}, {Id: "decimals", Value: decimals(unit)}}
	if len(limits) == 0 {
		return look
	}
	steps := []map[string]any{{"value": nil, "color": "transparent"}}
	for _, l := range limits {
		steps = append(steps, map[string]any{"value": l.from, "color": string(l.colour)})
	}
	return append(look,
		dashboard.DynamicConfigValue{Id: "thresholds", Value: map[string]any{"mode": "absolute", "steps": steps}},
		dashboard.DynamicConfigValue{Id: "custom.cellOptions", Value: map[string]string{"type": "color-background"}},
	)
}

// decimals keeps the columns of a table narrow.
func decimals(unit string) int {
	switch unit {
	case "reqps", "Bps", "s":
		return 1
	case "hertz":
		return 2
	}
	return 0
}
