package soak

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/nightly"
)

// The short form of what `go tool mage soak` does for half an hour: one restart.
func TestSomeSecondsOfManyViewersAndARestart(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	length := nightly.Or(10*time.Second, time.Minute)
	report, err := Run(t.Context(), Config{Length: length, Viewers: 20, Restart: length / 5})
	require.NoError(t, err)
	t.Logf("\n%s", report)
	require.NoError(t, report.Err())
}

func TestTrends(t *testing.T) {
	const n = 400
	series := func(value func(i int) float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = value(i)
		}
		return values
	}
	for name, test := range map[string]struct {
		value func(i int) float64
		grew  bool
	}{
		"flat":                     {func(int) float64 { return 100 }, false},
		"filled at first":          {func(i int) float64 { return min(100, float64(i)) }, false},
		"up and down":              {func(i int) float64 { return 100 + 60*float64(i%7) }, false},
		"peaks at the end":         {func(i int) float64 { return 100 + 1000*float64(max(0, i-n+30)) }, false},
		"twice as much":            {func(i int) float64 { return 100 + 100*float64(i)/n }, true},
		"a step late":              {func(i int) float64 { return 100 + 40*float64(2*i/n) }, true},
		"a leak beneath the noise": {func(i int) float64 { return 100 + 60*float64(i%7) + 400*float64(i)/n }, true},
		"less":                     {func(i int) float64 { return 200 - float64(i)/4 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.grew, newTrend(name, series(test.value), 0.2, 4).grew())
		})
	}
}

func TestWhatARestartExplains(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(int64(1000+seconds), 0) }
	l := &log{outages: []interval{{at(10), at(12)}}}
	away := failure{text: "refused", status: 502, source: "downstream"}
	for name, test := range map[string]struct {
		from, to int
		failure  failure
		explains bool
	}{
		"in it":                         {11, 12, away, true},
		"it began meanwhile":            {9, 11, away, true},
		"it is remembered":              {15, 16, away, true},
		"before":                        {8, 9, away, false},
		"long after":                    {18, 19, away, false},
		"the plugin's own fault":        {11, 12, failure{text: "panic", status: 500, source: "plugin"}, false},
		"a fault that no outage causes": {11, 12, failure{text: "bad query", status: 400, source: "downstream"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.explains, l.explains(refreshed{interval: interval{at(test.from), at(test.to)}}, test.failure))
		})
	}
}

func TestAReportThatFindsFaultSaysSo(t *testing.T) {
	good := func() Report { return Report{refreshes: 10, restarts: 2, points: 100} }
	require.NoError(t, good().Err())
	for text, spoil := range map[string]func(*Report){
		"goroutines grew from 10.0 to 90.0":          func(r *Report) { r.trends = []trend{{name: "goroutines", early: 10, late: 90}} },
		"3 times, and no restart explains it: panic": func(r *Report) { r.unprovoked = map[string]int{"panic": 3} },
		"2 of 100 points are not":                    func(r *Report) { r.different = 2 },
		"too few to tell":                            func(r *Report) { r.restarts = 0 },
	} {
		r := good()
		spoil(&r)
		require.ErrorContains(t, r.Err(), text)
	}
}

func TestFiguresAreReadFromThePluginsPage(t *testing.T) {
	got, err := read("# TYPE go_goroutines gauge\ngo_goroutines 12\n# TYPE go_memstats_next_gc_bytes gauge\ngo_memstats_next_gc_bytes 8e6\n" +
		"# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes 5e7\n# TYPE process_open_fds gauge\nprocess_open_fds 9\n")
	require.NoError(t, err)
	require.Equal(t, Figures{Live: 4e6, Resident: 5e7, Goroutines: 12, Files: 9}, got)
}

func TestMemoryHasTenMinutesToFillTheCache(t *testing.T) {
	report := func(took time.Duration, figures func(part float64) Figures) error {
		const n = 400
		var all []Figures
		for i := range n {
			all = append(all, figures(float64(i)/n))
		}
		l := &log{refreshes: []refreshed{{interval{time.Unix(0, 0), time.Unix(0, 1)}, nil}}}
		return l.report(Config{}, took, all, 1, 1, 0).Err()
	}
	filling := func(part float64) Figures { return Figures{Live: (12 + 60*part) * mebibyte, Goroutines: 50} }
	require.NoError(t, report(time.Minute, filling))
	require.ErrorContains(t, report(30*time.Minute, filling), "heap after a collection")
	atOnce := func(part float64) Figures { return Figures{Live: (8 + 150*part) * mebibyte, Goroutines: 50} }
	require.NoError(t, report(15*time.Second, atOnce))
	require.ErrorContains(t, report(time.Minute, atOnce), "heap after a collection")
	leaking := func(part float64) Figures { return Figures{Live: 12 * mebibyte, Goroutines: 50 + 100*part} }
	require.ErrorContains(t, report(15*time.Second, leaking), "goroutines grew")
	require.ErrorContains(t, report(time.Minute, leaking), "goroutines grew")
}
