package plugin

import (
	"context"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// The states of a system.
const (
	stateFound    = "found"
	stateLook     = "look at it" // a remark says at what
	stateNotFound = "not found"
)

func systemColumns() []string {
	return []string{
		"system", "status", "prefill", "decode", "unified", "models", "dp ranks", "tp ranks",
		"scrape interval", "restarts", "role by", "prefixes", "remark",
	}
}

// systemRows are the systems of the catalog, those that were found first.
func (d *Datasource) systemRows(ctx context.Context, q query.Query, found *deployment.Deployment, in backend.TimeRange) [][]any {
	rows, absent := [][]any{}, [][]any{}
	for _, s := range d.catalog.Systems() {
		if !asked(q, s) {
			continue
		}
		f, ok := found.Systems[s.Name]
		row := []any{
			s.Title, stateFound,
			int64(f.Present[query.RolePrefill]), int64(f.Present[query.RoleDecode]), int64(f.Present[query.RoleUnified]),
			strings.Join(f.Models, ", "), int64(f.DPRanks), int64(f.TPRanks),
			f.ScrapeInterval, int64(0), roleBy(s, f), strings.Join(f.Prefixes, ", "), "",
		}
		if !ok {
			row[1] = stateNotFound
			absent = append(absent, row)
			continue
		}
		restarts, err := d.restarts(ctx, s, found, in)
		row[9] = int64(restarts)
		remarks := remarksOn(f)
		if err != nil {
			remarks = append(remarks, "Restarts could not be counted: "+explain(err).message)
		}
		if len(remarks) > 0 {
			row[1], row[12] = stateLook, strings.Join(remarks, " ")
		}
		rows = append(rows, row)
	}
	return append(rows, absent...)
}

// restarts counts the resets of one counter of the system, once for each instance.
func (d *Datasource) restarts(ctx context.Context, s catalog.System, found *deployment.Deployment, in backend.TimeRange) (int, error) {
	for _, b := range s.Bindings {
		if !slices.Contains(b.Types(), catalog.TypeCounter) {
			continue
		}
		if metric, alive := d.metricOf(b, found); alive && d.catalog.IsCounter(metric) {
			return d.cache.Restarts(ctx, metric, min(in.Duration(), longestResets), in.To)
		}
	}
	return 0, nil
}

// roleBy says in words how the roles of a system are told.
func roleBy(s catalog.System, f deployment.Found) string {
	switch {
	case s.Roles == nil:
		return ""
	case f.RoleBy == deployment.RoleByLabel:
		return "its label " + s.Roles.Label
	case f.RoleBy == deployment.RoleByMatchers:
		return "the settings"
	}
	return "not told"
}

// remarksOn are what makes numbers of a system wrong, or guesses.
func remarksOn(f deployment.Found) []string {
	var all []string
	if len(f.ScrapedTwice) > 0 {
		all = append(all, "Scraped by several jobs: "+strings.Join(f.ScrapedTwice, ", ")+"; every sum counts it once for each.")
	}
	if len(f.UnknownRanks) > 0 {
		all = append(all, "Ranks are guessed: "+strings.Join(f.UnknownRanks, ", ")+" is not known to repeat or to shard.")
	}
	if f.Ungrouped {
		all = append(all, "Some engines lack the label that the settings name to identify one.")
	}
	if len(f.RoleMixed) > 0 {
		all = append(all, "Some engines export the role and some do not.")
	}
	return all
}
