package pointcache

import (
	"math"
	"slices"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// merge takes the points before from of one answer and those of another, which has
// none before it. It is false where series cannot be told apart.
func merge(old, tail prom.Matrix, from int64) (prom.Matrix, bool) {
	index, ok := indexed(tail)
	if !ok {
		return nil, false
	}
	merged := make(prom.Matrix, 0, max(len(old), len(tail)))
	found := make([]bool, len(tail))
	var times spliced
	for _, s := range old {
		end, _ := slices.BinarySearch(s.Times, from)
		one := prom.Series{Metric: s.Metric, Times: s.Times[:end:end], Values: s.Values[:end:end]}
		if i, ok := index.find(s.Metric); ok {
			found[i] = true
			one.Times = times.splice(one.Times, tail[i].Times)
			one.Values = slices.Concat(one.Values, tail[i].Values)
		}
		if len(one.Values) > 0 {
			merged = append(merged, one)
		}
	}
	for i, s := range tail {
		if !found[i] {
			merged = append(merged, s)
		}
	}
	return merged, true
}

// spliced joins columns of times; series that shared both share the result.
type spliced struct{ a, b, both []int64 }

func (s *spliced) splice(a, b []int64) []int64 {
	if !prom.SameTimes(a, s.a) || !prom.SameTimes(b, s.b) {
		*s = spliced{a, b, slices.Concat(a, b)}
	}
	return s.both
}

// positions finds series by their labels.
type positions struct {
	matrix prom.Matrix
	at     map[model.Fingerprint]int
	next   int // series mostly come in the same order
}

// indexed is false in the unlikely case that the labels of two series have the same hash.
func indexed(m prom.Matrix) (*positions, bool) {
	p := &positions{matrix: m, at: make(map[model.Fingerprint]int, len(m))}
	for i, s := range m {
		p.at[s.Metric.Fingerprint()] = i
	}
	return p, len(p.at) == len(m)
}

func (p *positions) find(metric model.Metric) (int, bool) {
	if p.next < len(p.matrix) && p.matrix[p.next].Metric.Equal(metric) {
		p.next++
		return p.next - 1, true
	}
	i, ok := p.at[metric.Fingerprint()]
	if !ok || !p.matrix[i].Metric.Equal(metric) {
		return 0, false
	}
	p.next = i + 1
	return i, true
}

// firstChange is the earliest time from from to to at which two answers differ.
func firstChange(old, now prom.Matrix, from, to int64) (int64, bool) {
	index, ok := indexed(now)
	if !ok {
		return from, true
	}
	first := int64(math.MaxInt64)
	seen := make([]bool, len(now))
	for _, s := range old {
		var other prom.Series
		if i, ok := index.find(s.Metric); ok {
			other, seen[i] = now[i], true
		}
		first = min(first, firstDifference(s, other, from, to))
	}
	for i, s := range now {
		if !seen[i] {
			first = min(first, firstDifference(prom.Series{}, s, from, to))
		}
	}
	return first, first != math.MaxInt64
}

// firstDifference is the earliest time at which two series differ, MaxInt64 for none.
func firstDifference(a, b prom.Series, from, to int64) int64 {
	i, _ := slices.BinarySearch(a.Times, from)
	j, _ := slices.BinarySearch(b.Times, from)
	for {
		left, right := int64(math.MaxInt64), int64(math.MaxInt64)
		if i < len(a.Times) && a.Times[i] <= to {
			left = a.Times[i]
		}
		if j < len(b.Times) && b.Times[j] <= to {
			right = b.Times[j]
		}
		if left != right || left == math.MaxInt64 || !alike(a.Values[i], b.Values[j]) {
			return min(left, right)
		}
		i, j = i+1, j+1
	}
}

// alike allows for servers that add up in another order each time.
func alike(a, b float64) bool {
	const tolerance = 1e-12
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}
