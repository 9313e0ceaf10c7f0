// Package kvcache says how many bytes of KV cache one request occupies, which is
// what KV bytes per second are divided by to give KV requests per second. It is
// pure: integers only, no I/O, and it refuses rather than guesses.
package kvcache

import (
	"errors"
	"fmt"
)

// MaxBytes is the largest accepted size, 2^53. PromQL and JavaScript hold numbers
// as float64; beyond it they would divide by a neighbour of the configured value.
const MaxBytes int64 = 1 << 53

// Size is the configured KV-cache size of one request of a model. Either
// BytesPerRequest is set or all five fields of the model's geometry, never both.
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
	if err := s.checkModel(); err != nil {
		_, sizeErr := s.size()
		return Bytes{}, errors.Join(err, sizeErr)
	}
	return s.size()
}

// size is Bytes without the check of the model's name.
func (s Size) size() (Bytes, error) {
	if s.BytesPerRequest == 0 {
		if !s.hasGeometry() {
			return Bytes{}, errors.New("bytesPerRequest is 0 or missing: give the bytes of one request, or layers, kvHeads, headDim, inputTokens and kvDtype")
		}
		return s.fromGeometry()
	}
	if s.hasGeometry() {
		return Bytes{}, fmt.Errorf("bytesPerRequest is %d but the model's geometry is given too: keep only one of the two", s.BytesPerRequest)
	}
	if s.BytesPerRequest < 0 {
		return Bytes{}, fmt.Errorf("bytesPerRequest is %d: give a number of bytes above 0", s.BytesPerRequest)
	}
	if s.BytesPerRequest > MaxBytes {
		return Bytes{}, fmt.Errorf("bytesPerRequest is %d: give at most 2^53 = %s bytes, beyond which dashboards cannot hold the number exactly", s.BytesPerRequest, grouped(MaxBytes))
	}
	return Bytes{
		PerRequest: s.BytesPerRequest,
		Derivation: grouped(s.BytesPerRequest) + " B, as configured",
	}, nil
}

// hasGeometry reports whether any field of the geometry is set, however wrongly.
func (s Size) hasGeometry() bool {
	return s.Layers != 0 || s.KVHeads != 0 || s.HeadDim != 0 || s.InputTokens != 0 || s.KVDtype != ""
}
