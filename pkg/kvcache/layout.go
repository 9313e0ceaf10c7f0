package kvcache

import (
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

// layout is how an engine stores the elements of one KV dtype.
type layout struct {
	name string
	// bits is the width of one element.
	bits int64
	// headExtra is bytes added to each head, on each side.
	headExtra int64
	// latentExtra is bytes added to an MLA latent, -1 where its size is not known.
	latentExtra int64
	// scaled is the number of elements that share one scale of a byte, 0 for none.
	scaled int64
	// pair is bytes of key and value of one head of 128 elements, 0 where the other
	// fields say it.
	pair int64
	// packed is set for the latent with inline scales and an unquantised rotary part.
	packed bool
}

// layouts are the KV dtypes by the names that the engines' command lines take,
// except auto.
func layouts() []layout {
	plain := func(bits int64, names ...string) []layout {
		var all []layout
		for _, name := range names {
			all = append(all, layout{name: name, bits: bits})
		}
		return all
	}
	all := plain(16, "bf16", "bfloat16", "fp16", "float16", "half")
	all = append(all, plain(8, "fp8", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "int8")...)
	all = append(all, plain(32, "fp32", "float32")...)
	for _, name := range []string{"nvfp4", "nvfp4_4over6", "fp4_mx_block16", "fp4_e2m1"} {
		all = append(all, layout{name: name, bits: 4, scaled: 16, latentExtra: -1})
	}
	return append(all,
		layout{name: "mxfp8", bits: 8, scaled: 32, latentExtra: -1},
		layout{name: "fp8_ds_mla", bits: 8, packed: true},
		layout{name: "int8_per_token_head", bits: 8, headExtra: 4, latentExtra: 8},
		layout{name: "fp8_per_token_head", bits: 8, headExtra: 4, latentExtra: 8},
		layout{name: "int4_per_token_head", bits: 4, headExtra: 4, latentExtra: -1},
		layout{name: "turboquant_k8v4", pair: 196},
		layout{name: "turboquant_4bit_nc", pair: 134},
		layout{name: "turboquant_k3v4_nc", pair: 118},
		layout{name: "turboquant_3bit_nc", pair: 102},
	)
}

// layoutOf finds a layout by its name on the command line.
func layoutOf(name string) (layout, error) {
	var names []string
	for _, l := range layouts() {
		if l.name == name {
			return l, nil
		}
		names = append(names, l.name)
	}
	return layout{}, fieldError("kvDtype", "is %q, which is not known: use auto, %s, or give bytesPerRequest instead", excerpt.Of(name), strings.Join(names, ", "))
}

// layerBytes is bytes of one token in one layer, without copies and index keys.
func (l layout) layerBytes(layer Layer) (int64, error) {
	if layer.Kind == KindMLA {
		return l.latentBytes(layer)
	}
	if l.packed {
		return 0, fieldError("kvDtype", "is %q, a layout of MLA latents, which this model does not have: use fp8", l.name)
	}
	if l.pair > 0 {
		if layer.KeyDim != 128 || layer.ValueDim != 128 {
			return 0, fieldError("kvDtype", "is %q, whose size is known for heads of 128 elements only: take the measured value as bytesPerRequest", l.name)
		}
		return layer.KVHeads * l.pair, nil
	}
	key, err := l.headBytes(layer.KeyDim)
	if err != nil {
		return 0, err
	}
	value, err := l.headBytes(layer.ValueDim)
	if err != nil {
		return 0, err
	}
	return layer.KVHeads * (key + value), nil // both factors are below 2^27
}

// headBytes is bytes of one side of one head.
func (l layout) headBytes(dim int64) (int64, error) {
	if dim*l.bits%8 != 0 || l.scaled > 0 && dim%l.scaled != 0 {
		return 0, fieldError("kvDtype", "is %q, which cannot hold heads of %d elements: take the measured value as bytesPerRequest", l.name, dim)
	}
	bytes := dim*l.bits/8 + l.headExtra
	if l.scaled > 0 {
		bytes += dim / l.scaled
	}
	return bytes, nil
}

// latentBytes is bytes of one MLA latent.
func (l layout) latentBytes(layer Layer) (int64, error) {
	if l.packed {
		rank := layer.KeyDim - layer.RopeDim
		if layer.Index.Dim == 0 || rank%128 != 0 {
			return 0, fieldError("kvDtype", "is %q, a layout of models with MLA, a rank that is a multiple of 128 and an index key (index_head_dim): use fp8", l.name)
		}
		return rank + rank/128*4 + layer.RopeDim*2, nil
	}
	if l.pair > 0 || l.latentExtra < 0 {
		return 0, fieldError("kvDtype", "is %q, whose size for an MLA latent is not known here: take the measured value as bytesPerRequest", l.name)
	}
	return layer.KeyDim*l.bits/8 + l.latentExtra, nil
}

// indexBytes is bytes of the index key of one token in one layer.
func indexBytes(index Index, dtype string) (int64, error) {
	if !index.Scaled {
		if dtype == "fp8" {
			return index.Dim, nil
		}
		return 2 * index.Dim, nil
	}
	if index.Dim%128 != 0 {
		return 0, fieldError("config.index_head_dim", "is %d, no multiple of the 128 elements that share a scale: take the measured value as bytesPerRequest", index.Dim)
	}
	if dtype == "fp4" {
		return index.Dim/2 + index.Dim/32, nil
	}
	return index.Dim + index.Dim/128*4, nil
}

// elementWidth is bytes of one element of a state.
func elementWidth(field, dtype string) (int64, error) {
	switch dtype {
	case "float32", "fp32":
		return 4, nil
	case "bfloat16", "bf16", "float16", "fp16":
		return 2, nil
	}
	return 0, fieldError(field, "is %q: use float32, bfloat16 or float16", excerpt.Of(dtype))
}
