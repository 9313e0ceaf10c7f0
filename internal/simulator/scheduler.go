package simulator

import "slices"

// stage is where a request is on one of its two legs.
type stage int

const (
	absent stage = iota

	// The stages of prefill.
	bootstrapping  // handshake with decode (SGLang)
	allocating     // waiting for a metadata buffer (SGLang)
	prefillQueued  // waiting to be computed
	prefillRunning // in the batch
	held           // computed, KV waits to be fetched or is being sent

	// The stages of decode.
	preallocating // waiting for KV space
	receiving     // KV space reserved, KV not there yet
	decodeQueued  // KV there, waiting for a place in the batch
	decodeRunning // in the batch
	preempted     // out of the batch again

	stages
)

// priorities is the number of priority classes of the simulation.
const priorities = 2

// scheduler is one data-parallel scheduler of an instance. Its counts follow
// from the requests' stages alone, see place.
type scheduler struct {
	instance *instance
	dp       int
	limits   Instances
	report   reporter

	count  [stages][priorities]int
	kvUsed int // tokens
	// kvCached is what the prefix cache holds beside: evictable tokens.
	kvCached int
	sending  int // transfers on the link

	batch    []*Request // running on decode
	evicted  []*Request // without memory, to be computed anew
	queue    []*Request // to be computed
	prealloc []*Request // for KV space
	link     []*Request // for a transfer
}

// in is the number of requests in any of the stages.
func (s *scheduler) in(wanted ...stage) int {
	n := 0
	for _, w := range wanted {
		for _, c := range s.count[w] {
			n += c
		}
	}
	return n
}

// holdsKV says whether a request in the stage occupies KV cache.
func (st stage) holdsKV() bool {
	switch st {
	case prefillRunning, held, receiving, decodeQueued, decodeRunning:
		return true
	}
	return false
}

// kvNeed is the number of KV tokens a request occupies on its leg now.
func kvNeed(r *Request, role Role) int {
	switch {
	case role == Prefill:
		return r.InputTokens
	case r.decode != nil && r.decode.limits.KVGrows:
		return r.InputTokens + r.Produced
	}
	return r.InputTokens + r.OutputTokens
}

func (s *scheduler) kvFits(r *Request) bool {
	return s.kvUsed+kvNeed(r, s.instance.target.Role) <= s.limits.KVTokens
}

// placePrefill and placeDecode move a request to a stage of a leg and keep the
// scheduler's counts and KV occupation.
func placePrefill(r *Request, to stage) {
	r.prefill.move(r, r.atPrefill, to)
	r.atPrefill = to
}

func placeDecode(r *Request, to stage) {
	if r.decode == nil {
		return
	}
	r.decode.move(r, r.atDecode, to)
	r.atDecode = to
}

func (s *scheduler) move(r *Request, from, to stage) {
	if from != absent {
		s.count[from][r.Priority]--
	}
	if to != absent {
		s.count[to][r.Priority]++
	}
	need := kvNeed(r, s.instance.target.Role)
	switch {
	case to.holdsKV() && !from.holdsKV():
		s.kvUsed += need
		s.keepCached(0) // what is used evicts what is only cached
	case from.holdsKV() && !to.holdsKV():
		s.kvUsed -= need
		if from == held {
			s.keepCached(r.InputTokens - r.deviceTokens())
		}
	}
}

// keepCached adds tokens to what the prefix cache holds beside, and evicts those for which
// there is no room.
func (s *scheduler) keepCached(tokens int) {
	held := s.kvCached + tokens
	s.kvCached = max(0, min(held, s.limits.KVTokens-s.kvUsed))
	if evicted := held - s.kvCached; evicted > 0 {
		s.report.evicted(evicted)
	}
}

// pop takes the next waiting request: the highest priority, then the oldest.
func pop(queue *[]*Request) *Request {
	best := 0
	for i, r := range *queue {
		if r.Priority > (*queue)[best].Priority {
			best = i
		}
	}
	r := (*queue)[best]
	*queue = slices.Delete(*queue, best, best+1)
	return r
}

// drop takes a request out of a queue, if it is there.
func drop(queue *[]*Request, r *Request) {
	if i := slices.Index(*queue, r); i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
	}
}
