package simulator

import (
	"iter"
	"time"
)

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
	// Drafts are rounds of speculative decoding, DraftTokens the tokens drafted in
	// them, AcceptedTokens those that the target model took; counted with the first
	// output token of a round.
	Drafts         Event = "drafts"
	DraftTokens    Event = "draft_tokens"
	AcceptedTokens Event = "accepted_tokens"
)

// What prefill found in each tier, at the start of its computation, and what it moved
// between them. Without Group.HostCache all it finds is in GPU memory.
const (
	// DeviceHitTokens, HostHitTokens and StorageHitTokens are the prompt tokens found in
	// GPU memory, host memory and storage. Tokens.
	DeviceHitTokens  Event = "device_hit_tokens"
	HostHitTokens    Event = "host_hit_tokens"
	StorageHitTokens Event = "storage_hit_tokens"
	// UndeliveredTokens were found in storage and did not come. Tokens.
	UndeliveredTokens Event = "undelivered_tokens"
	// LoadedTokens and LoadedBytes went from the host to the GPU: hits of host and
	// storage. Bytes are over all ranks.
	LoadedTokens Event = "loaded_tokens"
	LoadedBytes  Event = "loaded_bytes"
	// SavedTokens and SavedBytes went from the GPU to the host, at the end of the
	// computation; StoredTokens are those which went on to storage, DroppedTokens those
	// for which there was no room.
	SavedTokens   Event = "saved_tokens"
	SavedBytes    Event = "saved_bytes"
	StoredTokens  Event = "stored_tokens"
	DroppedTokens Event = "dropped_tokens"
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
			for _, out := range r.Interruptions {
				once(out.At, 1)
			}
		case Drafts, DraftTokens, AcceptedTokens:
			for at, accepted := range r.rounds() {
				weight := 1
				switch e {
				case DraftTokens:
					weight = len(r.acceptance)
				case AcceptedTokens:
					weight = accepted
				}
				if !yield(at, float64(weight)) {
					return
				}
			}
		case BootstrapFailures:
			if r.Outcome == BootstrapFailed {
				once(r.Ended, 1)
			}
		default:
			once(r.moved(e))
		}
	}
}

// failedLeg says whether SGLang ends the leg as a request that failed.
func (r *Request) failedLeg(role Role) bool {
	return r.Engine == SGLang && (r.Outcome == BootstrapFailed || r.Outcome == Expired || r.FailedOn == role)
}
