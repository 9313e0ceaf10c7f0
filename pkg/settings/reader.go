package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/excerpt"
)

// reader takes typed values out of jsonData and gathers what is wrong with them,
// so that the user sees every fault at once. A faulty field reads as unset.
type reader struct {
	fields map[string]any
	errs   []error
	// read are the names of the fields that were asked for.
	read []string
}

// value is a field as it was stored, nil when unset.
func (r *reader) value(field string) any {
	if !slices.Contains(r.read, field) {
		r.read = append(r.read, field)
	}
	return r.fields[field]
}

// fail notes a fault of a field; the text goes on after the field's name.
func (r *reader) fail(field, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s "+format, append([]any{field}, args...)...))
}

// text is a string field, "" when unset.
func (r *reader) text(field string) string {
	switch value := r.value(field).(type) {
	case nil:
		return ""
	case string:
		return value
	default:
		r.fail(field, "is %s: write a text in quotes", excerpt.Value(value))
		return ""
	}
}

// object is a field with named members, nil when unset.
func (r *reader) object(field string) map[string]any {
	switch value := r.value(field).(type) {
	case nil:
		return nil
	case map[string]any:
		return value
	default:
		r.fail(field, "is %s: write an object {\"name\": …}", excerpt.Value(value))
		return nil
	}
}

// texts is a list of strings at path; ok is false when it is something else.
func (r *reader) texts(path string, value any) (list []string, ok bool) {
	items, isList := value.([]any)
	if !isList {
		r.fail(path, "is %s: write a list of texts [\"…\"]", excerpt.Value(value))
		return nil, false
	}
	ok = true
	for i, item := range items {
		text, isText := item.(string)
		if !isText {
			r.fail(fmt.Sprintf("%s[%d]", path, i), "is %s: write a text in quotes", excerpt.Value(item))
			ok = false
			continue
		}
		list = append(list, text)
	}
	return list, ok
}

// duration is a duration as Prometheus writes it, such as 500ms, 15s or 1m30s, fallback when unset or empty.
func (r *reader) duration(field string, fallback time.Duration) time.Duration {
	text := strings.TrimSpace(r.text(field))
	if text == "" {
		return fallback
	}
	duration, err := model.ParseDuration(text)
	if err != nil || duration <= 0 {
		r.fail(field, "is %s: write a duration such as 1s, 15s or 1m, or leave it empty", excerpt.Quoted(text))
		return fallback
	}
	return time.Duration(duration)
}

// timeout is a number of seconds, as Grafana's own editor stores it, or a duration.
func (r *reader) timeout(field string) time.Duration {
	number, isNumber := r.value(field).(json.Number)
	if !isNumber {
		return r.duration(field, defaultTimeout)
	}
	const longest = 24 * 60 * 60 // a day; also keeps the product below from overflowing
	seconds, err := number.Float64()
	if err != nil || !(seconds >= 0) || seconds > longest {
		r.fail(field, "is %s: give a number of seconds from 1 to %d, or leave it empty for %s", number, longest, defaultTimeout)
		return defaultTimeout
	}
	if seconds == 0 {
		return defaultTimeout
	}
	return time.Duration(seconds * float64(time.Second))
}

// limit is a count; unset is the default and 0 is no limit.
func (r *reader) limit(field string) int {
	value := r.value(field)
	if value == nil {
		return defaultSeriesLimit
	}
	n, ok := integer(value)
	if !ok || n < 0 || n > math.MaxInt32 {
		r.fail(field, "is %s: give a whole number, 0 for no limit", excerpt.Value(value))
		return defaultSeriesLimit
	}
	return int(n)
}

// between is a whole number in a range, fallback when unset.
func (r *reader) between(field string, least, most, fallback int) int {
	value := r.value(field)
	if value == nil {
		return fallback
	}
	n, ok := integer(value)
	if !ok || n < int64(least) || n > int64(most) {
		r.fail(field, "is %s: give a whole number from %d to %d, or leave it out for %d", excerpt.Value(value), least, most, fallback)
		return fallback
	}
	return int(n)
}

// onOff is true or false, fallback when unset.
func (r *reader) onOff(field string, fallback bool) bool {
	switch value := r.value(field).(type) {
	case nil:
		return fallback
	case bool:
		return value
	default:
		r.fail(field, "is %s: write true or false without quotes", excerpt.Value(value))
		return fallback
	}
}

// choice is one of the allowed texts; the first is the default.
func choice[T ~string](r *reader, field string, allowed ...T) T {
	text := T(r.text(field))
	if text == "" {
		return allowed[0]
	}
	if slices.Contains(allowed, text) {
		return text
	}
	names := make([]string, len(allowed))
	for i, name := range allowed {
		names[i] = string(name)
	}
	r.fail(field, "is %s: use one of %s", excerpt.Quoted(string(text)), strings.Join(names, ", "))
	return allowed[0]
}

// integer reads a whole number however it was written (8192, 8192.0, 8.192e3):
// YAML and JavaScript turn one form into another.
func integer(value any) (n int64, ok bool) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	if n, err := number.Int64(); err == nil {
		return n, true
	}
	f, err := number.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
