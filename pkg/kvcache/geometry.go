package kvcache

import (
	"errors"
	"fmt"
)

// factor is one number of the product, with its name in the settings.
type factor struct {
	field string
	value int64
	hint  string // where to find the value
}

// fromGeometry multiplies layers × KV heads × 2 (K and V) × head dimension ×
// tokens × bytes of one element. It holds for MHA and GQA models, whose every
// layer keeps K and V of every token; others are configured in bytes.
func (s Size) fromGeometry() (Breakdown, error) {
	factors := []factor{
		{"layers", s.Layers, "num_hidden_layers of the model's config.json"},
		{"kvHeads", s.KVHeads, "num_key_value_heads of the model's config.json"},
		{"headDim", s.HeadDim, "head_dim of the model's config.json"},
		{"inputTokens", s.InputTokens, "the prompt length of a typical request"},
	}
	var errs []error
	for _, f := range factors {
		switch {
		case f.value == 0:
			errs = append(errs, fmt.Errorf("%s is 0 or missing: give %s", f.field, f.hint))
		case f.value < 0:
			errs = append(errs, fmt.Errorf("%s is %d: give %s, a number above 0", f.field, f.value, f.hint))
		}
	}
	width, note, err := elementBytes(s.KVDtype)
	if err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		if hint := s.suggestion(); hint != "" {
			errs = append(errs, fmt.Errorf("preset is not set%s", hint))
		}
		return Breakdown{}, errors.Join(errs...)
	}

	total := 2 * width
	for _, f := range factors {
		// Every factor is at least 1, so a product that passes the bound never
		// comes back below it, and the division keeps the test from overflowing.
		if f.value > MaxBytes/total {
			return Breakdown{}, fmt.Errorf("layers %d × kvHeads %d × 2 × headDim %d × inputTokens %d × %d B is more than 2^53 = %s B: one of them is too large",
				s.Layers, s.KVHeads, s.HeadDim, s.InputTokens, width, grouped(MaxBytes))
		}
		total *= f.value
	}

	group := Group{
		Kind: KindFull, Layers: s.Layers, KVHeads: s.KVHeads, KeyDim: s.HeadDim, ValueDim: s.HeadDim,
		BytesPerToken: s.KVHeads * 2 * s.HeadDim * width, Tokens: s.InputTokens, Copies: 1, Bytes: total,
		Derivation: fmt.Sprintf("%d layers × %d KV heads × 2 × %d × %d tokens × %d B = %s B",
			s.Layers, s.KVHeads, s.HeadDim, s.InputTokens, width, grouped(total)),
	}
	result := Breakdown{
		PerRequest: total, PerToken: s.Layers * group.BytesPerToken, Copies: 1, Tokens: s.InputTokens, Groups: []Group{group},
	}
	if note != "" {
		result.Notes = []Note{warning("%s", note)}
	}
	return result, nil
}
