package pointcache_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/value"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/pkg/pointcache"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// world is a Prometheus whose samples arrive late, in a time of its own.
type world struct {
	t       testing.TB
	random  *rand.Rand
	server  *promserver.Server
	client  *prom.Client
	cache   *pointcache.Cache
	figures *pointcache.Figures
	now     time.Time
	scrape  time.Duration
	late    time.Duration // no sample arrives later than this
	amended bool          // some point was asked twice and had changed meanwhile
	seen    map[string]string
	under   []*exporter
	// behind is the least that a sample is late; told is what the cache is told of it.
	behind, told time.Duration
	// expressions and steps that are asked for: few, so that questions come again.
	expressions []string
	steps       []time.Duration
	onTheWay    []arriving
}

// exporter is one scraped series of each kind.
type exporter struct {
	instance string
	behind   time.Duration // beyond the world's
	counter  float64
	down     int // scrapes that are missed
	stale    bool
}

type arriving struct {
	at      time.Time
	samples []promserver.Sample
}

// expressions are of every kind that depends on the past in another way, for a scrape a
// second.
var expressions = []string{
	`sum by (instance) (rate(requests_total[4s]))`,
	`sum(irate(requests_total[6s]))`,
	`queue`,
	`max(queue) - min(queue)`,
	`topk(1, queue)`,
	`increase(requests_total[10s]) > 3`,
	`sum(rate(requests_total[5s])) / (sum(rate(requests_total[9s])) > 0)`,
	`rate(requests_total[4s]) or queue offset 7s`,
	`max_over_time(sum(queue)[8s:2s])`,
	`absent(queue{instance="a"})`,
	`count_values("v", queue)`,
	`queue @ end()`,
	`queue offset -5s`,
}

func newWorld(t testing.TB, seed uint64, scrape, late time.Duration) *world {
	t.Helper()
	server, err := promserver.Start(context.Background(), promserver.Config{OutOfOrder: 20 * time.Minute, Lookback: 20 * scrape})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	client, err := prom.New(prom.Options{URL: server.URL(), HTTP: http.DefaultClient})
	require.NoError(t, err)
	w := &world{
		t: t, random: rand.New(rand.NewPCG(seed, 1)), server: server, client: client,
		now: time.UnixMilli(1_700_000_000_000), scrape: scrape, late: late, told: pointcache.Unknown, seen: map[string]string{},
	}
	for range 3 {
		w.expressions = append(w.expressions, scaled(expressions[w.random.IntN(len(expressions))], scrape))
	}
	// Viewers zoom: most worlds have several steps, of which one may be shorter than a scrape.
	for range 1 + w.random.IntN(3) {
		w.steps = append(w.steps, []time.Duration{time.Second, scrape, 2 * scrape, 3 * scrape, 5 * scrape}[w.random.IntN(5)])
	}
	w.figures = pointcache.NewFigures()
	w.cache = pointcache.New(client, pointcache.Options{Figures: w.figures, Now: func() time.Time { return w.now }})
	for _, instance := range []string{"a", "b", "c"} {
		w.under = append(w.under, &exporter{instance: instance})
	}
	return w
}

// scaled is an expression for targets that are scraped less often.
func scaled(expr string, scrape time.Duration) string {
	return regexp.MustCompile(`\d+s`).ReplaceAllStringFunc(expr, func(text string) string {
		length, _ := time.ParseDuration(text)
		return model.Duration(length * (scrape / time.Second)).String()
	})
}

// pass lets time go by; samples are taken and some of those under way arrive.
func (w *world) pass(length time.Duration) {
	w.t.Helper()
	for end := w.now.Add(length); w.now.Before(end); {
		w.now = w.now.Add(w.scrape)
		for _, e := range w.under {
			if samples := e.scraped(w.random, w.now); len(samples) > 0 {
				delay := w.behind + e.behind + time.Duration(w.random.Float64()*float64(w.late))
				w.onTheWay = append(w.onTheWay, arriving{w.now.Add(delay), samples})
			}
		}
		w.arrive()
	}
}

func (w *world) arrive() {
	w.t.Helper()
	w.onTheWay = slices.DeleteFunc(w.onTheWay, func(a arriving) bool {
		if a.at.After(w.now) {
			return false
		}
		require.NoError(w.t, w.server.Append(context.Background(), a.samples...))
		return true
	})
}

// scraped is what a scrape brings: it may be missed, the engine may have restarted,
// and the first missed scrape leaves a stale marker.
func (e *exporter) scraped(random *rand.Rand, at time.Time) []promserver.Sample {
	named := func(name string, v float64) promserver.Sample {
		return promserver.Sample{Labels: map[string]string{"__name__": name, "instance": e.instance}, Time: at, Value: v}
	}
	if e.down > 0 {
		e.down--
		if e.stale {
			return nil
		}
		e.stale = true
		marker := math.Float64frombits(value.StaleNaN)
		return []promserver.Sample{named("requests_total", marker), named("queue", marker)}
	}
	e.stale = false
	switch random.IntN(40) {
	case 0:
		e.counter = 0
	case 2: // another pod takes its place
		e.counter, e.instance = 0, e.instance+"'"
	case 1:
		e.down = 1 + random.IntN(12)
		e.stale = random.IntN(2) == 0 // a lost network leaves none
	}
	e.counter += float64(random.IntN(5))
	return []promserver.Sample{named("requests_total", e.counter), named("queue", float64(random.IntN(4)))}
}

// asked is a range on the grid of a step.
func (w *world) asked() prom.Range {
	step := w.steps[w.random.IntN(len(w.steps))]
	end := w.now.Add(-time.Duration(max(0, w.random.IntN(12)-8)) * w.scrape).Truncate(step)
	length := time.Duration(20+10*w.random.IntN(4)) * w.scrape
	return prom.Range{Start: end.Add(-length.Truncate(step)), End: end, Step: step}
}

// compare asks the cache and the server for the same.
func (w *world) compare(expr string, r prom.Range) (got, want string) {
	w.t.Helper()
	cached, err := w.cache.QueryRange(w.t.Context(), asked(expr), r, pointcache.Arrival{Late: w.late, Behind: w.told})
	require.NoError(w.t, err)
	full, err := w.client.QueryRange(w.t.Context(), expr, r)
	require.NoError(w.t, err)
	w.notice(expr, full)
	return printed(cached), printed(full)
}

// notice remembers the server's points, and whether one is another than before.
func (w *world) notice(expr string, answer prom.Result) {
	matrix, _ := answer.Value.(prom.Matrix)
	for _, s := range matrix {
		for i, at := range s.Times {
			point, value := fmt.Sprint(expr, s.Metric, at), formatted(s.Values[i])
			before, ok := w.seen[point]
			w.amended = w.amended || ok && before != value
			w.seen[point] = value
		}
	}
}

// printed is an answer as a text that does not depend on the order of series.
func printed(result prom.Result) string {
	matrix, _ := result.Value.(prom.Matrix)
	var lines []string
	for _, s := range matrix {
		var b strings.Builder
		b.WriteString(s.Metric.String())
		for i, at := range s.Times {
			b.WriteString(" " + time.UnixMilli(at).UTC().Format("05.000") + "=")
			b.WriteString(formatted(s.Values[i]))
		}
		lines = append(lines, b.String())
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// counted is a server that remembers what it was asked.
type counted struct {
	pointcache.Server
	mu     sync.Mutex
	ranges []prom.Range
	hold   chan struct{} // questions wait for it
}

func (c *counted) QueryRange(ctx context.Context, promql string, r prom.Range) (prom.Result, error) {
	c.mu.Lock()
	c.ranges = append(c.ranges, r)
	c.mu.Unlock()
	if c.hold != nil {
		select {
		case <-c.hold:
		case <-ctx.Done():
			return prom.Result{}, ctx.Err()
		}
	}
	return c.Server.QueryRange(ctx, promql, r)
}

func (c *counted) asked() []prom.Range {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.ranges)
}
