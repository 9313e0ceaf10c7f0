package kvcache

import (
	"fmt"
	"math"
	"strings"
)

// Bands of measured ÷ configured. Counters that are read while requests are in
// flight are off by about a percent; beyond ratioAmber something is wrong.
const (
	ratioRight = 0.02
	ratioAmber = 0.05
	// ratioMatch is how near a ratio must be to the one that a mistake would give.
	ratioMatch = 0.03
	// ratioRounding is the most that whole blocks, templates and padding add.
	ratioRounding = 0.07
	// ratioNothing is what is left where transfers are not counted.
	ratioNothing = 0.01
	// mostCopies bounds the decode ranks that may each pull a copy: beyond it
	// neighbouring numbers are nearer to each other than ratioMatch.
	mostCopies = 32
)

// Compare says what it means that a request of the model measured ratio times the
// configured bytes. With a config the mistakes that would give just this ratio are
// worked out, otherwise the usual ones are named. tokens is the mean prompt length
// that was measured, 0 where it is not known. A size that is faulty itself, and
// a ratio that is no positive number, compare to nothing: ok is false.
func (s Size) Compare(ratio, tokens float64) (note Note, ok bool) {
	b, err := s.Breakdown()
	if err != nil || !(ratio >= 0) || math.IsInf(ratio, 0) {
		return Note{}, false
	}
	text := ""
	switch explained := s.explaining(ratio, b.PerRequest, math.Round(tokens)); {
	case math.Abs(ratio-1) <= ratioRight+1e-9:
		text = "the configured value is right"
	case len(explained) > 0:
		text = strings.Join(explained, "; or ")
	default:
		text = usualCause(ratio)
	}
	text = fmt.Sprintf("≈ %.3g × the configured %s B: %s.", ratio, grouped(b.PerRequest), text)
	if math.Abs(ratio-1) > ratioAmber {
		return warning("%s", text), true
	}
	return info("%s", text), true
}

// alternative is a size as it would be without one mistake, and the remedy.
type alternative struct {
	size   Size
	remedy string
}

// explaining lists the remedies that would make the ratio 1.
func (s Size) explaining(ratio float64, configured int64, tokens float64) []string {
	all := s.alternatives()
	if s.InputTokens > 0 && tokens > 0 {
		other := s
		other.InputTokens = int64(tokens)
		all = append(all, alternative{other, fmt.Sprintf("prompts have %s tokens: set inputTokens", grouped(other.InputTokens))})
	}
	var remedies []string
	for _, a := range all {
		b, err := a.size.Breakdown()
		if err != nil || b.PerRequest == configured {
			continue
		}
		if near(ratio, float64(b.PerRequest)/float64(configured)) {
			remedies = append(remedies, a.remedy)
		}
	}
	return remedies
}

func near(ratio, want float64) bool { return math.Abs(ratio/want-1) <= ratioMatch }

// alternatives are the other ways in which the model may be served.
func (s Size) alternatives() []alternative {
	if s.Config == nil && s.Preset == "" {
		return s.otherAttention()
	}
	var all []alternative
	add := func(change func(*Size), remedy string, args ...any) {
		other := s
		change(&other)
		all = append(all, alternative{other, fmt.Sprintf(remedy, args...)})
	}
	for n := int64(1); n <= mostCopies; n++ {
		remedy := fmt.Sprintf("every decode rank pulls a copy of its own: set copies to %d", n)
		if n == 1 {
			remedy = "one copy crosses the wire: set copies to 1"
		}
		add(func(o *Size) { o.Copies = n }, "%s", remedy)
	}
	every, window := true, false
	add(func(o *Size) { o.AllTokens = &every }, "the windowed layers send every token: set allTokens to true")
	add(func(o *Size) { o.AllTokens = &window }, "the windowed layers send their window only: set allTokens to false")
	add(func(o *Size) { o.Draft = &every }, "the prefill side runs the draft layers: set draft to true")
	for _, dtype := range []string{"bf16", "fp8"} {
		add(func(o *Size) { o.KVDtype = dtype }, "the KV cache is %s: set kvDtype", dtype)
	}
	return all
}

// otherAttention is for a size without a config: the preset that the model's name
// suggests, where its attention is of another family.
func (s Size) otherAttention() []alternative {
	preset, ok := Suggest(s.Model)
	if !ok || !s.hasGeometry() {
		return nil
	}
	return []alternative{{
		Size{Model: s.Model, Preset: preset.Name, InputTokens: s.InputTokens, KVDtype: s.KVDtype},
		fmt.Sprintf("the geometry is not that of the model's attention: set preset to %s in place of layers, kvHeads and headDim", preset.Name),
	}}
}

// usualCause is what such a ratio mostly comes from.
func usualCause(ratio float64) string {
	whole, part := math.Round(ratio), math.Round(1/ratio)
	switch {
	case ratio < ratioNothing:
		return "hardly any bytes are counted although requests finish: SGLang's FlagCX does not count where prefill and decode have different TP, or the series of some ranks are missing"
	case ratio > 1 && ratio <= 1+ratioRounding:
		return "whole blocks, the chat template, a draft layer or padded pages add that much"
	case near(ratio, 2) || near(ratio, 0.5):
		return "the KV dtype differs (fp8 or bf16), half of the heads is sent, or two decode ranks pull a copy each: compare kvDtype and copies"
	case whole >= 3 && whole <= mostCopies && near(ratio, whole):
		return fmt.Sprintf("every decode rank pulls a copy (MLA latents, or more ranks than KV heads): set copies to %.0f", whole)
	case part >= 3 && part <= mostCopies && near(ratio, 1/part):
		return fmt.Sprintf("one of %.0f ranks is counted: series of other ranks or nodes are not scraped", part)
	case ratio < 1:
		return "prompts are shorter than inputTokens, or decode holds part of them already: compare the measured input tokens, set prefixHitTokens"
	default:
		return "prompts are longer than inputTokens, or transfers fail and are repeated: compare the measured input tokens and the transfer failures"
	}
}
