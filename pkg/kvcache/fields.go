package kvcache

// Field is one setting of a Size: where it is kept and what it means. Exactly one
// of Number, Text and Switch is set.
type Field struct {
	// Name is the key in JSON.
	Name   string
	Number *int64
	Text   *string
	Switch **bool
	// Meaning is a short text for help and documentation.
	Meaning string
}

// Fields are all settings of s except Config, which is an object. Whoever reads
// a Size from elsewhere fills it through them.
func (s *Size) Fields() []Field {
	return []Field{
		{Name: "kvDtype", Text: &s.KVDtype, Meaning: "KV cache dtype as in the engine's --kv-cache-dtype, such as auto, bf16, fp8_e4m3 or fp8_ds_mla"},
		{Name: "model", Text: &s.Model, Meaning: "served model name, or /expression/"},
		{Name: "bytesPerRequest", Number: &s.BytesPerRequest, Meaning: "bytes of one request, as measured"},
		{Name: "headDim", Number: &s.HeadDim, Meaning: "elements of one head"},
		{Name: "inputTokens", Number: &s.InputTokens, Meaning: "prompt length in tokens"},
		{Name: "kvHeads", Number: &s.KVHeads, Meaning: "KV heads of one layer"},
		{Name: "layers", Number: &s.Layers, Meaning: "layers that keep a KV cache"},
		{Name: "preset", Text: &s.Preset, Meaning: "name of a model whose config.json is known"},
		{Name: "engine", Text: &s.Engine, Meaning: "vllm or sglang: their rounding, windows and states; none is the plain formula"},
		{Name: "connector", Text: &s.Connector, Meaning: "what carries the cache: nixl, flagcx, mooncake, p2pnccl …"},
		{Name: "prefixHitTokens", Number: &s.PrefixHitTokens, Meaning: "tokens that the decode side holds already; hits on the prefill side change nothing"},
		{Name: "blockSize", Number: &s.BlockSize, Meaning: "tokens of a block (vLLM) or page (SGLang)"},
		{Name: "attentionBlockSize", Number: &s.AttentionBlockSize, Meaning: "vLLM's attention block size of hybrid models, from its log"},
		{Name: "tp", Number: &s.TP, Meaning: "tensor-parallel size of both sides"},
		{Name: "prefillTP", Number: &s.PrefillTP, Meaning: "tensor-parallel size of prefill"},
		{Name: "decodeTP", Number: &s.DecodeTP, Meaning: "tensor-parallel size of decode"},
		{Name: "prefillDP", Number: &s.PrefillDP, Meaning: "SGLang's DP attention size of prefill, which divides its TP"},
		{Name: "decodeDP", Number: &s.DecodeDP, Meaning: "SGLang's DP attention size of decode, which divides its TP"},
		{Name: "pp", Number: &s.PP, Meaning: "pipeline stages; they do not change the sum"},
		{Name: "copies", Number: &s.Copies, Meaning: "copies of each token's cache on the wire, instead of those by TP"},
		{Name: "allTokens", Switch: &s.AllTokens, Meaning: "windowed layers send every token, as with the hybrid allocator off"},
		{Name: "draft", Switch: &s.Draft, Meaning: "the prefill side runs the checkpoint's draft layers"},
		{Name: "stateDtype", Text: &s.StateDtype, Meaning: "dtype of recurrent states: float32 or bfloat16"},
		{Name: "indexDtype", Text: &s.IndexDtype, Meaning: "dtype of sparse attention's index keys: fp8, fp4 or bf16"},
	}
}

// firstOption is the first set field of the deployment, "" when none is.
func (s Size) firstOption() string {
	for _, f := range s.Fields() {
		switch f.Name {
		case "kvDtype", "model", "bytesPerRequest", "headDim", "inputTokens", "kvHeads", "layers", "preset":
			continue
		}
		if f.Number != nil && *f.Number != 0 || f.Text != nil && *f.Text != "" || f.Switch != nil && *f.Switch != nil {
			return f.Name
		}
	}
	return ""
}
