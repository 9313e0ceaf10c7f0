package simulator

// vllmTier is a KV connector of vLLM which keeps KV outside of GPU memory. What prefill
// finds there has been loaded when its computation starts, and what it has computed is
// saved when it ends.
type vllmTier interface {
	prefillStarted(r *Request)
	prefillEnded(r *Request)
	// token: one output token (decode).
	token(r *Request)
	// refresh sets the gauges to the present.
	refresh()
}

// noDecode and noPrefill are for tiers of the other role.
type (
	noDecode  struct{}
	noPrefill struct{}
)

func (noDecode) token(*Request) {}

func (noPrefill) prefillStarted(*Request) {}
func (noPrefill) prefillEnded(*Request)   {}

func newVLLMTiers(s *scheduler, g makeGauge, c makeCounter) []vllmTier {
	switch {
	case s.instance.group.HostCache == nil:
		return nil
	case s.instance.target.Role == Decode:
		return []vllmTier{newHiSparse(s, g, c)}
	}
	return []vllmTier{newOffloading(s, c), newSimpleOffload(s, g, c), newLMCache(s)}
}
