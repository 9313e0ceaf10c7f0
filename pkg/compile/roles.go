package compile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// part is what of a binding is asked for the same roles.
type part struct {
	binding scope
	roles   []query.Role
}

// byRoles parts a binding whose exporters tell their roles differently, and lists
// for each part the roles that are to be series of their own; "" stands for all
// engines together.
func (b *builder) byRoles(binding scope) []part {
	var exporters []string
	for _, s := range leading(binding.Binding) {
		if !slices.Contains(exporters, s.Exporter) && b.passes("exporter", s.Exporter) {
			exporters = append(exporters, s.Exporter)
		}
	}
	var parts []part
	var members [][]string
	for _, exporter := range exporters {
		roles := b.keepFiltered(b.roles(binding.Binding, exporter))
		i := slices.IndexFunc(parts, func(p part) bool { return slices.Equal(p.roles, roles) })
		if i < 0 || b.byExporter() {
			parts, members = append(parts, part{roles: roles}), append(members, nil)
			i = len(parts) - 1
		}
		members[i] = append(members[i], exporter)
	}
	for i := range parts {
		parts[i].binding = binding.exportedBy(members[i]...)
	}
	return parts
}

// byExporter reports whether each exporter is to be a series of its own.
func (b *builder) byExporter() bool { return slices.Contains(b.request.Query.GroupBy, "exporter") }

// leading are the sources whose roles decide: a denominator follows its numerator.
func leading(binding catalog.Binding) []catalog.Source {
	all := slices.Clone(binding.Sources)
	for _, r := range binding.Ratios {
		all = append(all, r.Num...)
	}
	return all
}

// roles lists the roles that one exporter of a binding is asked for.
func (b *builder) roles(binding catalog.Binding, exporter string) []query.Role {
	wanted := b.request.Query.Role
	by := b.roleBy(exporter)
	title := b.title(exporter)
	if by == deployment.RoleByNothing {
		b.warnOfBothRoles(binding, exporter)
		if system, _ := b.catalog.System(exporter); system.Roles == nil && !system.Connector && wanted != query.RoleAny {
			b.notice(notice.NoRoles, title)
		}
		if system, _ := b.catalog.System(exporter); system.Roles != nil && (wanted == query.RolePrefill || wanted == query.RoleDecode) {
			b.notice(notice.RoleNotRecognised,
				wanted, title)
		}
		if wanted == query.RoleAny && binding.Role != catalog.RoleAll {
			return []query.Role{binding.Role} // selected by nothing, so all engines
		}
		return []query.Role{query.RoleAny}
	}
	unified := b.instances(exporter, query.RoleUnified) > 0 && !b.signal.PDOnly
	if by == deployment.RoleByMatchers && (unified || wanted == query.RoleUnified) && !b.tellsUnified() {
		b.notice(notice.UnifiedLeftOut, title)
		if unified = false; wanted == query.RoleUnified {
			return nil
		}
	}
	switch {
	case binding.Role == catalog.RoleAll || binding.Role == query.RoleAny && wanted != query.RoleAny:
		return []query.Role{wanted}
	case binding.Role == query.RoleAny:
		b.explain("each role is its own series: one request passes through both")
		roles := []query.Role{query.RolePrefill, query.RoleDecode}
		if unified {
			roles = append(roles, query.RoleUnified)
		}
		return roles
	case wanted == query.RoleAny && unified:
		if b.instances(exporter, binding.Role) == 0 {
			return []query.Role{query.RoleUnified}
		}
		return []query.Role{binding.Role, query.RoleUnified}
	case wanted == query.RoleAny || wanted == binding.Role:
		if b.request.Deployment != nil && b.instances(exporter, binding.Role) == 0 {
			b.notice(notice.NoEngineOfRole, binding.Role, title)
		}
		return []query.Role{binding.Role}
	case wanted == query.RoleUnified && !b.signal.PDOnly:
		return []query.Role{query.RoleUnified} // a unified engine does both halves
	}
	b.notice(notice.OtherRole,
		title, b.signal.Title, binding.Role, wanted, binding.Role)
	return nil
}

// warnOfBothRoles speaks up where KV transfers show that prefill and decode are
// apart although no role can be told: a request is then counted on both.
func (b *builder) warnOfBothRoles(binding catalog.Binding, exporter string) {
	system, _ := b.catalog.System(exporter)
	if system.Roles == nil || b.request.Deployment == nil || binding.Role == query.RoleAny || binding.Role == catalog.RoleAll {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(b.request.Deployment.Systems)) {
		if connector, _ := b.catalog.System(name); b.transfers(connector) {
			b.notice(notice.RolesUntold,
				connector.Title, system.Title)
			return
		}
	}
}

// transfers reports whether a connector's metrics of P to D transfers are here; its
// store may serve unified engines too.
func (b *builder) transfers(connector catalog.System) bool {
	return connector.Connector && slices.ContainsFunc(connector.Bindings, func(binding catalog.Binding) bool {
		signal, _ := b.catalog.Signal(binding.Signal)
		return signal.PDOnly && slices.ContainsFunc(leading(binding), func(s catalog.Source) bool { return len(b.names(s)) > 0 })
	})
}

// keepFiltered applies filters on the label role, which the plan itself sets.
func (b *builder) keepFiltered(roles []query.Role) []query.Role {
	return slices.DeleteFunc(roles, func(role query.Role) bool {
		return !b.passes("role", string(cmp.Or(role, query.RoleUnified)))
	})
}

// passes applies the filters on a label that the plan itself sets.
func (b *builder) passes(label, value string) bool {
	for _, f := range b.request.Query.Filters {
		if f.Label != label {
			continue
		}
		if m, err := filterMatcher(f, label); err == nil && !m.Matches(value) {
			b.notice(notice.FilteredOut, label, value)
			return false
		}
	}
	return true
}

// roleBy says how the roles of an exporter's engines are told.
func (b *builder) roleBy(exporter string) deployment.RoleBy {
	system, _ := b.catalog.System(exporter)
	switch {
	case system.Roles == nil:
		return deployment.RoleByNothing
	case b.request.Deployment != nil:
		if found, ok := b.request.Deployment.Systems[exporter]; ok && found.RoleBy != "" {
			return found.RoleBy
		}
		return deployment.RoleByNothing
	case system.Roles.Label != "":
		return deployment.RoleByLabel
	case len(b.request.Options.Roles) > 0:
		return deployment.RoleByMatchers
	}
	return deployment.RoleByNothing
}

func (b *builder) instances(exporter string, role query.Role) int {
	if b.request.Deployment == nil {
		return 0
	}
	return b.request.Deployment.Systems[exporter].Instances[role]
}

// roleMatchers selects the engines of a role among a metric's series, once for each
// way in which they tell it. The system's own label is preferred; series that lack it
// fall back to the settings.
func (b *builder) roleMatchers(source catalog.Source, role query.Role, names []string) ([][]*labels.Matcher, error) {
	if role == query.RoleAny {
		return [][]*labels.Matcher{nil}, nil
	}
	system, _ := b.catalog.System(source.Exporter)
	by := b.roleBy(source.Exporter)
	lacking := by == deployment.RoleByLabel && b.lacksRole(source, names)
	if lacking {
		b.notice(notice.NoRoleLabel,
			names[0], system.Roles.Label, b.request.Options.Roles[role])
	}
	switch {
	case lacking && !b.mixedRole(source, names):
		matchers, err := b.matchersOf(role, system.Title)
		return [][]*labels.Matcher{matchers}, err
	case by == deployment.RoleByLabel:
		b.explain("%s role by %s", role, system.Roles.Label)
		m, err := promql.OneOf(system.Roles.Label, system.Roles.Values[role])
		if err != nil || !lacking {
			return [][]*labels.Matcher{{m}}, err
		}
		without, err := promql.OneOf(system.Roles.Label, "")
		if err != nil {
			return nil, err
		}
		matchers, err := b.matchersOf(role, system.Title)
		return [][]*labels.Matcher{{m}, append([]*labels.Matcher{without}, matchers...)}, err
	case by == deployment.RoleByMatchers:
		matchers, err := b.matchersOf(role, system.Title)
		return [][]*labels.Matcher{matchers}, err
	}
	return [][]*labels.Matcher{nil}, nil
}

// mixedRole reports whether some engines export a metric with the role label and
// others without.
func (b *builder) mixedRole(source catalog.Source, names []string) bool {
	return b.request.Deployment != nil && slices.ContainsFunc(names, func(name string) bool {
		return b.request.Deployment.Systems[source.Exporter].RoleMixed[name]
	})
}

// matchersOf reads the settings' matchers of a role. A unified engine is one that
// neither of the other two roles selects.
func (b *builder) matchersOf(role query.Role, title string) ([]*labels.Matcher, error) {
	if role == query.RoleUnified {
		return b.neither()
	}
	text := b.request.Options.Roles[role]
	if text == "" {
		b.notice(notice.NoRoleMatcher, role, title)
		return nil, nil
	}
	matchers, err := promql.ParseMatchers(text)
	if err != nil {
		return nil, fmt.Errorf("role %s: %w", role, err)
	}
	b.explain("%s role by %s", role, text)
	return matchers, nil
}

// tellsUnified reports whether neither can be written: a selector has no "not both
// of these labels", so each role must be one matcher.
func (b *builder) tellsUnified() bool {
	for _, role := range []query.Role{query.RolePrefill, query.RoleDecode} {
		if matchers, err := promql.ParseMatchers(b.request.Options.Roles[role]); err != nil || len(matchers) != 1 {
			return false
		}
	}
	return true
}

func (b *builder) neither() ([]*labels.Matcher, error) {
	var inverse []*labels.Matcher
	for _, role := range []query.Role{query.RolePrefill, query.RoleDecode} {
		matchers, err := promql.ParseMatchers(b.request.Options.Roles[role])
		if err != nil {
			return nil, fmt.Errorf("role %s: %w", role, err)
		}
		for _, m := range matchers {
			not, err := m.Inverse()
			if err != nil {
				return nil, fmt.Errorf("role %s: %w", role, err)
			}
			inverse = append(inverse, not)
		}
	}
	b.explain("unified role by being neither prefill nor decode")
	return inverse, nil
}

func (b *builder) lacksRole(source catalog.Source, names []string) bool {
	if system, _ := b.catalog.System(source.Exporter); system.Roles != nil && slices.Contains(system.Roles.Lacking, source.From) {
		return true
	}
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
