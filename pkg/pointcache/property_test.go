package pointcache_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/nightly"
	"github.com/ptd-monitor/pdmonitor/pkg/pointcache"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// figure is the sum of a figure's values with all of these label values.
func (w *world) figure(name string, labels ...string) float64 {
	w.t.Helper()
	registry := prometheus.NewRegistry()
	require.NoError(w.t, registry.Register(w.figures))
	families, err := registry.Gather()
	require.NoError(w.t, err)
	sum := 0.0
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == name && (len(labels) == 0 || m.GetLabel()[0].GetValue() == labels[0]) {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

func formatted(v float64) string { return strconv.FormatFloat(v, 'g', 12, 64) }

// check drives a world of a seed: whatever is asked, the cache's answer is the
// server's own to the whole question. It reports whether late samples changed points
// that had been asked before.
func check(t *testing.T, seed uint64) bool {
	t.Helper()
	of := rand.New(rand.NewPCG(seed, 2))
	scrape := []time.Duration{time.Second, time.Second, 5 * time.Second, 15 * time.Second}[of.IntN(4)]
	late := time.Duration(of.IntN(9)) * scrape
	w := newWorld(t, seed, scrape, late)
	w.pass(30 * scrape)
	for range 40 {
		w.pass(time.Duration(1+w.random.IntN(4)) * scrape)
		for range 4 {
			expr, r := w.expressions[w.random.IntN(len(w.expressions))], w.asked()
			got, want := w.compare(expr, r)
			require.Equal(t, want, got, "seed %d, late %s, at %s: %s from %s to %s by %s", seed, late, w.now.UTC().Format("05"),
				expr, r.Start.UTC().Format("05"), r.End.UTC().Format("05"), r.Step)
		}
	}
	require.Positive(t, w.figure("pdmonitor_cache_answers_total", "tail"), "nothing was kept, so nothing was tried")
	return w.amended
}

// skipShort is for what asks one question after the other for long: worlds of random
// samples are neither quick nor do their goroutines share anything.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("lives through minutes of samples")
	}
}

func TestAnswersEqualThoseToTheWholeQuestion(t *testing.T) {
	skipShort(t)
	amended, seeds := 0, nightly.Or(uint64(8), 200)
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if check(t, seed) {
				amended++
			}
		})
	}
	require.Greater(t, amended, int(seeds)/3, "late samples that change nothing try nothing")
}

// Samples that come later than anybody said make a difference until they are
// noticed, but for no longer than the renewal.
func TestSamplesThatAreLaterThanExpectedAreFoundByTheRenewal(t *testing.T) {
	skipShort(t)
	for seed := range nightly.Or(uint64(2), 50) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t, seed, time.Second, 40*time.Second)
			promised := *w
			promised.late = 2 * time.Second
			for range 20 {
				w.pass(3 * time.Second)
				promised.now = w.now
				for _, expr := range w.expressions {
					_, err := w.cache.QueryRange(t.Context(), asked(expr), w.asked(), pointcache.Arrival{Late: promised.late, Behind: pointcache.Unknown})
					require.NoError(t, err)
				}
			}
			w.now = w.now.Add(w.late)
			w.arrive()
			w.now = w.now.Add(pointcache.Renewal)
			for range 10 {
				promised.now = w.now
				expr, r := w.expressions[w.random.IntN(3)], w.asked()
				got, want := promised.compare(expr, r)
				require.Equal(t, want, got, "%s", expr)
			}
		})
	}
}

// A server that is behind, by its clock or because it is written to with a delay, is
// found out at once.
func TestAServerThatIsBehind(t *testing.T) {
	skipShort(t)
	for _, behind := range []time.Duration{6 * time.Second, 20 * time.Second, 45 * time.Second} {
		for _, expr := range expressions[:3] {
			t.Run(fmt.Sprintf("%s %s", behind, expr), func(t *testing.T) {
				w := newWorld(t, 1, time.Second, 4*time.Second)
				w.behind = behind
				w.pass(2 * time.Minute)
				for range 90 {
					w.pass(time.Second)
					got, want := w.compare(expr, prom.Range{Start: w.now.Add(-2 * time.Minute), End: w.now, Step: time.Second})
					require.Equal(t, want, got, "at %s", w.now.UTC().Format("05"))
				}
				if behind < 30*time.Second { // else what is settled is too little to be worth it
					require.Less(t, w.figure("pdmonitor_cache_answers_total", "whole"), 12.0)
				}
			})
		}
	}
}

// The 901 points of a quarter of an hour whose last ten minutes are on the way: none is
// ever taken for settled, told or not.
func TestAServerThatIsTenMinutesBehind(t *testing.T) {
	skipShort(t)
	for name, told := range map[string]time.Duration{"told": 10 * time.Minute, "not told": pointcache.Unknown} {
		for _, expr := range []string{`sum(rate(requests_total[4s]))`, `queue`, `absent(queue{instance="a"})`} {
			if told == pointcache.Unknown && expr == `absent(queue{instance="a"})` {
				continue // has points where nothing has arrived; that they were wrong is learned
			}
			t.Run(name+" "+expr, func(t *testing.T) {
				w := newWorld(t, 1, time.Second, 4*time.Second)
				w.behind, w.told = 10*time.Minute, told
				w.pass(16 * time.Minute)
				for range 75 {
					w.pass(time.Second)
					got, want := w.compare(expr, prom.Range{Start: w.now.Add(-15 * time.Minute), End: w.now, Step: time.Second})
					require.Equal(t, want, got, "at %s", w.now.UTC().Format("05"))
				}
			})
		}
	}
}

// What is later than can be learned ends in keeping no points: one of three engines writes
// with a delay of eight minutes, while the others are on time.
func TestPointsThatChangeForTooLongAreNotKept(t *testing.T) {
	skipShort(t)
	w := newWorld(t, 1, time.Second, 4*time.Second)
	w.under[2].behind = 8 * time.Minute
	w.told = 4 * time.Second
	const expr = `sum(queue)`
	right := func() bool {
		w.pass(time.Second)
		got, want := w.compare(expr, prom.Range{Start: w.now.Add(-10 * time.Minute), End: w.now, Step: time.Second})
		return got == want
	}
	w.pass(12 * time.Minute)
	wrong := 0
	for range int(pointcache.Renewal/time.Second) + 1 {
		if !right() {
			wrong++
		}
	}
	require.Positive(t, wrong, "nothing was learned, so nothing is tried")
	for range 150 {
		require.True(t, right(), "at %s", w.now.UTC().Format("05"))
	}
	w.under[2].behind = 0
	w.pass(20 * time.Minute)
	before := w.figure("pdmonitor_cache_answers_total", "tail")
	for range 240 {
		require.True(t, right(), "at %s", w.now.UTC().Format("05"))
	}
	require.Greater(t, w.figure("pdmonitor_cache_answers_total", "tail"), before+60, "points are kept again once they stay")
}
