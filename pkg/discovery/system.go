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

// mostSeries bounds the label sets that are read of one system's probe.
const mostSeries = 10000

// system looks at the engines of one system through its probe metric.
func (d *Discoverer) system(ctx context.Context, s catalog.System, names map[string]bool, w Window) (catalog.Found, error) {
	found := catalog.Found{RoleBy: d.rolesUnseen(s), Instances: map[query.Role]int{}, Present: map[query.Role]int{}}
	probes := d.probes(s, names)
	found.Prefixes = d.usedPrefixes(s, names)
	if len(probes) == 0 {
		found.RoleBy = catalog.RoleByNothing
		return found, nil
	}
	selectors := make([]string, len(probes))
	for i, name := range probes {
		selectors[i] = selector(name)
	}
	alive, err := d.vector(ctx, strings.Join(selectors, " or "), w.To)
	if err != nil {
		return found, err
	}
	series, err := d.api.Series(ctx, selectors, w.From, w.To, mostSeries)
	if err != nil {
		return found, err
	}
	for _, one := range alive { // a sample at the end may be older than the window
		series = append(series, one.Metric)
	}
	series = d.native(s, series, &found)
	if len(series) == 0 {
		return found, nil
	}
	found.Models = d.values(series, s, "model")
	found.DPRanks = len(d.values(series, s, "dp_rank"))
	found.TPRanks = len(d.values(series, s, "tp_rank"))
	found.Labels = labelNames(series)
	found.Ungrouped = d.ungrouped(series)
	found.UnknownRanks = unknownRanks(s, found.Labels)
	present := metrics(alive)
	found.ScrapedTwice = scrapedTwice(present)
	if err := d.roles(s, series, present, &found); err != nil {
		return found, err
	}
	if found.RoleBy == catalog.RoleByLabel {
		if err := d.roleLess(ctx, s, names, w, &found); err != nil {
			return found, err
		}
	}
	found.ScrapeInterval, err = d.scrapeInterval(ctx, present, series, w)
	return found, err
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
func (d *Discoverer) native(s catalog.System, series []model.Metric, found *catalog.Found) []model.Metric {
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

// rolesUnseen is how roles are told where no engine is there to look at: as if
// prefill and decode were apart, for a request counted on both would be worse than
// none.
func (d *Discoverer) rolesUnseen(s catalog.System) catalog.RoleBy {
	switch {
	case s.Roles == nil:
		return catalog.RoleByNothing
	case s.Roles.Label != "":
		return catalog.RoleByLabel
	case len(d.options.Roles) > 0:
		return catalog.RoleByMatchers
	}
	return catalog.RoleByNothing
}

// ungrouped reports whether some engines lack the label that is to identify one.
func (d *Discoverer) ungrouped(series []model.Metric) bool {
	group := d.options.Labels["engineGroup"]
	return len(group) > 0 && group[0] != model.InstanceLabel && slices.ContainsFunc(series, func(m model.Metric) bool {
		return m[model.LabelName(group[0])] == ""
	})
}

// roles tells engines' roles: by the system's own label where it tells prefill from
// decode, else by the settings' matchers, else all engines are unified.
func (d *Discoverer) roles(s catalog.System, series, present []model.Metric, found *catalog.Found) error {
	found.RoleBy = catalog.RoleByNothing
	if s.Roles == nil {
		return nil
	}
	byLabel, byMatchers, err := d.engines(s, series)
	if err != nil {
		return err
	}
	switch {
	case len(byLabel[query.RolePrefill])+len(byLabel[query.RoleDecode]) > 0:
		found.RoleBy = catalog.RoleByLabel
	case len(byMatchers[query.RolePrefill])+len(byMatchers[query.RoleDecode]) > 0:
		found.RoleBy = catalog.RoleByMatchers
	}
	count := func(byLabel, byMatchers map[query.Role]map[string]bool, into map[query.Role]int) {
		counted := byMatchers
		if found.RoleBy == catalog.RoleByLabel {
			counted = byLabel
		}
		for role, engines := range counted {
			into[role] = len(engines)
		}
	}
	count(byLabel, byMatchers, found.Instances)
	if byLabel, byMatchers, err = d.engines(s, present); err != nil {
		return err
	}
	count(byLabel, byMatchers, found.Present)
	return nil
}

// engines sorts the engines of some series into roles, by label and by matchers.
func (d *Discoverer) engines(s catalog.System, series []model.Metric) (byLabel, byMatchers map[query.Role]map[string]bool, err error) {
	byLabel = map[query.Role]map[string]bool{}
	byMatchers = map[query.Role]map[string]bool{}
	matchers := map[query.Role][]*labels.Matcher{}
	for role, text := range d.options.Roles {
		parsed, err := promql.ParseMatchers(text)
		if err != nil {
			return nil, nil, fmt.Errorf("roles.%s: %w", role, err)
		}
		matchers[role] = parsed
	}
	for _, one := range series {
		engine := d.engine(one)
		for role, value := range s.Roles.Values {
			if s.Roles.Label != "" && string(one[model.LabelName(s.Roles.Label)]) == value {
				add(byLabel, role, engine)
			}
		}
		role := query.RoleUnified
		for _, candidate := range []query.Role{query.RolePrefill, query.RoleDecode} {
			if len(matchers[candidate]) > 0 && matches(one, matchers[candidate]) {
				role = candidate
				break
			}
		}
		add(byMatchers, role, engine)
	}
	return byLabel, byMatchers, nil
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

// roleLess names the metrics of a system that lack its role label in this version,
// and those that lack it on some engines alone.
func (d *Discoverer) roleLess(ctx context.Context, s catalog.System, names map[string]bool, w Window, found *catalog.Found) error {
	base := d.exported(s, names)
	if len(base) == 0 {
		return nil
	}
	name, err := promql.OneOf(model.MetricNameLabel, slices.Sorted(maps.Keys(base))...)
	if err != nil {
		return err
	}
	told := func(op string) (map[string]bool, error) {
		values, err := d.api.LabelValues(ctx, model.MetricNameLabel, []string{fmt.Sprintf(`{%s,%s%s""}`, name, s.Roles.Label, op)}, w.From, w.To)
		set := map[string]bool{}
		for _, value := range values {
			set[base[value]] = true
		}
		return set, err
	}
	if found.RoleLess, err = told("="); err != nil || len(found.RoleLess) == 0 {
		return err
	}
	with, err := told("!=")
	if err != nil {
		return err
	}
	found.RoleMixed = map[string]bool{}
	for lacking := range found.RoleLess {
		if with[lacking] {
			found.RoleMixed[lacking] = true
		}
	}
	return nil
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

// mostTargets bounds the targets whose samples are looked at for their distance.
const mostTargets = 5

// scrapeInterval is the longest of the medians of the distances of some targets'
// samples, one of each job and more: a window has to hold two samples of the slowest.
func (d *Discoverer) scrapeInterval(ctx context.Context, present, series []model.Metric, w Window) (time.Duration, error) {
	span := 5 * time.Minute
	if len(present) == 0 {
		// All ended before; how long before is not known.
		const longest = 6 * time.Hour
		present, span = series[:min(1, len(series))], min(w.To.Sub(w.From), longest)
	}
	longest := time.Duration(0)
	for _, target := range differentTargets(present) {
		interval, err := d.distance(ctx, target, span, w.To)
		if err != nil {
			return 0, err
		}
		longest = max(longest, interval)
	}
	return longest, nil
}

// differentTargets picks one series for each job, then of further instances.
func differentTargets(series []model.Metric) []model.Metric {
	var picked []model.Metric
	jobs, instances := map[model.LabelValue]bool{}, map[model.LabelValue]bool{}
	for _, wanted := range []bool{true, false} {
		for _, m := range series {
			if len(picked) == mostTargets {
				return picked
			}
			if instances[m[model.InstanceLabel]] || wanted && jobs[m[model.JobLabel]] {
				continue
			}
			jobs[m[model.JobLabel]], instances[m[model.InstanceLabel]] = true, true
			picked = append(picked, m)
		}
	}
	return picked
}

// distance is the median distance of one series' samples.
func (d *Discoverer) distance(ctx context.Context, series model.Metric, span time.Duration, now time.Time) (time.Duration, error) {
	var matchers []*labels.Matcher
	for label, value := range series {
		if label == model.MetricNameLabel {
			continue
		}
		m, err := promql.OneOf(string(label), string(value))
		if err != nil {
			return 0, err
		}
		matchers = append(matchers, m)
	}
	name := string(series[model.MetricNameLabel])
	result, err := d.api.Query(ctx, fmt.Sprintf("%s[%s]", promql.Sel(name, matchers...), model.Duration(span)), now)
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
// every sum would count them twice.
func scrapedTwice(series []model.Metric) []string {
	jobs := map[model.LabelValue]map[model.LabelValue]bool{}
	for _, one := range series {
		for _, label := range []model.LabelName{model.InstanceLabel, "pod"} {
			target := one[label]
			if target == "" {
				continue
			}
			if jobs[target] == nil {
				jobs[target] = map[model.LabelValue]bool{}
			}
			jobs[target][one[model.JobLabel]] = true
		}
	}
	var twice []string
	for target, of := range jobs {
		if len(of) > 1 {
			twice = append(twice, string(target))
		}
	}
	slices.Sort(twice)
	return twice
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
