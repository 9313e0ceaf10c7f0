package pointcache_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptd-monitor/pdmonitor/pkg/pointcache"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ramp answers every range with one point a step whose value is its time, for as
// many series as it counts.
type ramp int

func (n ramp) QueryRange(_ context.Context, _ string, r prom.Range) (prom.Result, error) {
	matrix := prom.Matrix{}
	var s prom.Series
	for at := r.Start; !at.After(r.End); at = at.Add(r.Step) {
		s.Times, s.Values = append(s.Times, at.UnixMilli()), append(s.Values, float64(at.Unix()))
	}
	for i := range int(n) {
		s.Metric = model.Metric{"i": model.LabelValue(fmt.Sprint(i))}
		matrix = append(matrix, s)
	}
	return prom.Result{Value: matrix}, nil
}

func (n ramp) Query(context.Context, string, time.Time) (prom.Result, error) {
	return prom.Result{Value: &model.Scalar{}}, nil
}

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) last(length time.Duration) prom.Range {
	end := c.Now().Truncate(time.Second)
	return prom.Range{Start: end.Add(-length), End: end, Step: time.Second}
}

func started() *clock { return &clock{now: time.UnixMilli(1_700_000_000_000)} }

const late = 4 * time.Second

// asked is an expression whose points last where the compiler would say so.
func asked(text string) pointcache.Expression {
	tree, err := promql.Parse(text)
	return pointcache.Expression{PromQL: text, Lasting: err == nil && promql.Lasting(tree)}
}

func TestARefreshAsksForTheTail(t *testing.T) {
	c, server := started(), &counted{Server: ramp(2)}
	cache := pointcache.New(server, pointcache.Options{Now: c.Now})
	for range 3 {
		got, err := cache.QueryRange(t.Context(), asked("up"), c.last(5*time.Minute), pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
		require.NoError(t, err)
		matrix, _ := got.Value.(prom.Matrix)
		require.Len(t, matrix, 2)
		require.Len(t, matrix[1].Values, 301)
		require.Same(t, &matrix[0].Times[0], &matrix[1].Times[0], "series share their times")
		c.pass(time.Second)
	}
	var points []int
	for _, r := range server.asked() {
		points = append(points, int(r.End.Sub(r.Start)/r.Step)+1)
	}
	require.Equal(t, []int{301, 11, 11}, points, "ten seconds overlap at first, and one is new")
}

// Every minute all is asked once, after which the overlap is what was seen to be
// needed, here the window alone.
func TestTheRenewalIsTheOnlyWholeQuestionOfAMinute(t *testing.T) {
	c, server := started(), &counted{Server: ramp(2)}
	cache := pointcache.New(server, pointcache.Options{Now: c.Now})
	whole := 0
	for range 181 {
		_, err := cache.QueryRange(t.Context(), asked("up"), c.last(5*time.Minute), pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
		require.NoError(t, err)
		c.pass(time.Second)
	}
	for _, r := range server.asked() {
		if r.End.Sub(r.Start) == 5*time.Minute {
			whole++
		}
	}
	require.Equal(t, 4, whole)
	newest := server.asked()[180-1]
	require.Equal(t, late, newest.End.Sub(newest.Start))
}

func TestARangeThatIsOverIsAskedOnce(t *testing.T) {
	c, server := started(), &counted{Server: ramp(1)}
	cache := pointcache.New(server, pointcache.Options{Now: c.Now})
	past := c.last(5 * time.Minute)
	c.pass(time.Hour)
	for range 3 {
		_, err := cache.QueryRange(t.Context(), asked("up"), past, pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
		require.NoError(t, err)
		c.pass(10 * time.Second)
	}
	require.Len(t, server.asked(), 1)
}

func TestTheSameQuestionIsAskedOnceHoweverManyWait(t *testing.T) {
	c, server := started(), &counted{Server: ramp(1), hold: make(chan struct{})}
	cache := pointcache.New(server, pointcache.Options{Now: c.Now})
	var waiting sync.WaitGroup
	for range 50 {
		waiting.Go(func() {
			_, err := cache.QueryRange(t.Context(), asked("up"), c.last(time.Minute), pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
			require.NoError(t, err)
		})
	}
	require.Eventually(t, func() bool { return len(server.asked()) == 1 }, 5*time.Second, time.Millisecond)
	close(server.hold)
	waiting.Wait()
	require.Len(t, server.asked(), 1)
}

func TestIdentitiesShareNothing(t *testing.T) {
	c, server := started(), &counted{Server: ramp(1)}
	cache := pointcache.New(server, pointcache.Options{Now: c.Now})
	for _, who := range []string{"", "alice", "bob", "alice"} {
		_, err := cache.QueryRange(prom.WithCaller(t.Context(), prom.Caller{Identity: who}), asked("up"), c.last(time.Minute), pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
		require.NoError(t, err)
	}
	require.Len(t, server.asked(), 3)
}

func TestOnlyTheLastCallerToLeaveEndsTheQuestion(t *testing.T) {
	c, server := started(), &counted{Server: ramp(1), hold: make(chan struct{})}
	cache := pointcache.New(server, pointcache.Options{Now: c.Now})
	first, leave := context.WithCancel(t.Context())
	results := make(chan error, 2)
	ask := func(ctx context.Context) {
		_, err := cache.QueryRange(ctx, asked("up"), c.last(time.Minute), pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
		results <- err
	}
	go ask(first)
	require.Eventually(t, func() bool { return len(server.asked()) == 1 }, 5*time.Second, time.Millisecond)
	second, leaveToo := context.WithCancel(t.Context())
	go ask(second)
	time.Sleep(20 * time.Millisecond) // there is no sign that the second waits
	leave()
	require.ErrorIs(t, <-results, context.Canceled)
	close(server.hold)
	require.NoError(t, <-results)

	server.hold = make(chan struct{})
	c.pass(time.Minute)
	gone := make(chan struct{})
	cancelled := &noticing{Server: server, gone: gone}
	cache = pointcache.New(cancelled, pointcache.Options{Now: c.Now})
	go ask(second)
	require.Eventually(t, func() bool { return len(server.asked()) == 2 }, 5*time.Second, time.Millisecond)
	leaveToo()
	<-gone
	require.ErrorIs(t, <-results, context.Canceled)
}

// noticing tells when a question was given up.
type noticing struct {
	pointcache.Server
	gone chan struct{}
}

func (n *noticing) QueryRange(ctx context.Context, promql string, r prom.Range) (prom.Result, error) {
	result, err := n.Server.QueryRange(ctx, promql, r)
	if errors.Is(err, context.Canceled) {
		close(n.gone)
	}
	return result, err
}

func TestMemoryIsBounded(t *testing.T) {
	c, server := started(), &counted{Server: ramp(10)}
	figures := pointcache.NewFigures()
	w := &world{t: t, figures: figures}
	const most = 200 << 10
	cache := pointcache.New(server, pointcache.Options{Now: c.Now, Bytes: most, Figures: figures})
	for i := range 100 {
		_, err := cache.QueryRange(t.Context(), asked(fmt.Sprintf("x%d", i)), c.last(5*time.Minute), pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
		require.NoError(t, err)
		require.LessOrEqual(t, w.figure("pdmonitor_cache_bytes"), float64(most))
	}
	require.Greater(t, w.figure("pdmonitor_cache_bytes"), float64(most/2), "it is used")
	before := len(server.asked())
	_, err := cache.QueryRange(t.Context(), asked("x99"), c.last(5*time.Minute), pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
	require.NoError(t, err)
	require.Len(t, server.asked(), before, "the newest is kept")
	_, err = cache.QueryRange(t.Context(), asked("x0"), c.last(5*time.Minute), pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
	require.NoError(t, err)
	require.Len(t, server.asked(), before+1, "the oldest is not")
	cache.Close()
	require.Zero(t, w.figure("pdmonitor_cache_bytes"))
}

// Nobody tells that a data source was deleted.
func TestWhatNobodyAsksForIsFreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		figures := pointcache.NewFigures()
		cache := pointcache.New(ramp(2), pointcache.Options{Figures: figures})
		end := time.Now().Truncate(time.Second)
		_, err := cache.QueryRange(t.Context(), asked("up"), prom.Range{Start: end.Add(-5 * time.Minute), End: end, Step: time.Second}, pointcache.Arrival{Late: late})
		require.NoError(t, err)
		w := &world{t: t, figures: figures}
		require.Positive(t, w.figure("pdmonitor_cache_bytes"))
		time.Sleep(10 * time.Minute)
		require.Zero(t, w.figure("pdmonitor_cache_bytes"))
	})
}

func TestAFailureIsNotKept(t *testing.T) {
	c := started()
	server := &failing{Server: ramp(1), err: errors.New("down")}
	cache := pointcache.New(server, pointcache.Options{Now: c.Now})
	_, err := cache.QueryRange(t.Context(), asked("up"), c.last(time.Minute), pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
	require.ErrorContains(t, err, "down")
	server.err = nil
	_, err = cache.QueryRange(t.Context(), asked("up"), c.last(time.Minute), pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
	require.NoError(t, err)
}

type failing struct {
	pointcache.Server
	err error
}

func (f *failing) QueryRange(ctx context.Context, promql string, r prom.Range) (prom.Result, error) {
	if f.err != nil {
		return prom.Result{}, f.err
	}
	return f.Server.QueryRange(ctx, promql, r)
}

func TestACrashIsTheCallers(t *testing.T) {
	cache := pointcache.New(nil, pointcache.Options{})
	require.Panics(t, func() {
		_, _ = cache.QueryRange(t.Context(), asked("up"), started().last(time.Minute), pointcache.Arrival{Late: late, Behind: pointcache.Unknown})
	})
}
