package discovery

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// system looks at the engines of one system through its probe metric.
func (d *Discoverer) system(ctx context.Context, s catalog.System, names map[string]bool, now time.Time) (catalog.Found, error) {
	found := catalog.Found{RoleBy: catalog.RoleByNothing, Instances: map[query.Role]int{}}
	for _, prefix := range d.prefixes(s) {
		if prefix != "" && slices.ContainsFunc(slices.Collect(maps.Keys(names)), func(n string) bool { return strings.HasPrefix(n, prefix) }) {
			found.Prefixes = append(found.Prefixes, prefix)
		}
	}
	probe := d.probe(s, names)
	if probe == "" {
		return found, nil
	}
	series, err := d.vector(ctx, selector(probe), now)
	if err != nil {
		return found, err
	}
	found.Models = d.values(series, s, "model")
	found.DPRanks = len(d.values(series, s, "dp_rank"))
	found.TPRanks = len(d.values(series, s, "tp_rank"))
	found.Labels = labelNames(series)
	found.ScrapedTwice = scrapedTwice(series)
	if err := d.roles(s, series, &found); err != nil {
		return found, err
	}
	if found.RoleBy == catalog.RoleByLabel {
		if found.RoleLess, err = d.roleLess(ctx, s, names, now); err != nil {
			return found, err
		}
	}
	found.ScrapeInterval, err = d.scrapeInterval(ctx, series, now)
	return found, err
}

// roles counts engines by role: by the system's own label where it tells prefill
// from decode, else by the settings' matchers, else all engines are unified.
func (d *Discoverer) roles(s catalog.System, series model.Vector, found *catalog.Found) error {
	if s.Roles == nil {
		return nil
	}
	byLabel := map[query.Role]map[string]bool{}
	byMatchers := map[query.Role]map[string]bool{}
	matchers := map[query.Role][]*labels.Matcher{}
	for role, text := range d.options.Roles {
		parsed, err := promql.ParseMatchers(text)
		if err != nil {
			return fmt.Errorf("roles.%s: %w", role, err)
		}
		matchers[role] = parsed
	}
	for _, one := range series {
		engine := d.engine(one.Metric)
		for role, value := range s.Roles.Values {
			if s.Roles.Label != "" && string(one.Metric[model.LabelName(s.Roles.Label)]) == value {
				add(byLabel, role, engine)
			}
		}
		role := query.RoleUnified
		for _, candidate := range []query.Role{query.RolePrefill, query.RoleDecode} {
			if len(matchers[candidate]) > 0 && matches(one.Metric, matchers[candidate]) {
				role = candidate
				break
			}
		}
		add(byMatchers, role, engine)
	}
	chosen := byMatchers
	switch {
	case len(byLabel[query.RolePrefill])+len(byLabel[query.RoleDecode]) > 0:
		found.RoleBy, chosen = catalog.RoleByLabel, byLabel
	case len(byMatchers[query.RolePrefill])+len(byMatchers[query.RoleDecode]) > 0:
		found.RoleBy = catalog.RoleByMatchers
	}
	for role, engines := range chosen {
		found.Instances[role] = len(engines)
	}
	return nil
}

func add(sets map[query.Role]map[string]bool, role query.Role, engine string) {
	if sets[role] == nil {
		sets[role] = map[string]bool{}
	}
	sets[role][engine] = true
}

func matches(metric model.Metric, matchers []*labels.Matcher) bool {
	return !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool {
		return !m.Matches(string(metric[model.LabelName(m.Name)]))
	})
}

// engine identifies one engine among the series of the probe.
func (d *Discoverer) engine(metric model.Metric) string {
	for _, label := range append(slices.Clone(d.options.Labels["engineGroup"]), model.InstanceLabel) {
		if value, ok := metric[model.LabelName(label)]; ok {
			return string(value)
		}
	}
	return ""
}

// roleLess names the metrics of a system that lack its role label in this version.
func (d *Discoverer) roleLess(ctx context.Context, s catalog.System, names map[string]bool, now time.Time) (map[string]bool, error) {
	base := d.exported(s, names)
	if len(base) == 0 {
		return nil, nil
	}
	name, err := promql.OneOf(model.MetricNameLabel, slices.Sorted(maps.Keys(base))...)
	if err != nil {
		return nil, err
	}
	series, err := d.vector(ctx, fmt.Sprintf(`group by (__name__) ({%s,%s=""})`, name, s.Roles.Label), now)
	if err != nil {
		return nil, err
	}
	lacking := map[string]bool{}
	for _, one := range series {
		lacking[base[string(one.Metric[model.MetricNameLabel])]] = true
	}
	return lacking, nil
}

// exported maps the series names of everything that the system exports, also for
// connectors and caches that are bound elsewhere, to the metrics' names.
func (d *Discoverer) exported(s catalog.System, names map[string]bool) map[string]string {
	base := map[string]string{}
	for _, system := range d.catalog.Systems() {
		for _, b := range system.Bindings {
			for _, source := range b.AllSources() {
				if source.Exporter != s.Name {
					continue
				}
				for _, prefix := range d.prefixes(s) {
					for _, name := range source.Names {
						full := prefix + name
						switch {
						case names[full]:
							base[full] = full
						case source.Type == catalog.TypeHistogram && names[full+"_count"]:
							base[full+"_count"] = full
						}
					}
				}
			}
		}
	}
	return base
}

// scrapeInterval is the median distance of a target's samples in the last minutes.
func (d *Discoverer) scrapeInterval(ctx context.Context, series model.Vector, now time.Time) (time.Duration, error) {
	if len(series) == 0 {
		return 0, nil
	}
	name := string(series[0].Metric[model.MetricNameLabel])
	var matchers []*labels.Matcher
	for label, value := range series[0].Metric {
		if label == model.MetricNameLabel {
			continue
		}
		m, err := promql.OneOf(string(label), string(value))
		if err != nil {
			return 0, err
		}
		matchers = append(matchers, m)
	}
	result, err := d.api.Query(ctx, promql.Sel(name, matchers...).String()+"[5m]", now)
	if err != nil {
		return 0, err
	}
	matrix, _ := result.Value.(model.Matrix)
	var gaps []time.Duration
	for _, stream := range matrix {
		for i := 1; i < len(stream.Values); i++ {
			gaps = append(gaps, stream.Values[i].Timestamp.Sub(stream.Values[i-1].Timestamp))
		}
	}
	if len(gaps) == 0 {
		return 0, nil
	}
	slices.Sort(gaps)
	// Scrapes jitter by milliseconds; intervals are written in tenths at the finest.
	return max(gaps[len(gaps)/2].Round(100*time.Millisecond), 100*time.Millisecond), nil
}

// values lists the values of a logical label among the probe's series, sorted.
func (d *Discoverer) values(series model.Vector, s catalog.System, logical string) []string {
	candidates := append(slices.Clone(d.options.Labels[logical]), s.Labels[logical]...)
	seen := map[string]bool{}
	for _, one := range series {
		for _, label := range candidates {
			if value := one.Metric[model.LabelName(label)]; value != "" {
				seen[string(value)] = true
				break
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// scrapedTwice lists the instances whose probe comes from several jobs: every sum
// would count them twice.
func scrapedTwice(series model.Vector) []string {
	jobs := map[model.LabelValue]map[model.LabelValue]bool{}
	for _, one := range series {
		instance := one.Metric[model.InstanceLabel]
		if jobs[instance] == nil {
			jobs[instance] = map[model.LabelValue]bool{}
		}
		jobs[instance][one.Metric[model.JobLabel]] = true
	}
	var twice []string
	for instance, of := range jobs {
		if instance != "" && len(of) > 1 {
			twice = append(twice, string(instance))
		}
	}
	slices.Sort(twice)
	return twice
}

func labelNames(series model.Vector) []string {
	seen := map[string]bool{}
	for _, one := range series {
		for label := range one.Metric {
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
