package catalog

import (
	"slices"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// System is who exports: an engine, a connector, a cache, a device exporter.
type System struct {
	Name  string `yaml:"system"`
	Title string `yaml:"title"`
	// Prefixes of its metric names, the usual one first.
	Prefixes []string `yaml:"prefixes"`
	// Condition is the flag without which nothing is exported.
	Condition string `yaml:"condition"`
	// Labels maps logical labels to the candidates of this system, the usual one first.
	Labels map[string][]string `yaml:"labels"`
	// Carries lists, for each exporting process, the logical labels of its series.
	Carries map[string][]string `yaml:"carries"`
	// Copies are the labels by which ranks repeat one value.
	Copies []string `yaml:"copies"`
	// Ranks are the logical labels of its parallel ranks.
	Ranks Ranks `yaml:"ranks"`
	// Identity are the logical labels that, with the instance, tell what carries a load
	// of its own: an engine, a data-parallel rank, a device.
	Identity []string `yaml:"identity"`
	// Roles says how the system tells its role; nil when it has none.
	Roles *Roles `yaml:"roles"`
	// Connector moves KV caches between engines, on whose pages its metrics are.
	Connector bool `yaml:"connector"`
	// Reexport are labels that a router adds when it shows its workers' metrics again.
	Reexport []string `yaml:"reexport"`
	// Probe is a metric that every engine of the system exports from the start.
	Probe    string    `yaml:"probe"`
	Bindings []Binding `yaml:"-"`
}

// Ranks are logical labels of ranks, "" for a system that shows none.
type Ranks struct {
	// Tensor are the ranks that repeat or shard what one of them does.
	Tensor string `yaml:"tensor"`
	// Data are the ranks that have requests of their own.
	Data string `yaml:"data"`
}

// TensorCopies is the label by which tensor-parallel ranks repeat one value, "" for none.
func (s System) TensorCopies() string {
	for _, label := range s.Labels[s.Ranks.Tensor] {
		if slices.Contains(s.Copies, label) {
			return label
		}
	}
	return ""
}

// Roles says how a system's series tell their role.
type Roles struct {
	// Label carries the role, "" when only the settings' matchers can tell it.
	Label  string                `yaml:"label"`
	Values map[query.Role]string `yaml:"values"`
	// Lacking are exporting processes whose series never carry the label.
	Lacking []string `yaml:"lacking"`
}

// Shape says how series of several ranks become one number.
type Shape string

const (
	// ShapeSum adds series of which each counts its own events.
	ShapeSum Shape = "sum"
	// ShapeGmax keeps one of the equal copies of a gauge, then adds.
	ShapeGmax Shape = "gmax"
	// ShapeRavg averages equal copies of a counter or histogram after the rate, then adds.
	ShapeRavg Shape = "ravg"
	// ShapeShard adds series of which each rank counts its own part.
	ShapeShard Shape = "shard"
	// ShapeMax keeps the largest; for shares such as a usage from 0 to 1.
	ShapeMax Shape = "max"
	// ShapeMin keeps the smallest.
	ShapeMin Shape = "min"
	// ShapeAvg averages; for shares and for what is counted for each GPU already.
	ShapeAvg Shape = "avg"
	// ShapeGavg keeps one of the equal copies of a gauge, then averages.
	ShapeGavg Shape = "gavg"
)

var shapes = []Shape{ShapeSum, ShapeGmax, ShapeRavg, ShapeShard, ShapeMax, ShapeMin, ShapeAvg, ShapeGavg}

// Type is what a metric is, whatever its name ends in.
type Type string

const (
	// TypeCounter only grows, but for resets.
	TypeCounter Type = "counter"
	// TypeGauge goes up and down.
	TypeGauge Type = "gauge"
	// TypeHistogram has _bucket, _sum and _count series, or is a native histogram.
	TypeHistogram Type = "histogram"
)

// RoleAll is the role of a binding whose events are counted once over all roles,
// on whichever side happens to count them.
const RoleAll query.Role = "all"

// Binding is how one system exports one signal. Exactly one of Sources and
// Ratios is set.
type Binding struct {
	Signal string
	System string
	// Role is the only role that means the signal; "" when each role has its own,
	// RoleAll when all roles together count each event once.
	Role  query.Role
	Shape Shape
	// Unit is the exported unit, converted to the signal's own: "ms", "MiB", "" for none.
	Unit    string
	Sources []Source
	Ratios  []Ratio
	// Buckets are the first and last finite bounds by default, in the exported unit.
	Buckets []float64
	// Condition is the flag without which the metric is absent.
	Condition string
	// Since is the first version that exports it, "" where that is not known.
	Since string
	// Always are logical labels without which the numbers would mean nothing: they
	// split the answer unless a filter fixes them.
	Always []string
	// Covers says for each role which part of a request's life is measured.
	Covers map[query.Role]string
	// Caution is a fault of the metric that the reader of the number must know.
	Caution string
}

// Source is one metric, under all its names, that can serve a binding.
type Source struct {
	// Names without prefix, newest first; they mean the same.
	Names []string `yaml:"names"`
	Type  Type     `yaml:"type"`
	// Match restricts the series, as PromQL matchers.
	Match string `yaml:"match"`
	// Exporter is the system whose prefix, labels and roles apply, "" for the binding's own.
	Exporter string `yaml:"exporter"`
	// From is the exporting process, a key of System.Carries.
	From string `yaml:"from"`
	// Extra are physical labels that only this source has and that tell no
	// series of an engine apart from another source's.
	Extra []string `yaml:"extra"`
	// Has are logical labels of this source beyond those of its process.
	Has []string `yaml:"has"`
	// Labels are physical candidates of logical labels that this source calls
	// otherwise than its system.
	Labels map[string][]string `yaml:"labels"`
	// RankShape overrides the binding's shape for this source, "" for none.
	RankShape Shape `yaml:"rankShape"`
	// Versions say for a name which versions use it ("0.8 and older").
	Versions map[string]string `yaml:"versions"`
	// Count counts the series and does not add their values up.
	Count bool `yaml:"count"`
	// Note is said when this source is used in place of a better one.
	Note string `yaml:"note"`
}

// Ratio is a numerator over a denominator, each a sum of sources.
type Ratio struct {
	Num []Source `yaml:"num"`
	Den []Source `yaml:"den"`
	// Split are logical labels of the numerator alone, by which the ratio can be
	// split all the same: all parts share one denominator.
	Split []string `yaml:"split"`
	// Aligned says that all sources are gauges of one process, so that engines which
	// lack one of them in their version are left out of both halves.
	Aligned bool `yaml:"aligned"`
}

// Sources returns those of the numerator, then those of the denominator.
func (r Ratio) Sources() []Source { return slices.Concat(r.Num, r.Den) }

// AllSources returns the sources of a binding, those of its ratios included.
func (b Binding) AllSources() []Source {
	all := slices.Clone(b.Sources)
	for _, r := range b.Ratios {
		all = append(all, r.Sources()...)
	}
	return all
}
