package discovery

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// memo keeps answers for a while; calls for one key share one flight.
type memo[T any] struct {
	keep   time.Duration
	most   int
	flight singleflight.Group

	mu   sync.Mutex
	kept map[string]kept[T]
}

type kept[T any] struct {
	value T
	at    time.Time
}

func newMemo[T any](keep time.Duration, most int) *memo[T] {
	return &memo[T]{keep: keep, most: most, kept: map[string]kept[T]{}}
}

// get returns what is kept for the key, else what look finds. A failure is not kept.
func (m *memo[T]) get(ctx context.Context, key string, look func(context.Context) (T, error)) (T, error) {
	key = prom.Identity(ctx) + " " + key
	if value, ok := m.recent(key); ok {
		return value, nil
	}
	result := m.flight.DoChan(key, func() (any, error) {
		detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), Fresh)
		defer cancel()
		value, err := look(detached)
		if err == nil {
			m.put(key, value)
		}
		return value, err
	})
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case r := <-result:
		value, _ := r.Val.(T)
		return value, r.Err
	}
}

func (m *memo[T]) recent(key string) (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one, ok := m.kept[key]
	return one.value, ok && time.Since(one.at) <= m.keep
}

func (m *memo[T]) put(key string, value T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kept) >= m.most {
		clear(m.kept) // cheap, and right: everything can be asked again
	}
	m.kept[key] = kept[T]{value: value, at: time.Now()}
}
