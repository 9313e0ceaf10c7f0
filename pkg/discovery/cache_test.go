package discovery_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// counted is a server without engines that takes a second for its labels.
type counted struct {
	looks   atomic.Int64
	failing atomic.Bool
}

var errDown = errors.New("down")

func (c *counted) LabelValues(ctx context.Context, _ string, _ []string, from, _ time.Time) ([]string, error) {
	if !from.IsZero() {
		return nil, nil // the second request of the same look
	}
	c.looks.Add(1)
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Second):
	}
	if c.failing.Load() {
		return nil, errDown
	}
	return nil, nil
}

func (c *counted) Query(context.Context, string, time.Time) (prom.Result, error) {
	return prom.Result{}, errors.New("there is nothing to ask for")
}

func (c *counted) Series(context.Context, []string, time.Time, time.Time, int) ([]model.Metric, error) {
	return nil, errors.New("there is nothing to list")
}

// inTime runs a test of the cache on a clock of its own.
func inTime(t *testing.T, test func(*testing.T, *counted, *discovery.Cache)) {
	t.Helper()
	known, err := catalog.Load()
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		server := &counted{}
		test(t, server, discovery.NewCache(discovery.New(server, known, discovery.Options{})))
	})
}

func TestQueriesThatComeTogetherShareOneLook(t *testing.T) {
	inTime(t, func(t *testing.T, server *counted, cache *discovery.Cache) {
		got := make(chan *catalog.Deployment, 20)
		for range cap(got) {
			go func() {
				found, err := cache.Get(t.Context(), discovery.Fresh, discovery.Window{})
				if err == nil {
					got <- found
				}
			}()
		}
		first := <-got
		require.NotNil(t, first)
		for range cap(got) - 1 {
			require.Same(t, first, <-got)
		}
		require.EqualValues(t, 1, server.looks.Load())
	})
}

func TestALookIsKeptAsLongAsTheCallerAllows(t *testing.T) {
	inTime(t, func(t *testing.T, server *counted, cache *discovery.Cache) {
		get := func(maxAge time.Duration) {
			_, err := cache.Get(t.Context(), maxAge, discovery.Window{})
			require.NoError(t, err)
		}
		get(discovery.Fresh)
		time.Sleep(discovery.Fresh)
		get(discovery.Fresh)
		require.EqualValues(t, 1, server.looks.Load())
		time.Sleep(time.Millisecond)
		get(discovery.Fresh)
		require.EqualValues(t, 2, server.looks.Load())
		// Who found nothing looks again, but not at once.
		time.Sleep(discovery.Retry)
		get(discovery.Retry)
		require.EqualValues(t, 2, server.looks.Load())
		time.Sleep(time.Millisecond)
		get(discovery.Retry)
		require.EqualValues(t, 3, server.looks.Load())
		time.Sleep(time.Millisecond)
		get(0)
		require.EqualValues(t, 4, server.looks.Load())
	})
}

func TestAFailureIsKeptForAShortWhile(t *testing.T) {
	inTime(t, func(t *testing.T, server *counted, cache *discovery.Cache) {
		server.failing.Store(true)
		for range 5 {
			_, err := cache.Get(t.Context(), discovery.Fresh, discovery.Window{})
			require.ErrorIs(t, err, errDown)
		}
		require.EqualValues(t, 1, server.looks.Load(), "a server that is down is not asked once for every panel")
		server.failing.Store(false)
		time.Sleep(discovery.Retry + time.Millisecond)
		found, err := cache.Get(t.Context(), discovery.Fresh, discovery.Window{})
		require.NoError(t, err)
		require.NotNil(t, found)
		require.EqualValues(t, 2, server.looks.Load())
	})
}

func TestACallerThatGivesUpLeavesTheLookToTheOthers(t *testing.T) {
	inTime(t, func(t *testing.T, server *counted, cache *discovery.Cache) {
		hasty, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := cache.Get(hasty, discovery.Fresh, discovery.Window{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 100*time.Millisecond, time.Since(began))
		_, err = cache.Get(t.Context(), discovery.Fresh, discovery.Window{})
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(began), "the second caller joined the look of the first")
		require.EqualValues(t, 1, server.looks.Load())
	})
}

// A server may answer each login differently.
func TestWhatOneLoginSeesIsNotShownToAnother(t *testing.T) {
	inTime(t, func(t *testing.T, server *counted, cache *discovery.Cache) {
		alice := prom.WithIdentity(t.Context(), "alice")
		server.failing.Store(true)
		_, err := cache.Get(alice, discovery.Fresh, discovery.Window{})
		require.ErrorIs(t, err, errDown)
		server.failing.Store(false)
		_, err = cache.Get(t.Context(), discovery.Fresh, discovery.Window{})
		require.NoError(t, err, "alice's failure is hers alone")
		require.EqualValues(t, 2, server.looks.Load())
	})
}
