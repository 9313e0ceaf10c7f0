package query

import (
	"regexp"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
)

// Macros are the values of Grafana's time macros.
type Macros struct {
	Interval, RateInterval, Range time.Duration
}

var macro = regexp.MustCompile(`\$(?:\{(__[a-z_]+)(?::[a-z]+)?\}|(__[a-z_]+)\b)`)

// Expand replaces the time macros of a PromQL text ($__interval,
// $__rate_interval, $__range and their _ms and _s forms, with or without braces).
func (m Macros) Expand(expr string) string {
	values := map[string]string{
		"__interval":         model.Duration(m.Interval).String(),
		"__interval_ms":      strconv.FormatInt(m.Interval.Milliseconds(), 10),
		"__rate_interval":    model.Duration(m.RateInterval).String(),
		"__rate_interval_ms": strconv.FormatInt(m.RateInterval.Milliseconds(), 10),
		"__range":            model.Duration(m.Range).String(),
		"__range_ms":         strconv.FormatInt(m.Range.Milliseconds(), 10),
		"__range_s":          strconv.FormatInt(int64(m.Range.Seconds()), 10),
	}
	return macro.ReplaceAllStringFunc(expr, func(found string) string {
		parts := macro.FindStringSubmatch(found)
		if v, ok := values[parts[1]+parts[2]]; ok {
			return v
		}
		return found
	})
}

// Unexpanded finds the first dashboard variable that is left over in a text, "" when
// there is none.
func Unexpanded(text string) string { return unexpanded.FindString(text) }

// NotReplaced is the error for a dashboard variable that is left over in a field.
func NotReplaced(field, variable string) error {
	return &FieldError{
		Field: field, Value: variable,
		Remedy: "the variable was not replaced before the query reached the data source; alert rules and public dashboards cannot use dashboard variables, so write the value out",
	}
}
