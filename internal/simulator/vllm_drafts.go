package simulator

import "strconv"

// vllmDrafts are vLLM's counters of speculative decoding; empty without it.
type vllmDrafts struct {
	rounds, drafted, accepted *series
	byPosition                []*series
}

func newVLLMDrafts(s *scheduler, c makeCounter) vllmDrafts {
	speculation := s.instance.group.Speculation
	if speculation == nil || s.instance.target.Role != Decode {
		return vllmDrafts{}
	}
	d := vllmDrafts{
		rounds:   c("spec_decode_num_drafts_total", "Number of spec decoding drafts."),
		drafted:  c("spec_decode_num_draft_tokens_total", "Number of draft tokens."),
		accepted: c("spec_decode_num_accepted_tokens_total", "Number of accepted tokens."),
	}
	for n := range speculation.Acceptance {
		d.byPosition = append(d.byPosition, c("spec_decode_num_accepted_tokens_per_pos_total", "Accepted tokens per draft position.", "position", strconv.Itoa(n)))
	}
	return d
}

// verified is one round.
func (d *vllmDrafts) verified(drafted, accepted int) {
	d.rounds.add(1)
	d.drafted.add(float64(drafted))
	d.accepted.add(float64(accepted))
	for _, position := range d.byPosition[:accepted] {
		position.add(1)
	}
}
