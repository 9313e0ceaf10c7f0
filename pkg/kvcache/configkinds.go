package kvcache

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

// layerKind is a layer before its dimensions are known. kvHeads is set where the
// layer itself says so.
type layerKind struct {
	kind    Kind
	kvHeads int64
}

// kinds says what each layer is. The first field that says so wins, in the order
// in which the engines look.
func (c *configReading) kinds() []layerKind {
	t := c.text
	switch {
	case t.has("block_configs"):
		return c.fromBlockConfigs()
	case t.has("layers_block_type"):
		return c.fromNames("layers_block_type")
	case t.has("hybrid_override_pattern"):
		return c.fromLetters("hybrid_override_pattern")
	case t.has("attn_type_list"):
		return c.fromSwitches("attn_type_list", KindLinear, KindFull)
	case t.inner("linear_attn_config").has("full_attn_layers"):
		return c.fromFullLayers()
	case t.has("hybrid_layer_pattern"):
		return c.fromSwitches("hybrid_layer_pattern", KindFull, KindSliding)
	case t.has("layer_types"):
		return c.fromNames("layer_types")
	case t.has("full_attention_interval"):
		return c.everyNth("full_attention_interval", KindLinear)
	case t.has("attn_layer_period"):
		return c.fromPeriod()
	case c.modelType == "llama4" || c.modelType == "llama4_text":
		return c.fromLlama4()
	case t.has("sliding_window_pattern"):
		return c.everyNth("sliding_window_pattern", KindSliding)
	case t.has("_sliding_window_pattern"):
		return c.everyNth("_sliding_window_pattern", KindSliding)
	case c.modelType == "gemma2":
		return c.each(func(i int64) Kind { return [2]Kind{KindSliding, KindFull}[i%2] })
	default:
		return c.fromWindow()
	}
}

// each asks for every layer, counted from 0.
func (c *configReading) each(kindOf func(i int64) Kind) []layerKind {
	kinds := make([]layerKind, 0, c.layers)
	for i := range c.layers {
		kinds = append(kinds, layerKind{kind: kindOf(i)})
	}
	return kinds
}

// fromBlockConfigs reads the blocks of models that a search has pruned
// (nemotron-nas): some have no attention, the others their own number of heads.
func (c *configReading) fromBlockConfigs() []layerKind {
	blocks := c.text.list("block_configs")
	c.sameLength("block_configs", len(blocks))
	var kinds []layerKind
	for i, block := range blocks {
		members, ok := block.(map[string]any)
		if !ok {
			c.text.fail(fmt.Sprintf("block_configs[%d]", i), "is %s: it has to be an object", excerpt.Value(block))
		}
		attention := section{path: fmt.Sprintf("%s.block_configs[%d]", c.text.path, i), members: members, fault: c.text.fault}.inner("attention")
		no, _ := attention.flag("no_op")
		linear, _ := attention.flag("replace_with_linear")
		if no || linear {
			kinds = append(kinds, layerKind{kind: KindNone})
			continue
		}
		group, heads := attention.dim("n_heads_in_group"), c.heads()
		if c.text.failed() {
			return nil
		}
		if heads%group != 0 {
			attention.fail("n_heads_in_group", "is %d, which does not divide num_attention_heads %d: correct one of the two", group, heads)
			return nil
		}
		kinds = append(kinds, layerKind{kind: KindFull, kvHeads: heads / group})
	}
	return kinds
}

// fromNames reads a list of the layers' types.
func (c *configReading) fromNames(field string) []layerKind {
	names := c.text.texts(field)
	c.sameLength(field, len(names))
	kinds := make([]layerKind, 0, len(names))
	for i, name := range names {
		kind, ok := kindsByName(name)
		if !ok && c.mla() {
			kind, ok = KindFull, true // every layer of an MLA model keeps a latent
		}
		if !ok {
			c.text.fail(fmt.Sprintf("%s[%d]", field, i), "is %q, which is not known here: take the measured value as bytesPerRequest", excerpt.Of(name))
			return nil
		}
		kinds = append(kinds, layerKind{kind: kind})
	}
	return kinds
}

func kindsByName(name string) (Kind, bool) {
	switch name {
	case "full_attention", "attention":
		return KindFull, true
	case "sliding_attention":
		return KindSliding, true
	case "chunked_attention":
		return KindChunked, true
	case "linear_attention", "mamba":
		return KindLinear, true
	case "moe", "mlp":
		return KindNone, true
	}
	return "", false
}

// fromLetters reads Nemotron-H's pattern: * is attention, M Mamba, - and E none.
func (c *configReading) fromLetters(field string) []layerKind {
	letters := strings.Split(c.text.text(field), "")
	c.sameLength(field, len(letters))
	kinds := make([]layerKind, 0, len(letters))
	for i, letter := range letters {
		switch letter {
		case "*":
			kinds = append(kinds, layerKind{kind: KindFull})
		case "M":
			kinds = append(kinds, layerKind{kind: KindLinear})
		case "-", "E":
			kinds = append(kinds, layerKind{kind: KindNone})
		default:
			c.text.fail(field, "holds %q at place %d: *, M, - and E are known", letter, i+1)
			return nil
		}
	}
	return kinds
}

// fromSwitches reads a list of 0 and 1.
func (c *configReading) fromSwitches(field string, zero, one Kind) []layerKind {
	switches := c.text.numbers(field, 0, 1)
	c.sameLength(field, len(switches))
	if c.text.failed() {
		return nil
	}
	return c.each(func(i int64) Kind {
		if switches[i] == 1 {
			return one
		}
		return zero
	})
}

// fromFullLayers reads Kimi Linear's list of full layers, counted from 1.
func (c *configReading) fromFullLayers() []layerKind {
	full := map[int64]bool{}
	for _, n := range c.text.inner("linear_attn_config").numbers("full_attn_layers", 1, c.layers) {
		full[n] = true
	}
	return c.each(func(i int64) Kind {
		if full[i+1] {
			return KindFull
		}
		return KindLinear
	})
}

// everyNth makes every n-th layer full and the others of one kind.
func (c *configReading) everyNth(field string, others Kind) []layerKind {
	n, _ := c.text.number(1, maxLayers, field)
	if c.text.failed() {
		return nil
	}
	return c.each(func(i int64) Kind {
		if (i+1)%n == 0 {
			return KindFull
		}
		return others
	})
}

// fromPeriod reads Jamba's period and offset of its attention layers.
func (c *configReading) fromPeriod() []layerKind {
	period := c.text.need(1, maxLayers, "add it", "attn_layer_period")
	offset := c.text.need(0, maxLayers, "add it: the first layer with attention, counted from 0", "attn_layer_offset")
	if c.text.failed() {
		return nil
	}
	return c.each(func(i int64) Kind {
		if i%period == offset {
			return KindFull
		}
		return KindLinear
	})
}

// fromLlama4 reads Llama 4, whose layers are chunked except those without
// rotary embedding: the zeros of no_rope_layers, every fourth where it is not given.
func (c *configReading) fromLlama4() []layerKind {
	if _, given := c.text.members["attention_chunk_size"]; given && !c.text.has("attention_chunk_size") {
		return c.each(func(int64) Kind { return KindFull }) // null: no chunks
	}
	if len(c.text.list("no_rope_layers")) > 0 {
		return c.fromSwitches("no_rope_layers", KindFull, KindChunked)
	}
	every, ok := c.text.number(1, maxLayers, "no_rope_layer_interval")
	if !ok {
		every = 4
	}
	if c.text.failed() {
		return nil
	}
	return c.each(func(i int64) Kind {
		if (i+1)%every == 0 {
			return KindFull
		}
		return KindChunked
	})
}

// fromWindow reads models that say no more than one window, or none.
func (c *configReading) fromWindow() []layerKind {
	full := func(int64) Kind { return KindFull }
	if field := c.mixture(); field != "" {
		c.text.fail(field, "is missing, and layers of several kinds are mixed in a %s: add it", nameOr(c.modelType, "model without model_type"))
		return nil
	}
	uses, said := c.text.flag("use_sliding_window")
	if said && !uses || c.mla() {
		return c.each(full)
	}
	_, given := c.text.members["sliding_window"]
	if !c.text.has("sliding_window") {
		if c.modelType == "mistral" && !given {
			c.text.fail("sliding_window", "is missing, and the model's class would take 4096: add it, null where every layer is full")
		}
		if uses {
			c.text.fail("sliding_window", "is missing although use_sliding_window is true: add it")
		}
		return c.each(full)
	}
	switch {
	case slices.Contains([]string{"mistral", "mixtral", "phi3", "starcoder2"}, c.modelType):
		return c.each(func(int64) Kind { return KindSliding })
	case strings.HasPrefix(c.modelType, "qwen2"), strings.HasPrefix(c.modelType, "qwen3"):
		if !said {
			c.text.fail("use_sliding_window", "is missing although sliding_window is given: add it")
			return nil
		}
		first := c.text.need(0, maxLayers, "add it: the layers from this one on slide", "max_window_layers")
		return c.each(func(i int64) Kind {
			if i < first {
				return KindFull
			}
			return KindSliding
		})
	}
	c.text.fail("layer_types", "is missing, and sliding_window does not say which layers of a %s model slide: add it", nameOr(c.modelType, "model without model_type"))
	return nil
}

// mixture is the field that has to say which layers are which in models that mix
// them: their class knows, or other fields show that they do. "" is for the others.
func (c *configReading) mixture() string {
	switch c.modelType {
	case "jamba":
		return "attn_layer_period"
	case "nemotron_h":
		return "hybrid_override_pattern"
	case "minimax_m1", "minimax_text_01":
		return "attn_type_list"
	case "kimi_linear":
		return "linear_attn_config.full_attn_layers"
	case "nemotron-nas":
		return "block_configs"
	case "qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text":
		return "full_attention_interval"
	case "gemma3", "gemma3_text", "gemma3n", "gemma3n_text", "gemma4", "gemma4_text", "gpt_oss", "cohere2", "exaone4":
		return "layer_types"
	}
	if c.text.first("mamba_d_state", "mamba_expand", "mamba_num_heads", "mamba_n_heads", "ssm_state_size", "ssm_cfg",
		"linear_num_key_heads", "linear_attn_config", "attn_layer_indices", "block_types", "conv_L_cache", "attention_chunk_size") != "" {
		return "layer_types"
	}
	return ""
}

func nameOr(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}
