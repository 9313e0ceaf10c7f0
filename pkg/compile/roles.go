package compile

import (
	"fmt"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// roles lists the roles that a binding is asked for, each to be its own series;
// "" stands for all engines together.
func (b *builder) roles(binding catalog.Binding) ([]query.Role, error) {
	wanted := b.request.Query.Role
	by := b.roleBy(binding)
	if by == catalog.RoleByNothing {
		if wanted == query.RolePrefill || wanted == query.RoleDecode {
			b.notice(query.SeverityWarning,
				"No %s engine of %s was recognised: the deployment counts as unified and all its engines are shown. Set role matchers in the data source settings (Roles).",
				wanted, b.title(binding.System))
		}
		return []query.Role{query.RoleAny}, nil
	}
	switch {
	case binding.Role == catalog.RoleAll:
		return []query.Role{wanted}, nil
	case binding.Role == query.RoleAny && wanted == query.RoleAny:
		roles := []query.Role{query.RolePrefill, query.RoleDecode}
		if b.instances(binding, query.RoleUnified) > 0 && by == catalog.RoleByLabel {
			roles = append(roles, query.RoleUnified)
		}
		b.explain("each role is its own series: one request passes through both")
		return roles, nil
	case binding.Role == query.RoleAny:
		return []query.Role{wanted}, nil
	case wanted == query.RoleAny || wanted == binding.Role:
		if b.request.Deployment != nil && b.instances(binding, binding.Role) == 0 {
			b.notice(query.SeverityWarning, "No %s engine of %s is there now.", binding.Role, b.title(binding.System))
		}
		return []query.Role{binding.Role}, nil
	}
	b.notice(query.SeverityError, "%s reports %s on the %s role only; there is none on %s. Remove the role or choose %s.",
		b.title(binding.System), b.signal.ID, binding.Role, wanted, binding.Role)
	return nil, nil
}

// roleBy says how the roles of a binding's engines are told.
func (b *builder) roleBy(binding catalog.Binding) catalog.RoleBy {
	by := catalog.RoleByNothing
	for _, s := range binding.AllSources() {
		if one := b.roleBySystem(s.Exporter); one != catalog.RoleByNothing {
			return one
		}
	}
	return by
}

func (b *builder) roleBySystem(exporter string) catalog.RoleBy {
	system, _ := b.catalog.System(exporter)
	switch {
	case system.Roles == nil:
		return catalog.RoleByNothing
	case b.request.Deployment != nil:
		if found, ok := b.request.Deployment.Systems[exporter]; ok && found.RoleBy != "" {
			return found.RoleBy
		}
		return catalog.RoleByNothing
	case system.Roles.Label != "":
		return catalog.RoleByLabel
	case len(b.request.Options.Roles) > 0:
		return catalog.RoleByMatchers
	}
	return catalog.RoleByNothing
}

func (b *builder) instances(binding catalog.Binding, role query.Role) int {
	if b.request.Deployment == nil {
		return 0
	}
	n := 0
	seen := map[string]bool{}
	for _, s := range binding.AllSources() {
		if !seen[s.Exporter] {
			n += b.request.Deployment.Systems[s.Exporter].Instances[role]
			seen[s.Exporter] = true
		}
	}
	return n
}

// roleMatchers selects the engines of a role among a metric's series. The system's
// own label is preferred; a metric that lacks it falls back to the settings.
func (b *builder) roleMatchers(source catalog.Source, role query.Role, names []string) ([]*labels.Matcher, error) {
	if role == query.RoleAny {
		return nil, nil
	}
	system, _ := b.catalog.System(source.Exporter)
	by := b.roleBySystem(source.Exporter)
	if by == catalog.RoleByLabel && b.lacksRole(source, names) {
		by = catalog.RoleByMatchers
		b.notice(query.SeverityInfo, "%s carries no %s label in this version; the role is told by the settings' matchers (%s).",
			names[0], system.Roles.Label, b.request.Options.Roles[role])
	}
	switch by {
	case catalog.RoleByLabel:
		b.explain("%s role by %s", role, system.Roles.Label)
		m, err := promql.OneOf(system.Roles.Label, system.Roles.Values[role])
		return []*labels.Matcher{m}, err
	case catalog.RoleByMatchers:
		text := b.request.Options.Roles[role]
		if text == "" {
			b.notice(query.SeverityWarning, "No matcher tells the %s role of %s; all its engines are shown. Set one in the data source settings (Roles).", role, system.Title)
			return nil, nil
		}
		matchers, err := promql.ParseMatchers(text)
		if err != nil {
			return nil, fmt.Errorf("role %s: %w", role, err)
		}
		b.explain("%s role by %s", role, text)
		return matchers, nil
	}
	return nil, nil
}

func (b *builder) lacksRole(source catalog.Source, names []string) bool {
	if b.request.Deployment == nil {
		return false
	}
	found := b.request.Deployment.Systems[source.Exporter]
	for _, name := range names {
		if found.RoleLess[name] {
			return true
		}
	}
	return false
}
