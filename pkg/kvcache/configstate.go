package kvcache

import "slices"

// state is what a linear layer keeps, by the family that the config's fields show.
func (c *configReading) state() State {
	t := c.text
	switch {
	case t.has("linear_attn_config"):
		return c.deltaAttention()
	case t.first("linear_num_key_heads", "linear_num_value_heads") != "":
		return c.gatedDelta()
	case t.first("mamba_num_heads", "mamba_n_heads") != "":
		return c.mamba2()
	case t.first("mamba_expand", "mamba_d_state") != "":
		return c.mamba1()
	case t.has("attn_type_list"), slices.Contains([]string{"minimax", "minimax_m1", "minimax_text_01"}, c.modelType):
		return c.lightning()
	}
	t.fail("linear_num_key_heads", "is missing, and no other field says what the linear layers keep: add the linear_… or mamba_… fields, or take the measured value as bytesPerRequest")
	return State{}
}

// gatedDelta is the state of gated delta nets (Qwen3-Next, Qwen3.5).
func (c *configReading) gatedDelta() State {
	t := c.text
	keyHeads, valueHeads := t.dim("linear_num_key_heads"), t.dim("linear_num_value_heads")
	keyDim, valueDim := t.dim("linear_key_head_dim"), t.dim("linear_value_head_dim")
	kernel := t.dim("linear_conv_kernel_dim")
	keys, values := c.size(2, keyHeads, keyDim), c.size(valueHeads, valueDim)
	dtype := t.text("mamba_ssm_dtype")
	if dtype == "" {
		dtype = "bfloat16" // vLLM takes the type of the convolution
	}
	return State{Family: "gated delta net", Conv: c.size(keys+values, kernel-1), Recurrent: c.size(values, keyDim), Dtype: dtype, DtypeOnSGLang: "float32"}
}

// mamba2 is the state of Mamba-2 layers (Nemotron-H, Nemotron 3).
func (c *configReading) mamba2() State {
	t := c.text
	inner := c.size(t.dim("mamba_num_heads", "mamba_n_heads"), t.dim("mamba_head_dim", "mamba_d_head"))
	groups, state := t.dim("n_groups", "mamba_n_groups"), t.dim("ssm_state_size", "mamba_d_state")
	kernel := t.dim("conv_kernel", "mamba_d_conv")
	dtype := t.text("mamba_ssm_cache_dtype")
	if dtype == "" {
		dtype = "float32"
	}
	return State{Family: "Mamba-2", Conv: c.size(inner+c.size(2, groups, state), kernel-1), Recurrent: c.size(inner, state), Dtype: dtype, DtypeOnSGLang: "float32"}
}

// mamba1 is the state of Mamba-1 layers (Jamba).
func (c *configReading) mamba1() State {
	t := c.text
	inner := c.size(t.dim("mamba_expand"), t.dim("hidden_size"))
	return State{
		Family: "Mamba", Conv: c.size(inner, t.dim("mamba_d_conv")-1), Recurrent: c.size(inner, t.dim("mamba_d_state")),
		Dtype: "bfloat16", DtypeOnSGLang: "float32",
	}
}

// deltaAttention is the state of Kimi's delta attention.
func (c *configReading) deltaAttention() State {
	l := c.text.inner("linear_attn_config")
	heads, dim, kernel := l.dim("num_heads"), l.dim("head_dim"), l.dim("short_conv_kernel_size")
	return State{Family: "Kimi delta attention", Conv: c.size(3, heads, dim, kernel-1), Recurrent: c.size(heads, dim, dim), Dtype: "float32", DtypeOnSGLang: "float32"}
}

// lightning is the state of MiniMax' lightning attention.
func (c *configReading) lightning() State {
	dim := c.headDim()
	c.notes = append(c.notes, warning("The state of lightning attention is taken as float32, which was not confirmed: check it, and set stateDtype if it differs."))
	return State{Family: "lightning attention", Recurrent: c.size(c.heads(), dim, dim), Dtype: "float32", DtypeOnSGLang: "float32"}
}

// size multiplies numbers of elements and refuses a product that no model has.
func (c *configReading) size(factors ...int64) int64 {
	for i := range factors {
		factors[i] = max(factors[i], 0) // after a fault
	}
	n := product(factors...)
	if n.over {
		c.text.fail("linear_attn", "fields give a state beyond 2^53 elements: one of them is too large")
	}
	return n.value
}
