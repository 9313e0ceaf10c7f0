package simulator

import (
	"iter"
	"time"
)

// Outcome is how a request ended.
type Outcome string

// The outcomes of a request.
const (
	// Open requests are still on their way.
	Open Outcome = "open"
	// Finished requests have all their output.
	Finished Outcome = "finished"
	// Aborted requests were left by their client.
	Aborted Outcome = "aborted"
	// BootstrapFailed requests did not get through the handshake.
	BootstrapFailed Outcome = "bootstrap_failed"
	// Lost requests were on an instance when it restarted.
	Lost Outcome = "lost"
	// Expired requests were not fetched from prefill in time.
	Expired Outcome = "expired"
)

// never is the time of what has not happened.
const never time.Duration = -1

// Request is the whole truth about one user request: virtual times since the
// start of the simulation, [never] (-1) for what did not happen.
type Request struct {
	ID     int
	Model  string
	Engine Engine
	// PrefillInstance and DecodeInstance are instance names, the DP ranks the
	// schedulers within; DecodeInstance is empty until decode is involved.
	PrefillInstance, DecodeInstance string
	PrefillDP, DecodeDP             int
	Priority                        int

	// InputTokens is the prompt, CachedTokens its part found in the prefix cache
	// of prefill, OutputTokens what is asked for, Produced what decode has made.
	InputTokens, CachedTokens, OutputTokens, Produced int
	// HostTokens and StorageTokens are the parts of CachedTokens that were found in host
	// memory and in storage; the others were in GPU memory.
	HostTokens, StorageTokens int
	// UndeliveredTokens were found in storage and not delivered in time, so that they
	// were computed. DroppedTokens were computed and not saved to the host.
	UndeliveredTokens, DroppedTokens int
	// LookedUpTokens are those of the prompt that a store beyond the GPU was asked for
	// when the prefill started, StoreHostTokens and StoreRemoteTokens what it found in its host
	// memory and beyond. They are none of CachedTokens.
	LookedUpTokens, StoreHostTokens, StoreRemoteTokens int
	// Bytes of KV cache to transfer, over all ranks.
	Bytes int64

	Outcome Outcome
	// FailedOn is the leg which stayed when the other one was lost, if there is
	// one: its engine reports a failed transfer.
	FailedOn Role

	// Arrival at the first engine: prefill for vLLM, both legs at once for SGLang.
	Arrival time.Duration
	// BootstrapDone is the end of SGLang's handshake, PrefillQueued the entry into
	// prefill's waiting queue.
	BootstrapDone, PrefillQueued time.Duration
	// PrefillStart and PrefillEnd bound the computation; the first token exists at
	// PrefillEnd.
	PrefillStart, PrefillEnd time.Duration
	// TransferStart and TransferEnd bound the KV transfer itself.
	TransferStart, TransferEnd time.Duration
	// DecodeArrival at decode's server; Preallocated when its KV space is reserved.
	DecodeArrival, Preallocated time.Duration
	// DecodeQueued is the entry into decode's waiting queue (KV is there),
	// DecodeStart the entry into its batch.
	DecodeQueued, DecodeStart time.Duration
	// FirstToken and LastToken are decode's output times.
	FirstToken, LastToken time.Duration
	// Interruptions are the times out of decode's batch, if any.
	Interruptions []Interruption
	// Ended is when Outcome was decided.
	Ended time.Duration

	fate
	prefill, decode *scheduler
	atPrefill       stage
	atDecode        stage
	onLink          bool
	turn            int // of the batch; a planned token is of one turn
	step            time.Duration
	roundEnd        int // output token with which the present round of drafts ends
	lostChunks      int // found by a store and not brought back
}

// fate is what was drawn for a request at its arrival.
type fate struct {
	abortInQueue   bool
	abortAfter     int // output tokens; 0: never
	preemptAfter   int // output tokens; 0: never
	failsBootstrap bool
	compute        time.Duration
	transfer       time.Duration
	bootstrap      time.Duration
	alloc          time.Duration
	pause          time.Duration
	prefillRound   time.Duration
	decodeRound    time.Duration
	acceptance     []float64 // of drafts by position, none without speculation
}

// stepTime is the duration of the decode step which makes output token k (from
// 1): the mean step, 15 percent to either side, the same at every call.
func (r *Request) stepTime(k int) time.Duration {
	return time.Duration(float64(r.step) * (0.85 + 0.3*spread(uint64(r.ID)<<20+uint64(k))))
}

// TokenTimes yields the number (from 1) and time of every output token decode
// has produced.
func (r *Request) TokenTimes() iter.Seq2[int, time.Duration] {
	return func(yield func(int, time.Duration) bool) {
		at, next := r.DecodeStart, 0
		for k := 1; k <= r.Produced; k++ {
			for next < len(r.Interruptions) && r.Interruptions[next].After < k {
				at = r.Interruptions[next].Resumed
				next++
			}
			at += r.stepTime(k)
			if !yield(k, at) {
				return
			}
		}
	}
}
