package plugin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// counted is a rate and what it counts.
type counted struct {
	signal string
	event  simulator.Event
	// role of the truth; also the label of the answer where roles are apart.
	role  simulator.Role
	apart bool
	// engine that has it, "" for both.
	engine simulator.Engine
}

// rates are all signals that count something the truth knows.
func rates() []counted {
	const (
		vllm, sglang    = simulator.VLLM, simulator.SGLang
		prefill, decode = simulator.Prefill, simulator.Decode
	)
	return []counted{
		{signal: "prefill_request_rate", event: simulator.PrefillCompleted},
		{signal: "kv_transfer_request_rate", event: simulator.KVTransfers},
		{signal: "decode_request_rate", event: simulator.DecodeCompleted},
		{signal: "kv_transfer_byte_rate", event: simulator.KVTransferBytes},
		{signal: "prefill_token_rate", event: simulator.PromptTokensComputed},
		{signal: "decode_token_rate", event: simulator.OutputTokens},
		{signal: "abort_rate", event: simulator.Aborts, role: prefill, apart: true},
		{signal: "abort_rate", event: simulator.Aborts, role: decode, apart: true},
		{signal: "preemption_rate", event: simulator.Preemptions, role: decode, apart: true, engine: vllm},
		{signal: "retraction_rate", event: simulator.Preemptions, role: decode, apart: true, engine: sglang},
		{signal: "bootstrap_failure_rate", event: simulator.BootstrapFailures, engine: sglang},
	}
}

// Between neighbouring samples a counter's rate is exact: no window extrapolates.
// What is left is the rounding of floats.
const exact = 1e-9

func TestRatesAreWhatHappenedBetweenEveryTwoSamples(t *testing.T) {
	r := theDefaultCluster(t)
	for _, row := range rates() {
		t.Run(row.signal+" "+string(row.role), func(t *testing.T) { requireRate(t, r, row, settled, ended) })
	}
}

// requireRate holds a rate of every model against the truth: its mean, and single
// points.
func requireRate(t *testing.T, r *replayed, row counted, from, to time.Duration) {
	t.Helper()
	got := r.ask(t, byModel(row.signal), from, to)
	for _, g := range r.cluster.Groups {
		if row.engine != "" && row.engine != g.Engine {
			continue
		}
		pairs := labelsOf(g, row.role, row.apart)
		selector := simulator.Selector{Model: g.Model, Role: row.role}
		// The page of an instant holds what happened up to and with it.
		rate := func(from, to time.Duration) float64 {
			return r.truth.Count(row.event, selector, from+1, to+1) / (to - from).Seconds()
		}
		c := got.of(t, pairs...)
		require.Len(t, c.points, int((to-from)/time.Second), "a point for every second")
		want := rate(from, to)
		require.Positive(t, want, "%s of %s must happen", row.signal, g.Name)
		require.InEpsilon(t, want, c.mean(), exact, "%s of %s", row.signal, g.Name)
		for at := from + time.Second; at <= to; at += 10 * time.Second {
			require.InDelta(t, rate(at-time.Second, at), c.points[at], want*1e-6, "%s of %s at %s", row.signal, g.Name, at)
		}
	}
}

func TestTheTotalIsTheSumOfTheModels(t *testing.T) {
	r := theDefaultCluster(t)
	for _, row := range rates() {
		t.Run(row.signal, func(t *testing.T) {
			total := r.ask(t, query.Query{Signal: row.signal}, settled, ended)
			models := r.ask(t, byModel(row.signal), settled, ended)
			for at := settled + time.Second; at <= ended; at += time.Second {
				require.InEpsilon(t, 1+sum(models, at), 1+sum(total, at), exact, "at %s", at)
			}
			require.Less(t, len(total.curves), len(models.curves)+1)
		})
	}
}

// sum adds up all curves at an instant.
func sum(a answer, at time.Duration) float64 {
	total := 0.0
	for _, c := range a.curves {
		total += c.points[at]
	}
	return total
}

func TestNoCurveCountsARequestTwice(t *testing.T) {
	r := theDefaultCluster(t)
	// Each request is counted by itself here, not by Count.
	within := func(at time.Duration) bool { return at > settled && at <= ended }
	for signal, passed := range map[string]func(simulator.Request) bool{
		"prefill_request_rate": func(q simulator.Request) bool {
			if q.Engine == simulator.VLLM {
				return within(q.PrefillEnd)
			}
			return within(q.TransferEnd) || q.Outcome == simulator.BootstrapFailed && within(q.Ended)
		},
		"kv_transfer_request_rate": func(q simulator.Request) bool { return within(q.TransferEnd) },
		"decode_request_rate": func(q simulator.Request) bool {
			sglang := q.Engine == simulator.SGLang
			return within(q.Ended) && (q.Outcome == simulator.Finished ||
				sglang && (q.Outcome == simulator.BootstrapFailed || q.Outcome == simulator.Aborted && q.Produced > 0))
		},
	} {
		t.Run(signal, func(t *testing.T) {
			requests := 0
			for _, q := range r.truth.Requests(simulator.Selector{}) {
				if passed(q) {
					requests++
				}
			}
			got := r.ask(t, query.Query{Signal: signal}, settled, ended)
			counted := 0.0
			for at := settled + time.Second; at <= ended; at += time.Second {
				counted += sum(got, at) // one second each
			}
			require.InEpsilon(t, float64(requests), counted, exact)
		})
	}
}

func TestZoomedOutRatesLoseNothing(t *testing.T) {
	r := theDefaultCluster(t)
	for _, row := range rates() {
		if row.event == simulator.Aborts || row.event == simulator.BootstrapFailures {
			continue // too few for a tolerance of some percent
		}
		t.Run(row.signal, func(t *testing.T) {
			dq := r.query(t, byModel(row.signal), settled, ended)
			dq.Interval = 20 * time.Second
			got := r.run(t, dq)
			for _, g := range r.cluster.Groups {
				if row.engine != "" && row.engine != g.Engine {
					continue
				}
				pairs := labelsOf(g, row.role, row.apart)
				c := got.of(t, pairs...)
				for at, v := range c.points {
					// A window of step + scrape = 21 s holds 20 s of increase, which
					// rate() extrapolates over one second more and divides by 21 s.
					want := r.truth.Count(row.event, simulator.Selector{Model: g.Model, Role: row.role}, at-20*time.Second+1, at+1) / 20
					if want > 1 {
						require.InEpsilon(t, want, v, 0.03, "%s at %s", g.Name, at)
					} else {
						// A rare event that is the first of its series is not extrapolated.
						require.InDelta(t, want, v, 0.1, "%s at %s", g.Name, at)
					}
				}
			}
		})
	}
}
