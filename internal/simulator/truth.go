package simulator

import (
	"iter"
	"math"
	"slices"
	"time"
)

// Truth answers what really happened, from the requests themselves and not from
// any exported counter. It is a view: it knows what the simulation has reached.
// Times are virtual, intervals are [from, to).
//
// Where the engines' clocks differ, the truth follows the engine of the model,
// so that it is what a right query over that engine's metrics gives:
//
//	                    vLLM                                SGLang
//	PrefillCompleted    end of prefill                      end of the KV transfer; also failed handshakes
//	DecodeCompleted     last token, aborts not counted      last token; also aborts amid output, failed handshakes
//	                    (the label finished_reason can      (num_requests_total has no label to leave them out;
//	                    leave them out)                     use Succeeded for the clean number)
//	Succeeded           prefill: end of prefill             prefill: end of the KV transfer
//	                    decode: last token                  decode: last token
//	PromptTokens        prefill: at the end of prefill      prefill: at the end of the transfer
//	PromptTokensComputed  at the end of prefill             at the start of prefill
//	OutputTokens        every token of decode, when made    the same (realtime_tokens_total; generation_tokens_total
//	                                                        moves when a request finishes)
//	Aborts              prefill: while waiting              prefill: while waiting
//	                    decode: amid the output             decode: both, the client leaves both legs
//	TTFT                prefill: arrival → end of prefill   –
//	                    decode: arrival at decode → first   decode: arrival (both legs at once) → first token of
//	                    token of decode                     decode, prefill and transfer included
//	E2E                 prefill: arrival → end of prefill   prefill: arrival → end of the transfer
//	                    decode: arrival at decode → end     decode: arrival → end
//	QueueTime           arrival at the leg → its batch      entry into the waiting queue → batch (handshake and
//	                    (on decode the KV transfer is in)   transfer are not in)
//	PrefillTime         prefill: batch → first token        prefill: the computation
//	                    decode: batch → first token         –
//	DecodeTime          first → last token; 0 on prefill    decode: first → last token (no histogram of its own)
//	KVTransferLatency   the transfer alone (flagcx_xfer_time_seconds, kv_transfer_latency_ms)
//	Bootstrap           –                                   prefill: arrival → handshake done
type Truth struct{ simulation *Simulation }

// Truth is the truth up to the present virtual time.
func (s *Simulation) Truth() Truth { return Truth{s} }

// Selector narrows a question; an empty field does not.
type Selector struct {
	Model string
	// Role is the leg that is asked about.
	Role Role
	// Instance is the name of the instance of that leg; it needs a role.
	Instance string
}

// Event is something that is counted.
type Event string

// The events. Unless said otherwise one count is one request.
const (
	Arrivals         Event = "arrivals"
	PrefillCompleted Event = "prefill_completed"
	// KVTransfers are completed transfers, KVTransferBytes their bytes over all
	// ranks.
	KVTransfers     Event = "kv_transfers"
	KVTransferBytes Event = "kv_transfer_bytes"
	DecodeCompleted Event = "decode_completed"
	// Succeeded needs a role: legs that ended as they should.
	Succeeded Event = "succeeded"
	// PromptTokens are the prompt tokens of finished prefills, PromptTokensComputed
	// those which were not cached. Tokens.
	PromptTokens         Event = "prompt_tokens"
	PromptTokensComputed Event = "prompt_tokens_computed"
	// OutputTokens are decode's tokens.
	OutputTokens Event = "output_tokens"
	// Aborts without a role are user requests, with one what that role's engine
	// counts.
	Aborts            Event = "aborts"
	Preemptions       Event = "preemptions"
	BootstrapFailures Event = "bootstrap_failures"
)

// Count is the number of events in [from, to).
func (t Truth) Count(e Event, s Selector, from, to time.Duration) float64 {
	t.simulation.mu.Lock()
	defer t.simulation.mu.Unlock()
	total := 0.0
	for r := range t.requests(s) {
		for at, weight := range r.happenings(e, s.Role) {
			if at >= from && at < to {
				total += weight
			}
		}
	}
	return total
}

// Rate is the mean number of events per second in [from, to).
func (t Truth) Rate(e Event, s Selector, from, to time.Duration) float64 {
	return t.Count(e, s, from, to) / (to - from).Seconds()
}

// requests yields the known requests a selector takes.
func (t Truth) requests(s Selector) iter.Seq[*Request] {
	return func(yield func(*Request) bool) {
		for _, g := range t.simulation.groups {
			if s.Model != "" && g.Model != s.Model {
				continue
			}
			for _, r := range g.requests {
				instance := r.PrefillInstance
				if s.Role == Decode {
					instance = r.DecodeInstance
				}
				if s.Instance != "" && s.Instance != instance {
					continue
				}
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Requests lists copies of the known requests, by model and in the order of
// their arrival.
func (t Truth) Requests(s Selector) []Request {
	t.simulation.mu.Lock()
	defer t.simulation.mu.Unlock()
	var list []Request
	for r := range t.requests(s) {
		list = append(list, *r)
	}
	return list
}

// happenings yields when an event happened to the request, and its weight.
func (r *Request) happenings(e Event, role Role) iter.Seq2[time.Duration, float64] {
	return func(yield func(time.Duration, float64) bool) {
		once := func(at time.Duration, weight float64) {
			if at != never && weight != 0 {
				yield(at, weight)
			}
		}
		prefilled := r.PrefillEnd
		if r.Engine == SGLang {
			prefilled = r.TransferEnd
		}
		switch e {
		case Arrivals:
			once(r.Arrival, 1)
		case PrefillCompleted:
			if prefilled == never && r.failedLeg(Prefill) {
				prefilled = r.Ended
			}
			once(prefilled, 1)
		case DecodeCompleted:
			if r.Outcome == Finished || r.failedLeg(Decode) || (r.Engine == SGLang && r.Outcome == Aborted && r.Produced > 0) {
				once(r.Ended, 1)
			}
		case Succeeded:
			if role == Decode && r.Outcome == Finished {
				once(r.Ended, 1)
			}
			if role == Prefill {
				once(prefilled, 1)
			}
		case KVTransfers:
			once(r.TransferEnd, 1)
		case KVTransferBytes:
			once(r.TransferEnd, float64(r.Bytes))
		case PromptTokens:
			if prefilled == never && r.failedLeg(Prefill) {
				prefilled = r.Ended
			}
			once(prefilled, float64(r.InputTokens))
		case PromptTokensComputed:
			at := r.PrefillEnd
			if r.Engine == SGLang {
				at = r.PrefillStart
			}
			once(at, float64(r.InputTokens-r.CachedTokens))
		case OutputTokens:
			for _, at := range r.TokenTimes() {
				if !yield(at, 1) {
					return
				}
			}
		case Aborts:
			if r.Outcome != Aborted {
				return
			}
			waiting := r.Produced == 0
			if role == "" || (role == Prefill) == waiting || (role == Decode && r.Engine == SGLang) {
				once(r.Ended, 1)
			}
		case Preemptions:
			once(r.PreemptedAt, 1)
		case BootstrapFailures:
			if r.Outcome == BootstrapFailed {
				once(r.Ended, 1)
			}
		}
	}
}

// failedLeg says whether SGLang ends the leg as a request that failed.
func (r *Request) failedLeg(role Role) bool {
	return r.Engine == SGLang && (r.Outcome == BootstrapFailed || r.FailedOn == role)
}

// Level is a number of requests, or of tokens, at an instant.
type Level string

// The levels.
const (
	// Running and Waiting are requests in the batch and in the waiting queue of
	// the selected role. On vLLM's decode those waiting for their KV wait too.
	Running Level = "running"
	Waiting Level = "waiting"
	// The queues of SGLang's two legs.
	BootstrapQueue Level = "bootstrap_queue"
	InflightQueue  Level = "inflight_queue"
	PreallocQueue  Level = "prealloc_queue"
	TransferQueue  Level = "transfer_queue"
	// KVTokens are KV cache tokens occupied by requests of the selected role.
	KVTokens Level = "kv_tokens"
)

// At is the level at the instant at.
func (t Truth) At(l Level, s Selector, at time.Duration) float64 {
	t.simulation.mu.Lock()
	defer t.simulation.mu.Unlock()
	total := 0.0
	for r := range t.requests(s) {
		total += r.level(l, s.Role, at)
	}
	return total
}

func (r *Request) level(l Level, role Role, at time.Duration) float64 {
	// between counts one from a step of the request to the next, or to its end.
	between := func(from, to time.Duration) float64 {
		if to == never {
			to = r.Ended
		}
		if from == never || at < from || (to != never && at >= to) {
			return 0
		}
		return 1
	}
	prefill, decode := role != Decode, role != Prefill
	value := 0.0
	switch l {
	case Running:
		if prefill {
			value += between(r.PrefillStart, r.PrefillEnd)
		}
		if decode {
			value += between(r.DecodeStart, r.Ended) - between(r.PreemptedAt, r.ResumedAt)
		}
	case Waiting:
		if prefill {
			value += between(r.PrefillQueued, r.PrefillStart)
		}
		if decode {
			queued := r.DecodeQueued
			if r.Engine == VLLM {
				queued = r.DecodeArrival
			}
			value += between(queued, r.DecodeStart) + between(r.PreemptedAt, r.ResumedAt)
		}
	case BootstrapQueue:
		if r.Engine == SGLang && prefill {
			value = between(r.Arrival, r.PrefillQueued)
		}
	case InflightQueue:
		if r.Engine == SGLang && prefill {
			value = between(r.PrefillEnd, r.TransferEnd)
		}
	case PreallocQueue:
		if r.Engine == SGLang && decode {
			value = between(r.DecodeArrival, r.Preallocated)
		}
	case TransferQueue:
		if r.Engine == SGLang && decode {
			value = between(r.Preallocated, r.TransferEnd)
		}
	case KVTokens:
		if prefill {
			value += between(r.PrefillStart, r.TransferEnd) * float64(kvNeed(r, Prefill))
		}
		if decode {
			out := 0.0
			if r.PreemptedAt != never {
				out = between(r.PreemptedAt, r.PreemptedAt+r.pause)
				if r.Ended != never && at >= r.Ended {
					out = 0
				}
			}
			value += (between(r.Preallocated, r.Ended) - out) * float64(kvNeed(r, Decode))
		}
	}
	return value
}

// KVUsage is the occupied share of the KV cache of the selected role, 0 to 1,
// over all its schedulers.
func (t Truth) KVUsage(s Selector, at time.Duration) float64 {
	used := t.At(KVTokens, s, at)
	capacity := 0
	for _, g := range t.simulation.groups {
		if s.Model != "" && g.Model != s.Model {
			continue
		}
		for role, instances := range g.instances {
			for _, inst := range instances {
				if (s.Role == "" || s.Role == role) && (s.Instance == "" || s.Instance == inst.target.Name) {
					capacity += len(inst.schedulers) * inst.schedulers[0].limits.KVTokens
				}
			}
		}
	}
	return used / float64(capacity)
}

// PrefixHitRatio is the share of prompt tokens found in prefill's prefix cache,
// 0 to 1, over the prefills started in [from, to); NaN if there are none.
func (t Truth) PrefixHitRatio(s Selector, from, to time.Duration) float64 {
	t.simulation.mu.Lock()
	defer t.simulation.mu.Unlock()
	hits, all := 0, 0
	for r := range t.requests(s) {
		if r.PrefillStart != never && r.PrefillStart >= from && r.PrefillStart < to {
			hits += r.CachedTokens
			all += r.InputTokens
		}
	}
	return float64(hits) / float64(all)
}

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
