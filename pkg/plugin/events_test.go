package plugin_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// The eventful cluster: nothing arrives for twenty seconds, later two servers
// restart, and many clients leave.
const (
	gapFrom, gapTo = 40 * time.Second, 60 * time.Second
	// Requests that arrived before the gap are done some seconds into it, and the
	// windows of 4 s have passed.
	idleFrom, idleTo = 50 * time.Second, 60 * time.Second
	// The restarts come between two scrapes.
	restartAt     = 80*time.Second + 500*time.Millisecond
	eventfulEnded = 120 * time.Second
)

var eventfulCluster = sync.OnceValues(func() (*replayed, error) {
	cluster := simulator.DefaultCluster()
	for i := range cluster.Groups {
		g := &cluster.Groups[i]
		g.IdleGap = &simulator.Gap{From: gapFrom, To: gapTo}
		g.AbortShare = 0.1
	}
	cluster.Groups[0].Restart = &simulator.Restart{Instance: "decode-1.llama", At: restartAt}
	cluster.Groups[1].Restart = &simulator.Restart{Instance: "prefill-0.qwen", At: restartAt}
	return newShared(cluster, eventfulEnded)
})

func theEventfulCluster(t *testing.T) *replayed {
	t.Helper()
	skipShort(t)
	r, err := eventfulCluster()
	require.NoError(t, err)
	return r
}

// Reading an answer refuses NaN, infinities and negative values.
func TestEverySignalAndStatisticIsFiniteThroughIdlenessAndRestarts(t *testing.T) {
	r := theEventfulCluster(t)
	for _, signal := range r.source.List(t.Context()).Signals {
		modes := []query.RateMode{query.RateAuto}
		if signal.Kind == catalog.KindRate { // of the others only windows are taken
			modes = []query.RateMode{query.RateAdjacent, query.RateWindow}
		}
		stats := append([]query.Stat{""}, signal.Stats...)
		if !*signal.Available {
			stats = stats[:1]
		}
		for _, stat := range stats {
			for _, mode := range modes {
				q := query.Query{Signal: signal.ID, GroupBy: []string{"model"}, Stat: stat, Limit: 0.5, RateMode: mode}
				got := r.ask(t, q, 0, eventfulEnded)
				if len(got.curves) == 0 {
					require.NotEmpty(t, got.notices, "%s %s is empty and does not say why", signal.ID, stat)
				}
			}
		}
	}
}

func TestIdleIsEmptyForLatenciesAndZeroForRates(t *testing.T) {
	r := theEventfulCluster(t)
	for _, signal := range []string{"ttft", "itl", "e2e_latency", "queue_time", "kv_transfer_latency", "prefix_cache_hit_rate", "kv_bytes_per_request_measured"} {
		q := byModel(signal)
		q.Window = "4s" // some look back over minutes unless told otherwise
		got := r.ask(t, q, 0, eventfulEnded)
		require.NotEmpty(t, got.curves)
		for _, c := range got.curves {
			for at := range c.points {
				require.False(t, at > idleFrom && at <= idleTo, "%s %v has a value at %s", signal, c.labels, at)
			}
		}
		got = r.ask(t, q, idleFrom, idleTo)
		require.Empty(t, got.curves, "a range without observations")
		require.Contains(t, strings.Join(got.notices, "\n"), "idle has no", signal)
		require.Len(t, got.frames, 1)
		require.Empty(t, got.frames[0].Fields, "no data is a frame without fields, not 0")
	}
	for _, signal := range []string{"prefill_request_rate", "kv_transfer_request_rate", "decode_request_rate", "kv_transfer_byte_rate", "decode_token_rate"} {
		got := r.ask(t, byModel(signal), idleFrom, idleTo)
		require.Len(t, got.curves, len(r.cluster.Groups))
		for _, c := range got.curves {
			require.Len(t, c.points, 10)
			require.Zero(t, c.mean(), "%s %v: counters are there and stand still", signal, c.labels)
		}
	}
}

func TestARestartLosesWhatWasNeverScrapedAndNothingElse(t *testing.T) {
	r := theEventfulCluster(t)
	const from, to = 70 * time.Second, 110 * time.Second
	for _, row := range rates() {
		if row.signal == "bootstrap_failure_rate" || row.signal == "retraction_rate" {
			continue // their series are gone after a restart, until the next event
		}
		t.Run(row.signal+" "+string(row.role), func(t *testing.T) {
			got := r.ask(t, byModel(row.signal), from, to)
			for _, g := range r.cluster.Groups {
				if row.engine != "" && row.engine != g.Engine {
					continue
				}
				pairs := labelsOf(g, row.role, row.apart)
				counted := got.of(t, pairs...).total()
				selector := simulator.Selector{Model: g.Model, Role: row.role}
				happened := r.truth.Count(row.event, selector, from+1, to+1)
				// Unseen are the restarted engine's last half second, and the first
				// events of series that begin anew.
				unseen := 0.0
				for _, role := range []simulator.Role{simulator.Prefill, simulator.Decode} {
					if g.Restart != nil && strings.HasPrefix(g.Restart.Instance, string(role)) {
						unseen = r.truth.Count(row.event, simulator.Selector{Model: g.Model, Role: role, Instance: g.Restart.Instance}, restartAt-500*time.Millisecond, restartAt+2*time.Second)
					}
				}
				require.LessOrEqual(t, counted, happened*(1+exact), g.Name)
				require.GreaterOrEqual(t, counted, (happened-unseen)*(1-exact), g.Name)
			}
		})
	}
}

func TestAServerThatIsAwayForSecondsLeavesTheMeanRight(t *testing.T) {
	cluster := simulator.DefaultCluster()
	cluster.Groups = cluster.Groups[:1]
	cluster.Groups[0].Restart = &simulator.Restart{Instance: "prefill-0.llama", At: restartAt, Down: 5 * time.Second}
	r := replay(t, cluster, eventfulEnded, nil)
	for _, row := range rates()[:6] {
		got := r.ask(t, byModel(row.signal), settled, eventfulEnded).of(t, "model", cluster.Groups[0].Model)
		want := r.truth.Rate(row.event, simulator.Selector{Model: cluster.Groups[0].Model}, settled+1, eventfulEnded+1)
		// irate shows an engine's last rate until its window of 4 s has passed.
		require.InEpsilon(t, want, got.mean(), 0.03, row.signal)
		// When all is scraped again the rates are exact again.
		requireRate(t, r, row, 100*time.Second, eventfulEnded)
	}
}

func TestCumulativeBytesFallAtARestartAndSayThatTheyMay(t *testing.T) {
	cluster := simulator.DefaultCluster()
	cluster.Groups = cluster.Groups[1:2]
	cluster.Groups[0].Restart = &simulator.Restart{Instance: "prefill-0.qwen", At: 20*time.Second + 500*time.Millisecond}
	r := replay(t, cluster, 40*time.Second, nil)
	got := r.ask(t, byModel("kv_transfer_bytes"), 10*time.Second, 40*time.Second)
	c := got.of(t, "model", cluster.Groups[0].Model)
	require.Less(t, c.points[22*time.Second], c.points[20*time.Second])
	require.True(t, slices.ContainsFunc(got.notices, func(n string) bool {
		return strings.HasPrefix(n, "Falls when an engine restarts.")
	}), got.notices)
}

func TestRestartsAreMarkedWhereTheyHappened(t *testing.T) {
	r := theEventfulCluster(t)
	got := r.ask(t, query.Query{Signal: "engine_restarts", GroupBy: []string{"instance"}}, restartAt-20*time.Second, eventfulEnded)
	var restarted []string
	for _, c := range got.curves {
		if c.total() > 0 {
			restarted = append(restarted, c.labels["instance"])
			for at, v := range c.points {
				require.True(t, v == 0 || at > restartAt, "%s at %s", c.labels, at)
			}
		}
	}
	slices.Sort(restarted)
	require.Equal(t, []string{"decode-1.llama", "prefill-0.qwen"}, restarted)
}
