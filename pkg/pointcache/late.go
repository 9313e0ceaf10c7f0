package pointcache

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
	// lookback is for how long servers take a sample for the present value, unless told
	// otherwise.
	lookback = 5 * time.Minute
)

// longestLate bounds what is learned: where points change for longer, no point is kept,
// which is right if not cheap.
const longestLate = 5 * time.Minute

// Arrival is what a caller knows of how samples come to a server.
type Arrival struct {
	// Late is how long after its own time a sample may come.
	Late time.Duration
	// Behind is how old the newest samples of the server are; Unknown where nobody knows.
	Behind time.Duration
}

// Unknown is the Behind of a server whose newest samples nobody has looked at.
const Unknown time.Duration = -1

// lateness is after how long points are taken for settled.
type lateness struct {
	expected time.Duration
	behind   time.Duration
	allowed  time.Duration // at least expected
	seen     time.Duration // the largest age at which a point changed since the last renewal
	// tooLate is when a point was last seen to have changed at an age beyond what can be
	// learned, zero for never.
	tooLate time.Time
}

func (l *lateness) expect(a Arrival) {
	l.expected, l.behind = max(a.Late, time.Second), a.Behind
	if l.allowed == 0 {
		l.allowed = unknown
	}
	l.allowed = max(l.allowed, l.expected)
}

// settled is the last settled point of an answer to a question that was asked now;
// before its start for none.
func (l *lateness) settled(q question, answer prom.Matrix, asked time.Time) int64 {
	if q.alone || asked.Sub(l.tooLate) < 2*Renewal {
		return q.start - max(q.step, 1)
	}
	last := min(l.arrived(q, answer, asked)-l.allowed.Milliseconds(), q.end)
	if last < q.start {
		return q.start - q.step
	}
	return last - (last-q.start)%q.step
}

// arrived is the time up to which the samples of an answer are taken to have arrived, as far
// as they are no later than allowed. Where all series end early, their samples may be on the
// way: a server's clock is behind, or it is written to with a delay. That nothing happened
// is believed where the server is known to have newer samples of something else.
func (l *lateness) arrived(q question, answer prom.Matrix, asked time.Time) int64 {
	newest, present := last(answer), asked.UnixMilli()
	gap := min(q.end, present) - newest
	switch {
	case l.behind >= 0:
		present = asked.Add(-l.behind).UnixMilli()
	case len(answer) == 0:
		return q.start - lookback.Milliseconds()
	case gap > longestGap.Milliseconds():
		return newest - lookback.Milliseconds() // a gauge's last points repeat the last sample
	}
	return min(present, max(newest, asked.Add(-longestGap).UnixMilli()))
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

// renew compares what is asked anew with what was known. Lateness that was not seen again for
// a renewal is forgotten; where settled points turn out to have been wrong, more is allowed until
// it is seen how much is needed, and where they were older than can be allowed, none is settled
// for a while.
func (l *lateness) renew(before *kept, q question, now prom.Result, asked time.Time) {
	matrix, ok := now.Value.(prom.Matrix)
	if before == nil || !ok {
		return
	}
	renewal := asked.Sub(before.whole) >= Renewal
	if renewal {
		l.allowed = max(l.expected, min(l.allowed, 4*l.seen))
		l.seen = 0
	}
	at, differs := firstChange(before.matrix, matrix, max(before.start, q.start), min(before.end, q.end))
	if !differs {
		return
	}
	age := before.asked.Sub(time.UnixMilli(at))
	if renewal && at <= before.settled {
		l.allowed = max(longestLate, l.expected)
	}
	if age > longestLate {
		l.tooLate = asked
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
