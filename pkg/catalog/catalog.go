// Package catalog knows what can be asked for (signals) and how each system of
// the field exports it (bindings). All of it is data, embedded as YAML: files of
// signals by group, one file for each system, and the groups and logical labels that
// they may name. A new metric or engine is an entry there and a test, never code.
// What is wrong with the data is found when it is loaded, with file and line.
package catalog

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/nearest"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Kind is what a signal's numbers are.
type Kind string

const (
	// KindRate is a number of events per second, read from a counter.
	KindRate Kind = "rate"
	// KindTotal is a counter's cumulative value.
	KindTotal Kind = "total"
	// KindGauge is an instantaneous value, never differentiated.
	KindGauge Kind = "gauge"
	// KindDistribution is a histogram.
	KindDistribution Kind = "distribution"
	// KindRatio is one aggregate over another.
	KindRatio Kind = "ratio"
	// KindRestart is 1 where a counter has just begun anew, else 0.
	KindRestart Kind = "restart"
)

// Kinds are all kinds of signals.
var Kinds = []Kind{KindRate, KindTotal, KindGauge, KindDistribution, KindRatio, KindRestart}

// Signal is something a user can ask for, whatever the engine.
type Signal struct {
	ID      string `yaml:"id"`
	Title   string `yaml:"title"`
	TitleZH string `yaml:"titleZh"`
	// NoteZH says in one Chinese sentence how to judge the number, "" where nothing is to be said.
	NoteZH  string `yaml:"noteZh"`
	Meaning string `yaml:"meaning"` // one line
	Group   string `yaml:"group"`   // heading in the picker
	Level   string `yaml:"level"`   // request, operation, batch, server, device
	Sample  string `yaml:"sample"`  // what one count is
	Kind    Kind   `yaml:"kind"`
	Unit    string `yaml:"unit"` // Grafana unit id of the answer
	// Reads names the signal whose bindings this one uses, "" for its own.
	Reads string `yaml:"reads"`
	// PerRequestSize divides the number, which is of bytes, by B_request of the model.
	PerRequestSize bool `yaml:"perRequestSize"`
	// Window is the shortest over which the number means something ("5m"), "" for any.
	// It is taken unless the query gives its own.
	Window string `yaml:"window"`
	// OneSystem lists, best first, systems that report the same thing: one of
	// them is chosen, they are never added.
	OneSystem []string `yaml:"oneSystem"`
	// PDOnly signals exist between prefill and decode alone: a unified engine has none.
	PDOnly bool `yaml:"pdOnly"`
	// Distrusted says that the number is for comparison only: Caution says why, and
	// which signal is to be believed.
	Distrusted bool   `yaml:"distrusted"`
	Caution    string `yaml:"caution"`
}

// Group is a heading under which signals are picked.
type Group struct {
	Title string `yaml:"group"`
	// Filters say which variables of a dashboard filter signals of the group, as far
	// as a signal has the label.
	Filters []GroupFilter `yaml:"filters"`
}

// GroupFilter is a logical label and the dashboard's variable with its values.
type GroupFilter struct {
	Label    string `yaml:"label"`
	Variable string `yaml:"variable"`
}

// Catalog holds every signal and system. It is immutable after Load.
type Catalog struct {
	groups   []Group
	signals  []Signal
	byID     map[string]int
	systems  []System
	bySystem map[string]int
	// bindings of each signal, by system name.
	bindings map[string][]Binding
	// counters are the full names of all counters.
	counters map[string]bool
	claimed  map[string]bool
	// series are the sources by the names of their series without prefix.
	series map[string][]Source
	// exceptions are the metrics that are left out on purpose.
	exceptions []Exception
}

// Exception is something the field names that no signal reads, and why.
type Exception struct {
	// Names of metrics, or of evidence that is no metric.
	Names []string `yaml:"names"`
	// Why it has no signal, and where the evidence is found instead.
	Why string `yaml:"why"`
}

// Exceptions lists what is left out on purpose.
func (c *Catalog) Exceptions() []Exception { return slices.Clone(c.exceptions) }

// Signals returns all signals in the order of the catalog.
func (c *Catalog) Signals() []Signal { return slices.Clone(c.signals) }

// Groups returns the groups in the order of the picker.
func (c *Catalog) Groups() []Group { return slices.Clone(c.groups) }

// Group finds a group by its title.
func (c *Catalog) Group(title string) (Group, bool) {
	for _, g := range c.groups {
		if g.Title == title {
			return g, true
		}
	}
	return Group{}, false
}

// KVSources lists the systems that count the bytes between prefill and decode, of
// which one is read: the best first.
func (c *Catalog) KVSources() []string {
	var names []string
	for _, s := range c.signals {
		if !s.PDOnly {
			continue
		}
		for _, name := range s.OneSystem {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Signal finds a signal by its id.
func (c *Catalog) Signal(id string) (Signal, bool) {
	i, ok := c.byID[id]
	if !ok {
		return Signal{}, false
	}
	return c.signals[i], true
}

// Systems returns all systems in alphabetical order.
func (c *Catalog) Systems() []System { return slices.Clone(c.systems) }

// System finds a system by its name.
func (c *Catalog) System(name string) (System, bool) {
	i, ok := c.bySystem[name]
	if !ok {
		return System{}, false
	}
	return c.systems[i], true
}

// Bindings returns how each system exports the signal, ordered by system name.
func (c *Catalog) Bindings(signal Signal) []Binding {
	return slices.Clone(c.bindings[cmp.Or(signal.Reads, signal.ID)])
}

// MetricNames returns every name, with every known prefix, under which the
// catalog expects a metric family. Histograms are named without suffix.
func (c *Catalog) MetricNames() []string {
	names := map[string]bool{}
	for _, system := range c.systems {
		for _, b := range system.Bindings {
			for _, s := range b.AllSources() {
				for _, prefix := range c.Prefixes(s) {
					for _, name := range s.Names {
						names[prefix+name] = true
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Prefixes returns the known name prefixes of a source, the usual one first.
func (c *Catalog) Prefixes(s Source) []string {
	system, ok := c.System(s.Exporter)
	if !ok || len(system.Prefixes) == 0 {
		return []string{""}
	}
	return system.Prefixes
}

// Suggest names the signal ids nearest to an unknown one, at most three.
func (c *Catalog) Suggest(id string) []string {
	ids := make([]string, 0, len(c.signals))
	for _, s := range c.signals {
		ids = append(ids, s.ID)
	}
	return nearest.Names(id, ids)
}

// IsCounter reports whether the catalog knows the metric as a counter, whatever
// its name ends in.
func (c *Catalog) IsCounter(metric string) bool { return c.counters[metric] }

// LeastWindow reads Window; 0 for any.
func (s Signal) LeastWindow() (time.Duration, error) {
	if s.Window == "" {
		return 0, nil
	}
	d, err := model.ParseDuration(s.Window)
	return time.Duration(d), err
}

// RolesOf lists the roles that report the signal, prefill first; both where any
// system tells them apart.
func (c *Catalog) RolesOf(s Signal) []query.Role {
	prefill, decode := false, false
	for _, b := range c.Bindings(s) {
		prefill = prefill || b.Role != query.RoleDecode
		decode = decode || b.Role != query.RolePrefill
	}
	roles := []query.Role{}
	if prefill {
		roles = append(roles, query.RolePrefill)
	}
	if decode {
		roles = append(roles, query.RoleDecode)
	}
	return roles
}

// Claims reports whether a label belongs to the metrics of some system, so that a
// metric without it lacks it. Other labels come from the scrape configuration.
func (c *Catalog) Claims(label string) bool { return c.claimed[label] }

// targetLabels come from the scrape configuration and are on every series.
var targetLabels = []string{"instance", "job"}

// scrapeLabels may come from the scrape configuration, on any series, even where a
// system has a label of that name too.
var scrapeLabels = []string{"cluster", "container", "host", "hostname", "instance", "job", "namespace", "node", "pod"}

// LabelsOf lists the logical labels by which some system splits the signal.
func (c *Catalog) LabelsOf(s Signal) []string {
	seen := map[string]bool{}
	for _, b := range c.Bindings(s) {
		for _, source := range b.AllSources() {
			exporter, _ := c.System(source.Exporter)
			for _, label := range append(slices.Clone(exporter.Carries[source.From]), source.Has...) {
				seen[label] = true
			}
		}
	}
	return append(slices.Sorted(maps.Keys(seen)), targetLabels...)
}
