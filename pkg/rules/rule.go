package rules

import (
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Severity is the value of the label severity.
type Severity string

const (
	// Critical wants somebody now: requests fail, or will within minutes.
	Critical Severity = "critical"
	// Warning wants somebody today.
	Warning Severity = "warning"
)

// Rule is one alert.
type Rule struct {
	// Name is the alert's name in Prometheus and its title in Grafana. Its lower-case
	// form is the anchor of its paragraph in docs/alerts.md.
	Name     string
	Severity Severity
	// For is how long the condition must hold.
	For time.Duration
	// Summary is one line. Description may use {model} and the other labels of unnamed,
	// and for the number that is too high or too low {value}, or {share} where 1 is all of it.
	Summary, Description string
	// Cases are the ways in which the fault shows: one where all systems export the
	// same signals, more where they differ. Any of them fires.
	Cases []Case
}

// Case is a condition over queries.
type Case struct {
	// Name tells the cases of one rule apart, in the label case, "" for the only one.
	Name string
	// Queries are what is measured; the first one is the alert's value.
	Queries []Query
	// Fires is when the rule fires. All queries of a case of several are split by the
	// same labels, by which their series are compared.
	Fires Condition
}

// Query is a named semantic query.
type Query struct {
	Name  string
	Query query.Query
}

// Windows of rates. A condition over them holds for longer, see the package's words.
const (
	window     = "2m"
	longWindow = "5m"
	sustained  = 3 * time.Minute
	long       = 6 * time.Minute
)

// of names a query of a signal by model.
func of(name, signal string, edits ...func(*query.Query)) Query {
	q := query.Query{Signal: signal, GroupBy: []string{"model"}, RateMode: query.RateWindow, Window: window}
	for _, edit := range edits {
		edit(&q)
	}
	return Query{Name: name, Query: q.WithDefaults()}
}

func on(role query.Role) func(*query.Query) { return func(q *query.Query) { q.Role = role } }

func over(window string) func(*query.Query) { return func(q *query.Query) { q.Window = window } }

func by(labels ...string) func(*query.Query) { return func(q *query.Query) { q.GroupBy = labels } }

func from(system string) func(*query.Query) { return func(q *query.Query) { q.System = system } }

func mean(q *query.Query) { q.Stat = query.StatMean }

func where(label, value string) func(*query.Query) {
	return func(q *query.Query) {
		q.Filters = append(q.Filters, query.Filter{Label: label, Op: query.OpEqual, Values: []string{value}})
	}
}
