package kvcache

import (
	"slices"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

// Deployment is how a model is served, as far as it changes the bytes on the
// wire. The zero value of every field means that it is not set; what is then
// taken depends on the engine and is in the notes of the result.
type Deployment struct {
	// PrefixHitTokens are tokens of the prompt that the decode side holds already.
	PrefixHitTokens int64 `json:"prefixHitTokens,omitempty"`
	// BlockSize is tokens of one block (vLLM) or page (SGLang).
	BlockSize int64 `json:"blockSize,omitempty"`
	// AttentionBlockSize is vLLM's block of hybrid models, from its log.
	AttentionBlockSize int64 `json:"attentionBlockSize,omitempty"`
	// Engine is vllm or sglang; without it nothing is rounded or padded.
	Engine string `json:"engine,omitempty"`
	// Connector is what carries the cache, such as nixl or flagcx.
	Connector string `json:"connector,omitempty"`
	// TP is the tensor-parallel size of both sides, PrefillTP and DecodeTP of one.
	TP        int64 `json:"tp,omitempty"`
	PrefillTP int64 `json:"prefillTP,omitempty"`
	DecodeTP  int64 `json:"decodeTP,omitempty"`
	// PrefillDP and DecodeDP are SGLang's DP attention, which divides TP.
	PrefillDP int64 `json:"prefillDP,omitempty"`
	DecodeDP  int64 `json:"decodeDP,omitempty"`
	// PP is the number of pipeline stages, which split the layers and change nothing.
	PP int64 `json:"pp,omitempty"`
	// Copies is how often each token's cache crosses the wire; it wins over TP.
	Copies int64 `json:"copies,omitempty"`
	// AllTokens is true where windowed layers send every token, as without vLLM's
	// hybrid memory allocator.
	AllTokens *bool `json:"allTokens,omitempty"`
	// Draft is true where the prefill side runs the checkpoint's draft layers.
	Draft *bool `json:"draft,omitempty"`
	// StateDtype is the element type of recurrent states.
	StateDtype string `json:"stateDtype,omitempty"`
	// IndexDtype is fp8 or fp4, of sparse attention's index keys.
	IndexDtype string `json:"indexDtype,omitempty"`
}

const (
	engineVLLM   = "vllm"
	engineSGLang = "sglang"
)

// Engines are those whose rounding, windows and states are known.
var Engines = []string{engineVLLM, engineSGLang}

// StateDtypes are the names of the element types of recurrent states, one for each.
var StateDtypes = []string{"bfloat16", "float16", "float32"}

// IndexDtypes are the element types of sparse attention's index keys.
var IndexDtypes = []string{"fp8", "fp4", "bf16"}

// plan is a deployment with every default filled in for one model.
type plan struct {
	model      Model
	layout     layout
	tokens     int64 // to transfer: the prompt less the hit on the decode side
	engine     string
	connector  string
	block      int64 // at least 1
	prefillTP  int64 // of attention, at least 1
	decodeTP   int64 // of attention, at least 1
	copies     int64 // 0: by TP
	allTokens  bool
	draft      bool
	stateDtype string // "": each layer's own
	indexDtype string
	hybrid     int64 // tokens of vLLM's hybrid block, 0 for no such blocks
	notes      []Note
}

func (p *plan) note(format string, args ...any) { p.notes = append(p.notes, info(format, args...)) }
func (p *plan) warn(format string, args ...any) { p.notes = append(p.notes, warning(format, args...)) }

// planned fills in the defaults of the engine and refuses what cannot be.
func planned(m Model, inputTokens int64, kvDtype string, d Deployment) (*plan, error) {
	if err := d.check(inputTokens); err != nil {
		return nil, err
	}
	p := &plan{
		model: m, tokens: inputTokens - d.PrefixHitTokens, engine: d.Engine, connector: d.Connector, copies: d.Copies,
		stateDtype: d.StateDtype, indexDtype: d.IndexDtype, notes: slices.Clone(m.Notes),
	}
	for _, step := range []func(Deployment) error{p.setConnector, p.setParallel, p.setDraft} {
		if err := step(d); err != nil {
			return nil, err
		}
	}
	if err := p.setLayout(kvDtype); err != nil {
		return nil, err
	}
	p.setBlock(d)
	p.setWindows(d)
	if d.PP > 1 {
		p.note("Pipeline stages split the layers: their sum is the same for pp %d.", d.PP)
	}
	if err := p.setHybrid(d); err != nil {
		return nil, err
	}
	return p, nil
}

// check refuses values out of range.
func (d Deployment) check(inputTokens int64) error {
	if inputTokens == 0 {
		return fieldError("inputTokens", "is 0 or missing: give the prompt length of a typical request")
	}
	numbers := []struct {
		field string
		value int64
		most  int64
	}{
		{"inputTokens", inputTokens, maxTokens}, {"prefixHitTokens", d.PrefixHitTokens, maxTokens},
		{"blockSize", d.BlockSize, maxDim}, {"attentionBlockSize", d.AttentionBlockSize, maxTokens},
		{"tp", d.TP, maxDim}, {"prefillTP", d.PrefillTP, maxDim}, {"decodeTP", d.DecodeTP, maxDim},
		{"prefillDP", d.PrefillDP, maxDim}, {"decodeDP", d.DecodeDP, maxDim}, {"pp", d.PP, maxDim}, {"copies", d.Copies, maxDim},
	}
	for _, n := range numbers {
		if n.value < 0 || n.value > n.most {
			return fieldError(n.field, "is %d: give a number from 1 to %d", n.value, n.most)
		}
	}
	if d.PrefixHitTokens >= inputTokens {
		return fieldError("prefixHitTokens", "is %d, which leaves nothing of inputTokens %d to transfer: give less, bytes of 0 cannot be divided by", d.PrefixHitTokens, inputTokens)
	}
	if d.Engine != "" && !slices.Contains(Engines, d.Engine) {
		return fieldError("engine", "is %q: use vllm or sglang, or leave it out for the plain formula", excerpt.Of(d.Engine))
	}
	if d.IndexDtype != "" && !slices.Contains(IndexDtypes, d.IndexDtype) {
		return fieldError("indexDtype", "is %q: use fp8, fp4 or bf16", excerpt.Of(d.IndexDtype))
	}
	if d.StateDtype != "" {
		if _, err := elementWidth("stateDtype", d.StateDtype); err != nil {
			return err
		}
	}
	return nil
}

// Connectors are the known names by engine, the one that is taken without any first.
func Connectors(engine string) []string {
	switch engine {
	case engineVLLM:
		return []string{"nixl", "flagcx", "mooncake", "p2pnccl", "multi", "offloading"}
	case engineSGLang:
		return []string{"mooncake", "nixl", "flagcx", "ascend", "mori"}
	}
	return nil
}

func (p *plan) setConnector(d Deployment) error {
	known := Connectors(p.engine)
	switch {
	case p.engine == "":
		if d.Connector != "" {
			return fieldError("connector", "is %q but engine is not set: give engine too, vllm or sglang", excerpt.Of(d.Connector))
		}
		p.note("engine is not set: whole tokens, exact windows and unpadded states are counted, as the plain formula does. Set engine to vllm or sglang for its blocks.")
	case d.Connector == "":
		p.connector = known[0]
		p.note("connector is not set: %s is taken.", p.connector)
	case !slices.Contains(known, d.Connector):
		return fieldError("connector", "is %q: for %s use one of %v", excerpt.Of(d.Connector), p.engine, known)
	}
	if p.connector == "p2pnccl" && p.model.hasKind(KindLinear) {
		return fieldError("connector", "is p2pnccl, which does not carry the state of linear layers: take another connector")
	}
	if p.connector == "p2pnccl" && d.PrefixHitTokens > 0 {
		return fieldError("prefixHitTokens", "is %d but p2pnccl sends the whole prompt whatever the decode side holds: leave it out", d.PrefixHitTokens)
	}
	return nil
}

// setParallel finds the tensor-parallel size of attention on both sides.
func (p *plan) setParallel(d Deployment) error {
	side := func(field string, own, dp int64) (int64, error) {
		tp := own
		if tp == 0 {
			tp = max(d.TP, 1)
		}
		if dp <= 1 {
			return tp, nil
		}
		if p.engine == engineVLLM {
			p.note("%sDP is not used: vLLM's data-parallel size stands beside TP and does not divide it.", field)
			return tp, nil
		}
		if tp%dp != 0 {
			return 0, fieldError(field+"DP", "is %d, which does not divide the TP of %d: DP attention splits the TP ranks, correct one of the two", dp, tp)
		}
		return tp / dp, nil
	}
	var err error
	if p.prefillTP, err = side("prefill", d.PrefillTP, d.PrefillDP); err != nil {
		return err
	}
	if p.decodeTP, err = side("decode", d.DecodeTP, d.DecodeDP); err != nil {
		return err
	}
	if d.TP == 0 && d.PrefillTP == 0 && d.DecodeTP == 0 && d.Copies == 0 {
		p.note("tp is not set: one copy crosses the wire. Ranks of decode that share KV heads or latents each fetch a copy.")
	}
	if p.connector == "p2pnccl" && p.prefillTP != p.decodeTP {
		return fieldError("prefillTP", "is %d and decodeTP %d, but p2pnccl needs both equal: correct one of the two", p.prefillTP, p.decodeTP)
	}
	return nil
}

func (p *plan) setDraft(d Deployment) error {
	if d.Draft != nil && *d.Draft {
		if len(p.model.DraftLayers) == 0 {
			return fieldError("draft", "is true but the config names no draft layers (num_nextn_predict_layers): leave it out, or add the draft model's bytes by hand in bytesPerRequest")
		}
		p.draft = true
		return nil
	}
	if n := len(p.model.DraftLayers); n > 0 && d.Draft == nil {
		p.note("%d draft layer(s) of the checkpoint are not counted: set draft where the prefill side runs them.", n)
	}
	return nil
}

func (p *plan) setBlock(d Deployment) {
	p.block = max(d.BlockSize, 1)
	if d.BlockSize > 0 {
		return
	}
	switch {
	case p.engine == engineVLLM:
		p.block = 16
		p.note("blockSize is not set: 16 is taken, vLLM's default on CUDA; MLA backends often have 64 or 128.")
	case p.engine == engineSGLang && p.model.sparse():
		p.block = 64
		p.note("blockSize is not set: a page of 64 is taken, SGLang's default for sparse MLA.")
	case p.engine == engineSGLang:
		p.note("blockSize is not set: a page of 1 is taken, SGLang's default.")
	}
}

// setWindows decides whether windowed layers send every token.
func (p *plan) setWindows(d Deployment) {
	chunked := p.model.hasKind(KindChunked)
	if !chunked && !p.model.hasKind(KindSliding) {
		return
	}
	if d.AllTokens != nil {
		p.allTokens = *d.AllTokens
		return
	}
	switch p.engine {
	case engineVLLM:
		switch {
		case chunked:
			p.allTokens = true
			p.note("allTokens is not set: every token of the chunked layers is counted, since vLLM's hybrid memory allocator is off for them.")
		case p.connector == "p2pnccl":
			p.allTokens = true
			p.note("allTokens is not set: every token of the windowed layers is counted, since vLLM's hybrid memory allocator is off with p2pnccl.")
		default:
			p.warn("allTokens is not set: the windowed layers send their last blocks only, as with vLLM's hybrid memory allocator. Older versions switch it off with NIXL: set allTokens where the log says so.")
		}
	case engineSGLang:
		p.allTokens = !p.model.WindowedOnSGLang
		if p.allTokens {
			p.note("allTokens is not set: every token of the windowed layers is counted, since SGLang has no sliding-window pool for %s.", nameOr(p.model.Type, "this model"))
		} else {
			p.note("allTokens is not set: the windowed layers send their window, from SGLang's sliding-window pool.")
		}
	default:
		p.warn("allTokens is not set: the windowed layers send their window only. Engines without a hybrid allocator or sliding-window pool send every token: set engine, or allTokens.")
	}
}
