package kvcache

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

const (
	// maxConfigBytes is far above any model's config.json, a few KB.
	maxConfigBytes = 1 << 20
	maxConfigDepth = 32
)

// decodeConfig reads one JSON object with more care than encoding/json takes: a
// key given twice, a text that goes on after the object and too deep a nesting are
// refused. Numbers stay as they are written.
func decodeConfig(text []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fieldError("config", "is empty: paste the model's config.json")
	}
	if len(text) > maxConfigBytes {
		return nil, fieldError("config", "has %d bytes: give the model's config.json, at most %d bytes", len(text), maxConfigBytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := decodeValue(decoder, "config", 0)
	if err == nil {
		_, err = decoder.Token()
		switch {
		case err == nil:
			err = fieldError("config", "goes on after its object: give one config.json")
		case errors.Is(err, io.EOF):
			err = nil
		}
	}
	var field *FieldError
	switch {
	case errors.As(err, &field):
		return nil, err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fieldError("config", "ends before its object does: paste the whole config.json")
	case err != nil:
		return nil, fieldError("config", "is not valid JSON near byte %d: %s; NaN and Infinity are no JSON either", decoder.InputOffset(), err)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fieldError("config", "is %s: give the object of the model's config.json", excerpt.Value(value))
	}
	return object, nil
}

func decodeValue(decoder *json.Decoder, path string, depth int) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if depth >= maxConfigDepth {
		return nil, fieldError("config", "is nested deeper than %d levels: give the model's config.json", maxConfigDepth)
	}
	if delim == '[' {
		return decodeList(decoder, path, depth)
	}
	return decodeObject(decoder, path, depth)
}

func decodeList(decoder *json.Decoder, path string, depth int) (any, error) {
	list := []any{}
	for decoder.More() {
		value, err := decodeValue(decoder, fmt.Sprintf("%s[%d]", path, len(list)), depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := decoder.Token()
	return list, err
}

func decodeObject(decoder *json.Decoder, path string, depth int) (any, error) {
	object := map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key, ok := token.(string)
		if !ok {
			return nil, fieldError(path, "has a key that is no text: write keys in quotes")
		}
		below := path + "." + excerpt.Of(key)
		if _, twice := object[key]; twice {
			return nil, fieldError(below, "is given twice: keep one of the two")
		}
		if object[key], err = decodeValue(decoder, below, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := decoder.Token()
	return object, err
}
