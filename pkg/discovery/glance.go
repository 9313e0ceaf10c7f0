package discovery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
)

// mostSeries bounds the label sets that are read of one system's probe.
const mostSeries = 10000

// glance is what one round of requests tells: exact names are enough to ask for them.
type glance struct {
	// names of the whole retention, and those of them that have series in the window.
	names, alive map[string]bool
	probes
}

// probes are the series of the systems' probe metrics: those that have samples at the end
// of a window, and those that have any in it.
type probes struct{ present, series []model.Metric }

// of are those under some full names.
func (p probes) of(names []string) probes {
	under := func(all []model.Metric) []model.Metric {
		return slices.DeleteFunc(slices.Clone(all), func(m model.Metric) bool {
			return !slices.Contains(names, string(m[model.MetricNameLabel]))
		})
	}
	return probes{present: under(p.present), series: under(p.series)}
}

func (d *Discoverer) glance(ctx context.Context, w Window) (glance, error) {
	var g glance
	work, ctx := together(ctx)
	work.Go(func() (err error) {
		g.names, err = d.names(ctx, time.Time{}, time.Time{})
		return err
	})
	work.Go(func() (err error) {
		g.alive, err = d.names(ctx, w.From, w.To)
		return err
	})
	usual := d.usualProbes()
	var failed error
	work.Go(func() error {
		g.probes, failed = d.probed(ctx, usual, w)
		return nil
	})
	if err := work.Wait(); err != nil {
		return glance{}, err
	}
	// Where none of them is there, nothing was lost.
	if failed != nil && slices.ContainsFunc(usual, func(name string) bool { return g.names[name] }) {
		return glance{}, failed
	}
	return g, nil
}

// usualProbes are the probe metrics of all systems under all their prefixes.
func (d *Discoverer) usualProbes() []string {
	var names []string
	for _, s := range d.catalog.Systems() {
		for _, prefix := range d.prefixes(s) {
			if s.Probe != "" {
				names = append(names, prefix+s.Probe)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// probed asks for the series of some metrics.
func (d *Discoverer) probed(ctx context.Context, names []string, w Window) (probes, error) {
	if len(names) == 0 {
		return probes{}, nil
	}
	selectors := make([]string, len(names)) // a proxy may refuse patterns of names
	for i, name := range names {
		selectors[i] = selector(name)
	}
	var found probes
	work, ctx := together(ctx)
	work.Go(func() error {
		alive, err := d.vector(ctx, strings.Join(selectors, " or "), w.To)
		found.present = metrics(alive)
		return err
	})
	work.Go(func() (err error) {
		found.series, err = d.api.Series(ctx, selectors, w.From, w.To, mostSeries*len(names))
		return err
	})
	return found, work.Wait()
}

// fingerprint is the same for two logins that are shown the same.
func (g glance) fingerprint() string {
	var lines []string
	for kind, names := range map[string]map[string]bool{"n": g.names, "a": g.alive} {
		for name := range maps.Keys(names) {
			lines = append(lines, kind+name)
		}
	}
	for kind, series := range map[string][]model.Metric{"p": g.present, "s": g.series} {
		for _, one := range series {
			lines = append(lines, kind+one.String())
		}
	}
	slices.Sort(lines)
	sum := sha256.New()
	_, _ = io.WriteString(sum, strings.Join(lines, "\n")) // a hash takes everything
	return hex.EncodeToString(sum.Sum(nil))
}

// probesOf are the series of a system's probe; where the server has none under its usual
// name, of another metric that the system exports.
func (d *Discoverer) probesOf(ctx context.Context, s catalog.System, g glance, w Window) (probes, error) {
	names := d.probeNames(s, g.names)
	if len(names) == 0 || slices.ContainsFunc(d.prefixes(s), func(prefix string) bool { return names[0] == prefix+s.Probe }) {
		return g.of(names), nil
	}
	return d.probed(ctx, names, w)
}
