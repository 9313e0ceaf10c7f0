package discovery

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// Fresh is how old a deployment may be before it is looked at anew.
const Fresh = 30 * time.Second

// Retry is how old a deployment, or a failure, may be when a query found nothing
// in it: a counter that has just appeared should not stay missing for long.
const Retry = 5 * time.Second

// mostWindows bounds the number of windows whose deployments are kept.
const mostWindows = 50

// Cache keeps what was discovered. Queries that come together share one look.
type Cache struct {
	discoverer *Discoverer
	flight     singleflight.Group
	layouts    *memo[catalog.Layout]
	resets     *memo[int]
	engines    *memo[[]Engine]

	mu    sync.Mutex
	looks map[string]look
}

// look is the outcome of one discovery.
type look struct {
	found *catalog.Deployment
	err   error
	at    time.Time
}

// NewCache makes an empty cache.
func NewCache(d *Discoverer) *Cache {
	return &Cache{
		discoverer: d,
		layouts:    newMemo[catalog.Layout](keepLayouts, mostKept),
		resets:     newMemo[int](keepResets, mostKept),
		engines:    newMemo[[]Engine](Retry, mostKept),
		looks:      map[string]look{},
	}
}

// Get returns the deployment of a window, the last hour for a zero one, that is no older than maxAge. A failure is
// kept for Retry, so that a server that is down is not asked once for every panel.
func (c *Cache) Get(ctx context.Context, maxAge time.Duration, w Window) (*catalog.Deployment, error) {
	w, key := w.rounded(time.Now())
	key = prom.Identity(ctx) + " " + key
	if last, ok := c.recent(key, maxAge); ok {
		return last.found, last.err
	}
	// The look outlives a caller that gives up: others may wait for it.
	result := c.flight.DoChan(key, func() (any, error) {
		if last, ok := c.recent(key, maxAge); ok {
			return last.found, last.err
		}
		detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), Fresh)
		defer cancel()
		found, err := c.discoverer.Discover(detached, w)
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.looks) >= mostWindows {
			clear(c.looks)
		}
		c.looks[key] = look{found: found, err: err, at: time.Now()}
		return found, err
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-result:
		found, _ := r.Val.(*catalog.Deployment)
		return found, r.Err
	}
}

// rounded widens a window, so that queries of about the same time share a look: it
// begins at a full hour, at least an hour before its end, and ends now or at a full
// hour.
func (w Window) rounded(now time.Time) (Window, string) {
	const grid = time.Hour
	until := "now"
	if w.To.IsZero() {
		w.To = now
	}
	if w.To.Before(now.Add(-grid)) {
		w.To = w.To.Truncate(grid).Add(grid)
		until = w.To.UTC().Format(time.RFC3339)
	} else {
		w.To = now
	}
	if latest := w.To.Add(-grid); w.From.IsZero() || w.From.After(latest) {
		w.From = latest
	}
	w.From = w.From.Truncate(grid)
	return w, fmt.Sprintf("%s %s", w.From.UTC().Format(time.RFC3339), until)
}

func (c *Cache) recent(key string, maxAge time.Duration) (look, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.looks[key]
	if last.err != nil {
		maxAge = min(maxAge, Retry)
	}
	return last, !last.at.IsZero() && time.Since(last.at) <= maxAge
}
