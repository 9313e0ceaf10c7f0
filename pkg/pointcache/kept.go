package pointcache

import (
	"slices"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// kept are the points of a range, or an instant's answer. It is never changed.
type kept struct {
	start, end, step int64
	// settled is the last point that will not change any more.
	settled int64
	// asked is when the newest point was asked for, whole when all were.
	asked, whole time.Time
	result       prom.Result
	matrix       prom.Matrix // of the result, nil where it is none
}

func newKept(q question, result prom.Result, asked time.Time, late *lateness) *kept {
	k := &kept{start: q.start, end: q.end, step: q.step, asked: asked, whole: asked, result: result}
	k.matrix, _ = result.Value.(prom.Matrix)
	k.settled = late.settled(q, k.matrix, asked)
	if native(k.matrix) {
		k.settled = k.start - max(k.step, 1) // nothing is kept of native histograms
	}
	return k
}

func native(m prom.Matrix) bool {
	return slices.ContainsFunc(m, func(s prom.Series) bool { return s.Native })
}

// answers reports whether a question needs nothing from the server now.
func (k *kept) answers(q question, now time.Time) bool {
	if k.start > q.start || q.end > k.end || now.Sub(k.whole) >= Renewal {
		return false
	}
	newest := fresh
	if q.step > 0 {
		newest = min(newest, time.Duration(q.step)*time.Millisecond)
	}
	return q.end <= k.settled || now.Sub(k.asked) < newest
}

// extends reports whether the settled points are of use to a question.
func (k *kept) extends(q question, now time.Time) bool {
	return k != nil && !q.alone && k.start <= q.start && q.start <= k.settled && now.Sub(k.whole) < Renewal
}

// extended is what is kept together with the points from a time on, which were just
// asked. It is false where the new points show that settled ones may be wrong.
func (k *kept) extended(q question, from int64, tail prom.Result, asked time.Time, late *lateness) (*kept, bool) {
	points, ok := tail.Value.(prom.Matrix)
	if !ok || native(points) {
		return nil, false
	}
	if at, differs := firstChange(k.matrix, points, from, min(k.end, q.end)); differs {
		if !late.changed(k.asked.Sub(time.UnixMilli(at))) {
			return nil, false
		}
	}
	merged, ok := merge(k.matrix, points, from)
	if !ok {
		return nil, false
	}
	q.start = k.start
	after := newKept(q, prom.Result{Value: merged, Warnings: joined(k.result.Warnings, tail.Warnings)}, asked, late)
	after.whole = k.whole
	return after, true
}

// joined are the warnings of both, each once.
func joined(a, b []string) []string {
	all := a
	for _, text := range b {
		if !slices.Contains(all, text) {
			all = append(slices.Clip(all), text)
		}
	}
	return all
}

// cut is the answer to a question within the range.
func (k *kept) cut(q question) prom.Result {
	if k.matrix == nil || k.start == q.start && k.end == q.end {
		return k.result
	}
	part := make(prom.Matrix, 0, len(k.matrix))
	var last prom.Series
	from, to := 0, 0
	for _, s := range k.matrix {
		if !prom.SameTimes(s.Times, last.Times) {
			from, _ = slices.BinarySearch(s.Times, q.start)
			to, _ = slices.BinarySearch(s.Times, q.end+1)
		}
		last = s
		if from < to || s.Native { // a series without a point in the range is not in its answer
			part = append(part, prom.Series{Metric: s.Metric, Times: s.Times[from:to:to], Values: s.Values[from:to:to], Native: s.Native})
		}
	}
	return prom.Result{Value: part, Warnings: k.result.Warnings}
}

// bytes is about what is held in memory.
func (k *kept) bytes() int64 {
	const fixed, series, label = 512, 160, 48
	size := int64(fixed)
	var last []int64
	for _, s := range k.matrix {
		size += series + 8*int64(len(s.Values)) + labelBytes(s.Metric, label)
		if !prom.SameTimes(s.Times, last) {
			size += 8 * int64(len(s.Times))
		}
		last = s.Times
	}
	if vector, ok := k.result.Value.(model.Vector); ok {
		for _, one := range vector {
			size += series + labelBytes(one.Metric, label)
		}
	}
	for _, text := range k.result.Warnings {
		size += int64(len(text))
	}
	return size
}

func labelBytes(metric model.Metric, each int64) int64 {
	size := int64(0)
	for name, value := range metric {
		size += each + int64(len(name)+len(value))
	}
	return size
}
