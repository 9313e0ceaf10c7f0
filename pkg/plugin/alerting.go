package plugin

import (
	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// ofRule reports whether a request evaluates a rule, an alert's or a recorded one.
func ofRule(req *backend.QueryDataRequest) bool {
	return req.Headers[backend.FromAlertHeaderName] == "true"
}

// forRule refuses what a rule cannot reduce to a number for each series. Grafana would
// refuse the frames, and not say what to ask for in their place. A query that is none is
// left to the answer to explain.
func forRule(stored []byte) error {
	q, err := query.Parse(stored)
	if err != nil {
		return nil
	}
	switch {
	case q.QueryType == query.TypeInventory:
		return &query.FieldError{
			Field: "queryType", Value: string(q.QueryType),
			Remedy: "alert and recording rules need one number for each series, and an inventory is a table of words: ask for a signal, such as requests_running, whose state for no data tells that engines are gone",
		}
	case q.QueryType == query.TypeSignal && q.Stat == query.StatHeatmap:
		return &query.FieldError{
			Field: "stat", Value: string(q.Stat),
			Remedy: "alert and recording rules need one number for each series, and a heatmap has one for each bucket: ask for a quantile (stat quantile), or for the share of observations up to a limit (stat under)",
		}
	}
	return nil
}
