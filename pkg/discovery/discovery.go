// Package discovery finds out what a Prometheus server holds of the catalog:
// names and prefixes, engines and their roles, models, ranks, the scrape interval.
package discovery

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// API is what discovery asks of a server.
type API interface {
	Query(ctx context.Context, promql string, at time.Time) (prom.Result, error)
	LabelValues(ctx context.Context, label string, matchers []string, start, end time.Time) ([]string, error)
	Series(ctx context.Context, matchers []string, start, end time.Time, limit int) ([]model.Metric, error)
}

// Window is the time in which engines are looked for; zero is the last hour.
type Window struct{ From, To time.Time }

// Options are the settings that bear on discovery.
type Options struct {
	Prefixes map[string][]string
	Roles    map[query.Role]string
	Labels   map[string][]string
}

// Discoverer looks at one server.
type Discoverer struct {
	api     API
	catalog *catalog.Catalog
	options Options
}

// New makes a discoverer. It sends nothing.
func New(api API, c *catalog.Catalog, options Options) *Discoverer {
	return &Discoverer{api: api, catalog: c, options: options}
}

// Discover asks the server. Names are those of its whole retention, so that a
// graph of last week finds the name of last week; engines, roles and models are
// those of the window. What does not depend on another answer is asked side by side, so
// that it takes the time of two answers, of three where an engine lacks its usual metric.
// It costs four requests, up to seven more for each engine system that is there and rarely
// one for a histogram of an old form; none returns samples of more than five minutes of
// one series. The error is the server's, as package prom words it.
func (d *Discoverer) Discover(ctx context.Context, w Window) (*deployment.Deployment, error) {
	g, err := d.glance(ctx, w)
	if err != nil {
		return nil, err
	}
	return d.follow(ctx, g, w)
}

// follow looks up what a glance does not tell.
func (d *Discoverer) follow(ctx context.Context, g glance, w Window) (*deployment.Deployment, error) {
	names := g.names
	found := &deployment.Deployment{Metrics: names, Alive: g.alive, Systems: map[string]deployment.Found{}, Behind: -1}
	systems := slices.DeleteFunc(d.catalog.Systems(), func(s catalog.System) bool { return !d.present(s, names) })
	systemsFound := make([]deployment.Found, len(systems))
	newest := make([]time.Time, len(systems))
	work, ctx := together(ctx)
	for i, s := range systems {
		work.Go(func() (err error) {
			systemsFound[i], newest[i], err = d.system(ctx, s, g, w)
			return err
		})
	}
	work.Go(func() (err error) {
		found.Gauges, err = d.gauges(ctx, names, w.To)
		return err
	})
	work.Go(func() (err error) {
		found.Recorded, err = d.recorded(ctx, names, w)
		return err
	})
	work.Go(func() (err error) {
		found.Alone, err = d.alone(ctx, g.alive, w.To)
		return err
	})
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for i, s := range systems {
		found.Systems[s.Name] = systemsFound[i]
		if s.Roles != nil {
			// A window has to hold two samples of the slowest engine.
			found.ScrapeInterval = max(found.ScrapeInterval, systemsFound[i].ScrapeInterval)
		}
		if s.Roles != nil && !newest[i].IsZero() {
			found.Behind = max(found.Behind, w.To.Sub(newest[i]))
		}
	}
	return found, nil
}

// names lists the series names that the catalog could ask for; zero times stand for
// the whole retention.
func (d *Discoverer) names(ctx context.Context, from, to time.Time) (map[string]bool, error) {
	found, err := each(ctx, parts(d.namePatterns()), func(ctx context.Context, patterns string) ([]string, error) {
		known, err := promql.Matching(model.MetricNameLabel, patterns)
		if err != nil {
			return nil, err
		}
		return d.api.LabelValues(ctx, model.MetricNameLabel, []string{"{" + known.String() + "}"}, from, to)
	})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, values := range found {
		for _, v := range values {
			names[v] = true
		}
	}
	return names, nil
}

// longestPattern bounds what one request asks for by name: servers list names by GET alone, and
// proxies take addresses of 8 KiB, in which some characters are three.
const longestPattern = 4500

// parts joins patterns to alternatives, of which each is short enough for one request.
func parts(patterns []string) []string {
	var joined []string
	for _, p := range patterns {
		if last := len(joined) - 1; last >= 0 && len(joined[last])+len(p) < longestPattern {
			joined[last] += "|" + p
		} else {
			joined = append(joined, p)
		}
	}
	return joined
}

// namePatterns match by prefix, which is short; names without one are listed.
func (d *Discoverer) namePatterns() []string {
	var alternatives []string
	for _, s := range d.catalog.Systems() {
		for _, prefix := range d.prefixes(s) {
			if prefix != "" {
				alternatives = append(alternatives, regexp.QuoteMeta(prefix)+".*")
				continue
			}
			for _, b := range s.Bindings {
				for _, source := range b.AllSources() {
					if source.Exporter != s.Name {
						continue
					}
					for _, name := range source.Names {
						alternatives = append(alternatives, regexp.QuoteMeta(name)+"(_bucket|_sum|_count)?")
					}
				}
			}
		}
	}
	alternatives = append(alternatives, deployment.RecordedPattern)
	slices.Sort(alternatives)
	return slices.Compact(alternatives)
}

func (d *Discoverer) prefixes(s catalog.System) []string {
	if own := d.options.Prefixes[s.Name]; len(own) > 0 {
		return own
	}
	return s.Prefixes
}

// present reports whether any metric of the system's own bindings is there.
func (d *Discoverer) present(s catalog.System, names map[string]bool) bool {
	if len(d.probeNames(s, names)) > 0 {
		return true
	}
	for _, b := range s.Bindings {
		for _, source := range b.AllSources() {
			exporter, _ := d.catalog.System(source.Exporter)
			for _, prefix := range d.prefixes(exporter) {
				for _, name := range source.Names {
					// An engine's counter may be a connector's denominator.
					if d.ownName(s, source, name) && (names[prefix+name] || names[prefix+name+"_bucket"]) {
						return true
					}
				}
			}
		}
	}
	return false
}

// ownName reports whether a source's name belongs to the system that binds it and
// not to the engine that exports it.
func (d *Discoverer) ownName(s catalog.System, source catalog.Source, name string) bool {
	if source.Exporter == s.Name {
		return true
	}
	engine, _ := d.catalog.System(source.Exporter)
	return !slices.ContainsFunc(engine.Bindings, func(b catalog.Binding) bool {
		return slices.ContainsFunc(b.AllSources(), func(other catalog.Source) bool { return slices.Contains(other.Names, name) })
	})
}

// probeNames are the full names of the system's probe metric on this server, under all
// its prefixes; where there is none, of another metric that the system exports.
func (d *Discoverer) probeNames(s catalog.System, names map[string]bool) []string {
	if s.Probe == "" {
		return nil
	}
	var found []string
	for _, prefix := range d.prefixes(s) {
		if names[prefix+s.Probe] {
			found = append(found, prefix+s.Probe)
		}
	}
	if len(found) > 0 {
		return found
	}
	for _, name := range slices.Sorted(maps.Keys(d.exported(s, names))) {
		if names[name] {
			return []string{name}
		}
	}
	return nil
}

// gauges finds names that the catalog knows as histograms and the server as gauges.
func (d *Discoverer) gauges(ctx context.Context, names map[string]bool, now time.Time) (map[string]bool, error) {
	asked := map[string]bool{}
	for _, s := range d.catalog.Systems() {
		for _, b := range s.Bindings {
			for _, source := range b.AllSources() {
				if source.Type != catalog.TypeHistogram {
					continue
				}
				exporter, _ := d.catalog.System(source.Exporter)
				for _, prefix := range d.prefixes(exporter) {
					for _, name := range source.Names {
						full := prefix + name
						if names[full] && !names[full+"_bucket"] {
							asked[full] = true
						}
					}
				}
			}
		}
	}
	return each(ctx, slices.Sorted(maps.Keys(asked)), func(ctx context.Context, name string) (bool, error) {
		return d.isFloat(ctx, name, now)
	})
}

// each looks up something of several names side by side.
func each[T any](ctx context.Context, names []string, look func(context.Context, string) (T, error)) (map[string]T, error) {
	answers := make([]T, len(names))
	work, ctx := together(ctx)
	for i, name := range names {
		work.Go(func() (err error) {
			answers[i], err = look(ctx, name)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	found := make(map[string]T, len(names))
	for i, name := range names {
		found[name] = answers[i]
	}
	return found, nil
}

func (d *Discoverer) isFloat(ctx context.Context, name string, now time.Time) (bool, error) {
	series, err := d.vector(ctx, selector(name), now)
	if err != nil {
		return false, err
	}
	return len(series) > 0 && series[0].Histogram == nil, nil
}
