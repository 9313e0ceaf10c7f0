package catalog

import "slices"

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
