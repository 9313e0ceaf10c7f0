package kvcache

import "slices"

// heads is the number of attention heads.
func (c *configReading) heads() int64 {
	return c.text.dim("num_attention_heads", "n_head", "n_heads")
}

// mla reports whether the model keeps latents.
func (c *configReading) mla() bool { return c.text.has("kv_lora_rank") }

// kvHeads is the number of key/value heads of a layer.
func (c *configReading) kvHeads() int64 {
	multiQuery, _ := c.text.flag("multi_query")
	grouped, _ := c.text.flag("new_decoder_architecture")
	if multiQuery && !grouped {
		return 1 // whatever num_kv_heads says: Falcon-7B says 71
	}
	if n, ok := c.text.inner("attn_config").number(1, maxDim, "kv_n_heads"); ok {
		return n
	}
	names := []string{"num_key_value_heads", "n_head_kv", "num_kv_heads"}
	if on, given := c.text.flag("multi_query_attention"); on || !given {
		names = append(names, "multi_query_group_num")
	}
	if n, ok := c.text.number(1, maxDim, append(names, "num_attention_groups")...); ok {
		return n
	}
	return c.heads()
}

// headDim is the number of elements of one head.
func (c *configReading) headDim() int64 {
	for _, name := range []string{"head_dim", "hidden_size_per_head", "kv_channels", "attention_head_dim"} {
		if n, ok := c.text.number(0, maxDim, name); ok && n > 0 {
			return n
		}
	}
	if c.headDimOfItsOwn() {
		c.text.fail("head_dim", "is missing, and %s models do not take hidden_size / num_attention_heads: add it from the model's class", c.modelType)
		return 0
	}
	hidden, heads := c.text.dim("hidden_size", "n_embd", "n_embed", "d_model"), c.heads()
	if c.text.failed() {
		return 0
	}
	if hidden%heads != 0 {
		c.text.fail("head_dim", "is missing, and hidden_size %d is no multiple of num_attention_heads %d: add it", hidden, heads)
		return 0
	}
	return hidden / heads
}

// headDimOfItsOwn lists the families whose class has a default that the
// quotient misses.
func (c *configReading) headDimOfItsOwn() bool {
	return slices.Contains([]string{
		"gemma", "gemma2", "gemma3", "gemma3_text", "gemma3n", "gemma3n_text", "gemma4", "gemma4_text", "glm4_moe", "gpt_oss",
		"qwen3", "qwen3_moe", "qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text",
	}, c.modelType)
}

// attention is a layer that keeps every token.
func (c *configReading) attention() Layer {
	if c.mla() {
		rank, rope := c.text.dim("kv_lora_rank"), c.text.dim("qk_rope_head_dim")
		return Layer{Kind: KindMLA, KVHeads: 1, KeyDim: rank + rope, RopeDim: rope}
	}
	dim := c.headDim()
	layer := Layer{Kind: KindFull, KVHeads: c.kvHeads(), KeyDim: dim, ValueDim: dim}
	if n, ok := c.text.number(1, maxDim, "v_head_dim"); ok {
		layer.ValueDim = n
	}
	return layer
}

// fullAttention is attention with the dimensions that some families of mixed
// layers give their full ones.
func (c *configReading) fullAttention() Layer {
	layer := c.attention()
	if n, ok := c.text.number(1, maxDim, "global_head_dim"); ok && !c.mla() {
		layer.KeyDim, layer.ValueDim = n, n
	}
	// Gemma 4 shares the projection of keys and values but caches both.
	if shared, _ := c.text.flag("attention_k_eq_v"); shared {
		if n, ok := c.text.number(1, maxDim, "num_global_key_value_heads"); ok {
			layer.KVHeads = n
		}
	}
	return layer
}

// sliding is a layer that keeps the last tokens.
func (c *configReading) sliding() Layer {
	layer := c.attention()
	if layer.Kind == KindMLA {
		c.text.fail("kv_lora_rank", "is given for a model with sliding layers, whose latents are not known here: take the measured value as bytesPerRequest")
	}
	layer.Kind = KindSliding
	layer.Window = c.text.need(1, maxTokens, "give the window of the sliding layers in tokens", "sliding_window", "sliding_window_size")
	if n, ok := c.text.number(1, maxDim, "swa_num_key_value_heads"); ok {
		layer.KVHeads = n
	}
	if n, ok := c.text.number(1, maxDim, "swa_head_dim"); ok {
		layer.KeyDim, layer.ValueDim = n, n
	}
	if n, ok := c.text.number(1, maxDim, "swa_v_head_dim"); ok {
		layer.ValueDim = n
	}
	other := c.text.inner("attention_other_setting") // Step-3.5
	if n, ok := other.number(1, maxDim, "num_attention_groups"); ok {
		layer.KVHeads = n
	}
	if n, ok := other.number(1, maxDim, "head_dim"); ok {
		layer.KeyDim, layer.ValueDim = n, n
	}
	return layer
}

// chunked is a layer that attends within chunks.
func (c *configReading) chunked() Layer {
	layer := c.attention()
	layer.Kind = KindChunked
	layer.Window = c.text.need(1, maxTokens, "give the size of a chunk in tokens", "attention_chunk_size")
	return layer
}
