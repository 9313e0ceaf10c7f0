package signalsdoc

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// shapes say in words how series of several ranks become one number.
var shapes = map[catalog.Shape]string{
	catalog.ShapeSum:   "each series counts its own: added",
	catalog.ShapeShard: "each rank counts its part: all ranks added",
	catalog.ShapeGmax:  "one of the equal copies kept, then added",
	catalog.ShapeRavg:  "copies averaged after the rate, then added",
	catalog.ShapeMax:   "the largest",
	catalog.ShapeMin:   "the smallest",
	catalog.ShapeAvg:   "the mean",
	catalog.ShapeGavg:  "one of the equal copies kept, then the mean",
}

// kinds say what comes before or after the aggregation.
var kinds = map[catalog.Kind]string{
	catalog.KindDistribution: "; buckets merged before the quantile",
	catalog.KindRatio:        "; numerator and denominator each for themselves, then divided",
}

var roles = map[query.Role]string{
	query.RoleAny:     "each role apart",
	query.RolePrefill: "prefill",
	query.RoleDecode:  "decode",
	catalog.RoleAll:   "all roles together",
}

// units say what Grafana's unit ids mean.
var units = map[string]string{
	"Bps": "bytes/s", "celsius": "°C", "hertz": "Hz", "joule": "J", "none": "–", "percentunit": "share", "pps": "packets/s",
	"reqps": "req/s", "short": "number", "watt": "W",
}

func signalCells(c *catalog.Catalog, s catalog.Signal) []string {
	bindings := c.Bindings(s)
	var systems []string
	for _, b := range bindings {
		systems = append(systems, title(c, b.System))
	}
	unit := strings.TrimPrefix(s.Unit, "suffix:")
	return []string{
		"`" + s.ID + "`", s.Title + " / " + s.TitleZH, s.NoteZH, s.Meaning, s.Level, cmp.Or(units[unit], unit), strings.Join(systems, ", "),
		perSystem(c, bindings, func(b catalog.Binding) string { return role(c, b) }),
		perSystem(c, bindings, func(b catalog.Binding) string { return aggregation(s, b) }) + kinds[s.Kind],
		perSystem(c, bindings, condition),
		pitfalls(c, s, bindings),
	}
}

// perSystem says once what holds of all systems, else names the system before each.
func perSystem(c *catalog.Catalog, bindings []catalog.Binding, say func(catalog.Binding) string) string {
	var said []string
	alike := true
	for _, b := range bindings {
		text := say(b)
		alike = alike && text == say(bindings[0])
		if text != "" {
			said = append(said, title(c, b.System)+": "+text)
		}
	}
	if alike && len(bindings) > 0 {
		return say(bindings[0])
	}
	return strings.Join(said, "; ")
}

// aggregation says how the series of a binding become one number.
func aggregation(s catalog.Signal, b catalog.Binding) string {
	if s.Kind == catalog.KindRestart {
		return "1 where one of the counters is lower than before the window"
	}
	return shapes[b.Shape]
}

func role(c *catalog.Catalog, b catalog.Binding) string {
	apart := slices.ContainsFunc(b.AllSources(), func(s catalog.Source) bool {
		exporter, _ := c.System(s.Exporter)
		return exporter.Roles != nil
	})
	if b.Role == query.RoleAny && !apart {
		return "–"
	}
	return roles[b.Role]
}

func condition(b catalog.Binding) string {
	if b.Since == "" {
		return b.Condition
	}
	return strings.TrimPrefix(b.Condition+", since "+b.Since, ", ")
}

func pitfalls(c *catalog.Catalog, s catalog.Signal, bindings []catalog.Binding) string {
	var all []string
	add := func(text string) {
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	add(s.Caution)
	for _, b := range bindings {
		add(b.Caution)
		for _, r := range []query.Role{query.RolePrefill, query.RoleDecode, query.RoleUnified} {
			if text := b.Covers[r]; text != "" {
				add(title(c, b.System) + " measures " + text + ".")
			}
		}
	}
	return strings.Join(all, " ")
}

func title(c *catalog.Catalog, system string) string {
	s, _ := c.System(system)
	return s.Title
}

func types(b catalog.Binding) string {
	var all []string
	for _, kind := range b.Types() {
		all = append(all, string(kind))
	}
	return strings.Join(all, ", ")
}

func unitOf(b catalog.Binding) string {
	return cmp.Or(catalog.Units[b.Unit].Text, "–")
}
