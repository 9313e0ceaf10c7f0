package simulator

// hisparse is vLLM's HiSparse on decode: the KV caches of running requests lie in host
// memory, and a buffer on the GPU holds the tokens that sparse attention asks for most. It
// is counted here at every step, and not in snapshots of many.
type hisparse struct {
	noPrefill
	s                           *scheduler
	hits, misses, bytes         *series
	usage, pending              *series
	capacity, pagesOfMeanPrompt float64
}

// topTokens is how many tokens of its context one step of a request looks up.
const topTokens = 2048

func newHiSparse(s *scheduler, g makeGauge, c makeCounter) *hisparse {
	return &hisparse{
		s:       s,
		hits:    c("hisparse_cache_hits_total", "Look-ups that the buffer on the GPU answered."),
		misses:  c("hisparse_cache_misses_total", "Look-ups that went to the host."),
		bytes:   c("hisparse_host_to_device_bytes_total", "Bytes copied from the host to the buffer on the GPU."),
		usage:   g("hisparse_host_cache_usage_perc", "Share of the host pool in use. 1 means 100 percent usage."),
		pending: g("hisparse_pending_page_transfers", "Page transfers that are not completed."),

		// Whatever decode admits has its place on the host.
		capacity:          float64(max(newHostPool(s).capacity, s.limits.KVTokens)),
		pagesOfMeanPrompt: s.instance.group.InputTokens.mean() / block,
	}
}

// token looks up as many tokens as there are, and misses 2 to 8 percent of them: the more
// it misses, the longer the step took, see stepTime.
func (h *hisparse) token(r *Request) {
	asked := min(topTokens, r.InputTokens+r.Produced)
	missed := int(float64(asked) * (0.02 + 0.06*spread(uint64(r.ID)<<20+uint64(r.Produced))))
	h.hits.add(float64(asked - missed))
	h.misses.add(float64(missed))
	h.bytes.add(float64(r.bytesOf(missed)))
}

func (h *hisparse) refresh() {
	h.usage.set(float64(h.s.kvUsed) / h.capacity)
	h.pending.set(float64(h.s.in(receiving)) * h.pagesOfMeanPrompt)
}
