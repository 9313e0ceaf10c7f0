package kvcache

import "strings"

// readDtype is the element type of the checkpoint, "" where it is not said.
func (c *configReading) readDtype() string {
	for _, s := range []section{c.text, c.root} {
		for _, name := range []string{"dtype", "torch_dtype"} {
			if text := s.text(name); text != "" {
				return strings.TrimPrefix(text, "torch.")
			}
		}
	}
	return ""
}

// readDeclaredKV is the KV quantisation that the checkpoint declares, as it is
// written there, "" for none. Quantised weights alone declare nothing about the cache.
func (c *configReading) readDeclaredKV() string {
	q := c.root.inner("quantization_config")
	for _, s := range []section{q, q.inner("quantization")} {
		if text := s.text("kv_cache_quant_algo"); text != "" {
			return text
		}
	}
	if q.has("kv_cache_scheme") {
		return "kv_cache_scheme"
	}
	return ""
}
