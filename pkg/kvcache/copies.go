package kvcache

// copiesOf is how often a layer's cache crosses the wire: ranks that share a KV
// head, or a latent, each get a copy.
func (p *plan) copiesOf(l Layer) (int64, error) {
	if p.copies > 0 {
		return p.copies, nil
	}
	if l.Kind == KindMLA || l.Kind == KindIndexer {
		return p.decodeTP, nil
	}
	ranks := p.decodeTP
	if p.engine == engineSGLang {
		ranks = max(ranks, p.prefillTP)
	}
	if ranks <= l.KVHeads {
		return 1, nil
	}
	if ranks%l.KVHeads != 0 {
		return 0, fieldError("decodeTP", "and prefillTP make %d ranks for %d KV heads, no multiple: engines refuse this, correct it or set copies", ranks, l.KVHeads)
	}
	return ranks / l.KVHeads, nil
}
