package plugin

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// everySystem is a signal that all engines have; values are looked for on its
// series where no signal is given.
const everySystem = "requests_running"

// labelValues lists the values of a logical label on the series of a signal.
func (d *Datasource) labelValues(ctx context.Context, label string, q query.Query) ([]string, error) {
	found, _, err := d.deployment(ctx, discovery.Fresh, discovery.Window{})
	if err != nil {
		return nil, err
	}
	switch label {
	case "role":
		return []string{string(query.RoleDecode), string(query.RolePrefill), string(query.RoleUnified)}, nil
	case "system":
		if found == nil {
			return []string{}, nil
		}
		return nonNil(slices.Sorted(maps.Keys(found.Systems))), nil
	}
	if q.Signal == "" {
		q.Signal = everySystem
	}
	q = q.WithDefaults()
	if err := q.Validate(); err != nil {
		return nil, err
	}
	request := compile.Request{Query: q, Options: d.settings.Compile(), Deployment: found, Step: time.Second}
	if _, err := d.compiler.Compile(request); err != nil {
		return nil, err // an unknown signal or system, in the same words as a query's
	}
	places, err := d.compiler.Selections(request, label)
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, place := range places {
		values, err := d.client.LabelValues(ctx, place.Label, place.Selectors, time.Time{}, time.Time{})
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			all[v] = true
		}
	}
	return nonNil(slices.Sorted(maps.Keys(all))), nil
}

// nonNil makes an empty list print as [] and not as null.
func nonNil(values []string) []string {
	if values == nil {
		return []string{}
	}
	return values
}
