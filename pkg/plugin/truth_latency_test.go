package plugin_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// timed is a distribution, what it measures and between which bounds.
type timed struct {
	signal  string
	measure simulator.Measure
	engine  simulator.Engine
	role    simulator.Role
	// apart: the role is a label of the answer.
	apart  bool
	bounds []float64
}

// observations of one request: vLLM's connectors observe every rank's transfer.
func (row timed) observations(g simulator.Group) float64 {
	if row.measure == simulator.KVTransferLatency && row.engine == simulator.VLLM {
		return float64(g.PrefillInstances.TP)
	}
	return 1
}

// The engines' bucket bounds in seconds, as their sources have them.
func vllmTTFT() []float64 {
	return []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
}

func vllmToken() []float64 {
	return []float64{.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
}

func vllmRequest() []float64 {
	return []float64{.3, .5, .8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
}

func sglangRequest() []float64 {
	return []float64{.1, .2, .4, .6, .8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400}
}

func sglangToken() []float64 {
	return []float64{.002, .004, .006, .008, .01, .015, .02, .025, .03, .035, .04, .06, .08, .1, .2, .4, .6, .8, 1, 2, 4, 6, 8}
}

func sglangQueue() []float64 {
	return []float64{0, .001, .005, .01, .05, .1, .2, .5, 1, 2, 3, 4, 5}
}

func sglangTransfer() []float64 {
	return []float64{.001, .002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
}

func connectorTransfer() []float64 {
	return []float64{.005, .01, .025, .05, .075, .1, .2, .3, .5, .75, 1, 5}
}

func distributions() []timed {
	const (
		vllm, sglang    = simulator.VLLM, simulator.SGLang
		prefill, decode = simulator.Prefill, simulator.Decode
	)
	return []timed{
		{"ttft", simulator.TTFT, vllm, prefill, true, vllmTTFT()},
		{"ttft", simulator.TTFT, vllm, decode, true, vllmTTFT()},
		{"ttft", simulator.TTFT, sglang, decode, false, sglangRequest()},
		{"itl", simulator.ITL, vllm, decode, false, vllmToken()},
		{"itl", simulator.ITL, sglang, decode, false, sglangToken()},
		{"tpot", simulator.TPOT, vllm, decode, false, vllmToken()},
		{"e2e_latency", simulator.E2E, vllm, prefill, true, vllmRequest()},
		{"e2e_latency", simulator.E2E, vllm, decode, true, vllmRequest()},
		{"e2e_latency", simulator.E2E, sglang, prefill, true, sglangRequest()},
		{"e2e_latency", simulator.E2E, sglang, decode, true, sglangRequest()},
		{"queue_time", simulator.QueueTime, vllm, prefill, true, vllmRequest()},
		{"queue_time", simulator.QueueTime, vllm, decode, true, vllmRequest()},
		{"queue_time", simulator.QueueTime, sglang, prefill, true, sglangQueue()},
		{"queue_time", simulator.QueueTime, sglang, decode, true, sglangQueue()},
		{"prefill_time", simulator.PrefillTime, vllm, prefill, false, vllmRequest()},
		{"decode_time", simulator.DecodeTime, vllm, decode, false, vllmRequest()},
		{"kv_transfer_latency", simulator.KVTransferLatency, vllm, prefill, false, connectorTransfer()},
		{"kv_transfer_latency", simulator.KVTransferLatency, sglang, prefill, false, sglangTransfer()},
	}
}

func (row timed) name() string {
	return row.signal + " of " + string(row.engine) + " " + string(row.role)
}

func TestQuantilesLieInTheBucketOfTheTruth(t *testing.T) {
	r := theDefaultCluster(t)
	for _, row := range distributions() {
		for _, q := range []float64{0.5, 0.95, 0.99} {
			// The default window of 4 s, and one of a minute.
			for _, window := range []time.Duration{4 * time.Second, time.Minute} {
				t.Run(fmt.Sprintf("P%g of %s over %s", 100*q, row.name(), window), func(t *testing.T) { requireQuantile(t, r, row, q, window) })
			}
		}
	}
}

func requireQuantile(t *testing.T, r *replayed, row timed, q float64, window time.Duration) {
	t.Helper()
	ask := query.Query{Signal: row.signal, GroupBy: []string{"model"}, Stat: query.StatQuantile, Quantile: q}
	if window != 4*time.Second {
		ask.Window = window.String()
	}
	got := r.ask(t, ask, ended-time.Minute, ended)
	for _, g := range r.cluster.Groups {
		if g.Engine != row.engine {
			continue
		}
		c := got.of(t, labelsOf(g, row.role, row.apart)...)
		for at := ended - 40*time.Second; at <= ended; at += 20 * time.Second {
			// n samples a second apart span n-1 seconds.
			samples := r.truth.Samples(row.measure, simulator.Selector{Model: g.Model, Role: row.role}, at-window+time.Second+1, at+1)
			low, high := bucket(row.bounds, samples, q)
			v, ok := c.points[at]
			require.True(t, ok, "%s at %s", g.Name, at)
			require.GreaterOrEqual(t, v, low-exact, "P%g of %s at %s", 100*q, g.Name, at)
			require.LessOrEqual(t, v, high+exact, "P%g of %s at %s", 100*q, g.Name, at)
		}
	}
}

// bucket is where a quantile of the samples may lie: the bucket of the sample of
// that rank. Between two samples either's will do, and a bucket that gained its
// first observations is extrapolated less than the others, which moves the rank by
// up to one.
func bucket(bounds, sorted []float64, q float64) (low, high float64) {
	rank := q * float64(len(sorted))
	at := func(position float64) int {
		sample := sorted[int(min(max(position, 0), float64(len(sorted)-1)))]
		i, _ := slices.BinarySearch(bounds, sample)
		return i
	}
	first, last := at(math.Floor(rank)-2), at(math.Ceil(rank))
	if first > 0 {
		low = bounds[first-1]
	}
	return low, bounds[min(last, len(bounds)-1)]
}

func TestMeansAreThoseOfTheObservedTimes(t *testing.T) {
	r := theDefaultCluster(t)
	for _, row := range distributions() {
		t.Run(row.name(), func(t *testing.T) {
			got := r.ask(t, query.Query{Signal: row.signal, GroupBy: []string{"model"}, Stat: query.StatMean}, settled, ended)
			for _, g := range r.cluster.Groups {
				if g.Engine != row.engine {
					continue
				}
				c := got.of(t, labelsOf(g, row.role, row.apart)...)
				for at := settled + 20*time.Second; at <= ended; at += 20 * time.Second {
					samples := r.truth.Samples(row.measure, simulator.Selector{Model: g.Model, Role: row.role}, at-3*time.Second+1, at+1)
					require.InDelta(t, mean(samples), c.points[at], 1e-6, "%s at %s", g.Name, at)
				}
			}
		})
	}
}

func mean(samples []float64) float64 {
	total := 0.0
	for _, s := range samples {
		total += s
	}
	return total / float64(len(samples))
}

func TestADistributionsRateIsItsObservationsPerSecond(t *testing.T) {
	r := theDefaultCluster(t)
	for _, row := range distributions() {
		t.Run(row.name(), func(t *testing.T) {
			got := r.ask(t, query.Query{Signal: row.signal, GroupBy: []string{"model"}, Stat: query.StatRate, Window: "60s"}, ended-time.Second, ended)
			for _, g := range r.cluster.Groups {
				if g.Engine != row.engine {
					continue
				}
				samples := r.truth.Samples(row.measure, simulator.Selector{Model: g.Model, Role: row.role}, ended-59*time.Second+1, ended+1)
				require.InEpsilon(t, row.observations(g)*float64(len(samples))/59, got.of(t, labelsOf(g, row.role, row.apart)...).points[ended], 0.001, g.Name)
			}
		})
	}
}

func TestTheRolesOfALatencyAreNeverMerged(t *testing.T) {
	r := theDefaultCluster(t)
	for _, signal := range []string{"ttft", "e2e_latency", "queue_time"} {
		got := r.ask(t, query.Query{Signal: signal}, ended-10*time.Second, ended)
		for _, c := range got.curves {
			if c.labels["system"] == "vllm" || signal != "ttft" {
				require.NotEmpty(t, c.labels["role"], "%s %v", signal, c.labels)
			}
		}
	}
}
