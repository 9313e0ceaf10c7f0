package compile

import (
	"slices"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// bindings chooses which systems answer: the one that is asked for, else all that
// the server holds. Of systems that report the same thing one is taken.
func (b *builder) bindings() []catalog.Binding {
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
			b.notice(query.SeverityError, "The filter on system leaves none that exports %s: %s do.", b.signal.ID, strings.Join(who, ", "))
			return nil
		}
		b.notice(query.SeverityError, "%s does not export %s; these do: %s.", b.title(q.System), b.signal.ID, strings.Join(who, ", "))
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
	return present
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
				b.notice(query.SeverityWarning, "%s is scraped by several jobs (%s): every sum counts it once for each job. Filter on job or scrape it once.",
					b.title(s.Exporter), strings.Join(found.ScrapedTwice[:min(3, len(found.ScrapedTwice))], ", "))
			}
			if len(found.Prefixes) > 1 && len(b.request.Options.Prefixes[s.Exporter]) == 0 {
				b.notice(query.SeverityInfo, "%s is exported under several prefixes (%s); an engine that has both is read once. The setting prefixes chooses one.",
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

// oneSystem takes, for each engine that exports, the best of several systems that
// report the same thing; the others are named in a notice and never added.
func (b *builder) oneSystem(present []catalog.Binding) []catalog.Binding {
	order := b.signal.OneSystem
	if chosen := b.request.Options.KVSource; chosen != "" && chosen != "auto" && b.request.Query.System == query.SystemAuto && slices.Contains(order, chosen) {
		order = []string{chosen}
		if !slices.ContainsFunc(present, func(p catalog.Binding) bool { return p.System == chosen }) {
			b.notice(query.SeverityError, "The settings read KV transfers from %s, which exports none here. Set KV source to auto or install its connector.", b.title(chosen))
			return nil
		}
	}
	var taken []catalog.Binding
	served := map[string]bool{}
	everyone := false
	var unused []string
	for _, name := range order {
		i := slices.IndexFunc(present, func(p catalog.Binding) bool { return p.System == name })
		if i < 0 {
			continue
		}
		binding, exporters := b.unserved(present[i], served)
		if len(exporters) == 0 || everyone {
			unused = append(unused, b.title(name))
			continue
		}
		for _, e := range exporters {
			served[e] = true
		}
		taken = append(taken, binding)
		if b.request.Deployment == nil || slices.ContainsFunc(exporters, b.anyEngine) {
			everyone = true // which engine is meant is not known: one source, never two
		}
	}
	for _, binding := range taken {
		b.notice(query.SeverityInfo, "%s: read from %s.", b.signal.Title, b.title(binding.System))
	}
	if len(unused) > 0 && b.request.Deployment != nil {
		b.notice(query.SeverityInfo, "Not added, because it would count the same twice: %s.", strings.Join(unused, ", "))
	}
	return taken
}

// anyEngine reports whether a source's exporter is no engine: its series may be
// those of any.
func (b *builder) anyEngine(exporter string) bool {
	system, _ := b.catalog.System(exporter)
	return system.Connector
}

// unserved restricts a binding to what is found of engines not served yet.
func (b *builder) unserved(binding catalog.Binding, served map[string]bool) (catalog.Binding, []string) {
	drop := func(s catalog.Source) bool {
		return served[s.Exporter] || b.request.Deployment != nil && len(b.names(s)) == 0
	}
	binding.Sources = slices.DeleteFunc(slices.Clone(binding.Sources), drop)
	binding.Ratios = slices.DeleteFunc(slices.Clone(binding.Ratios), func(r catalog.Ratio) bool {
		return slices.ContainsFunc(r.Num, drop) || slices.ContainsFunc(r.Den, drop)
	})
	var exporters []string
	for _, s := range binding.AllSources() {
		if !slices.Contains(exporters, s.Exporter) {
			exporters = append(exporters, s.Exporter)
		}
	}
	return binding, exporters
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
		if binding.Condition != "" {
			how = " It needs " + binding.Condition + "."
		}
		b.notice(query.SeverityError, "%s: %s is not on this server (looked for %s).%s",
			b.title(binding.System), b.signal.ID, strings.Join(names, ", "), how)
	}
}
