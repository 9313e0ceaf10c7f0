package tail

import (
	"math"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

const (
	// unknown is what is allowed at first: what is seen within the first renewal
	// tells whether less is enough.
	unknown = 10 * time.Second
	// longestGap bounds for how long points are asked for again that had no value:
	// nothing may have happened, or nothing arrived yet.
	longestGap = time.Minute
)

// longestLate bounds what is learned: where points change for longer, most of a
// refreshing range is asked anew each time, which is right if not cheap.
const longestLate = 5 * time.Minute

// lateness is after how long points are taken for settled.
type lateness struct {
	expected time.Duration
	allowed  time.Duration // at least expected
	seen     time.Duration // the largest age at which a point changed since the last renewal
}

func (l *lateness) expect(late time.Duration) {
	l.expected = max(late, time.Second)
	if l.allowed == 0 {
		l.allowed = unknown
	}
	l.allowed = max(l.allowed, l.expected)
}

// settled is the last settled point of an answer to a question that was asked now;
// before its start for none. Where all series end early, their samples may be on
// the way: a server's clock is behind, or it is written to with a delay.
func (l *lateness) settled(q question, answer prom.Matrix, asked time.Time) int64 {
	if q.alone {
		return q.start - 1
	}
	newest := max(last(answer), asked.Add(-longestGap).UnixMilli())
	last := min(min(newest, asked.UnixMilli())-l.allowed.Milliseconds(), q.end)
	if last < q.start {
		return q.start - q.step
	}
	return last - (last-q.start)%q.step
}

// changed notes that a point changed at an age. It reports whether that is usual:
// much younger than what is allowed, so that settled points need no doubt.
func (l *lateness) changed(age time.Duration) bool {
	l.seen = max(l.seen, age)
	if age <= l.allowed/2 {
		return true
	}
	before := l.allowed
	l.allowed = max(before, min(2*age+time.Second, longestLate))
	return l.allowed == before
}

// renew forgets lateness that was not seen again, unless what is asked anew shows
// that settled points were wrong.
func (l *lateness) renew(before *kept, q question, now prom.Result, asked time.Time) {
	matrix, ok := now.Value.(prom.Matrix)
	if before == nil || !ok || asked.Sub(before.whole) < Renewal {
		return
	}
	l.allowed = max(l.expected, min(l.allowed, 4*l.seen))
	l.seen = 0
	if _, differs := firstChange(before.matrix, matrix, max(before.start, q.start), min(before.settled, q.end)); differs {
		l.allowed = max(longestLate, l.expected) // until it is seen how much is needed
	}
}

// last is the time of the newest point, MinInt64 for none.
func last(m prom.Matrix) int64 {
	newest := int64(math.MinInt64)
	for _, s := range m {
		if len(s.Times) > 0 {
			newest = max(newest, s.Times[len(s.Times)-1])
		}
	}
	return newest
}
