package compile

import (
	"slices"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// bindings chooses which systems answer: the one that is asked for, else all that
// the server holds. Of systems that report the same thing one is taken.
func (b *builder) bindings() []scope {
	q := b.request.Query
	all := b.catalog.Bindings(b.signal)
	var asked []catalog.Binding
	for _, binding := range all {
		if !b.passes("system", binding.System) {
			continue
		}
		if q.System == query.SystemAuto || binding.System == q.System {
			asked = append(asked, binding)
		} else if only := exportedBy(binding, q.System); len(only.AllSources()) > 0 {
			asked = append(asked, only)
		}
	}
	if len(asked) == 0 {
		var who []string
		for _, binding := range all {
			who = append(who, b.title(binding.System))
		}
		if q.System == query.SystemAuto {
			b.notice(notice.SystemFiltered, b.signal.Title, strings.Join(who, ", "))
			return nil
		}
		b.notice(notice.SystemLacks, b.title(q.System), b.signal.Title, strings.Join(who, ", "))
		return nil
	}
	present := asked
	if b.request.Deployment != nil {
		present = nil
		for _, binding := range asked {
			if b.found(binding) {
				present = append(present, binding)
			}
		}
		if len(present) == 0 {
			b.missing(asked)
			return nil
		}
	}
	b.warnOfScrapes(present)
	if len(b.signal.OneSystem) > 0 {
		return b.oneSystem(present)
	}
	return scoped(present)
}

// warnOfScrapes names what would make a sum wrong before any PromQL is written.
func (b *builder) warnOfScrapes(present []catalog.Binding) {
	if b.request.Deployment == nil {
		return
	}
	for _, binding := range present {
		for _, s := range binding.AllSources() {
			found := b.request.Deployment.Systems[s.Exporter]
			if len(found.ScrapedTwice) > 0 {
				b.notice(notice.ScrapedTwice,
					b.title(s.Exporter), strings.Join(found.ScrapedTwice[:min(3, len(found.ScrapedTwice))], ", "))
			}
			if len(found.UnknownRanks) > 0 {
				b.notice(notice.RanksGuessed,
					b.title(s.Exporter), strings.Join(found.UnknownRanks, ", "))
			}
			if found.ShownAgain {
				b.notice(notice.ShownAgain, b.title(s.Exporter))
			}
			if found.Ungrouped {
				b.notice(notice.Ungrouped, b.title(s.Exporter), b.engineGroup())
			}
			if len(found.Prefixes) > 1 && len(b.request.Options.Prefixes[s.Exporter]) == 0 {
				b.notice(notice.SeveralPrefixes,
					b.title(s.Exporter), strings.Join(found.Prefixes, ", "))
			}
		}
	}
}

// exportedBy restricts a binding to the sources of some exporters.
func exportedBy(binding catalog.Binding, exporters ...string) catalog.Binding {
	other := func(s catalog.Source) bool { return !slices.Contains(exporters, s.Exporter) }
	binding.Sources = slices.DeleteFunc(slices.Clone(binding.Sources), other)
	binding.Ratios = slices.DeleteFunc(slices.Clone(binding.Ratios), func(r catalog.Ratio) bool {
		return slices.ContainsFunc(r.Num, other)
	})
	return binding
}

func (b *builder) found(binding catalog.Binding) bool {
	have := func(s catalog.Source) bool { return len(b.names(s)) > 0 }
	if slices.ContainsFunc(binding.Sources, have) {
		return true
	}
	lack := func(s catalog.Source) bool { return !have(s) }
	return slices.ContainsFunc(binding.Ratios, func(r catalog.Ratio) bool {
		return !slices.ContainsFunc(r.Num, lack) && !slices.ContainsFunc(r.Den, lack)
	})
}

// oneSystem orders systems that report the same thing, best first. Where engines may
// have different ones each engine is read from the best that it has: the metrics of
// the better ones are left out of the others.
func (b *builder) oneSystem(present []catalog.Binding) []scope {
	order := b.signal.OneSystem
	if chosen := b.request.Options.KVSource; chosen != "" && chosen != "auto" && b.request.Query.System == query.SystemAuto && slices.Contains(order, chosen) {
		order = []string{chosen}
		if !slices.ContainsFunc(present, func(p catalog.Binding) bool { return p.System == chosen }) {
			b.notice(notice.SourceAbsent, b.title(chosen))
			return nil
		}
	}
	var taken []scope
	var unused []string
	everyone := false
	better := map[string][]string{} // by exporter
	for _, name := range order {
		i := slices.IndexFunc(present, func(p catalog.Binding) bool { return p.System == name })
		if i < 0 {
			continue
		}
		binding := scope{Binding: b.alive(present[i]), except: map[string][]string{}}
		if len(binding.AllSources()) == 0 {
			continue
		}
		if everyone || !b.adds(binding.Binding, better) {
			unused = append(unused, b.title(name))
			continue
		}
		for _, s := range leading(binding.Binding) {
			binding.except[s.Exporter] = slices.Clone(better[s.Exporter])
		}
		for _, s := range leading(binding.Binding) {
			better[s.Exporter] = append(better[s.Exporter], b.presence(s)...)
			// Which engine is meant is not known: one source, never two.
			everyone = everyone || b.anyEngine(s.Exporter)
		}
		everyone = everyone || b.request.Deployment == nil
		taken = append(taken, binding)
	}
	for _, binding := range taken {
		b.notice(notice.ReadFrom, b.signal.Title, b.title(binding.System))
	}
	if len(taken) > 1 {
		b.notice(notice.ReadOnce)
	}
	if len(unused) > 0 && b.request.Deployment != nil {
		b.notice(notice.NotAdded, strings.Join(unused, ", "))
	}
	return taken
}

// adds reports whether some engine has the binding's metrics and none of the better
// ones.
func (b *builder) adds(binding catalog.Binding, better map[string][]string) bool {
	return slices.ContainsFunc(leading(binding), func(s catalog.Source) bool {
		return len(better[s.Exporter]) == 0 || b.request.Deployment != nil && slices.ContainsFunc(b.presence(s), func(name string) bool {
			return b.request.Deployment.Alone[name]
		})
	})
}

// presence are the series that show that an engine has a source.
func (b *builder) presence(s catalog.Source) []string {
	names := b.names(s)
	if s.Type == catalog.TypeHistogram {
		names = slices.Clone(names)
		for i := range names {
			names[i] += "_count"
		}
	}
	return names
}

// anyEngine reports whether a source's exporter is no engine: its series may be
// those of any.
func (b *builder) anyEngine(exporter string) bool {
	system, _ := b.catalog.System(exporter)
	return system.Connector
}

// alive restricts a binding to what has series in the time that was looked at; what
// was in use before must not hide what is in use now.
func (b *builder) alive(binding catalog.Binding) catalog.Binding {
	if b.request.Deployment == nil {
		return binding
	}
	gone := func(s catalog.Source) bool {
		names := b.names(s)
		if b.request.Deployment.Alive == nil {
			return len(names) == 0
		}
		return !slices.ContainsFunc(names, func(name string) bool {
			alive := b.request.Deployment.Alive
			return alive[name] || alive[name+"_bucket"] || alive[name+"_count"]
		})
	}
	binding.Sources = slices.DeleteFunc(slices.Clone(binding.Sources), gone)
	binding.Ratios = slices.DeleteFunc(slices.Clone(binding.Ratios), func(r catalog.Ratio) bool {
		return slices.ContainsFunc(r.Sources(), gone)
	})
	return binding
}

// missing says that nothing exports the signal here and what would change that.
func (b *builder) missing(asked []catalog.Binding) {
	for _, binding := range asked {
		var names []string
		for _, s := range binding.AllSources() {
			name := b.catalog.Prefixes(s)[0] + s.Names[0]
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		how := ""
		system, _ := b.catalog.System(binding.System)
		_, here := b.request.Deployment.Systems[binding.System]
		switch {
		case here && binding.Condition == system.Condition:
			how = " This version, model or set-up does not export it."
		case binding.Condition != "":
			how = " It needs " + binding.Condition + "."
		}
		if binding.Since != "" {
			how += " It exists since " + binding.Since + "."
		}
		b.notice(notice.Missing,
			b.title(binding.System), b.signal.Title, strings.Join(names, ", "), how)
	}
}
