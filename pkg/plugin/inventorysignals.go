package plugin

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// The states of a signal on a system.
const (
	stateExported   = "exported"
	stateMissing    = "missing"
	stateNoSamples  = "no samples"
	stateDistrusted = "distrusted"
	stateTwice      = "scraped twice"
	// stateUnavailable is exported and yet no number can be had, for example for want
	// of a request size.
	stateUnavailable = "unavailable"
)

func signalColumns() []string {
	return []string{"signal", "title", "group", "system", "status", "metric", "reason"}
}

// signalRows are the signals of the systems found, in the order of the catalog.
func (d *Datasource) signalRows(q query.Query, found *deployment.Deployment) [][]any {
	rows := [][]any{}
	for _, signal := range d.catalog.Signals() {
		for _, b := range d.catalog.Bindings(signal) {
			system, _ := d.catalog.System(b.System)
			if _, ok := found.Systems[b.System]; !ok || !asked(q, system) {
				continue
			}
			metric, alive := d.metricOf(b, found)
			state, reason := d.state(signal, b, found, metric != "", alive)
			if metric == "" {
				metric = d.catalog.NamesOf(b)[0]
			}
			rows = append(rows, []any{signal.ID, signal.Title, signal.Group, system.Title, state, metric, reason})
		}
	}
	return rows
}

// metricOf is the first name of a binding that the server knows, "" for none, and
// whether it has samples in the time looked at.
func (d *Datasource) metricOf(b catalog.Binding, found *deployment.Deployment) (metric string, alive bool) {
	for _, s := range b.AllSources() {
		prefixes := append(slices.Clone(d.settings.Prefixes[s.Exporter]), d.catalog.Prefixes(s)...)
		for _, prefix := range prefixes {
			for _, name := range s.Names {
				full := prefix + name
				if !found.Has(full, s.Type) {
					continue
				}
				metric = cmp.Or(metric, full)
				if found.Alive == nil || found.Alive[full] || found.Alive[full+"_bucket"] {
					return full, true
				}
			}
		}
	}
	return metric, false
}

// state says how it stands with a signal on a system, and why. What a query of it
// would be told is what counts, so the compiler is asked.
func (d *Datasource) state(signal catalog.Signal, b catalog.Binding, found *deployment.Deployment, exported, alive bool) (state, reason string) {
	q := query.Query{Signal: signal.ID, System: b.System}.WithDefaults()
	plan, err := d.compiler.Compile(compile.Request{Query: q, Options: d.settings.Compile(), Deployment: found, Step: time.Second})
	var warning string
	if err != nil {
		warning = err.Error()
	}
	for _, n := range plan.Notices {
		if n.Severity != query.SeverityInfo {
			warning = cmp.Or(warning, n.Text)
		}
	}
	twice := scrapedTwice(b, found)
	caution := strings.TrimSpace(signal.Caution + " " + b.Caution)
	switch {
	case !exported:
		return stateMissing, warning
	case !alive:
		return stateNoSamples, "It was exported once and has no samples in this time range."
	case len(plan.Expressions) == 0:
		return stateUnavailable, warning
	case len(twice) > 0:
		return stateTwice, "Scraped by several jobs: " + strings.Join(twice, ", ") + ". Every sum counts it once for each."
	case signal.Distrusted:
		return stateDistrusted, caution
	case warning != "":
		return stateDistrusted, warning
	}
	return stateExported, caution
}

// scrapedTwice are the targets of a binding's exporters that several jobs scrape.
func scrapedTwice(b catalog.Binding, found *deployment.Deployment) []string {
	var all []string
	for _, s := range b.AllSources() {
		all = append(all, found.Systems[s.Exporter].ScrapedTwice...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
