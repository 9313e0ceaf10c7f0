package simulator

import (
	"iter"
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
