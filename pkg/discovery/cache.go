package discovery

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
)

// Fresh is how old a deployment may be before it is looked at anew.
const Fresh = 30 * time.Second

// Retry is how old a deployment, or a failure, may be when a query found nothing
// in it: a counter that has just appeared should not stay missing for long.
const Retry = 5 * time.Second

// Cache keeps what was discovered. Queries that come together share one look.
type Cache struct {
	discoverer *Discoverer
	flight     singleflight.Group
	layouts    *memo[catalog.Layout]
	resets     *memo[int]

	mu   sync.Mutex
	last look
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
	}
}

// Get returns a deployment that is no older than maxAge. A failure is kept for
// Retry, so that a server that is down is not asked once for every panel.
func (c *Cache) Get(ctx context.Context, maxAge time.Duration) (*catalog.Deployment, error) {
	if last, ok := c.recent(maxAge); ok {
		return last.found, last.err
	}
	// The look outlives a caller that gives up: others may wait for it.
	result := c.flight.DoChan("", func() (any, error) {
		if last, ok := c.recent(maxAge); ok {
			return last.found, last.err
		}
		detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), Fresh)
		defer cancel()
		found, err := c.discoverer.Discover(detached, time.Now())
		c.mu.Lock()
		defer c.mu.Unlock()
		c.last = look{found: found, err: err, at: time.Now()}
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

func (c *Cache) recent(maxAge time.Duration) (look, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last.err != nil {
		maxAge = min(maxAge, Retry)
	}
	return c.last, !c.last.at.IsZero() && time.Since(c.last.at) <= maxAge
}
