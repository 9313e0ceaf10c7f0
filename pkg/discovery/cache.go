package discovery

import (
	"context"
	"fmt"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

const (
	// Fresh is how old a deployment may be before it is looked at anew.
	Fresh = 30 * time.Second
	// Retry is how old a deployment, or a failure, may be when a query found nothing
	// in it: a counter that has just appeared should not stay missing for long.
	Retry = 5 * time.Second
	// Stale is how old a deployment may be that is used while the next look runs.
	Stale = 5 * time.Minute
)

const (
	// mostLooks bounds what is kept of whole looks, over logins and windows.
	mostLooks = 200
	// mostKept bounds what is kept of answers about single selectors.
	mostKept = 1000
	// longestLook bounds a look; each of its requests is bounded by the client.
	longestLook = 2 * time.Minute
)

// Cache keeps what was discovered. Queries that come together share one look.
//
// A look begins with a glance, which every login takes for itself: a server may show each
// something else. What follows from a glance is the same for all who saw the same, and is
// looked up once for them.
type Cache struct {
	discoverer *Discoverer
	now        func() time.Time
	looks      *memo[*deployment.Deployment]
	seen       *memo[*deployment.Deployment] // by glance
	layouts    *memo[deployment.Layout]
	resets     *memo[int]
	engines    *memo[[]Engine]
}

// NewCache makes an empty cache.
func NewCache(d *Discoverer) *Cache { return newCache(d, time.Now) }

// At is an empty cache of the same server in a time of a test's own.
func (c *Cache) At(now func() time.Time) *Cache { return newCache(c.discoverer, now) }

func newCache(d *Discoverer, now func() time.Time) *Cache {
	return &Cache{
		discoverer: d,
		now:        now,
		looks:      newMemo[*deployment.Deployment](mostLooks, now),
		seen:       newMemo[*deployment.Deployment](mostLooks, now),
		layouts:    newMemo[deployment.Layout](mostKept, now),
		resets:     newMemo[int](mostKept, now),
		engines:    newMemo[[]Engine](mostKept, now),
	}
}

// Get returns the deployment of a window, the last hour for a zero one, that is no older than
// maxAge. It waits for a look where there is none.
func (c *Cache) Get(ctx context.Context, maxAge time.Duration, w Window) (*deployment.Deployment, error) {
	w, name := w.rounded(c.now())
	return c.looks.within(ctx, mine(ctx, name), maxAge, c.look(w, name, maxAge))
}

// Latest is Get for panels, which must not wait for a look: one that is older than maxAge,
// up to Stale, is returned while the next one runs.
func (c *Cache) Latest(ctx context.Context, maxAge time.Duration, w Window) (*deployment.Deployment, error) {
	w, name := w.rounded(c.now())
	return c.looks.latest(ctx, mine(ctx, name), maxAge, c.look(w, name, Fresh))
}

// mine is a key that no other login shares.
func mine(ctx context.Context, name string) string { return prom.Identity(ctx) + " " + name }

// look is a glance and what follows from it, which may be as old as maxAge.
func (c *Cache) look(w Window, name string, maxAge time.Duration) func(context.Context) (*deployment.Deployment, error) {
	return func(ctx context.Context) (*deployment.Deployment, error) {
		g, err := c.discoverer.glance(ctx, w)
		if err != nil {
			return nil, err
		}
		own := false
		found, err := c.seen.within(ctx, g.fingerprint()+" "+name, maxAge, func(ctx context.Context) (*deployment.Deployment, error) {
			own = true
			return c.discoverer.follow(ctx, g, w)
		})
		if err != nil && !own {
			// Another login's failure is its own.
			return c.discoverer.follow(ctx, g, w)
		}
		return found, err
	}
}

// rounded widens a window, so that queries of about the same time share a look: it
// begins at a full hour, at least an hour before its end, and ends now or at a full
// hour. One that ends now is named by its length, so that the name of a graph's window stays
// when the clock strikes.
func (w Window) rounded(now time.Time) (Window, string) {
	const grid = time.Hour
	if w.To.IsZero() {
		w.To = now
	}
	past := w.To.Before(now.Add(-grid))
	if past {
		w.To = w.To.Truncate(grid).Add(grid)
	} else {
		w.To = now
	}
	if latest := w.To.Add(-grid); w.From.IsZero() || w.From.After(latest) {
		w.From = latest
	}
	if past {
		w.From = w.From.Truncate(grid)
		return w, w.From.UTC().Format(time.RFC3339) + " " + w.To.UTC().Format(time.RFC3339)
	}
	const underway = time.Minute // at most, of the request since its range was set
	hours := int64((now.Sub(w.From) - underway + grid - 1) / grid)
	if from := now.Add(-time.Duration(hours) * grid); w.From.After(from) {
		w.From = from
	}
	w.From = w.From.Truncate(grid)
	return w, fmt.Sprintf("the last %d h", hours)
}
