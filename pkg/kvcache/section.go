package kvcache

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

const (
	maxLayers = 10_000
	maxDim    = 1 << 20 // heads, dimensions of a head, of a hidden state
	maxTokens = 1 << 40 // windows, prompts
)

// section is one object of a config.json. Its methods note the first fault in
// the shared reading and go on with zero values, so that the code reads straight.
type section struct {
	path    string
	members map[string]any
	fault   *error
}

// fail notes a fault of a field unless there is one already.
func (s section) fail(field, format string, args ...any) {
	if *s.fault == nil {
		*s.fault = fieldError(s.path+"."+field, format, args...)
	}
}

// failed reports whether a fault was noted.
func (s section) failed() bool { return *s.fault != nil }

// has reports whether the field is given and not null.
func (s section) has(field string) bool { return s.members[field] != nil }

// first is the first of the names that is given, "" when none is.
func (s section) first(names ...string) string {
	for _, name := range names {
		if s.has(name) {
			return name
		}
	}
	return ""
}

// number is a whole number from least to most under the first name that is
// given; ok is false when none is.
func (s section) number(least, most int64, names ...string) (n int64, ok bool) {
	name := s.first(names...)
	if name == "" {
		return 0, false
	}
	return s.whole(name, s.members[name], least, most), true
}

// whole reads a number however it was written (8192, 8192.0, 8.192e3): YAML and
// JavaScript turn one form into another.
func (s section) whole(field string, value any, least, most int64) int64 {
	text, ok := value.(json.Number)
	if !ok {
		s.fail(field, "is %s: it has to be a whole number", excerpt.Value(value))
		return 0
	}
	n, err := text.Int64()
	if err != nil {
		f, floatErr := text.Float64()
		if floatErr != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			s.fail(field, "is %s: it has to be a whole number from %d to %d", excerpt.Value(value), least, most)
			return 0
		}
		n = int64(f)
	}
	if n < least || n > most {
		s.fail(field, "is %d: it has to be from %d to %d", n, least, most)
		return 0
	}
	return n
}

// need is number for a field without which there is no answer.
func (s section) need(least, most int64, remedy string, names ...string) int64 {
	n, ok := s.number(least, most, names...)
	if !ok {
		also := ""
		if len(names) > 1 {
			also = " (nor is " + strings.Join(names[1:], ", ") + " given)"
		}
		s.fail(names[0], "is missing%s: %s", also, remedy)
	}
	return n
}

// dim is need for a head count or a dimension.
func (s section) dim(names ...string) int64 {
	return s.need(1, maxDim, "add it from the model's config.json or its class's defaults", names...)
}

// flag is a switch; ok is false when it is not given.
func (s section) flag(field string) (on, ok bool) {
	if !s.has(field) {
		return false, false
	}
	on, isBool := s.members[field].(bool)
	if !isBool {
		s.fail(field, "is %s: it has to be true or false", excerpt.Value(s.members[field]))
	}
	return on, true
}

// text is a text, "" when it is not given.
func (s section) text(field string) string {
	if !s.has(field) {
		return ""
	}
	text, ok := s.members[field].(string)
	if !ok {
		s.fail(field, "is %s: it has to be a text", excerpt.Value(s.members[field]))
	}
	return text
}

// list is a list, nil when it is not given.
func (s section) list(field string) []any {
	if !s.has(field) {
		return nil
	}
	list, ok := s.members[field].([]any)
	if !ok {
		s.fail(field, "is %s: it has to be a list", excerpt.Value(s.members[field]))
	}
	return list
}

// texts is a list of texts.
func (s section) texts(field string) []string {
	list := s.list(field)
	texts := make([]string, 0, len(list))
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			s.fail(field, "holds %s: it has to be a list of texts", excerpt.Value(item))
		}
		texts = append(texts, text)
	}
	return texts
}

// numbers is a list of whole numbers.
func (s section) numbers(field string, least, most int64) []int64 {
	list := s.list(field)
	numbers := make([]int64, 0, len(list))
	for _, item := range list {
		numbers = append(numbers, s.whole(field, item, least, most))
	}
	return numbers
}

// inner is the object under field, empty when it is not given.
func (s section) inner(field string) section {
	below := section{path: s.path + "." + field, fault: s.fault}
	if !s.has(field) {
		return below
	}
	members, ok := s.members[field].(map[string]any)
	if !ok {
		s.fail(field, "is %s: it has to be an object", excerpt.Value(s.members[field]))
	}
	below.members = members
	return below
}
