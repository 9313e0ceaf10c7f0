package tail

import (
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
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
	l.allowed = max(l.allowed, l.expected)
}

// settled is the last settled point of a question that is asked now; before its
// start for none.
func (l *lateness) settled(q question, asked time.Time) int64 {
	if q.alone {
		return q.start - 1
	}
	last := min(asked.Add(-l.allowed).UnixMilli(), q.end)
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
func (l *lateness) renew(before *kept, now prom.Result, asked time.Time) {
	matrix, ok := now.Value.(prom.Matrix)
	if before == nil || !ok || asked.Sub(before.whole) < Renewal {
		return
	}
	l.allowed = max(l.expected, min(l.allowed, 4*l.seen))
	l.seen = 0
	if _, differs := firstChange(before.matrix, matrix, before.start, before.settled); differs {
		l.allowed = min(2*l.allowed, max(longestLate, l.expected))
	}
}
