package catalog

import (
	"slices"
	"strings"
)

// NamesOf lists the metrics of a binding under their usual prefix, in the order in
// which its sources name them, newest first, none twice.
func (c *Catalog) NamesOf(b Binding) []string {
	var names []string
	for _, s := range b.AllSources() {
		prefix := c.Prefixes(s)[0]
		for _, name := range s.Names {
			if full := prefix + name; !slices.Contains(names, full) {
				names = append(names, full)
			}
		}
	}
	return names
}

// Types lists the types of a binding's metrics, none twice.
func (b Binding) Types() []Type {
	var types []Type
	for _, s := range b.AllSources() {
		if !slices.Contains(types, s.Type) {
			types = append(types, s.Type)
		}
	}
	return types
}

// series are the names of a source's series, without prefix.
func (s Source) series() []string {
	names := slices.Clone(s.Names)
	if s.Type == TypeHistogram {
		for _, name := range s.Names {
			names = append(names, name+"_bucket", name+"_count", name+"_sum")
		}
	}
	return names
}

// SourcesOf lists the sources that may export a series of this name, under a known
// prefix of their exporter or under one of own.
func (c *Catalog) SourcesOf(series string, own map[string][]string) []Source {
	var found []Source
	tried := map[string]bool{}
	try := func(prefixes []string) {
		for _, prefix := range prefixes {
			name, ok := strings.CutPrefix(series, prefix)
			if !ok || tried[prefix] {
				continue
			}
			tried[prefix] = true
			for _, s := range c.series[name] {
				if slices.Contains(c.Prefixes(s), prefix) || slices.Contains(own[s.Exporter], prefix) {
					found = append(found, s)
				}
			}
		}
	}
	for _, system := range c.systems {
		try(c.Prefixes(Source{Exporter: system.Name}))
		try(own[system.Name])
	}
	return found
}
