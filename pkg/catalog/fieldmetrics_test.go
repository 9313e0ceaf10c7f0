package catalog

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// fieldMetric is a metric that these systems are watched by, as the list of them has it.
type fieldMetric struct {
	line                              int
	system, name, kind, unit, ranking string
	names                             []string // as exposed, newest first
}

// fieldMetrics reads the list that the catalog is held against.
func fieldMetrics(t *testing.T) []fieldMetric {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "field-metrics.tsv"))
	require.NoError(t, err)
	var rows []fieldMetric
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "system\tmetric\t") {
			continue
		}
		f := strings.Split(line, "\t")
		require.Len(t, f, 6, "line %d", i+1)
		row := fieldMetric{line: i + 1, system: f[0], name: f[1], kind: f[3], unit: f[4], ranking: f[5]}
		for _, name := range strings.Split(f[2], "|") {
			if name != "?" { // it marks names that were seen on no page
				row.names = append(row.names, name)
			}
		}
		rows = append(rows, row)
	}
	require.NotEmpty(t, rows)
	return rows
}

// use is one place where the catalog reads a metric.
type use struct {
	signal  Signal
	binding Binding
	source  Source
	// part is a histogram's _sum or _count, read as the counter that it is.
	part bool
	// divisor is a source below the line of a ratio, which no unit converts.
	divisor bool
}

// uses maps every full name, histograms without suffix, to where it is read.
func uses(c *Catalog) map[string][]use {
	found := map[string][]use{}
	for _, system := range c.Systems() {
		for _, b := range system.Bindings {
			signal, _ := c.Signal(b.Signal)
			note := func(divisor bool, sources ...Source) {
				for _, s := range sources {
					u := use{signal: signal, binding: b, source: s, divisor: divisor}
					for _, full := range fullNames(c, s) {
						found[full] = append(found[full], u)
						for _, suffix := range []string{"_sum", "_count"} {
							if base, ok := strings.CutSuffix(full, suffix); ok && s.Type == TypeCounter {
								u := u
								u.part = true
								found[base] = append(found[base], u)
							}
						}
					}
				}
			}
			note(false, b.Sources...)
			for _, r := range b.Ratios {
				note(false, r.Num...)
				note(true, r.Den...)
			}
		}
	}
	return found
}

// fullNames are the names of a source under every prefix.
func fullNames(c *Catalog, s Source) []string {
	var names []string
	for _, prefix := range c.Prefixes(s) {
		for _, name := range s.Names {
			names = append(names, prefix+name)
		}
	}
	return names
}

// difference is where the catalog means something else than the list, and why.
type difference struct {
	Metrics []string `yaml:"metrics"` // patterns
	About   string   `yaml:"about"`   // type, unit or shape
	Signals []string `yaml:"signals"` // none for all
	Why     string   `yaml:"why"`
	used    bool
}

func differences(t *testing.T) []*difference {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "field-differences.yaml"))
	require.NoError(t, err)
	var all []*difference
	require.NoError(t, yaml.Unmarshal(text, &all))
	return all
}

func explained(all []*difference, metric, signal, about string) bool {
	for _, d := range all {
		named := slices.ContainsFunc(d.Metrics, func(pattern string) bool {
			ok, _ := path.Match(pattern, metric)
			return ok
		})
		if named && d.About == about && d.Why != "" && (len(d.Signals) == 0 || slices.Contains(d.Signals, signal)) {
			d.used = true
			return true
		}
	}
	return false
}

// Each metric of the field is read by a signal, or its absence has a reason.
func TestEveryMetricOfTheFieldIsBoundOrExcepted(t *testing.T) {
	c := embedded(t)
	bound, excepted := uses(c), map[string]bool{}
	for _, e := range c.Exceptions() {
		require.NotEmpty(t, e.Why, e.Names)
		for _, name := range e.Names {
			excepted[name] = true
		}
	}
	for _, row := range fieldMetrics(t) {
		t.Run(row.system+" "+row.name, func(t *testing.T) {
			for _, name := range row.names {
				require.True(t, len(bound[name]) > 0 || excepted[name],
					"line %d: %s (%s, %s, %s) is neither bound nor an exception", row.line, name, row.kind, row.unit, row.ranking)
			}
		})
	}
}

func TestNoExceptionIsBound(t *testing.T) {
	c := embedded(t)
	bound := uses(c)
	for _, e := range c.Exceptions() {
		for _, name := range e.Names {
			require.Empty(t, bound[name], name)
		}
	}
}

// Types, units and rank shapes are those of the list, or differ for a reason.
func TestBindingsAgreeWithTheListOfMetrics(t *testing.T) {
	rows, bound, known := fieldMetrics(t), uses(embedded(t)), differences(t)
	for _, row := range rows {
		t.Run(row.system+" "+row.name, func(t *testing.T) {
			for _, name := range row.names {
				for _, u := range bound[name] {
					for about, fault := range row.faults(u) {
						if !explained(known, name, u.signal.ID, about) {
							t.Errorf("line %d: %s in %s/%s: %s", row.line, name, u.binding.System, u.signal.ID, fault)
						}
					}
				}
			}
		})
	}
	for _, d := range known {
		require.True(t, d.used || t.Failed(), "the catalog differs no more from the list about the %s of %v", d.About, d.Metrics)
	}
}

// exported are the units that a binding has to convert.
var exported = []string{"ms", "us", "MiB", "percent", "GB/s", "mJ", "MHz"}

// answered are the units that a signal of a measured quantity may have.
var answered = map[string]map[bool][]string{ // unit → is a rate → units
	"s":        {false: {"s"}, true: {"percentunit", "suffix:s/s"}},
	"ms":       {false: {"s"}},
	"us":       {false: {"s"}},
	"bytes":    {false: {"bytes"}, true: {"Bps"}},
	"MiB":      {false: {"bytes"}, true: {"Bps"}},
	"bytes/s":  {false: {"Bps"}},
	"GB/s":     {false: {"Bps"}},
	"ratio":    {false: {"percentunit"}},
	"percent":  {false: {"percentunit"}},
	"tokens/s": {false: {"suffix:tok/s"}},
	"MHz":      {false: {"hertz"}},
	"W":        {false: {"watt"}},
	"mJ":       {false: {"joule"}, true: {"watt"}},
}

// shapesOf are the shapes that carry out what the list says of the ranks.
var shapesOf = map[string][]Shape{
	"S-sum":   {ShapeSum, ShapeShard},
	"S-shard": {ShapeShard},
	"S-gmax":  {ShapeGmax},
	"S-ravg":  {ShapeRavg},
	"S-q":     {ShapeSum, ShapeRavg, ShapeShard}, // copies move no quantile
	"S-ratio": {ShapeSum, ShapeRavg, ShapeShard},
	"S-max":   {ShapeMax},
	"S-min":   {ShapeMin},
	"S-avg":   {ShapeAvg, ShapeGavg},
	"-":       shapes,
}

// faults are the differences between a row and one use of its metric.
func (row fieldMetric) faults(u use) map[string]string {
	found := map[string]string{}
	want := Type(row.kind)
	if strings.HasSuffix(row.kind, "_gauge") { // a rate or a code: never differentiated
		want = TypeGauge
	}
	if got := u.source.Type; got != want && (!u.part || want != TypeHistogram) {
		found["type"] = fmt.Sprintf("type %s, not %s", got, row.kind)
	}
	if u.source.Count {
		return found // the series are counted, whatever they say
	}
	if shape := cmp.Or(u.source.RankShape, u.binding.Shape); !slices.Contains(shapesOf[row.ranking], shape) {
		found["shape"] = fmt.Sprintf("shape %s, not %s", shape, row.ranking)
	}
	convert := ""
	if slices.Contains(exported, row.unit) {
		convert = row.unit
	}
	cancelled := u.signal.Kind == KindRatio && u.binding.Unit == ""
	if u.binding.Unit != convert && !cancelled && !u.divisor {
		found["unit"] = fmt.Sprintf("converted from %q, not from %s", u.binding.Unit, row.unit)
	}
	units, measured := answered[row.unit][u.signal.Kind == KindRate]
	if measured && u.signal.Kind != KindRatio && !u.part && !slices.Contains(units, u.signal.Unit) {
		found["unit"] = fmt.Sprintf("answered in %s, not %v", u.signal.Unit, units)
	}
	return found
}
