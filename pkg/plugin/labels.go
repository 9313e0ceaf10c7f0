package plugin

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// everySystem is a signal that all engines have; values are looked for on its
// series where no signal is given.
const everySystem = "requests_running"

// labelValues lists the values of a logical label on the series of a signal.
func (d *Datasource) labelValues(ctx context.Context, label string, q query.Query) ([]string, error) {
	found, _, err := d.deployment(ctx, d.cache.Latest, discovery.Fresh, discovery.Window{})
	if err != nil {
		return nil, err
	}
	switch label {
	case "role":
		return []string{string(query.RoleDecode), string(query.RolePrefill), string(query.RoleUnified)}, nil
	case "system":
		return d.systemsOf(q.Signal, found), nil
	}
	// A filter on the label itself would hide what one may change it to.
	q.Filters = slices.DeleteFunc(slices.Clone(q.Filters), func(f query.Filter) bool { return f.Label == label })
	asked := []query.Query{q}
	if q.Signal == "" {
		asked = d.anywhere(label, q, found)
	}
	all := map[string]bool{}
	for _, one := range asked {
		if err := d.valuesOf(ctx, label, one.WithDefaults(), found, all); err != nil {
			return nil, err
		}
	}
	return nonNil(slices.Sorted(maps.Keys(all))), nil
}

// valuesOf adds the values of a label on the series of one signal.
func (d *Datasource) valuesOf(ctx context.Context, label string, q query.Query, found *deployment.Deployment, all map[string]bool) error {
	if err := q.Validate(); err != nil {
		return err
	}
	request := compile.Request{Query: q, Options: d.settings.Compile(), Deployment: found, Step: time.Second}
	if _, err := d.compiler.Compile(request); err != nil {
		return err // an unknown signal or system, in the same words as a query's
	}
	places, err := d.compiler.Selections(request, label)
	if err != nil {
		return err
	}
	for _, place := range places {
		values, err := d.client.LabelValues(ctx, place.Label, place.Selectors, time.Time{}, time.Time{})
		if err != nil {
			return err
		}
		for _, v := range values {
			all[v] = true
		}
	}
	return nil
}

// anywhere says on which signals the values of a label are looked for where none is
// given: on one that all engines have, or, for a label of devices and the like, on the
// first of each system that has it.
func (d *Datasource) anywhere(label string, q query.Query, found *deployment.Deployment) []query.Query {
	q.Signal = everySystem
	usual, _ := d.catalog.Signal(everySystem)
	if found == nil || !d.catalog.Claims(label) || slices.Contains(d.catalog.LabelsOf(usual), label) {
		return []query.Query{q}
	}
	var asked []query.Query
	for _, system := range d.catalog.Systems() {
		_, here := found.Systems[system.Name]
		if !here || (q.System != "" && q.System != query.SystemAuto && q.System != system.Name) {
			continue
		}
		for _, signal := range d.catalog.Signals() {
			exports := func(b catalog.Binding) bool { return b.System == system.Name }
			if slices.Contains(d.catalog.LabelsOf(signal), label) && slices.ContainsFunc(d.catalog.Bindings(signal), exports) {
				one := q
				one.Signal, one.System = signal.ID, system.Name
				asked = append(asked, one)
				break
			}
		}
	}
	return asked
}

// systemsOf lists the systems that were found and export a signal, or any where none
// is given.
func (d *Datasource) systemsOf(id string, found *deployment.Deployment) []string {
	if found == nil {
		return []string{}
	}
	signal, known := d.catalog.Signal(id)
	bindings := d.catalog.Bindings(signal)
	return nonNil(slices.DeleteFunc(slices.Sorted(maps.Keys(found.Systems)), func(system string) bool {
		return known && !slices.ContainsFunc(bindings, func(b catalog.Binding) bool { return b.System == system })
	}))
}

// nonNil makes an empty list print as [] and not as null.
func nonNil(values []string) []string {
	if values == nil {
		return []string{}
	}
	return values
}
