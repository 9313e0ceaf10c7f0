package simulator

import (
	"time"
)

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
	out, without := 0.0, 0.0 // of the batch, of memory
	for _, i := range r.Interruptions {
		out += between(i.At, i.Resumed)
		without += between(i.At, i.Back)
	}
	value := 0.0
	switch l {
	case Running:
		if prefill {
			value += between(r.PrefillStart, r.PrefillEnd)
		}
		if decode {
			value += between(r.DecodeStart, r.Ended) - out
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
			value += between(queued, r.DecodeStart) + out
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
			value += (between(r.Preallocated, r.Ended) - without) * float64(r.decodeKV(at))
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

// PrefixHitRatio is the share of prompt tokens found by prefill, in whatever tier,
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
