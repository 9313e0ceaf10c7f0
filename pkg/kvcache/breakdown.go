package kvcache

import (
	"fmt"
	"strings"
)

// Group is layers of one shape and what they add to a request's bytes.
type Group struct {
	Kind Kind `json:"kind"`
	// Layers is how many there are; LongCat-Flash counts twice.
	Layers   int64 `json:"layers"`
	KVHeads  int64 `json:"kvHeads,omitempty"`
	KeyDim   int64 `json:"keyDim,omitempty"`
	ValueDim int64 `json:"valueDim,omitempty"`
	Window   int64 `json:"window,omitempty"`
	Draft    bool  `json:"draft,omitempty"`
	// BytesPerToken is of one layer and one copy.
	BytesPerToken int64 `json:"bytesPerToken"`
	// StateBytes is of one linear layer, padded where the connector pads.
	StateBytes int64 `json:"stateBytes,omitempty"`
	// Tokens are those that are sent, after rounding and windows.
	Tokens int64 `json:"tokens"`
	// Copies is how often they cross the wire.
	Copies int64 `json:"copies"`
	// Bytes is the group's part of the request.
	Bytes int64 `json:"bytes"`
	// Derivation shows the arithmetic for a human reader.
	Derivation string `json:"derivation"`
}

// Breakdown is the bytes of one request and how they came about.
type Breakdown struct {
	// PerRequest is the whole, from 1 to MaxBytes.
	PerRequest int64
	// PerToken is one copy of the part that grows with the prompt.
	PerToken int64
	// State is the part that does not depend on the prompt.
	State int64
	// Copies is the largest of the groups'.
	Copies int64
	// Tokens are those of the layers that keep every token.
	Tokens int64
	// Groups are in the order of their first layers; a size in bytes has none.
	Groups []Group
	Notes  []Note
}

// Derivation shows the whole arithmetic in one line.
func (b Breakdown) Derivation() string {
	var lines []string
	for _, g := range b.Groups {
		if g.Kind != KindNone {
			lines = append(lines, g.Derivation)
		}
	}
	text := strings.Join(lines, "; ")
	if len(lines) > 1 {
		text += "; together " + grouped(b.PerRequest) + " B"
	}
	return text
}

// part is a layer, or the index key beside one, as it is counted. Equal parts
// make one group.
type part struct {
	layer Layer
	index bool
	plain bool // not quantised although the model's other layers are
}

// breakdown adds up the parts of the plan's model.
func (p *plan) breakdown() (Breakdown, error) {
	order, counts, err := p.parts()
	if err != nil {
		return Breakdown{}, err
	}
	result := Breakdown{Copies: 1, Tokens: p.allTokensSent()}
	total, perToken, state := bounded{}, bounded{}, bounded{}
	for _, part := range order {
		g, err := p.group(part, counts[part])
		if err != nil {
			return Breakdown{}, err
		}
		bytes := product(g.Layers, g.BytesPerToken, g.Tokens, g.Copies)
		if g.Kind == KindLinear {
			bytes = product(g.Layers, g.StateBytes)
			state = state.plus(bytes)
		} else if p.grows(part.layer) {
			perToken = perToken.plus(product(g.Layers, g.BytesPerToken))
		}
		total = total.plus(bytes)
		if total.over || perToken.over || state.over {
			return Breakdown{}, tooLarge("the request")
		}
		g.Bytes = bytes.value
		g.Derivation = p.derivation(g, part)
		result.Copies = max(result.Copies, g.Copies)
		result.Groups = append(result.Groups, g)
	}
	if total.value == 0 {
		return Breakdown{}, fieldError("config", "describes a model that transfers nothing: no layer keeps a cache")
	}
	result.PerRequest, result.PerToken, result.State, result.Notes = total.value, perToken.value, state.value, p.notes
	if p.engine == engineSGLang {
		result.Notes = append(result.Notes, info("SGLang also sends about 1.6 KB of metadata per request and decode rank, which is not counted."))
	}
	return result, nil
}

// parts are the distinct parts in order of first appearance and their numbers.
func (p *plan) parts() (order []part, counts map[part]int64, err error) {
	layers := p.model.Layers
	if p.draft {
		layers = append(layers[:len(layers):len(layers)], p.model.DraftLayers...)
	}
	skip, err := p.unquantised()
	if err != nil {
		return nil, nil, err
	}
	counts = map[part]int64{}
	add := func(one part) {
		if counts[one] == 0 {
			order = append(order, one)
		}
		counts[one]++
	}
	for i, layer := range layers {
		index := layer.Index
		layer.Index.Shared = false // a matter of the index key alone
		add(part{layer: layer, plain: i < skip || i >= len(p.model.Layers)-skip})
		if index.Dim > 0 && (!index.Shared || p.engine == engineSGLang) {
			key := part{layer: Layer{Kind: KindIndexer, KeyDim: index.Dim, Index: index, Draft: layer.Draft}, index: true}
			key.layer.Index.Shared = false
			add(key)
		}
	}
	return order, counts, nil
}

// unquantised is how many layers at each end of the model keep their dtype.
func (p *plan) unquantised() (int, error) {
	if p.layout.pair == 0 {
		return 0, nil
	}
	if p.model.has(func(l Layer) bool { return l.Kind != KindFull }) {
		return 0, fieldError("kvDtype", "is %q, whose size is known for models of full attention layers only: take the measured value as bytesPerRequest", p.layout.name)
	}
	if !p.model.Dense {
		return 0, nil
	}
	p.note("The first and last two layers of a dense model stay at 2 B per element with %s.", p.layout.name)
	return 2, nil
}

// group fills in one part's numbers except the bytes.
func (p *plan) group(one part, count int64) (Group, error) {
	l := one.layer
	g := Group{Kind: l.Kind, Layers: count, KVHeads: l.KVHeads, KeyDim: l.KeyDim, ValueDim: l.ValueDim, Window: l.Window, Draft: l.Draft, Copies: 1}
	var err error
	switch {
	case l.Kind == KindNone:
		return g, nil
	case l.Kind == KindLinear:
		g.StateBytes, _, err = p.sentStateBytes(l.State)
		return g, err
	case one.index:
		g.BytesPerToken, err = indexBytes(l.Index, p.indexDtype)
	case one.plain:
		g.BytesPerToken, err = layout{name: "bfloat16", bits: 16}.layerBytes(l)
	default:
		g.BytesPerToken, err = p.layout.layerBytes(l)
	}
	if err != nil {
		return Group{}, err
	}
	g.Tokens = p.sentTokens(l)
	g.Copies, err = p.copiesOf(l)
	return g, err
}

func tooLarge(what string) error {
	return fieldError("inputTokens", "and the config make %s larger than 2^53 = %s B: one of the numbers is too large", what, grouped(MaxBytes))
}

// derivation is the arithmetic of one group.
func (p *plan) derivation(g Group, one part) string {
	name := map[Kind]string{
		KindFull: "full", KindMLA: "MLA", KindIndexer: "index key", KindNone: "empty", KindLinear: one.layer.State.Family,
		KindSliding: fmt.Sprintf("sliding (window %s)", grouped(g.Window)), KindChunked: fmt.Sprintf("chunked (%s)", grouped(g.Window)),
	}[g.Kind]
	if g.Draft {
		name = "draft " + name
	}
	start := fmt.Sprintf("%d %s layers × ", g.Layers, name)
	switch g.Kind {
	case KindNone:
		return fmt.Sprintf("%d layers without a cache of their own", g.Layers)
	case KindLinear:
		return start + fmt.Sprintf("%s B of state%s = %s B", grouped(g.StateBytes), p.stateDerivation(one.layer.State), grouped(g.Bytes))
	}
	text := start + p.tokenDerivation(g, one) + fmt.Sprintf(" = %s B/token × %s tokens", grouped(g.Layers*g.BytesPerToken), grouped(g.Tokens))
	if g.Copies > 1 {
		text += fmt.Sprintf(" × %d copies", g.Copies)
	}
	return text + " = " + grouped(g.Bytes) + " B"
}

// tokenDerivation shows one token of one layer.
func (p *plan) tokenDerivation(g Group, one part) string {
	l := p.layout
	if one.plain {
		l = layout{bits: 16}
	}
	plain := l.headExtra == 0 && l.scaled == 0 && l.pair == 0 && !l.packed && l.bits >= 8
	switch {
	case g.Kind == KindIndexer, g.Kind == KindMLA && !plain:
		return fmt.Sprintf("%s B", grouped(g.BytesPerToken))
	case g.Kind == KindMLA:
		return fmt.Sprintf("%d × %d B", g.KeyDim, l.bits/8)
	case plain && g.KeyDim == g.ValueDim:
		return fmt.Sprintf("%d KV heads × 2 × %d × %d B", g.KVHeads, g.KeyDim, l.bits/8)
	case plain:
		return fmt.Sprintf("%d KV heads × (%d + %d) × %d B", g.KVHeads, g.KeyDim, g.ValueDim, l.bits/8)
	default:
		return fmt.Sprintf("%d KV heads × %d B (%s)", g.KVHeads, g.BytesPerToken/g.KVHeads, l.name)
	}
}

func (p *plan) stateDerivation(s State) string {
	state, padded, err := p.sentStateBytes(s)
	if err != nil {
		return ""
	}
	if padded {
		return fmt.Sprintf(" in a page of %s tokens", grouped(p.hybrid))
	}
	return fmt.Sprintf(" (%s × 2 B + %s × %d B)", grouped(s.Conv), grouped(s.Recurrent), (state-2*s.Conv)/max(s.Recurrent, 1))
}
