package kvcache

// Kind says what a layer keeps of a request.
type Kind string

const (
	// KindFull keeps keys and values of every token (MHA, GQA, MQA).
	KindFull Kind = "full"
	// KindSliding keeps those of the last Window tokens.
	KindSliding Kind = "sliding"
	// KindChunked attends within chunks of Window tokens.
	KindChunked Kind = "chunked"
	// KindMLA keeps one latent vector per token that serves as key and value.
	KindMLA Kind = "mla"
	// KindLinear keeps a state whose size does not depend on the tokens.
	KindLinear Kind = "linear"
	// KindNone keeps nothing, or reads what another layer keeps.
	KindNone Kind = "none"
	// KindIndexer is the sparse-attention index key beside a layer's own cache.
	KindIndexer Kind = "indexer"
)

// Kinds are all kinds of layers.
var Kinds = []Kind{KindFull, KindSliding, KindChunked, KindMLA, KindIndexer, KindLinear, KindNone}

// Layer is what one layer keeps. The zero value of a field that its kind does not
// use is 0; layers that are equal are counted together.
type Layer struct {
	Kind Kind
	// KVHeads is the number of key/value heads over all ranks, 1 for MLA.
	KVHeads int64
	// KeyDim and ValueDim are elements per head; an MLA latent is all KeyDim.
	KeyDim, ValueDim int64
	// RopeDim is the part of an MLA latent that packed layouts leave unquantised.
	RopeDim int64
	// Window is the sliding window or the chunk, in tokens.
	Window int64
	// Index is the index key that sparse attention keeps beside the layer's own cache.
	Index Index
	// State is what a linear layer keeps.
	State State
	// Draft marks a layer of the draft model, which only some deployments transfer.
	Draft bool
}

// Index is the index key of one token of a layer with sparse attention.
type Index struct {
	// Dim is its number of elements, 0 where there is none.
	Dim int64
	// Scaled is set for the quantised key with inline scales (DeepSeek sparse
	// attention) and unset for a key of 2 B per element (MiniMax).
	Scaled bool
	// Shared is set where the layer uses another's index: vLLM then keeps none.
	Shared bool
}

// State is what one linear layer keeps of one request, over all ranks.
type State struct {
	// Family names the formula, for the derivation.
	Family string
	// Conv and Recurrent are numbers of elements. Conv elements have 2 B.
	Conv, Recurrent int64
	// Dtype and DtypeOnSGLang are the recurrent elements' types by default.
	Dtype, DtypeOnSGLang string
}

// Model is what a config.json says about the cache.
type Model struct {
	// Type is the model_type, for messages.
	Type string
	// Layers are in the order of the model.
	Layers []Layer
	// DraftLayers are those of the draft weights in the checkpoint, which may or may not be served.
	DraftLayers []Layer
	// Dtype is the checkpoint's element type, "" where the config does not say.
	Dtype string
	// DeclaredKV is the KV dtype that the checkpoint's quantisation declares, "" for none.
	DeclaredKV string
	// Dense is set for a model without experts.
	Dense bool
	// WindowedOnSGLang is set where SGLang has a pool of its own for sliding layers.
	WindowedOnSGLang bool
	// Notes are about the reading of the config.
	Notes []Note
}

// has reports whether any layer satisfies the condition.
func (m Model) has(condition func(Layer) bool) bool {
	for _, l := range m.Layers {
		if condition(l) {
			return true
		}
	}
	return false
}

func (m Model) hasKind(kind Kind) bool {
	return m.has(func(l Layer) bool { return l.Kind == kind })
}

// sparse reports whether the model has DeepSeek's sparse attention.
func (m Model) sparse() bool {
	return m.has(func(l Layer) bool { return l.Index.Scaled })
}
