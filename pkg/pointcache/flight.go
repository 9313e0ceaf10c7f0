package pointcache

import (
	"container/list"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// entry is what is known under one key; the cache's lock guards it.
type entry struct {
	key    string
	kept   *kept   // nil for nothing
	flight *flight // nil while nothing is asked
	// wanted is the latest end that waits for the flight to land, in milliseconds.
	wanted int64
	// late is how late samples were seen to be, at least what was expected.
	late lateness

	place *list.Element // in the order of use
	used  time.Time
	bytes int64 // of kept
}

// flight is one question to the server on behalf of all who wait for it. Its
// outcome may be read once it has landed.
type flight struct {
	start, end int64
	waiting    int
	cancel     context.CancelFunc
	landed     chan struct{}

	kept  *kept
	err   error
	crash *Crash
}

// Crash is the panic of a question that several callers may wait for; each of them
// panics with it.
type Crash struct {
	Value any
	Stack []byte
}

// String is the panic's own text.
func (c *Crash) String() string { return fmt.Sprint(c.Value) }

// brings reports whether the flight is for the range of a question.
func (f *flight) brings(q question) bool { return f.start <= q.start && q.end <= f.end }

// depart asks for what a question lacks. The caller holds the lock.
func (c *Cache) depart(ctx context.Context, e *entry, q question) *flight {
	if !q.alone && !q.past {
		// Who waited for the last flight in vain is served by this one.
		q.end = max(q.end, e.wanted-mod(e.wanted-q.start, q.step))
	}
	e.wanted = 0
	// The flight outlives a caller that gives up: others may wait for it.
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{start: q.start, end: q.end, cancel: cancel, landed: make(chan struct{})}
	e.flight = f
	before, late := e.kept, e.late
	go func() {
		defer cancel()
		f.kept, f.crash, f.err = c.fly(detached, q, before, &late)
		if f.kept != nil {
			f.start = min(f.start, f.kept.start)
		}
		c.land(e, f, late)
	}()
	return f
}

// mod is the remainder that is never negative.
func mod(a, b int64) int64 { return ((a % b) + b) % b }

// leave is what a caller does that does not wait any longer; the last one ends the
// question at the server.
func (c *Cache) leave(e *entry, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiting--; f.waiting > 0 {
		return
	}
	f.cancel()
	if e.flight == f {
		e.flight = nil
	}
}

func (c *Cache) land(e *entry, f *flight, late lateness) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(f.landed)
	if e.flight == f {
		e.flight = nil
		e.late = late
		if f.kept != nil {
			c.keep(e, f.kept)
		}
	}
	c.forget(e)
}

// fly asks, for the tail alone where that is enough.
func (c *Cache) fly(ctx context.Context, q question, before *kept, late *lateness) (after *kept, crash *Crash, err error) {
	defer func() {
		if value := recover(); value != nil {
			crash = &Crash{Value: value, Stack: debug.Stack()}
		}
	}()
	asked := c.now()
	late.expect(q.arrival)
	from := q.start
	if before.extends(q, asked) {
		from = before.settled + q.step
	}
	for {
		result, err := c.ask(ctx, q, from)
		if err != nil {
			return nil, nil, err
		}
		if from == q.start {
			c.figures.whole.Inc()
			late.renew(before, q, result, asked)
			return newKept(q, result, asked, late), nil, nil
		}
		c.figures.tails.Inc()
		after, ok := before.extended(q, from, result, asked, late)
		if ok {
			return after, nil, nil
		}
		// Samples came later than expected, so that settled points may be wrong too.
		from, asked = q.start, c.now()
	}
}

func (c *Cache) ask(ctx context.Context, q question, from int64) (prom.Result, error) {
	if q.instant {
		return c.server.Query(ctx, q.promql, time.UnixMilli(q.start))
	}
	return c.server.QueryRange(ctx, q.promql, prom.Range{
		Start: time.UnixMilli(from), End: time.UnixMilli(q.end), Step: time.Duration(q.step) * time.Millisecond,
	})
}
