package simulator

import (
	"iter"
	"math"
	"slices"
	"time"
)

// Measure is a duration the engines observe.
type Measure string

// The measures, see the table at [Truth].
const (
	TTFT Measure = "ttft"
	ITL  Measure = "itl"
	// TPOT is the mean time per output token of a request, zero for one token.
	TPOT              Measure = "tpot"
	E2E               Measure = "e2e"
	QueueTime         Measure = "queue_time"
	PrefillTime       Measure = "prefill_time"
	DecodeTime        Measure = "decode_time"
	KVTransferLatency Measure = "kv_transfer_latency"
	Bootstrap         Measure = "bootstrap"
)

// Samples are the exact values, in seconds, which were observed in [from, to);
// sorted. The selector must name a role: the legs' clocks are different things.
func (t Truth) Samples(m Measure, s Selector, from, to time.Duration) []float64 {
	t.simulation.mu.Lock()
	defer t.simulation.mu.Unlock()
	var samples []float64
	for r := range t.requests(s) {
		for at, took := range r.measured(m, s.Role) {
			if at >= from && at < to {
				samples = append(samples, took.Seconds())
			}
		}
	}
	slices.Sort(samples)
	return samples
}

// measured yields when a measure of the request was observed, and its value.
func (r *Request) measured(m Measure, role Role) iter.Seq2[time.Duration, time.Duration] {
	return func(yield func(at, took time.Duration) bool) {
		span := func(at, from, to time.Duration) {
			if at != never && from != never && to != never {
				yield(at, to-from)
			}
		}
		vllm := r.Engine == VLLM
		// What the engines observe at the end of decode.
		done := never
		if r.Outcome == Finished || (r.Outcome == Aborted && r.Produced > 0) {
			done = r.Ended
		}
		switch {
		case m == TTFT && role == Prefill && vllm:
			span(r.PrefillEnd, r.Arrival, r.PrefillEnd)
		case m == TTFT && role == Decode:
			span(r.FirstToken, r.DecodeArrival, r.FirstToken)
		case m == ITL && role == Decode:
			previous := never
			for k, at := range r.TokenTimes() {
				if k > 1 && !yield(at, at-previous) {
					return
				}
				previous = at
			}
		case m == TPOT && role == Prefill && vllm, m == DecodeTime && role == Prefill && vllm:
			span(r.PrefillEnd, r.PrefillEnd, r.PrefillEnd)
		case m == TPOT && role == Decode && done != never:
			yield(done, (r.LastToken-r.FirstToken)/time.Duration(max(1, r.Produced-1)))
		case m == DecodeTime && role == Decode:
			span(done, r.FirstToken, r.LastToken)
		case m == E2E && role == Prefill:
			end := r.PrefillEnd
			if !vllm {
				end = r.TransferEnd
			}
			if end == never && (r.failedLeg(Prefill) || (vllm && r.Outcome == Aborted)) {
				end = r.Ended
			}
			span(end, r.Arrival, end)
		case m == E2E && role == Decode:
			if r.failedLeg(Decode) {
				done = r.Ended
			}
			span(done, r.DecodeArrival, done)
		case m == QueueTime && role == Prefill && vllm:
			span(r.PrefillEnd, r.Arrival, r.PrefillStart)
		case m == QueueTime && role == Prefill:
			span(r.PrefillStart, r.PrefillQueued, r.PrefillStart)
		case m == QueueTime && role == Decode && vllm:
			span(done, r.DecodeArrival, r.DecodeStart)
		case m == QueueTime && role == Decode:
			span(r.DecodeStart, r.DecodeQueued, r.DecodeStart)
		case m == PrefillTime && role == Prefill:
			span(r.PrefillEnd, r.PrefillStart, r.PrefillEnd)
		case m == PrefillTime && role == Decode && vllm:
			span(done, r.DecodeStart, r.FirstToken)
		case m == KVTransferLatency && role == Prefill:
			span(r.TransferEnd, r.TransferStart, r.TransferEnd)
		case m == Bootstrap && role == Prefill && !vllm:
			span(r.PrefillQueued, r.Arrival, r.BootstrapDone)
		}
	}
}

// Quantile is the exact q-quantile of sorted samples, interpolated between
// neighbours; NaN if there are none.
func Quantile(q float64, sorted []float64) float64 {
	if len(sorted) == 0 || math.IsNaN(q) {
		return math.NaN()
	}
	position := min(max(q, 0), 1) * float64(len(sorted)-1)
	low := int(position)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (position-float64(low))*(sorted[high]-sorted[low])
}
