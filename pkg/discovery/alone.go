package discovery

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
)

// alone finds the sources that some engine has without a better one of the same: two
// clusters behind one server may use different connectors. It costs a request only
// where an engine type has several sources at once.
func (d *Discoverer) alone(ctx context.Context, alive map[string]bool, now time.Time) (map[string]bool, error) {
	asked := map[string]string{} // names by what tells of them
	same := strings.Join(deployment.AnyEngineLabels(d.engineGroup()), ", ")
	for _, signal := range d.catalog.Signals() {
		if len(signal.OneSystem) < 2 || signal.Reads != "" {
			continue
		}
		better := map[string][]string{} // by exporter
		for _, system := range signal.OneSystem {
			for _, b := range d.catalog.Bindings(signal) {
				if b.System != system {
					continue
				}
				for _, s := range b.Sources {
					for _, name := range d.shown(s, alive) {
						if len(better[s.Exporter]) > 0 {
							asked["group("+selector(name)+" unless on ("+same+") ("+strings.Join(better[s.Exporter], " or ")+"))"] = name
						}
						better[s.Exporter] = append(better[s.Exporter], selector(name))
					}
				}
			}
		}
	}
	others, err := each(ctx, slices.Sorted(maps.Keys(asked)), func(ctx context.Context, promql string) (bool, error) {
		series, err := d.vector(ctx, promql, now)
		return len(series) > 0, err
	})
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for promql, name := range asked {
		found[name] = found[name] || others[promql]
	}
	return found, nil
}

// shown are the series names under which a source is alive; a histogram is told by
// its count.
func (d *Discoverer) shown(s catalog.Source, alive map[string]bool) []string {
	suffix := ""
	if s.Type == catalog.TypeHistogram {
		suffix = "_count"
	}
	exporter, _ := d.catalog.System(s.Exporter)
	var names []string
	for _, prefix := range d.prefixes(exporter) {
		for _, name := range s.Names {
			if full := prefix + name + suffix; alive[full] {
				names = append(names, full)
			}
		}
	}
	return names
}
