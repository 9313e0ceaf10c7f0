// Package kvcache says how many bytes of KV cache one request occupies, which is
// what KV bytes per second are divided by to give KV requests per second. It is
// pure: integers only, no I/O, and it refuses rather than guesses.
package kvcache

import (
	"encoding/json"
	"errors"
	"fmt"
)

// MaxBytes is the largest accepted size, 2^53. PromQL and JavaScript hold numbers
// as float64; beyond it they would divide by a neighbour of the configured value.
const MaxBytes int64 = 1 << 53

// Size is the configured KV-cache size of one request of a model. One of three
// forms is set: BytesPerRequest alone; Layers, KVHeads and HeadDim with InputTokens
// and KVDtype; or Config or Preset with InputTokens, KVDtype and Deployment.
type Size struct {
	// Model is the exact served model name, or "/expression/": a Go regular
	// expression that may match anywhere in the name unless it is anchored.
	Model string `json:"model"`
	// BytesPerRequest is the size in bytes, 0 when the geometry gives it.
	BytesPerRequest int64 `json:"bytesPerRequest,omitempty"`
	// Layers is the number of layers that keep a KV cache.
	Layers int64 `json:"layers,omitempty"`
	// KVHeads is the number of key/value heads of one layer (not attention heads).
	KVHeads int64 `json:"kvHeads,omitempty"`
	// HeadDim is the number of elements of one head.
	HeadDim int64 `json:"headDim,omitempty"`
	// InputTokens is the prompt length whose KV cache is transferred.
	InputTokens int64 `json:"inputTokens,omitempty"`
	// KVDtype is the engine's name of the element type, as in --kv-cache-dtype.
	KVDtype string `json:"kvDtype,omitempty"`
	// Config is the config.json of the model, as Hugging Face has it.
	Config json.RawMessage `json:"config,omitempty"`
	// Preset is the name of a model whose config is known here.
	Preset string `json:"preset,omitempty"`
	// Deployment says how the model of Config or Preset is served.
	Deployment
	// Fault is what was wrong with the entry as it was written, nil for nothing. The
	// entry keeps its place all the same, so that no later one takes its model.
	Fault error `json:"-"`
}

// Bytes is the size of one request and how it came about.
type Bytes struct {
	// PerRequest is the size in bytes, from 1 to MaxBytes.
	PerRequest int64
	// Derivation shows the arithmetic for a human reader.
	Derivation string
	// Notes are assumptions that the reader should check, one sentence each.
	Notes []string
}

// Bytes works out the size. Every fault of s is in the error, each with the
// field, its value and the remedy.
func (s Size) Bytes() (Bytes, error) {
	if s.Fault != nil {
		return Bytes{}, s.Fault
	}
	b, err := s.Breakdown()
	if err := errors.Join(s.checkModel(), err); err != nil {
		return Bytes{}, err
	}
	bytes := Bytes{PerRequest: b.PerRequest, Derivation: b.Derivation()}
	if len(b.Groups) == 0 {
		bytes.Derivation = "as configured"
	}
	for _, n := range b.Notes {
		bytes.Notes = append(bytes.Notes, n.Text)
	}
	return bytes, nil
}

// Breakdown is Bytes with every group of layers, and without the check of the
// model's name, which a size of no particular deployment does not need.
func (s Size) Breakdown() (Breakdown, error) {
	switch {
	case s.Config != nil || s.Preset != "":
		return s.fromConfig()
	case s.BytesPerRequest == 0 && !s.hasGeometry():
		return Breakdown{}, errors.New("bytesPerRequest is 0 or missing: give the bytes of one request, or layers, kvHeads, headDim, inputTokens and kvDtype, or config or preset with inputTokens and kvDtype" + s.suggestion())
	}
	if field := s.firstOption(); field != "" {
		return Breakdown{}, fieldError(field, "is set without config or preset, which it needs: give one of them or remove it%s", s.suggestion())
	}
	if s.BytesPerRequest == 0 {
		return s.fromGeometry()
	}
	return s.asConfigured()
}

// asConfigured is the form that gives the bytes themselves.
func (s Size) asConfigured() (Breakdown, error) {
	switch {
	case s.hasGeometry():
		return Breakdown{}, fmt.Errorf("bytesPerRequest is %d but the model's geometry is given too: keep only one of the two", s.BytesPerRequest)
	case s.BytesPerRequest < 0:
		return Breakdown{}, fmt.Errorf("bytesPerRequest is %d: give a number of bytes above 0", s.BytesPerRequest)
	case s.BytesPerRequest > MaxBytes:
		return Breakdown{}, fmt.Errorf("bytesPerRequest is %d: give at most 2^53 = %s bytes, beyond which dashboards cannot hold the number exactly", s.BytesPerRequest, grouped(MaxBytes))
	}
	return Breakdown{PerRequest: s.BytesPerRequest, Copies: 1}, nil
}

// hasGeometry reports whether any field of the geometry is set, however wrongly.
func (s Size) hasGeometry() bool {
	return s.Layers != 0 || s.KVHeads != 0 || s.HeadDim != 0 || s.InputTokens != 0 || s.KVDtype != ""
}

// fromConfig is the form that gives the model's config or a preset's name.
func (s Size) fromConfig() (Breakdown, error) {
	for _, other := range []struct {
		field string
		set   bool
	}{
		{"bytesPerRequest", s.BytesPerRequest != 0}, {"layers", s.Layers != 0}, {"kvHeads", s.KVHeads != 0},
		{"headDim", s.HeadDim != 0}, {"preset", s.Config != nil && s.Preset != ""},
	} {
		if other.set {
			return Breakdown{}, fieldError(other.field, "is set although config or preset says it: keep only one of the two")
		}
	}
	config := []byte(s.Config)
	if s.Preset != "" {
		preset, err := PresetNamed(s.Preset)
		if err != nil {
			return Breakdown{}, err
		}
		config = preset.Config
	}
	model, err := ReadConfig(config)
	if err != nil {
		return Breakdown{}, err
	}
	p, err := planned(model, s.InputTokens, s.KVDtype, s.Deployment)
	if err != nil {
		return Breakdown{}, err
	}
	return p.breakdown()
}
