package discovery

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// system looks at the engines of one system through its probe metric. It also tells when
// the newest sample was taken of the engine that is furthest behind, the zero time for none.
func (d *Discoverer) system(ctx context.Context, s catalog.System, g glance, w Window) (deployment.Found, time.Time, error) {
	found := deployment.Found{RoleBy: d.rolesUnseen(s), Instances: map[query.Role]int{}, Present: map[query.Role]int{}}
	found.Prefixes = d.usedPrefixes(s, g.names)
	if len(d.probeNames(s, g.names)) == 0 {
		found.RoleBy = deployment.RoleByNothing
		return found, time.Time{}, nil
	}
	probes, err := d.probesOf(ctx, s, g, w)
	if err != nil {
		return found, time.Time{}, err
	}
	// A sample at the end may be older than the window.
	series := d.native(s, slices.Concat(probes.series, probes.present), &found)
	if len(series) == 0 {
		return found, time.Time{}, nil
	}
	found.Models = d.values(series, s, "model")
	found.DPRanks = len(d.values(series, s, s.Ranks.Data))
	found.TPRanks = len(d.values(series, s, s.Ranks.Tensor))
	found.Labels = labelNames(series)
	found.Ungrouped = d.ungrouped(series)
	found.UnknownRanks = unknownRanks(s, found.Labels)
	found.ScrapedTwice = scrapedTwice(probes.present)
	if err := d.roles(s, series, probes.present, &found); err != nil {
		return found, time.Time{}, err
	}
	var newest time.Time
	work, ctx := together(ctx)
	if found.RoleBy == deployment.RoleByLabel {
		work.Go(func() (err error) {
			found.RoleLess, found.RoleMixed, err = d.roleLess(ctx, s, g.names, w)
			return err
		})
	}
	work.Go(func() (err error) {
		found.ScrapeInterval, newest, err = d.scrapes(ctx, probes.present, series, w)
		return err
	})
	err = work.Wait()
	return found, newest, err
}

func metrics(vector model.Vector) []model.Metric {
	list := make([]model.Metric, len(vector))
	for i, one := range vector {
		list[i] = one.Metric
	}
	return list
}

// usedPrefixes are the prefixes under which metrics of the system were found.
func (d *Discoverer) usedPrefixes(s catalog.System, names map[string]bool) []string {
	var used []string
	for _, prefix := range d.prefixes(s) {
		if prefix != "" && slices.ContainsFunc(slices.Collect(maps.Keys(names)), func(n string) bool { return strings.HasPrefix(n, prefix) }) {
			used = append(used, prefix)
		}
	}
	return used
}

// native leaves out what a router shows again of engines that are scraped
// themselves, and the prefix under which it does so.
func (d *Discoverer) native(s catalog.System, series []model.Metric, found *deployment.Found) []model.Metric {
	shownAgain := func(m model.Metric) bool {
		return slices.ContainsFunc(s.Reexport, func(label string) bool { return m[model.LabelName(label)] != "" })
	}
	own := slices.DeleteFunc(slices.Clone(series), shownAgain)
	if len(own) == 0 || len(own) == len(series) {
		return series
	}
	found.Prefixes = slices.DeleteFunc(found.Prefixes, func(prefix string) bool {
		return !slices.ContainsFunc(own, func(m model.Metric) bool {
			return strings.HasPrefix(string(m[model.MetricNameLabel]), prefix)
		})
	})
	found.ShownAgain = true
	return own
}

// ungrouped reports whether some engines lack the label that is to identify one.
func (d *Discoverer) ungrouped(series []model.Metric) bool {
	group := d.engineGroup()
	return group != "" && slices.ContainsFunc(series, func(m model.Metric) bool { return m[model.LabelName(group)] == "" })
}

// engineGroup is the label that identifies one engine over several nodes, "" where an instance
// is one.
func (d *Discoverer) engineGroup() string {
	if group := d.options.Labels["engineGroup"]; len(group) > 0 && group[0] != model.InstanceLabel {
		return group[0]
	}
	return ""
}

// engine identifies one engine among the series of the probe.
func (d *Discoverer) engine(metric model.Metric) deployment.Engine {
	return deployment.EngineOf(metric, d.engineGroup())
}

// values lists the values of a logical label among the probe's series, sorted.
func (d *Discoverer) values(series []model.Metric, s catalog.System, logical string) []string {
	candidates := append(slices.Clone(d.options.Labels[logical]), s.Labels[logical]...)
	seen := map[string]bool{}
	for _, one := range series {
		for _, label := range candidates {
			if value := one[model.LabelName(label)]; value != "" {
				seen[string(value)] = true
				break
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// unknownRanks lists labels that look like ranks and of which it is not known whether
// they repeat or shard.
func unknownRanks(s catalog.System, seen []string) []string {
	known := slices.Clone(s.Copies)
	for _, physical := range s.Labels {
		known = append(known, physical...)
	}
	return slices.DeleteFunc(slices.Clone(seen), func(label string) bool {
		return !strings.HasSuffix(label, "_rank") || slices.Contains(known, label)
	})
}

// scrapedTwice lists the instances, or pods, whose probe comes from several jobs:
// every sum would count them twice. What is called alike in another cluster or namespace is
// another; a job that does not say where its targets are may mean the same.
func scrapedTwice(series []model.Metric) []string {
	type scrape struct{ job, cluster, namespace model.LabelValue }
	maySame := func(a, b model.LabelValue) bool { return a == b || a == "" || b == "" }
	scrapes := map[model.LabelValue][]scrape{}
	twice := map[string]bool{}
	for _, one := range series {
		by := scrape{one[model.JobLabel], one["cluster"], one["namespace"]}
		for _, label := range []model.LabelName{model.InstanceLabel, "pod"} {
			target := one[label]
			if target == "" || slices.Contains(scrapes[target], by) {
				continue
			}
			if slices.ContainsFunc(scrapes[target], func(other scrape) bool {
				return other.job != by.job && maySame(other.cluster, by.cluster) && maySame(other.namespace, by.namespace)
			}) {
				twice[string(target)] = true
			}
			scrapes[target] = append(scrapes[target], by)
		}
	}
	return slices.Sorted(maps.Keys(twice))
}

func labelNames(series []model.Metric) []string {
	seen := map[string]bool{}
	for _, one := range series {
		for label := range one {
			if label != model.MetricNameLabel {
				seen[string(label)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func (d *Discoverer) vector(ctx context.Context, promql string, now time.Time) (model.Vector, error) {
	result, err := d.api.Query(ctx, promql, now)
	if err != nil {
		return nil, err
	}
	vector, ok := result.Value.(model.Vector)
	if !ok {
		return nil, fmt.Errorf("discovery expected a vector and got a %T", result.Value)
	}
	return vector, nil
}

func selector(name string) string { return promql.Sel(name).String() }
