package kvcache

import (
	"fmt"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

// readLayers is every layer of the model in order.
func (c *configReading) readLayers() []Layer {
	c.layers = c.layerCount()
	if c.text.failed() {
		return nil
	}
	layers := c.shape(c.kinds())
	if c.text.failed() {
		return nil
	}
	c.withoutCrossAttention(layers)
	c.shareLast(layers)
	c.indexKeys(layers)
	if c.modelType == "longcat_flash" { // two attentions per layer
		layers = append(layers, layers...)
		c.notes = append(c.notes, info("LongCat-Flash has two attentions per layer: %d for %d layers.", len(layers), c.layers))
	}
	return layers
}

// layerCount is the number of layers, 0 after a fault.
func (c *configReading) layerCount() int64 {
	names := []string{"num_hidden_layers", "n_layer", "n_layers", "num_layers"}
	if c.text.first(names...) == "" && c.text.has("layers_block_type") {
		return int64(len(c.text.list("layers_block_type")))
	}
	return c.text.need(1, maxLayers, "add it from the model's config.json or its class's defaults", names...)
}

// shape turns kinds into layers with their dimensions.
func (c *configReading) shape(kinds []layerKind) []Layer {
	known := map[layerKind]Layer{}
	layers := make([]Layer, 0, len(kinds))
	for _, k := range kinds {
		layer, ok := known[k]
		if !ok {
			layer = c.layerOf(k)
			known[k] = layer
		}
		if c.text.failed() {
			return nil
		}
		layers = append(layers, layer)
	}
	return layers
}

func (c *configReading) layerOf(k layerKind) Layer {
	switch k.kind {
	case KindFull:
		layer := c.fullAttention()
		if k.kvHeads > 0 {
			layer.KVHeads = k.kvHeads
		}
		return layer
	case KindSliding:
		return c.sliding()
	case KindChunked:
		return c.chunked()
	case KindLinear:
		return Layer{Kind: KindLinear, State: c.state()}
	default:
		return Layer{Kind: KindNone}
	}
}

// withoutCrossAttention empties the layers that read the images' keys, which
// are not part of the prompt's cache (Llama 3.2 Vision).
func (c *configReading) withoutCrossAttention(layers []Layer) {
	for _, i := range c.text.numbers("cross_attention_layers", 0, c.layers-1) {
		layers[i] = Layer{Kind: KindNone}
	}
}

// shareLast empties the last layers where they read the cache of earlier ones.
func (c *configReading) shareLast(layers []Layer) {
	n, _ := c.text.number(0, c.layers, "num_kv_shared_layers")
	for i := int64(len(layers)) - n; i < int64(len(layers)); i++ {
		layers[i] = Layer{Kind: KindNone}
	}
}

// indexKeys adds the index keys of sparse attention.
func (c *configReading) indexKeys(layers []Layer) {
	if dim, ok := c.text.number(1, maxDim, "index_head_dim"); ok {
		types := c.text.texts("indexer_types")
		c.sameLength("indexer_types", len(types))
		if c.text.failed() {
			return
		}
		for i := range layers {
			shared := len(types) > 0 && types[i] == "shared"
			if len(types) > 0 && !shared && types[i] != "full" {
				c.text.fail(fmt.Sprintf("indexer_types[%d]", i), "is %q: full and shared are known", excerpt.Of(types[i]))
				return
			}
			if layers[i].Kind == KindMLA {
				layers[i].Index = Index{Dim: dim, Scaled: true, Shared: shared}
			}
		}
	}
	sparse := c.text.inner("sparse_attention_config") // MiniMax-M3
	if on, _ := sparse.flag("use_sparse_attention"); !on {
		return
	}
	dim := sparse.dim("sparse_index_dim")
	where := sparse.numbers("sparse_attention_freq", 0, 1)
	if len(where) != len(layers) {
		sparse.fail("sparse_attention_freq", "has %d entries for %d layers: give one each", len(where), len(layers))
		return
	}
	for i, on := range where {
		if on == 1 && layers[i].Kind == KindFull {
			layers[i].Index = Index{Dim: dim}
		}
	}
}

// sameLength refuses a list that is given and has not one entry per layer.
func (c *configReading) sameLength(field string, n int) {
	if c.text.has(field) && int64(n) != c.layers {
		c.text.fail(field, "has %d entries for %d layers: correct one of the two", n, c.layers)
	}
}

// readDraft is the layers of the checkpoint's own draft weights. They are shaped
// like the model's last layer with a growing cache.
func (c *configReading) readDraft(layers []Layer) []Layer {
	n, ok := c.text.number(0, maxLayers, "num_nextn_predict_layers", "mtp_num_hidden_layers", "mtp_transformer_layers")
	if !ok || n == 0 {
		return nil
	}
	attentions := int64(1)
	if c.text.has("mtp_layers_block_type") {
		attentions = 0
		for _, t := range c.text.texts("mtp_layers_block_type") {
			if t == "attention" {
				attentions++
			}
		}
	} else if pattern := c.text.text("mtp_hybrid_override_pattern"); pattern != "" {
		attentions = 0
		for _, letter := range pattern {
			if letter == '*' {
				attentions++
			}
		}
	}
	for i := len(layers) - 1; i >= 0; i-- {
		if layer := layers[i]; layer.Kind == KindFull || layer.Kind == KindMLA {
			layer.Draft, layer.Index.Shared = true, false
			draft := make([]Layer, 0, min(n*attentions, maxLayers))
			for range min(n*attentions, maxLayers) {
				draft = append(draft, layer)
			}
			return draft
		}
	}
	return nil
}
