package plugin

import (
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/frames"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// frames builds the frames of what came back; parts that failed have none.
func (d *Datasource) frames(p prepared, results []prom.Result, errs []error) (data.Frames, error) {
	var answers []frames.Answer
	for i, result := range results {
		if errs[i] == nil {
			answers = append(answers, frames.Answer{Expression: i, Value: result.Value, Warnings: result.Warnings})
		}
	}
	options := frames.Options{
		Step: p.timing.Step, Format: p.query.Format, SeriesLimit: d.settings.SeriesLimit, IsCounter: d.catalog.IsCounter,
		Language: p.language,
	}
	if p.instant {
		options.Step = 0
	}
	if len(p.plan.Expressions) > 0 && len(answers) == len(results) {
		options.Empty = d.empty(p.query)
	}
	return frames.Build(p.plan, answers, options)
}

// empty says why metrics that exist may have brought nothing.
func (d *Datasource) empty(q query.Query) query.Notice {
	text := "No series of this expression has samples in this time range."
	if signal, ok := d.catalog.Signal(q.Signal); ok && q.QueryType == query.TypeSignal {
		switch signal.Kind {
		case catalog.KindRatio, catalog.KindDistribution:
			text = "Nothing was observed in this time range with these filters: idle has no " + string(signal.Kind) + ", which is not the same as 0."
		default:
			text = "The metrics are known to this server, but none has samples in this time range with this role and these filters."
		}
		if len(q.Filters) > 0 {
			var named []string
			for _, f := range q.Filters {
				named = append(named, f.Label+string(f.Op)+strings.Join(f.Values, "|"))
			}
			text += " The filters are " + strings.Join(named, ", ") + "; check that such series exist."
		}
	}
	return notice.Empty.Of(text)
}

// Notices collects the notices of frames, for callers that are not Grafana.
func Notices(all data.Frames) []query.Notice {
	found := []query.Notice{}
	for _, frame := range all {
		found = append(found, frames.Said(frame)...)
	}
	return found
}
