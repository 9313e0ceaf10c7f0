package discovery

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Engine is one engine that has samples now.
type Engine struct {
	System string
	deployment.Engine
	// Role is as the system's own label or the settings' matchers tell it, "" where
	// the label tells the role of others and not of this one.
	Role query.Role

	series []model.Metric
}

// Matches reports whether one of the engine's series has what all matchers want.
func (e Engine) Matches(matchers []*labels.Matcher) bool {
	return slices.ContainsFunc(e.series, func(m model.Metric) bool { return matches(m, matchers) })
}

// Engines lists the engines that have samples now, by system and name, in what Get
// with Fresh finds. It costs one request, once in Retry.
func (c *Cache) Engines(ctx context.Context) ([]Engine, error) {
	found, err := c.Get(ctx, Fresh, Window{})
	if err != nil {
		return nil, err
	}
	return c.engines.within(ctx, mine(ctx, ""), Retry, func(ctx context.Context) ([]Engine, error) {
		return c.discoverer.enginesNow(ctx, found, time.Now())
	})
}

func (d *Discoverer) enginesNow(ctx context.Context, found *deployment.Deployment, now time.Time) ([]Engine, error) {
	names := map[string][]string{} // of probes, by system
	var all []string
	for _, s := range d.catalog.Systems() {
		if s.Roles != nil {
			names[s.Name] = d.probeNames(s, found.Metrics)
			all = append(all, names[s.Name]...)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	name, err := promql.OneOf(model.MetricNameLabel, all...)
	if err != nil {
		return nil, err
	}
	alive, err := d.vector(ctx, "{"+name.String()+"}", now)
	if err != nil {
		return nil, err
	}
	present := probes{present: metrics(alive)}
	var engines []Engine
	for _, s := range d.catalog.Systems() {
		if len(names[s.Name]) == 0 {
			continue
		}
		its, err := d.enginesOf(s, found.Systems[s.Name].RoleBy, d.native(s, present.of(names[s.Name]).present, &deployment.Found{}))
		if err != nil {
			return nil, err
		}
		engines = append(engines, its...)
	}
	return engines, nil
}

// enginesOf groups the series of one system's probe by engine.
func (d *Discoverer) enginesOf(s catalog.System, by deployment.RoleBy, series []model.Metric) ([]Engine, error) {
	byLabel, byMatchers, err := d.engines(s, series)
	if err != nil {
		return nil, err
	}
	told := byMatchers
	if by == deployment.RoleByLabel {
		told = byLabel
	}
	engines := map[deployment.Engine]*Engine{}
	for _, one := range series {
		which := d.engine(one)
		if engines[which] == nil {
			engines[which] = &Engine{System: s.Name, Engine: which}
		}
		engines[which].series = append(engines[which].series, one)
	}
	for _, role := range []query.Role{query.RoleUnified, query.RoleDecode, query.RolePrefill} {
		for which := range told[role] {
			engines[which].Role = role
		}
	}
	list := make([]Engine, 0, len(engines))
	for _, which := range slices.SortedFunc(maps.Keys(engines), deployment.Engine.Compare) {
		list = append(list, *engines[which])
	}
	return list, nil
}
