package discovery_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
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
	return prom.Result{Value: model.Vector{}}, nil
}

func (c *counted) Series(context.Context, []string, time.Time, time.Time, int) ([]model.Metric, error) {
	return nil, nil
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
		got := make(chan *deployment.Deployment, 20)
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
		alice := prom.WithCaller(t.Context(), prom.Caller{Identity: "alice"})
		server.failing.Store(true)
		_, err := cache.Get(alice, discovery.Fresh, discovery.Window{})
		require.ErrorIs(t, err, errDown)
		server.failing.Store(false)
		_, err = cache.Get(t.Context(), discovery.Fresh, discovery.Window{})
		require.NoError(t, err, "alice's failure is hers alone")
		require.EqualValues(t, 2, server.looks.Load())
	})
}

// A panel shows what was seen last while the next look runs.
func TestWhoMustNotWaitIsShownTheLastLook(t *testing.T) {
	inTime(t, func(t *testing.T, server *counted, cache *discovery.Cache) {
		first, err := cache.Latest(t.Context(), discovery.Fresh, discovery.Window{})
		require.NoError(t, err)
		time.Sleep(discovery.Fresh + time.Millisecond)
		began := time.Now()
		for range 20 {
			got, err := cache.Latest(t.Context(), discovery.Fresh, discovery.Window{})
			require.NoError(t, err)
			require.Same(t, first, got)
		}
		require.Zero(t, time.Since(began))
		time.Sleep(2 * time.Second)
		require.EqualValues(t, 2, server.looks.Load(), "all of them began one look")
		_, err = cache.Get(t.Context(), 2*time.Second, discovery.Window{})
		require.NoError(t, err)
		require.EqualValues(t, 2, server.looks.Load(), "which is there now")
		time.Sleep(discovery.Stale + time.Second)
		began = time.Now()
		_, err = cache.Latest(t.Context(), discovery.Fresh, discovery.Window{})
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(began), "what is too old is not shown")
	})
}

func TestAServerThatIsDownLeavesTheLastLook(t *testing.T) {
	inTime(t, func(t *testing.T, server *counted, cache *discovery.Cache) {
		first, err := cache.Latest(t.Context(), discovery.Fresh, discovery.Window{})
		require.NoError(t, err)
		server.failing.Store(true)
		time.Sleep(discovery.Fresh + time.Millisecond)
		for range 12 {
			got, err := cache.Latest(t.Context(), discovery.Fresh, discovery.Window{})
			require.NoError(t, err)
			require.Same(t, first, got)
			time.Sleep(time.Second)
		}
		require.LessOrEqual(t, server.looks.Load(), int64(4), "it is asked once in Retry")
		_, err = cache.Get(t.Context(), discovery.Retry, discovery.Window{})
		require.ErrorIs(t, err, errDown, "who asks for the present is told")
	})
}

// A graph that moves on is the same graph when the clock strikes.
func TestTheLookOfAGraphLastsOverTheFullHour(t *testing.T) {
	inTime(t, func(t *testing.T, server *counted, cache *discovery.Cache) {
		time.Sleep(time.Until(time.Now().Truncate(time.Hour).Add(time.Hour - 2*time.Second)))
		for _, length := range []time.Duration{5 * time.Minute, time.Hour, 6 * time.Hour} {
			last := discovery.Window{From: time.Now().Add(-length), To: time.Now()}
			_, err := cache.Latest(t.Context(), discovery.Fresh, last)
			require.NoError(t, err)
		}
		before := server.looks.Load()
		time.Sleep(4 * time.Second)
		for _, length := range []time.Duration{5 * time.Minute, time.Hour, 6 * time.Hour} {
			_, err := cache.Latest(t.Context(), discovery.Fresh, discovery.Window{From: time.Now().Add(-length), To: time.Now()})
			require.NoError(t, err)
		}
		require.Equal(t, before, server.looks.Load())
	})
}

// With more logins than are kept, each of them is still looked at once in Fresh.
func TestTheOldestLookMakesRoom(t *testing.T) {
	inTime(t, func(t *testing.T, server *counted, cache *discovery.Cache) {
		const most, more = 200, 20
		look := func(who int) {
			_, err := cache.Get(prom.WithCaller(t.Context(), prom.Caller{Identity: fmt.Sprint(who)}), time.Hour, discovery.Window{})
			require.NoError(t, err)
		}
		for who := range most + more {
			look(who)
		}
		before := server.looks.Load()
		for who := more; who < most+more; who++ {
			look(who)
		}
		require.Equal(t, before, server.looks.Load(), "only the oldest have gone")
	})
}

// following fails after the glance, once, for one login alone.
type following struct {
	counted
	of    string
	fails atomic.Int64
}

func (f *following) LabelValues(context.Context, string, []string, time.Time, time.Time) ([]string, error) {
	return []string{"vllm:num_requests_running"}, nil
}

func (f *following) Series(context.Context, []string, time.Time, time.Time, int) ([]model.Metric, error) {
	return []model.Metric{{"__name__": "vllm:num_requests_running", "instance": "a"}}, nil
}

func (f *following) Query(ctx context.Context, promql string, _ time.Time) (prom.Result, error) {
	if !strings.HasSuffix(promql, "]") { // a glance
		return prom.Result{Value: model.Vector{}}, nil
	}
	f.looks.Add(1)
	time.Sleep(time.Second)
	if prom.Identity(ctx) == f.of {
		f.fails.Add(1)
		return prom.Result{}, errDown
	}
	return prom.Result{Value: prom.Matrix{}}, nil
}

func TestLoginsThatAreShownTheSameShareWhatFollows(t *testing.T) {
	known, err := catalog.Load()
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		server := &following{of: "nobody"}
		cache := discovery.NewCache(discovery.New(server, known, discovery.Options{}))
		for who := range 10 {
			_, err := cache.Get(prom.WithCaller(t.Context(), prom.Caller{Identity: fmt.Sprint(who)}), discovery.Fresh, discovery.Window{})
			require.NoError(t, err)
		}
		require.EqualValues(t, 1, server.looks.Load())
	})
}

func TestTheFailureOfALoginIsItsOwn(t *testing.T) {
	known, err := catalog.Load()
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		server := &following{of: "revoked"}
		cache := discovery.NewCache(discovery.New(server, known, discovery.Options{}))
		failed := make(chan error, 1)
		go func() {
			_, err := cache.Get(prom.WithCaller(t.Context(), prom.Caller{Identity: "revoked"}), discovery.Fresh, discovery.Window{})
			failed <- err
		}()
		time.Sleep(100 * time.Millisecond) // joins what the other has begun
		_, err := cache.Get(prom.WithCaller(t.Context(), prom.Caller{Identity: "other"}), discovery.Fresh, discovery.Window{})
		require.NoError(t, err)
		require.ErrorIs(t, <-failed, errDown)
		require.EqualValues(t, 1, server.fails.Load())
	})
}

// Who asks for the present gets it, also of what follows from a glance that has not changed.
func TestNothingIsOlderThanAsked(t *testing.T) {
	known, err := catalog.Load()
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		server := &following{of: "nobody"}
		cache := discovery.NewCache(discovery.New(server, known, discovery.Options{}))
		for _, maxAge := range []time.Duration{discovery.Fresh, 0, discovery.Retry} {
			_, err := cache.Get(t.Context(), maxAge, discovery.Window{})
			require.NoError(t, err)
			time.Sleep(discovery.Retry + time.Second)
		}
		require.EqualValues(t, 3, server.looks.Load())
	})
}

// broken panics where it is asked for samples.
type broken struct{ following }

func (b *broken) Query(context.Context, string, time.Time) (prom.Result, error) { panic("broken") }

func TestAPanicOfALookIsItsError(t *testing.T) {
	known, err := catalog.Load()
	require.NoError(t, err)
	cache := discovery.NewCache(discovery.New(&broken{}, known, discovery.Options{}))
	_, err = cache.Get(t.Context(), discovery.Fresh, discovery.Window{})
	require.ErrorContains(t, err, "please report it: broken")
}

// listing keeps what it is asked for by name.
type listing struct {
	counted
	mu       sync.Mutex
	matchers []string
}

func (l *listing) LabelValues(_ context.Context, _ string, matchers []string, _, _ time.Time) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.matchers = append(l.matchers, matchers...)
	return nil, nil
}

// Names without a prefix are listed one by one, which makes long patterns.
func TestNamesAreAskedForInPartsThatAnAddressCanHold(t *testing.T) {
	known, err := catalog.Load()
	require.NoError(t, err)
	server := &listing{}
	none := map[string][]string{"vllm": {"", "own_"}, "sglang": {"", "own_"}}
	_, err = discovery.New(server, known, discovery.Options{Prefixes: none}).Discover(t.Context(), discovery.Window{To: time.Now(), From: time.Now().Add(-time.Hour)})
	require.NoError(t, err)
	require.Greater(t, len(server.matchers), 3)
	for _, m := range server.matchers {
		require.Less(t, len(url.QueryEscape(m)), 7<<10)
	}
}
