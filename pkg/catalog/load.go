package catalog

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

//go:embed signals/*.yaml systems/*.yaml exceptions.yaml
var files embed.FS

// Load reads the embedded catalog and checks it. An error is a fault of the
// catalog's own data and names the entry.
func Load() (*Catalog, error) {
	return read(files)
}

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

func read(from fs.FS) (*Catalog, error) {
	c := &Catalog{byID: map[string]int{}, bySystem: map[string]int{}}
	groups, err := fs.Glob(from, "signals/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	for _, name := range groups {
		var signals []Signal
		if err := decode(from, name, &signals); err != nil {
			return nil, err
		}
		c.signals = append(c.signals, signals...)
	}
	if err := decode(from, "exceptions.yaml", &c.exceptions); err != nil {
		return nil, err
	}
	for i, s := range c.signals {
		if err := s.validate(); err != nil {
			return nil, err
		}
		if _, twice := c.byID[s.ID]; twice {
			return nil, fmt.Errorf("signal %s is defined twice", s.ID)
		}
		c.byID[s.ID] = i
	}
	names, err := fs.Glob(from, "systems/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	for _, name := range names {
		var f file
		if err := decode(from, name, &f); err != nil {
			return nil, err
		}
		system := f.System
		if want := strings.TrimSuffix(path.Base(name), ".yaml"); system.Name != want {
			return nil, fmt.Errorf("%s: system is %q, not %q as the file is called", name, system.Name, want)
		}
		for _, e := range f.Bindings {
			system.Bindings = append(system.Bindings, e.bindings(system)...)
		}
		c.bySystem[system.Name] = len(c.systems)
		c.systems = append(c.systems, system)
	}
	c.index()
	return c, c.check()
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

func decode(from fs.FS, name string, into any) error {
	text, err := fs.ReadFile(from, name)
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("catalog %s: %w", name, err)
	}
	return nil
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

// check finds what the YAML decoder cannot: references that lead nowhere.
func (c *Catalog) check() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	bound := map[string]bool{}
	for _, system := range c.systems {
		seen := map[string]bool{}
		for _, b := range system.Bindings {
			at := system.Name + "/" + b.Signal
			signal, ok := c.Signal(b.Signal)
			if !ok {
				fault("%s: no such signal", at)
				continue
			}
			bound[b.Signal] = true
			if seen[b.Signal] {
				fault("%s: bound twice", at)
			}
			seen[b.Signal] = true
			if (len(b.Sources) == 0) == (len(b.Ratios) == 0) {
				fault("%s: needs either sources or ratios", at)
			}
			if (signal.Kind == KindRatio) != (len(b.Ratios) > 0) {
				fault("%s: ratios belong to signals of kind ratio, and only to them", at)
			}
			if !slices.Contains(shapes, b.Shape) {
				fault("%s: shape %q is unknown", at, b.Shape)
			}
			if _, ok := Units[b.Unit]; !ok {
				fault("%s: unit %q is unknown", at, b.Unit)
			}
			if len(b.Buckets) != 0 && len(b.Buckets) != 2 {
				fault("%s: buckets are the first and the last finite bound", at)
			}
			for _, s := range b.AllSources() {
				c.checkSource(at, s, fault)
			}
		}
	}
	for _, s := range c.signals {
		if s.Reads == "" && !bound[s.ID] {
			fault("signal %s: no system exports it", s.ID)
		}
		if s.Reads != "" && !bound[s.Reads] {
			fault("signal %s: reads %q, which no system exports", s.ID, s.Reads)
		}
		for _, name := range s.OneSystem {
			if _, ok := c.System(name); !ok {
				fault("signal %s: no such system %q", s.ID, name)
			}
		}
	}
	return errors.Join(faults...)
}

func (c *Catalog) checkSource(at string, s Source, fault func(string, ...any)) {
	exporter, ok := c.System(s.Exporter)
	if !ok {
		fault("%s: exporter %q is no system", at, s.Exporter)
		return
	}
	if len(s.Names) == 0 {
		fault("%s: a source without names", at)
	}
	if !slices.Contains([]Type{TypeCounter, TypeGauge, TypeHistogram}, s.Type) {
		fault("%s: type %q is unknown", at, s.Type)
	}
	if _, ok := exporter.Carries[s.From]; !ok {
		fault("%s: %q is no process of %s", at, s.From, s.Exporter)
	}
	for logical := range s.Labels {
		if len(s.Labels[logical]) == 0 {
			fault("%s: label %s has no candidate", at, logical)
		}
	}
	for name := range s.Versions {
		if !slices.Contains(s.Names, name) {
			fault("%s: a version of %q, which is none of the names", at, name)
		}
	}
	if _, err := promql.ParseMatchers(s.Match); err != nil {
		fault("%s: %w", at, err)
	}
}
