package catalog

import (
	"slices"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Statistic is what can be made of a signal's numbers. All that is known of one is in
// the table below, but for what builds it: that is PromQL, in package compile.
type Statistic struct {
	Stat query.Stat
	// Kinds of signals that have it. The first of a kind is the one that is meant where
	// none is asked for.
	Kinds []Kind
	// Unit of its numbers, a Grafana unit id; "" where it is the signal's own.
	Unit string
	// PerSecond says that its numbers are samples of the signal per second, whose unit
	// is made of their name.
	PerSecond bool
}

// Statistics is the table, in the order in which the editor offers them.
var Statistics = []Statistic{
	{Stat: query.StatDefault, Kinds: []Kind{KindRate, KindGauge}},
	{Stat: query.StatQuantile, Kinds: []Kind{KindDistribution}},
	{Stat: query.StatMean, Kinds: []Kind{KindDistribution}},
	{Stat: query.StatUnder, Kinds: []Kind{KindDistribution}, Unit: "percentunit"},
	{Stat: query.StatHeatmap, Kinds: []Kind{KindDistribution}, PerSecond: true},
	{Stat: query.StatRate, Kinds: []Kind{KindDistribution}, PerSecond: true},
	{Stat: query.StatSkew, Kinds: []Kind{KindRate, KindGauge}, Unit: "none"},
}

// of reports whether a signal has the statistic. A number of requests that is worked
// out of bytes has no other than itself: the sizes of its models stand in the way.
func (s Statistic) of(signal Signal) bool {
	return slices.Contains(s.Kinds, signal.Kind) && !(signal.PerRequestSize && signal.Kind != KindDistribution)
}

// UnitOf is the unit of the statistic of a signal.
func (s Statistic) UnitOf(signal Signal) string {
	switch {
	case s.PerSecond:
		return "suffix:" + plural(signal.Sample) + "/s"
	case s.Unit != "":
		return s.Unit
	}
	return signal.Unit
}

// Stats lists the statistics that there are of the signal, the default first.
func (s Signal) Stats() []query.Stat {
	var has []query.Stat
	for _, stat := range query.Stats {
		if slices.ContainsFunc(Statistics, func(one Statistic) bool { return one.Stat == stat && one.of(s) }) {
			has = append(has, stat)
		}
	}
	return has
}

// Statistic is what is meant of the signal by what was asked for. Where the signal has
// no such statistic it is the signal's number itself.
func (s Signal) Statistic(asked query.Stat) Statistic {
	for _, one := range Statistics {
		if one.of(s) && (asked == one.Stat || asked == query.StatDefault) {
			return one
		}
	}
	return Statistic{Stat: query.StatDefault, Kinds: []Kind{s.Kind}}
}

// plural names more than one sample.
func plural(sample string) string {
	for _, ending := range []string{"s", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(sample, ending) {
			return sample + "es"
		}
	}
	if before, ok := strings.CutSuffix(sample, "y"); ok && !strings.ContainsAny(before[max(len(before)-1, 0):], "aeiou") {
		return before + "ies"
	}
	return sample + "s"
}
