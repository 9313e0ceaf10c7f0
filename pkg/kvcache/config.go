package kvcache

import (
	"slices"
	"strings"
)

// configReading reads one config.json. root is the whole, text the part that
// describes the language model, which is root itself where nothing is nested.
type configReading struct {
	root, text section
	modelType  string
	layers     int64
	notes      []Note
}

// ReadConfig reads the config.json of a Hugging Face model. What it does not know
// for sure it refuses with a *FieldError that names the field and says what to do;
// it never fills in a value that the engines would take from elsewhere.
func ReadConfig(text []byte) (Model, error) {
	members, err := decodeConfig(text)
	if err != nil {
		return Model{}, err
	}
	var fault error
	c := &configReading{root: section{path: "config", members: members, fault: &fault}}
	c.findText()
	c.refuseUnknownCaches()
	if fault != nil {
		return Model{}, fault
	}
	layers := c.readLayers()
	if fault != nil {
		return Model{}, fault
	}
	model := Model{
		Type: c.modelType, Layers: layers, DraftLayers: c.readDraft(layers),
		Dtype: c.readDtype(), DeclaredKV: c.readDeclaredKV(),
		Dense:            !c.experts(),
		WindowedOnSGLang: c.windowedOnSGLang(),
	}
	if fault != nil {
		return Model{}, fault
	}
	model.Notes = c.notes
	return model, nil
}

// findText finds the part that describes the language model.
func (c *configReading) findText() {
	c.text = c.root
	for _, name := range []string{"text_config", "llm_config", "language_config"} {
		if c.root.has(name) {
			c.text = c.root.inner(name)
			break
		}
	}
	if thinker := c.root.inner("thinker_config"); c.text.path == c.root.path && thinker.has("text_config") {
		c.text = thinker.inner("text_config")
	}
	c.modelType = c.text.text("model_type")
	if c.modelType == "" {
		c.modelType = c.root.text("model_type")
	}
}

// refuseUnknownCaches refuses models whose cache has no formula here.
func (c *configReading) refuseUnknownCaches() {
	const measured = "take the measured KV bytes per request as bytesPerRequest"
	if c.text.has("compress_ratios") {
		c.text.fail("compress_ratios", "makes a compressed cache (DeepSeek-V4) whose size has no closed form: %s", measured)
	}
	if c.modelType == "deepseek_v4" {
		c.text.fail("compress_ratios", "is missing, and the compressed cache of DeepSeek-V4 has no closed form anyway: %s", measured)
	}
	for _, field := range []string{"is_encoder_decoder", "use_cla"} {
		if on, _ := c.text.flag(field); on {
			c.text.fail(field, "is true, and the cache of such models is not known here: %s", measured)
		}
	}
	if c.text.has("interleaved_sliding_window") {
		c.text.fail("interleaved_sliding_window", "does not say which layers slide: give layer_types instead, or %s", measured)
	}
	if c.text.has("index_head_dim") && !c.mla() {
		c.text.fail("kv_lora_rank", "is missing although index_head_dim is given: add it, or %s", measured)
	}
}

// experts reports whether the layers have experts, which a config of few fields
// may show by its type alone.
func (c *configReading) experts() bool {
	return c.text.first("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts") != "" ||
		strings.Contains(c.modelType, "moe") || slices.Contains([]string{"mixtral", "dbrx", "gpt_oss", "minimax_m2"}, c.modelType)
}

// windowedOnSGLang follows SGLang's list of models with a sliding-window pool.
func (c *configReading) windowedOnSGLang() bool {
	if hybrid, _ := c.root.flag("is_hybrid_swa"); hybrid {
		return true
	}
	return slices.Contains([]string{
		"llama4", "llama4_text", "gpt_oss", "mimo_v2", "mimo_v2_flash", "mimo_v2_pro", "step3p5", "step3p7",
		"gemma4", "gemma4_text", "laguna", "mellum", "inkling",
	}, c.modelType)
}
