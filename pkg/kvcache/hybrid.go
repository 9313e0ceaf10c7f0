package kvcache

// setHybrid finds the tokens of one block of vLLM's hybrid models: attention
// blocks are enlarged until one holds no less than the state of a linear layer.
func (p *plan) setHybrid(d Deployment) error {
	if p.engine != engineVLLM || !p.model.hasKind(KindLinear) {
		if d.AttentionBlockSize > 0 {
			return fieldError("attentionBlockSize", "is %d, but only vLLM has it, for models with linear layers: leave it out", d.AttentionBlockSize)
		}
		return nil
	}
	attention, err := p.rankTokenBytes()
	if err != nil {
		return err
	}
	if d.AttentionBlockSize > 0 {
		p.hybrid = d.AttentionBlockSize
		return nil
	}
	if attention == 0 {
		return nil // no attention layer, no block
	}
	alignment := max(16, p.block)
	if p.model.hasKind(KindMLA) {
		alignment = max(128, p.block)
	}
	var largest int64
	for _, l := range p.model.Layers {
		if l.Kind == KindLinear {
			state, err := p.stateBytes(l.State)
			if err != nil {
				return err
			}
			largest = max(largest, ceilDiv(state, p.decodeTP))
		}
	}
	smallest := product(alignment, attention) // bytes of the smallest block
	if smallest.over {
		return tooLarge("a block")
	}
	p.hybrid = alignment * ceilDiv(largest, smallest.value)
	p.note("Hybrid models move blocks of %d tokens here, computed for TP %d: set attentionBlockSize where vLLM's log gives another attention block size.", p.hybrid, p.decodeTP)
	return nil
}

// rankTokenBytes is bytes of one token in one attention layer on one rank, 0
// without such a layer.
func (p *plan) rankTokenBytes() (int64, error) {
	var bytes int64
	for _, l := range p.model.Layers {
		if l.Kind == KindLinear || l.Kind == KindNone {
			continue
		}
		l.KVHeads = ceilDiv(l.KVHeads, p.decodeTP)
		n, err := p.layout.layerBytes(l)
		if err != nil {
			return 0, err
		}
		bytes = max(bytes, n)
	}
	return bytes, nil
}

// stateBytes is bytes of one layer's state over all ranks, without padding.
func (p *plan) stateBytes(s State) (int64, error) {
	field, dtype := "config.mamba_ssm_dtype", s.Dtype
	if p.engine == engineSGLang {
		dtype = s.DtypeOnSGLang
	}
	if p.stateDtype != "" {
		field, dtype = "stateDtype", p.stateDtype
	}
	width, err := elementWidth(field, dtype)
	if err != nil {
		return 0, err
	}
	total := product(2, s.Conv).plus(product(width, s.Recurrent))
	if total.over {
		return 0, tooLarge("the state of a linear layer")
	}
	return total.value, nil
}

// sentStateBytes is bytes of one layer's state on the wire. FlagCX and Mooncake
// send the whole page of each rank on vLLM, NIXL the state alone.
func (p *plan) sentStateBytes(s State) (sent int64, padded bool, err error) {
	state, err := p.stateBytes(s)
	if err != nil || p.hybrid == 0 || p.connector != "flagcx" && p.connector != "mooncake" {
		return state, false, err
	}
	attention, err := p.rankTokenBytes()
	if err != nil {
		return 0, false, err
	}
	page := product(p.hybrid, attention, p.decodeTP)
	if page.over {
		return 0, false, tooLarge("the page of a linear layer's state")
	}
	return max(state, page.value), true, nil
}
