package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

// requestSizes reads the list of KV-cache sizes. Unlike the top level it refuses
// unknown keys: a misspelt one would change a number that graphs divide by. A faulty
// entry is kept with its fault, for it must not stop what divides by no size: an
// entry is written field by field, and the page may be saved in between.
func (r *reader) requestSizes(field string) kvcache.Sizes {
	value := r.value(field)
	if value == nil {
		return nil
	}
	entries, ok := value.([]any)
	if !ok {
		r.fail(field, "is %s: write a list [{\"model\": …, \"bytesPerRequest\": …}]", excerpt.Value(value))
		return nil
	}
	var sizes kvcache.Sizes
	first := map[string]int{}
	for i, entry := range entries {
		path := fmt.Sprintf("%s[%d]", field, i)
		alone := &reader{}
		size := alone.entry(path, entry)
		earlier, isSet := first[size.Model]
		switch {
		case size.Model == "":
		case isSet:
			alone.fail(path+".model", "is %s, which %s[%d] sets already: remove one of the two", excerpt.Quoted(size.Model), field, earlier)
		default:
			first[size.Model] = i
		}
		size.Fault = errors.Join(alone.errs...)
		sizes = append(sizes, size)
	}
	return sizes
}

// entry reads one of requestSizes, whatever is wrong with it.
func (r *reader) entry(path string, value any) kvcache.Size {
	members, ok := value.(map[string]any)
	if !ok {
		r.fail(path, "is %s: write an object {\"model\": …}", excerpt.Value(value))
		return kvcache.Size{}
	}
	size, ok := r.requestSize(path, members)
	if !ok {
		return size
	}
	if _, err := size.Bytes(); err != nil {
		r.failEach(path, err)
	}
	return size
}

// requestSize reads one entry; ok is false when a key or a type is wrong.
func (r *reader) requestSize(path string, members map[string]any) (size kvcache.Size, ok bool) {
	fields := size.Fields()
	known := make(map[string]kvcache.Field, len(fields))
	names := make([]string, 0, len(fields)+1)
	for _, field := range fields {
		known[field.Name] = field
		names = append(names, field.Name)
	}
	names = append(names, "config")
	ok = true
	for _, key := range sortedKeys(members) {
		value := members[key]
		if key == "config" {
			size.Config, ok = r.config(path, value, ok)
			continue
		}
		field, isKnown := known[key]
		if !isKnown {
			r.fail(path+"."+excerpt.Of(key), "is not known: use %s", strings.Join(names, ", "))
			ok = false
			continue
		}
		if remedy := filled(field, value); remedy != "" {
			r.fail(path+"."+key, "is %s: %s", excerpt.Value(value), remedy)
			ok = false
		}
	}
	return size, ok
}

// filled sets a field to a value; the answer says what to write where it cannot.
func filled(field kvcache.Field, value any) (remedy string) {
	var ok bool
	switch {
	case field.Text != nil:
		if *field.Text, ok = value.(string); !ok {
			return "write a text in quotes"
		}
	case field.Number != nil:
		if *field.Number, ok = integer(value); !ok {
			return "write a whole number without quotes"
		}
	default:
		on, ok := value.(bool)
		if !ok {
			return "write true or false without quotes"
		}
		*field.Switch = &on
	}
	return ""
}

// config keeps a model's config.json for package kvcache to read.
func (r *reader) config(path string, value any, soFar bool) (config json.RawMessage, ok bool) {
	if _, isObject := value.(map[string]any); !isObject {
		r.fail(path+".config", "is %s: write the object of the model's config.json", excerpt.Value(value))
		return nil, false
	}
	config, err := json.Marshal(value)
	if err != nil {
		r.fail(path+".config", "cannot be kept: %s", err)
		return nil, false
	}
	return config, soFar
}

// ReadRequestSize reads one entry of requestSizes that stands alone, as strictly
// as the settings do. The entry itself is not yet checked for sense.
func ReadRequestSize(text []byte) (kvcache.Size, error) {
	var members map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&members); err != nil {
		return kvcache.Size{}, fmt.Errorf("body is not a JSON object: %w", err)
	}
	r := &reader{}
	size, _ := r.requestSize("body", members)
	if size.Config != nil {
		// As it was written, so that a key given twice is seen.
		var raw struct{ Config json.RawMessage }
		if err := json.Unmarshal(text, &raw); err != nil {
			return kvcache.Size{}, fmt.Errorf("config cannot be read: %w", err)
		}
		size.Config = raw.Config
	}
	return size, errors.Join(r.errs...)
}

// failEach notes the joined faults of an entry one by one, each with its path.
func (r *reader) failEach(path string, err error) {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		for _, one := range joined.Unwrap() {
			r.failEach(path, one)
		}
		return
	}
	r.errs = append(r.errs, fmt.Errorf("%s.%w", path, err))
}
