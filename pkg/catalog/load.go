package catalog

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

//go:embed signals/*.yaml systems/*.yaml groups.yaml labels.yaml exceptions.yaml
var files embed.FS

// Load gives the embedded catalog, which is read and checked once. An error is a fault
// of the catalog's own data: Faults, joined, each with its file and line.
func Load() (*Catalog, error) { return loaded() }

var loaded = sync.OnceValues(func() (*Catalog, error) {
	p, err := embeddedParts()
	if err != nil {
		return nil, err
	}
	return build(p, &faults{})
})

// entry is a binding as the YAML files write it: one binding may serve several
// signals, and a binding of a single source needs no list.
type entry struct {
	Signal    string                `yaml:"signal"`
	Signals   []string              `yaml:"signals"`
	Role      query.Role            `yaml:"role"`
	Shape     Shape                 `yaml:"shape"`
	Unit      string                `yaml:"unit"`
	Source    Source                `yaml:",inline"`
	Sources   []Source              `yaml:"sources"`
	Ratios    []Ratio               `yaml:"ratios"`
	Buckets   []float64             `yaml:"buckets"`
	Condition string                `yaml:"condition"`
	Since     string                `yaml:"since"`
	Always    []string              `yaml:"always"`
	Covers    map[query.Role]string `yaml:"covers"`
	Caution   string                `yaml:"caution"`
}

// file is a system as its YAML file writes it.
type file struct {
	System   `yaml:",inline"`
	Bindings []entry `yaml:"bindings"`
}

// placed is something that was read and where.
type placed[T any] struct {
	at  place
	one T
}

// parts are all files of a catalog, read and not yet held against each other.
type parts struct {
	groups     []placed[Group]
	labels     []string
	signals    []placed[Signal]
	systems    []placed[file]
	exceptions []Exception
}

// read makes a catalog of a tree of files.
func read(from fs.FS) (*Catalog, error) {
	var found faults
	p, err := readParts(from, &found)
	if err != nil {
		return nil, err
	}
	return build(p, &found)
}

// readParts reads the files of a catalog. The error is one of the file system.
func readParts(from fs.FS, found *faults) (parts, error) {
	var p parts
	document := func(name string, into any) (*document, error) {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, fmt.Errorf("catalog: %w", err)
		}
		doc := parse(name, text, found)
		if doc != nil {
			doc.into(into, found)
		}
		return doc, nil
	}
	var groups []Group
	doc, err := document("groups.yaml", &groups)
	if err != nil {
		return p, err
	}
	p.groups = placedItems(doc, groups)
	var labels [][]string
	if _, err := document("labels.yaml", &labels); err != nil {
		return p, err
	}
	p.labels = slices.Concat(labels...)
	if _, err := document("exceptions.yaml", &p.exceptions); err != nil {
		return p, err
	}
	// The patterns are well-formed, which is all that Glob can find wrong.
	ofSignals, _ := fs.Glob(from, "signals/*.yaml")
	for _, name := range ofSignals {
		var signals []Signal
		doc, err := document(name, &signals)
		if err != nil {
			return p, err
		}
		p.signals = append(p.signals, placedItems(doc, signals)...)
	}
	ofSystems, _ := fs.Glob(from, "systems/*.yaml")
	for _, name := range ofSystems {
		var system file
		doc, err := document(name, &system)
		if err != nil {
			return p, err
		}
		if doc == nil {
			continue
		}
		if want := strings.TrimSuffix(path.Base(name), ".yaml"); system.Name != want && !found.unread {
			found.unread = true // of its name, that is
			found.add(place{doc: doc}.key("system"), system.Name, "is not what the file is called", "write %s or rename the file", want)
		}
		p.systems = append(p.systems, placed[file]{place{doc: doc}, system})
	}
	return p, nil
}

func placedItems[T any](doc *document, items []T) []placed[T] {
	var all []placed[T]
	for i, item := range items {
		all = append(all, placed[T]{place{doc: doc}.item(i), item})
	}
	return all
}

// build holds the parts against each other and makes the catalog of them.
func build(p parts, found *faults) (*Catalog, error) {
	c := &Catalog{byID: map[string]int{}, bySystem: map[string]int{}, exceptions: p.exceptions}
	if found.unread {
		return nil, found.joined() // anything else may be a consequence
	}
	k := checker{faults: found, catalog: c, labels: p.labels}
	k.groups(p.groups)
	k.signals(p.signals)
	k.systems(p.systems)
	c.index()
	k.references(p)
	if err := found.joined(); err != nil {
		return nil, err
	}
	return c, nil
}

// index makes what is looked up while compiling independent of the catalog's size.
func (c *Catalog) index() {
	c.bindings, c.counters, c.series = map[string][]Binding{}, map[string]bool{}, map[string][]Source{}
	for _, system := range c.systems {
		for _, b := range system.Bindings {
			c.bindings[b.Signal] = append(c.bindings[b.Signal], b)
			for _, s := range b.AllSources() {
				for _, name := range s.series() {
					c.series[name] = append(c.series[name], s)
				}
				if s.Type != TypeCounter {
					continue
				}
				for _, prefix := range c.Prefixes(s) {
					for _, name := range s.Names {
						c.counters[prefix+name] = true
					}
				}
			}
		}
	}
	c.claimed = c.claims()
}

// claims collects the labels that some metric of the catalog carries of its own.
func (c *Catalog) claims() map[string]bool {
	claimed := map[string]bool{}
	claim := func(labels ...string) {
		for _, label := range labels {
			claimed[label] = true
		}
	}
	for _, system := range c.systems {
		claim(slices.Collect(maps.Keys(system.Labels))...)
		claim(system.Copies...)
		for _, b := range system.Bindings {
			for _, s := range b.AllSources() {
				claim(s.Has...)
				claim(s.Extra...)
				matchers, err := promql.ParseMatchers(s.Match)
				if err != nil {
					continue // check reports it
				}
				for _, m := range matchers {
					claim(m.Name)
				}
			}
		}
	}
	for _, label := range scrapeLabels {
		delete(claimed, label)
	}
	return claimed
}

func (e entry) bindings(system System) []Binding {
	sources := e.Sources
	if len(e.Source.Names) > 0 {
		sources = append([]Source{e.Source}, sources...)
	}
	sources = own(system, sources)
	var ratios []Ratio
	for _, r := range e.Ratios {
		ratios = append(ratios, Ratio{Num: own(system, r.Num), Den: own(system, r.Den), Split: r.Split, Aligned: r.Aligned})
	}
	condition := e.Condition
	if condition == "" {
		condition = system.Condition
	}
	signals := e.Signals
	if e.Signal != "" {
		signals = append([]string{e.Signal}, signals...)
	}
	var made []Binding
	for _, signal := range signals {
		made = append(made, Binding{
			Signal: signal, System: system.Name, Role: e.Role, Shape: e.Shape, Unit: e.Unit,
			Sources: sources, Ratios: ratios, Buckets: e.Buckets,
			Condition: condition, Since: e.Since, Always: e.Always, Covers: e.Covers, Caution: e.Caution,
		})
	}
	return made
}

// own fills in the binding's own system where a source names no other exporter.
func own(system System, sources []Source) []Source {
	filled := slices.Clone(sources)
	for i := range filled {
		if filled[i].Exporter == "" {
			filled[i].Exporter = system.Name
		}
	}
	return filled
}
