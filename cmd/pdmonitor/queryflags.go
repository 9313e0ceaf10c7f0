package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
	"github.com/prometheus/common/model"
	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// queryFlags are a query given by flags or by a file; flags win.
type queryFlags struct {
	file           string
	q              query.Query
	stat, role     string
	rateMode       string
	format         string
	filters        []string
	from, to, step string
}

func (f *queryFlags) flags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&f.file, "query", "", "`file` with a query in JSON, as a panel stores it")
	set.StringVar(&f.q.Signal, "signal", "", "`id` of a signal, such as prefill_request_rate (see: pdmonitor catalog)")
	set.StringVar(&f.q.Expr, "expr", "", "`PromQL` in place of a signal")
	set.StringVar(&f.stat, "stat", "", "quantile, mean, rate, heatmap or under (with --limit) of a distribution; skew of a rate or gauge")
	set.Float64Var(&f.q.Quantile, "quantile", 0, "which quantile, such as 0.99")
	set.Float64Var(&f.q.Limit, "limit", 0, "of --stat under: a bucket's bound in the signal's unit, such as 0.5")
	set.StringSliceVar(&f.q.GroupBy, "group-by", nil, "logical `labels` to split by, such as model,instance")
	set.StringArrayVar(&f.filters, "filter", nil, "`label=value`, also with !=, =~ or !~; may be repeated")
	set.StringVar(&f.q.System, "system", "", "one system, such as vllm; all that are found if not given")
	set.StringVar(&f.role, "role", "", "prefill, decode or unified")
	set.StringVar(&f.rateMode, "rate-mode", "", "auto, adjacent or window")
	set.StringVar(&f.q.Window, "window", "", "`range` of rates, such as 30s")
	set.Int64Var(&f.q.BytesPerRequest, "bytes-per-request", 0, "KV `bytes` of one request, in place of the configured size")
	set.StringVar(&f.q.Legend, "legend", "", "`template` of series names, such as '{{model}}'")
	set.StringVar(&f.format, "format", "", "time_series or table")
	set.StringVar(&f.from, "from", "now-5m", "start of the range: now-5m, RFC 3339 or Unix milliseconds")
	set.StringVar(&f.to, "to", "now", "end of the range")
	set.StringVar(&f.step, "step", "", "`distance` of points, such as 1s; chosen for about 1,000 points if not given")
}

// dataQuery is what Grafana would send for the flags.
func (f *queryFlags) dataQuery(cmd *cobra.Command) (backend.DataQuery, error) {
	wrong := func(format string, args ...any) error {
		return &wrongUse{command: cmd.CommandPath(), cause: fmt.Errorf(format, args...)}
	}
	if f.file == "" && f.q.Signal == "" && f.q.Expr == "" {
		return backend.DataQuery{}, wrong("give --signal, --expr or --query")
	}
	q := query.Query{}
	if f.file != "" {
		text, err := os.ReadFile(f.file)
		if err != nil {
			return backend.DataQuery{}, fmt.Errorf("--query: %w", err)
		}
		if err := json.Unmarshal(text, &q); err != nil {
			return backend.DataQuery{}, fmt.Errorf("--query %s: %w", f.file, err)
		}
	}
	if err := f.apply(cmd, &q); err != nil {
		return backend.DataQuery{}, wrong("%w", err)
	}
	text, err := json.Marshal(q)
	if err != nil {
		return backend.DataQuery{}, wrong("the query cannot be written as JSON: %w", err)
	}
	spoken := gtime.NewTimeRange(f.from, f.to)
	from, err := spoken.ParseFrom()
	if err != nil {
		return backend.DataQuery{}, wrong("--from %s: write now-5m, an RFC 3339 time or Unix milliseconds", f.from)
	}
	to, err := spoken.ParseTo()
	if err != nil {
		return backend.DataQuery{}, wrong("--to %s: write now, an RFC 3339 time or Unix milliseconds", f.to)
	}
	if !from.Before(to) {
		return backend.DataQuery{}, wrong("--from %s is not before --to %s", f.from, f.to)
	}
	dq := backend.DataQuery{
		RefID: "A", JSON: text, MaxDataPoints: 1000,
		TimeRange: backend.TimeRange{From: from, To: to},
	}
	if f.step != "" {
		step, err := model.ParseDuration(f.step)
		if err != nil || step == 0 {
			return backend.DataQuery{}, wrong("--step %s: write a duration such as 1s", f.step)
		}
		dq.Interval = time.Duration(step)
	}
	return dq, nil
}

// misuse makes wrong use of what the compiler refuses of the flags. What it refuses of
// the query of a file, and what the settings or the server are at fault for, stays as it is.
func (f *queryFlags) misuse(cmd *cobra.Command, err error) error {
	if plugin.WrongSettings(err) || !f.atFault(cmd, err) {
		return err
	}
	return &wrongUse{command: cmd.CommandPath(), cause: err}
}

// atFault reports whether one of the faults that are joined in an error is the flags'.
func (f *queryFlags) atFault(cmd *cobra.Command, err error) bool {
	switch err := err.(type) {
	case *query.FieldError:
		return f.sets(cmd, err.Field)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(err.Unwrap(), func(one error) bool { return f.atFault(cmd, one) })
	}
	cause := errors.Unwrap(err)
	return cause != nil && f.atFault(cmd, cause)
}

// sets reports whether a field of the query comes from the flags. Without a file all do,
// also those that a flag leaves out, such as the limit of --stat under. The field query
// means one of several.
func (f *queryFlags) sets(cmd *cobra.Command, field string) bool {
	field, _, _ = strings.Cut(field, "[") // as in groupBy[0]
	name := flagName(field)
	if field == "filters" {
		name = "filter"
	}
	if f.file == "" {
		return cmd.Flags().Lookup(name) != nil
	}
	return field != "query" && cmd.Flags().Changed(name)
}

// apply lays the flags that were given over the query of the file.
func (f *queryFlags) apply(cmd *cobra.Command, q *query.Query) error {
	given := cmd.Flags().Changed
	for flag, set := range map[string]func(){
		"signal":            func() { q.Signal, q.QueryType = f.q.Signal, query.TypeSignal },
		"expr":              func() { q.Expr, q.QueryType = f.q.Expr, query.TypePromQL },
		"stat":              func() { q.Stat = query.Stat(f.stat) },
		"quantile":          func() { q.Quantile = f.q.Quantile },
		"limit":             func() { q.Limit = f.q.Limit },
		"group-by":          func() { q.GroupBy = f.q.GroupBy },
		"system":            func() { q.System = f.q.System },
		"role":              func() { q.Role = query.Role(f.role) },
		"rate-mode":         func() { q.RateMode = query.RateMode(f.rateMode) },
		"window":            func() { q.Window = f.q.Window },
		"bytes-per-request": func() { q.BytesPerRequest = f.q.BytesPerRequest },
		"legend":            func() { q.Legend = f.q.Legend },
		"format":            func() { q.Format = query.Format(f.format) },
	} {
		if given(flag) {
			set()
		}
	}
	if given("signal") && given("expr") {
		return fmt.Errorf("--signal and --expr exclude each other")
	}
	// A query that says 0 leaves the choice to the plugin; who writes the flag has chosen.
	if given("quantile") && f.q.Quantile == 0 {
		return fmt.Errorf("--quantile 0: take a number between 0 and 1, such as 0.99")
	}
	for _, text := range f.filters {
		filter, err := parseFilter(text)
		if err != nil {
			return err
		}
		q.Filters = append(q.Filters, filter)
	}
	return nil
}

// parseFilter reads label=value and its other comparisons.
func parseFilter(text string) (query.Filter, error) {
	i := strings.IndexAny(text, "=!")
	if i > 0 {
		for _, op := range []query.Op{query.OpMatch, query.OpNotMatch, query.OpNotEqual, query.OpEqual} {
			if value, ok := strings.CutPrefix(text[i:], string(op)); ok {
				return query.Filter{Label: text[:i], Op: op, Values: []string{value}}, nil
			}
		}
	}
	return query.Filter{}, fmt.Errorf("--filter %s: write label=value, label!=value, label=~expression or label!~expression", text)
}
