package simulator

import (
	"fmt"
	"iter"
	"time"
)

// Speculation is speculative decoding: each round drafts some tokens and verifies them.
// It changes no time: the tokens of a round come one after the other, as they would
// without it, and the round is counted with its first one.
type Speculation struct {
	// Acceptance is, by position in the draft, the share of drafts whose token is
	// accepted there. A token counts only if those before it do, so shares do not rise.
	Acceptance []float64 `yaml:"acceptance"`
}

func (s *Speculation) check(bad func(name string, value any, remedy string) error) error {
	if s == nil {
		return nil
	}
	if len(s.Acceptance) == 0 {
		return bad("speculation.acceptance", "empty", "give a share for each position of a draft")
	}
	before := 1.0
	for n, share := range s.Acceptance {
		if !(share >= 0 && share <= before) {
			return bad(fmt.Sprintf("speculation.acceptance[%d]", n), share, fmt.Sprintf("give a share from 0 to that of the position before, %g", before))
		}
		before = share
	}
	return nil
}

// accepted is how many tokens of the draft are accepted that is verified with output
// token k (from 1), the same at every call.
func (r *Request) accepted(k int) int {
	// Another half of the numbers than those of the steps' durations.
	drawn := spread(1<<63 | uint64(r.ID)<<20 + uint64(k))
	n := 0
	for n < len(r.acceptance) && drawn < r.acceptance[n] {
		n++
	}
	return n
}

// verify is told each output token; where it is the first of a round, it returns how
// many drafted tokens were accepted in it.
func (r *Request) verify() (accepted int, begins bool) {
	if len(r.acceptance) == 0 || r.Produced <= r.roundEnd {
		return 0, false
	}
	accepted = r.accepted(r.Produced)
	r.roundEnd = r.Produced + accepted
	return accepted, true
}

// rounds yields the time of every round so far and how many of its drafted tokens were
// accepted.
func (r *Request) rounds() iter.Seq2[time.Duration, int] {
	return func(yield func(time.Duration, int) bool) {
		if len(r.acceptance) == 0 {
			return
		}
		end := 0
		for k, at := range r.TokenTimes() {
			if k <= end {
				continue
			}
			n := r.accepted(k)
			end = k + n
			if !yield(at, n) {
				return
			}
		}
	}
}
