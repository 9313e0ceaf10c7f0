package plugin

import (
	"context"
	"fmt"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/frames"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// inventory answers a query of type inventory: one table of text and numbers, whatever
// the catalog and discovery know of the time range. It runs no PromQL of its own but
// the look for restarts.
func (d *Datasource) inventory(ctx context.Context, dq backend.DataQuery, q query.Query) backend.DataResponse {
	if q.System != query.SystemAuto {
		if _, ok := d.catalog.System(q.System); !ok {
			return explain(&query.FieldError{Field: "system", Value: q.System, Remedy: "it is no system of the catalog, such as vllm or sglang"}).response()
		}
	}
	found, err := d.cache.Latest(ctx, discovery.Fresh, discovery.Window{From: dq.TimeRange.From, To: dq.TimeRange.To})
	if err != nil {
		return explain(err).response()
	}
	var rows [][]any
	var columns []string
	switch q.Inventory {
	case query.InventorySystems:
		columns, rows = systemColumns(), d.systemRows(ctx, q, found, dq.TimeRange)
	default:
		columns, rows = signalColumns(), d.signalRows(q, found)
	}
	frame := tabled(string(q.Inventory), columns, rows)
	frame.Meta = &data.FrameMeta{
		PreferredVisualization: data.VisTypeTable,
		ExecutedQueryString:    fmt.Sprintf("# the inventory of %s, from the names and labels that the server listed", q.Inventory),
	}
	if len(q.Filters) > 0 {
		frames.Say(frame, languageOf(dq.JSON), notice.NotFiltered.Of())
	}
	return backend.DataResponse{Status: backend.StatusOK, Frames: data.Frames{frame}}
}

// tabled makes a frame of rows whose cells are all text, whole numbers or seconds,
// each column of one kind. Columns stand even where there are no rows.
func tabled(name string, columns []string, rows [][]any) *data.Frame {
	frame := data.NewFrame(name)
	for i, column := range columns {
		var field *data.Field
		switch {
		case len(rows) > 0 && isA[int64](rows[0][i]):
			field = data.NewField(column, nil, cells[int64](rows, i))
		case len(rows) > 0 && isA[time.Duration](rows[0][i]):
			seconds := make([]*float64, len(rows))
			for n, d := range cells[time.Duration](rows, i) {
				if d > 0 { // 0 is not known
					value := d.Seconds()
					seconds[n] = &value
				}
			}
			field = data.NewField(column, nil, seconds)
			field.Config = &data.FieldConfig{Unit: "s"}
		default:
			field = data.NewField(column, nil, cells[string](rows, i))
		}
		frame.Fields = append(frame.Fields, field)
	}
	return frame
}

func isA[T any](cell any) bool {
	_, ok := cell.(T)
	return ok
}

func cells[T any](rows [][]any, column int) []T {
	all := make([]T, len(rows))
	for n, row := range rows {
		all[n], _ = row[column].(T)
	}
	return all
}

// asked reports whether an inventory is of that system too.
func asked(q query.Query, s catalog.System) bool {
	return q.System == query.SystemAuto || q.System == s.Name
}
