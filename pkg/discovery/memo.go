package discovery

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// memo keeps what was found, of most keys those that were used last. Calls for one key
// share one flight.
type memo[T any] struct {
	most   int
	now    func() time.Time
	flight singleflight.Group

	mu    sync.Mutex
	kept  map[string]*kept[T]
	sweep *time.Timer // nil while nothing is kept
}

// kept is the last outcome of each kind.
type kept[T any] struct {
	value  T
	at     time.Time // of value, zero for none
	err    error
	failed time.Time // when err came, zero for none since at
	used   time.Time
}

func newMemo[T any](most int, now func() time.Time) *memo[T] {
	return &memo[T]{most: most, now: now, kept: map[string]*kept[T]{}}
}

// within returns what is kept for the key where it is no older than maxAge, else what look
// finds. A failure is kept for Retry, so that a server that is down is not asked once for
// every panel.
func (m *memo[T]) within(ctx context.Context, key string, maxAge time.Duration, look func(context.Context) (T, error)) (T, error) {
	if last, ok := m.recent(key, maxAge); ok {
		return last.value, last.err
	}
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case r := <-m.depart(ctx, key, maxAge, look):
		value, _ := r.Val.(T)
		return value, r.Err
	}
}

// latest is within for those who must not wait: what is older than maxAge is returned all
// the same up to the age of Stale, while the next look runs.
func (m *memo[T]) latest(ctx context.Context, key string, maxAge time.Duration, look func(context.Context) (T, error)) (T, error) {
	if value, ok := m.stale(key); ok {
		if _, fresh := m.recent(key, maxAge); !fresh {
			m.depart(ctx, key, maxAge, look)
		}
		return value, nil
	}
	return m.within(ctx, key, maxAge, look)
}

// depart looks, or joins who is looking. The look outlives a caller that gives up: others
// may wait for it.
func (m *memo[T]) depart(ctx context.Context, key string, maxAge time.Duration, look func(context.Context) (T, error)) <-chan singleflight.Result {
	return m.flight.DoChan(key, func() (found any, err error) {
		if last, ok := m.recent(key, maxAge); ok { // of a flight that has just landed
			return last.value, last.err
		}
		defer func() {
			// A panic of a goroutine ends the process, and with it every other panel.
			if fault := recover(); fault != nil {
				found, err = nil, fmt.Errorf("PD Monitor failed while it looked at the server, please report it: %v", fault)
			}
		}()
		detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestLook)
		defer cancel()
		value, err := look(detached)
		m.put(key, value, err)
		return value, err
	})
}

// recent is the last outcome, if it is no older than maxAge.
func (m *memo[T]) recent(key string, maxAge time.Duration) (kept[T], bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last, ok := m.kept[key]
	if !ok {
		return kept[T]{}, false
	}
	last.used = m.now()
	if !last.failed.IsZero() {
		return kept[T]{err: last.err}, m.now().Sub(last.failed) <= min(maxAge, Retry)
	}
	return kept[T]{value: last.value}, m.now().Sub(last.at) <= maxAge
}

// stale is the last value that was found, unless it is too old to be believed.
func (m *memo[T]) stale(key string) (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last, ok := m.kept[key]
	if !ok || last.at.IsZero() || m.now().Sub(last.at) > Stale {
		var none T
		return none, false
	}
	return last.value, true
}

func (m *memo[T]) put(key string, value T, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one, ok := m.kept[key]
	if !ok {
		if len(m.kept) >= m.most {
			m.evict()
		}
		one = &kept[T]{}
		m.kept[key] = one
	}
	one.used = m.now()
	if err != nil {
		one.err, one.failed = err, one.used
	} else {
		*one = kept[T]{value: value, at: one.used, used: one.used}
	}
	if m.sweep == nil {
		m.sweep = time.AfterFunc(Stale, m.forget)
	}
}

// evict drops what was used longest ago. The caller holds the lock.
func (m *memo[T]) evict() {
	oldest, found := "", false
	for key, one := range m.kept {
		if !found || one.used.Before(m.kept[oldest].used) {
			oldest, found = key, true
		}
	}
	delete(m.kept, oldest)
}

// forget drops what nobody has used for long: a data source that was deleted is never asked
// again, and nobody tells.
func (m *memo[T]) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, one := range m.kept {
		if m.now().Sub(one.used) >= Stale {
			delete(m.kept, key)
		}
	}
	m.sweep = nil
	if len(m.kept) > 0 {
		m.sweep = time.AfterFunc(Stale, m.forget)
	}
}
