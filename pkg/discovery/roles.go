package discovery

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// rolesUnseen is how roles are told where no engine is there to look at: as if
// prefill and decode were apart, for a request counted on both would be worse than
// none.
func (d *Discoverer) rolesUnseen(s catalog.System) deployment.RoleBy {
	switch {
	case s.Roles == nil:
		return deployment.RoleByNothing
	case s.Roles.Label != "":
		return deployment.RoleByLabel
	case len(d.options.Roles) > 0:
		return deployment.RoleByMatchers
	}
	return deployment.RoleByNothing
}

// roles tells engines' roles: by the system's own label where it tells prefill from
// decode, else by the settings' matchers, else all engines are unified.
func (d *Discoverer) roles(s catalog.System, series, present []model.Metric, found *deployment.Found) error {
	found.RoleBy = deployment.RoleByNothing
	if s.Roles == nil {
		return nil
	}
	byLabel, byMatchers, err := d.engines(s, series)
	if err != nil {
		return err
	}
	switch {
	case len(byLabel[query.RolePrefill])+len(byLabel[query.RoleDecode]) > 0:
		found.RoleBy = deployment.RoleByLabel
	case len(byMatchers[query.RolePrefill])+len(byMatchers[query.RoleDecode]) > 0:
		found.RoleBy = deployment.RoleByMatchers
	}
	count := func(byLabel, byMatchers map[query.Role]engineSet, into map[query.Role]int) {
		counted := byMatchers
		if found.RoleBy == deployment.RoleByLabel {
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
func (d *Discoverer) engines(s catalog.System, series []model.Metric) (byLabel, byMatchers map[query.Role]engineSet, err error) {
	byLabel = map[query.Role]engineSet{}
	byMatchers = map[query.Role]engineSet{}
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

type engineSet map[deployment.Engine]bool

func add(sets map[query.Role]engineSet, role query.Role, engine deployment.Engine) {
	if sets[role] == nil {
		sets[role] = engineSet{}
	}
	sets[role][engine] = true
}

func matches(metric model.Metric, matchers []*labels.Matcher) bool {
	return !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool {
		return !m.Matches(string(metric[model.LabelName(m.Name)]))
	})
}

// roleLess names the metrics of a system that lack its role label in this version,
// and those that lack it on some engines alone.
func (d *Discoverer) roleLess(ctx context.Context, s catalog.System, names map[string]bool, w Window) (lacking, mixed map[string]bool, err error) {
	base := d.exported(s, names)
	if len(base) == 0 {
		return nil, nil, nil
	}
	var quoted []string
	for _, name := range slices.Sorted(maps.Keys(base)) {
		quoted = append(quoted, regexp.QuoteMeta(name))
	}
	told := func(op string) (map[string]bool, error) {
		found, err := each(ctx, parts(quoted), func(ctx context.Context, patterns string) ([]string, error) {
			name, err := promql.Matching(model.MetricNameLabel, patterns)
			if err != nil {
				return nil, err
			}
			return d.api.LabelValues(ctx, model.MetricNameLabel, []string{fmt.Sprintf(`{%s,%s%s""}`, name, s.Roles.Label, op)}, w.From, w.To)
		})
		set := map[string]bool{}
		for _, values := range found {
			for _, value := range values {
				set[base[value]] = true
			}
		}
		return set, err
	}
	var with map[string]bool
	work, _ := together(ctx)
	work.Go(func() (err error) {
		lacking, err = told("=")
		return err
	})
	work.Go(func() (err error) {
		with, err = told("!=")
		return err
	})
	if err := work.Wait(); err != nil || len(lacking) == 0 {
		return lacking, nil, err
	}
	mixed = map[string]bool{}
	for name := range lacking {
		if with[name] {
			mixed[name] = true
		}
	}
	return lacking, mixed, nil
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
