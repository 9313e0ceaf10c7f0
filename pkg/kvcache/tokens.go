package kvcache

// allTokensSent is tokens of a layer that keeps every token.
func (p *plan) allTokensSent() int64 {
	if p.hybrid > 0 {
		return roundedUp(p.tokens-1, p.hybrid) // prefill drops the prompt's last token
	}
	return roundedUp(p.tokens, p.block)
}

// sentTokens is tokens that one layer sends.
func (p *plan) sentTokens(l Layer) int64 {
	all := p.allTokensSent()
	if !p.windowed(l) {
		return all
	}
	switch p.engine {
	case engineVLLM: // the window's blocks and the one that it begins in
		return min(all, roundedUp(l.Window, p.block)+p.block)
	case engineSGLang: // pages that lie wholly before the window are gone
		before := max(0, p.tokens-l.Window) / p.block * p.block
		return all - before
	default:
		return min(all, roundedUp(l.Window, p.block))
	}
}

// windowed reports whether a layer sends no more than its window.
func (p *plan) windowed(l Layer) bool {
	return (l.Kind == KindSliding || l.Kind == KindChunked) && !p.allTokens
}

// grows reports whether a longer prompt makes the layer send more.
func (p *plan) grows(l Layer) bool {
	return !p.windowed(l) || l.Window > p.tokens
}
