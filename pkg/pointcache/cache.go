// Package pointcache answers the questions of dashboards that refresh: it asks a server
// only for the points that it has not seen settle, keeps the others, and asks what
// several viewers ask at the same time once.
//
// A point of a range query depends on the expression, its own time and the samples
// up to then, and not on the range. It can change only while samples of its time
// are still arriving; after that it is settled. How long that takes is guessed
// from the scrape interval and corrected by what is seen: points that are asked
// again and have changed were late. What was later than that is found after
// [Renewal] at the latest, when everything is asked anew.
package pointcache

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

const (
	// Renewal is how long settled points are believed.
	Renewal = time.Minute
	// fresh is how old points that are not settled may be; less where the step is shorter.
	fresh = time.Second
	// DefaultBytes bounds the memory of a cache when Options.Bytes is 0.
	DefaultBytes int64 = 64 << 20
)

// Server is what is asked; *prom.Client is one.
type Server interface {
	QueryRange(ctx context.Context, promql string, r prom.Range) (prom.Result, error)
	Query(ctx context.Context, promql string, at time.Time) (prom.Result, error)
}

// Options of a cache.
type Options struct {
	// Bytes bounds what is kept; what was used longest ago goes first. 0 is DefaultBytes.
	Bytes int64
	// Figures counts what happens; nil counts nowhere.
	Figures *Figures
	// Now tells the time; nil is time.Now.
	Now func() time.Time
}

// Cache asks one server. It is safe for concurrent use. Its answers are shared and
// must not be changed.
type Cache struct {
	server  Server
	most    int64
	now     func() time.Time
	figures *Figures

	mu      sync.Mutex
	entries map[string]*entry
	recent  *list.List  // of *entry, the last used in front
	sweep   *time.Timer // nil while nothing is kept
	bytes   int64
}

// New makes an empty cache before a server.
func New(server Server, o Options) *Cache {
	c := &Cache{server: server, most: o.Bytes, now: o.Now, figures: o.Figures, entries: map[string]*entry{}, recent: list.New()}
	if c.most <= 0 {
		c.most = DefaultBytes
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.figures == nil {
		c.figures = NewFigures()
	}
	return c
}

// Expression is the PromQL of a question.
type Expression struct {
	PromQL string
	// Lasting says that a point depends on nothing but the samples up to its own time, and is
	// the same in another range; points of others are not kept.
	Lasting bool
}

// QueryRange is prom.Client's, with points that are as new as a second ago. The error is
// the server's, or the context's where the caller gave up.
func (c *Cache) QueryRange(ctx context.Context, e Expression, r prom.Range, arrival Arrival) (prom.Result, error) {
	q := question{
		promql: e.PromQL, start: r.Start.UnixMilli(), end: r.End.UnixMilli(), step: r.Step.Milliseconds(), arrival: arrival,
	}
	if q.step <= 0 || q.end < q.start {
		return c.server.QueryRange(ctx, e.PromQL, r) // which says what is wrong
	}
	q.end = q.start + (q.end-q.start)/q.step*q.step // the last point
	q.alone = !e.Lasting
	q.past = q.end < c.now().Add(-Renewal-arrival.Late).UnixMilli()
	return c.answer(ctx, q)
}

// Query is prom.Client's: an instant query that was asked a moment ago for the same
// time is not asked again.
func (c *Cache) Query(ctx context.Context, promql string, at time.Time) (prom.Result, error) {
	return c.answer(ctx, question{promql: promql, start: at.UnixMilli(), end: at.UnixMilli(), alone: true, instant: true})
}

// question is one query. Times and the step are in milliseconds.
type question struct {
	promql           string
	start, end, step int64
	arrival          Arrival
	// alone says that its points are of no use for another range.
	alone bool
	// past says that its range ends so long ago that its points are settled.
	past    bool
	instant bool
}

// key is what questions have in common that can be answered from the same points.
// Identities never share.
func (q question) key(ctx context.Context) string {
	if q.alone || q.past {
		return fmt.Sprintf("%s\x00%d %d %d %t\x00%s", prom.Identity(ctx), q.start, q.end, q.step, q.instant, q.promql)
	}
	return fmt.Sprintf("%s\x00%d %d\x00%s", prom.Identity(ctx), q.step, q.start%q.step, q.promql)
}

// answer takes what is kept, joins a flight that will bring it or starts one.
func (c *Cache) answer(ctx context.Context, q question) (prom.Result, error) {
	key := q.key(ctx)
	joined := false
	for {
		c.mu.Lock()
		e := c.entry(key)
		if e.kept != nil && e.kept.answers(q, c.now()) {
			kept := e.kept
			c.mu.Unlock()
			if !joined {
				c.figures.kept.Inc()
			}
			return kept.cut(q), nil
		}
		f := e.flight
		if f == nil {
			f = c.depart(ctx, e, q)
		} else {
			e.wanted = max(e.wanted, q.end)
			joined = true
			c.figures.joined.Inc()
		}
		f.waiting++
		c.mu.Unlock()

		select {
		case <-f.landed:
		case <-ctx.Done():
			c.leave(e, f)
			return prom.Result{}, ctx.Err()
		}
		switch {
		case f.crash != nil:
			panic(f.crash) // where the caller's own would be caught
		case !f.brings(q): // it was for another range
			continue
		case f.err != nil:
			return prom.Result{}, f.err
		}
		return f.kept.cut(q), nil
	}
}
