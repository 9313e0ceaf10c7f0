package simulator_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

func TestARestartBeginsTheCountersOfThatInstanceAnew(t *testing.T) {
	for engine, completions := range map[simulator.Engine]string{
		simulator.VLLM: "vllm:request_success_total", simulator.SGLang: "sglang:num_requests_total",
	} {
		g := group(engine)
		g.PrefillInstances.Count, g.DecodeInstances.Count = 2, 2
		g.Restart = &simulator.Restart{Instance: "prefill-0.g", At: 10 * time.Second, Down: 2 * time.Second}
		s := newSimulation(t, cluster(g))
		names := []string{"prefill-0.g", "prefill-1.g", "decode-0.g", "decode-1.g"}
		before := map[string]float64{}
		for _, name := range names {
			before[name] = scrape(t, s, name, 9990*time.Millisecond).of(completions).sum()
		}
		require.NoError(t, s.AdvanceTo(11*time.Second))
		require.ErrorIs(t, s.Write(&bytes.Buffer{}, simulator.Target{Name: "prefill-0.g"}, 11*time.Second), simulator.ErrDown)

		back := scrape(t, s, "prefill-0.g", 12*time.Second+time.Millisecond)
		require.Zero(t, back.of(completions).sum(), "%s counts from zero", engine)
		if engine == simulator.SGLang {
			require.Empty(t, back.of(completions), "lazy series are absent again")
		} else {
			require.Equal(t, float64(epoch.Add(12*time.Second).Unix()), back.of("vllm:request_success_created")[0].value)
		}
		for _, name := range names {
			after := scrape(t, s, name, 20*time.Second).of(completions).sum()
			if name == "prefill-0.g" {
				require.Positive(t, after)
				require.Less(t, after, before[name]+1)
			} else {
				require.Greater(t, after, before[name])
			}
		}
		lost := 0
		for _, r := range s.Truth().Requests(simulator.Selector{}) {
			if r.Outcome == simulator.Lost {
				lost++
				require.Equal(t, 10*time.Second, r.Ended)
				require.Equal(t, "prefill-0.g", r.PrefillInstance)
			}
		}
		require.Positive(t, lost)
		// What was lost holds nothing: in the end everything is idle again.
		counted := s.Truth().Count(simulator.PrefillCompleted, simulator.Selector{Role: simulator.Prefill, Instance: "prefill-1.g"}, 0, 20*time.Second+1)
		require.Equal(t, counted, scrape(t, s, "prefill-1.g", 20*time.Second).of(completions).sum())
	}
}

func TestTheLegThatStaysSeesAFailedTransfer(t *testing.T) {
	g := group(simulator.SGLang)
	g.Restart = &simulator.Restart{Instance: "prefill-0.g", At: 10 * time.Second}
	s := newSimulation(t, cluster(g))
	page := scrape(t, s, "decode-0.g", 10*time.Second)
	failed := page.of("sglang:num_transfer_failed_reqs_total")
	require.Len(t, failed, 2, "one copy per TP rank")
	require.Positive(t, failed[0].value)
	requests := s.Truth().Count(simulator.DecodeCompleted, simulator.Selector{Role: simulator.Decode}, 0, 10*time.Second+1)
	require.Equal(t, requests, page.of("sglang:num_requests_total").sum())
	require.Zero(t, page.of("sglang:num_decode_transfer_queue_reqs").sum())
}

func TestNothingIsCountedInAnIdleGap(t *testing.T) {
	for _, engine := range []simulator.Engine{simulator.VLLM, simulator.SGLang} {
		g := group(engine)
		g.IdleGap = &simulator.Gap{From: 5 * time.Second, To: 12 * time.Second}
		s := newSimulation(t, cluster(g))
		for _, target := range s.Targets() {
			// The last requests of before need a moment.
			drained := scrape(t, s, target.Name, 8*time.Second)
			require.Equal(t, drained, scrape(t, s, target.Name, 8*time.Second))
		}
		var early []scraped
		for _, target := range s.Targets() {
			early = append(early, scrape(t, s, target.Name, 8*time.Second))
		}
		for i, target := range s.Targets() {
			require.Equal(t, early[i], scrape(t, s, target.Name, 11900*time.Millisecond))
		}
		require.Zero(t, s.Truth().Count(simulator.Arrivals, simulator.Selector{}, 5*time.Second, 11900*time.Millisecond))
		require.NoError(t, s.AdvanceTo(20*time.Second))
		require.InDelta(t, 20, s.Truth().Rate(simulator.DecodeCompleted, simulator.Selector{}, 13*time.Second, 20*time.Second), 2)
	}
}

func TestTooManyRequestsQueueWhereTheyMust(t *testing.T) {
	slow := func(change func(*simulator.Group)) simulator.Group {
		g := group(simulator.SGLang)
		change(&g)
		return g
	}
	for name, test := range map[string]struct {
		group simulator.Group
		level simulator.Level
		role  simulator.Role
	}{
		"slow prefill fills prefill's queue": {
			slow(func(g *simulator.Group) { g.PrefillInstances.Slots = 1 }), simulator.Waiting, simulator.Prefill,
		},
		"a slow link fills the inflight queue": {
			slow(func(g *simulator.Group) { g.TransferBytesPerSecond, g.PrefillInstances.TransferSlots = 10e6, 1 }), simulator.InflightQueue, simulator.Prefill,
		},
		"a small batch fills decode's queue": {
			slow(func(g *simulator.Group) { g.DecodeInstances.Slots = 2 }), simulator.Waiting, simulator.Decode,
		},
		"little KV space fills the bootstrap queue": {
			slow(func(g *simulator.Group) { g.DecodeInstances.KVTokens = 3500 }), simulator.BootstrapQueue, simulator.Prefill,
		},
		"and the preallocation queue": {
			slow(func(g *simulator.Group) { g.DecodeInstances.KVTokens = 3500 }), simulator.PreallocQueue, simulator.Decode,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSimulation(t, cluster(test.group))
			require.NoError(t, s.AdvanceTo(settled))
			early := s.Truth().At(test.level, simulator.Selector{Role: test.role}, 5*time.Second)
			late := s.Truth().At(test.level, simulator.Selector{Role: test.role}, settled)
			require.Greater(t, early, 5.0)
			require.Greater(t, late, 2*early)
		})
	}
}

func TestRefreshedGaugesAreStairs(t *testing.T) {
	g := group(simulator.SGLang)
	g.RefreshedGauges = true
	s := newSimulation(t, cluster(g))
	steps := map[float64]bool{}
	equal := 0
	previous := -1.0
	for at := settled; at < 2*settled; at += 100 * time.Millisecond {
		value := scrape(t, s, "decode-0.g", at).of("sglang:num_running_reqs").sum()
		steps[value] = true
		if value == previous {
			equal++
		}
		previous = value
	}
	require.Greater(t, len(steps), 1)
	require.Greater(t, equal, 100, "most scrapes see the value of the one before")
}

func TestGenerationThroughputIsOfTheLastLogWindow(t *testing.T) {
	s := newSimulation(t, cluster(group(simulator.SGLang)))
	page := scrape(t, s, "decode-0.g", settled)
	rate := s.Truth().Rate(simulator.OutputTokens, simulator.Selector{}, settled-5*time.Second, settled)
	require.InDelta(t, rate, page.of("sglang:gen_throughput").sum(), 0.4*rate)
}

func TestForgettingKeepsWhatIsOpenAndCountersStay(t *testing.T) {
	s := newSimulation(t, cluster(group(simulator.VLLM)))
	page := scrape(t, s, "decode-0.g", settled)
	running := s.Truth().At(simulator.Running, simulator.Selector{Role: simulator.Decode}, settled)
	s.Forget(settled)
	require.Equal(t, running, s.Truth().At(simulator.Running, simulator.Selector{Role: simulator.Decode}, settled))
	require.Less(t, s.Truth().Count(simulator.Arrivals, simulator.Selector{}, 0, settled), 20.0)
	require.Equal(t, page, scrape(t, s, "decode-0.g", settled))
}

func TestTheDefaultClusterIsSteadySoonAndFast(t *testing.T) {
	s := newSimulation(t, simulator.DefaultCluster())
	require.NoError(t, s.AdvanceTo(63*time.Second))
	for _, g := range simulator.DefaultCluster().Groups {
		for _, e := range []simulator.Event{simulator.PrefillCompleted, simulator.KVTransfers, simulator.DecodeCompleted} {
			rate := s.Truth().Rate(e, simulator.Selector{Model: g.Model}, 3*time.Second, 63*time.Second)
			require.InEpsilon(t, g.RequestRate, rate, 0.04, "%s of %s", e, g.Name)
		}
		e2e := s.Truth().Samples(simulator.E2E, simulator.Selector{Model: g.Model, Role: simulator.Decode}, 0, time.Minute)
		require.Less(t, simulator.Quantile(1, e2e), 3.0)
		ttft := s.Truth().Samples(simulator.TTFT, simulator.Selector{Model: g.Model, Role: simulator.Decode}, 0, time.Minute)
		require.Greater(t, simulator.Quantile(0.5, ttft), 0.03)
	}
}

func TestQuantilesAreExact(t *testing.T) {
	require.InDelta(t, 2.5, simulator.Quantile(0.5, []float64{1, 2, 3, 4}), 1e-12)
	require.InDelta(t, 4, simulator.Quantile(1, []float64{1, 2, 3, 4}), 1e-12)
	require.True(t, simulator.Quantile(0.5, nil) != simulator.Quantile(0.5, nil), "NaN without samples")
}
