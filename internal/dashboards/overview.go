//lint:file-ignore SA1019 The classic form is what an include of a plugin and file provisioning read on every Grafana from 12.3 on.

package dashboards

import (
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// refreshIntervals begin with one second: without it in the list the dashboard's
// own refresh of one second has no effect.
var refreshIntervals = []string{"1s", "2s", "5s", "10s", "30s", "1m", "5m"}

// overview is the first look at a disaggregated deployment: three request rates on
// one axis, and beneath them what explains a gap between them.
func overview(signals *catalog.Catalog) (dashboard.Dashboard, error) {
	board := dashboard.NewDashboardBuilder("PD overview").
		Uid("pdmonitor-overview").
		Description("Prefill, KV transfer and decode of disaggregated LLM inference: three request rates on one axis, and what explains a gap between them.").
		Tags([]string{"pdmonitor", "llm"}).
		Time("now-5m", "now").
		Timepicker(dashboard.NewTimePickerBuilder().RefreshIntervals(refreshIntervals)).
		Refresh("1s").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Variables(variables())
	rows := []row{throughput(), transfer(), queues(), latency(), cache(), failures()}
	if err := place(board, signals, rows); err != nil {
		return dashboard.Dashboard{}, err
	}
	return board.Build()
}

// of asks for a signal, split by logical labels.
func of(signal, legend string, groupBy ...string) query.Query {
	return query.Query{Signal: signal, Legend: legend, GroupBy: groupBy}
}

// byModel is the usual split. The role is part of the legend wherever a system
// reports both roles apart, and empty elsewhere.
func byModel(signal, name string) query.Query {
	return of(signal, strings.TrimSpace(name+" {{model}} {{role}}"), "model")
}

// quantiles are three curves of one distribution; each role is a series of its own
// where both report it.
func quantiles(signal string) []curve {
	at := func(q float64, name string, c colour) curve {
		asked := byModel(signal, name)
		asked.Stat, asked.Quantile = query.StatQuantile, q
		return curve{c, asked}
	}
	return []curve{at(0.50, "P50", p50Colour), at(0.95, "P95", p95Colour), at(0.99, "P99", p99Colour)}
}

// mean is the mean of a distribution by model.
func mean(signal, name string) query.Query {
	asked := byModel(signal, name)
	asked.Stat = query.StatMean
	return asked
}
