package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/prometheus/common/model"
)

// Parse reads a stored query, brings it to the present schema, fills in the
// defaults and checks it. Unknown fields are those that Grafana adds (refId,
// datasource, intervalMs, …) and are ignored. Every fault found is reported as a
// FieldError, joined.
func Parse(text []byte) (Query, error) {
	var stored struct {
		Query
		// A dashboard variable arrives as text.
		BytesPerRequest json.RawMessage `json:"bytesPerRequest"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return Query{}, &FieldError{Field: wrong.Field, Value: "a " + wrong.Value, Remedy: "it must be of type " + wrong.Type.String()}
		}
		return Query{}, fmt.Errorf("the query is not valid JSON: %w", err)
	}
	q := stored.WithDefaults()
	var err error
	q.BytesPerRequest, err = byteCount(stored.BytesPerRequest)
	return q, errors.Join(err, q.Validate())
}

// byteCount reads a number of bytes, or a text that holds one; "" is not set.
func byteCount(raw json.RawMessage) (int64, error) {
	value := strings.TrimSpace(string(raw))
	if strings.HasPrefix(value, `"`) {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return 0, fmt.Errorf("bytesPerRequest: %w", err)
		}
		value = strings.TrimSpace(text)
	}
	if value == "" || value == "null" {
		return 0, nil
	}
	if name := unexpanded.FindString(value); name != "" {
		return 0, NotReplaced("bytesPerRequest", name)
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > mostBytes {
		return 0, &FieldError{Field: "bytesPerRequest", Value: value, Remedy: "take a whole number of bytes up to 2^53, such as 2684354560, or leave it empty for the configured size"}
	}
	return int64(n), nil
}

// mostBytes is the largest number that a float64 holds exactly with all below it.
const mostBytes = 1 << 53

// WithDefaults fills in what is unset.
func (q Query) WithDefaults() Query {
	set := func(field *string, value string) {
		if strings.TrimSpace(*field) == "" {
			*field = value
		}
	}
	if q.SchemaVersion == 0 {
		q.SchemaVersion = SchemaVersion
	}
	if q.QueryType == "" {
		q.QueryType = TypeSignal
		if q.Signal == "" && q.Expr != "" {
			q.QueryType = TypePromQL
		}
	}
	set(&q.System, SystemAuto)
	if q.RateMode == "" {
		q.RateMode = RateAuto
	}
	if q.QueryType == TypeInventory {
		q.Format = FormatTable
		if q.Inventory == "" {
			q.Inventory = InventorySignals
		}
	}
	if q.Format == "" {
		q.Format = FormatTimeSeries
	}
	if q.Stat == StatQuantile && q.Quantile == 0 {
		q.Quantile = DefaultQuantile
	}
	q.Window = strings.TrimSpace(q.Window)
	q.GroupBy = slices.Clone(q.GroupBy)
	for i, label := range q.GroupBy {
		q.GroupBy[i] = strings.TrimSpace(label)
	}
	q.Filters = slices.Clone(q.Filters)
	for i, f := range q.Filters {
		q.Filters[i].Label = strings.TrimSpace(f.Label)
	}
	return q
}

// DefaultQuantile is taken where a quantile is asked for without a number.
const DefaultQuantile = 0.99

var unexpanded = regexp.MustCompile(`\$\{[A-Za-z_][^}]*\}|\$[A-Za-z_][A-Za-z0-9_]*|\[\[[A-Za-z_][A-Za-z0-9_:.]*\]\]`)

// Validate checks everything that can be told without a catalog.
func (q Query) Validate() error {
	var faults []error
	fault := func(field string, value any, remedy string) {
		faults = append(faults, &FieldError{Field: field, Value: value, Remedy: remedy})
	}
	if q.SchemaVersion < 1 || q.SchemaVersion > SchemaVersion {
		fault("schemaVersion", q.SchemaVersion, fmt.Sprintf("this plugin reads version %d; update the plugin", SchemaVersion))
	}
	oneOf(fault, "queryType", q.QueryType, Types...)
	oneOf(fault, "stat", q.Stat, Stats...)
	oneOf(fault, "role", q.Role, Roles...)
	oneOf(fault, "rateMode", q.RateMode, RateModes...)
	oneOf(fault, "format", q.Format, Formats...)
	switch q.QueryType {
	case TypeSignal:
		if q.Signal == "" {
			fault("signal", "", "choose a signal, for example prefill_request_rate")
		}
	case TypeInventory:
		oneOf(fault, "inventory", q.Inventory, Inventories...)
	case TypePromQL:
		if strings.TrimSpace(q.Expr) == "" {
			fault("expr", "", "write a PromQL expression")
		}
		if len(q.Expr) > mostExpr {
			fault("expr", q.Expr, fmt.Sprintf("it has %d bytes; at most %d are taken", len(q.Expr), mostExpr))
		} else if deeplyNested(q.Expr) {
			fault("expr", q.Expr, fmt.Sprintf("it is nested more than %d deep", mostNested))
		}
	}
	if q.Quantile != 0 && !(q.Quantile > 0 && q.Quantile < 1) {
		fault("quantile", q.Quantile, "take a number between 0 and 1, such as 0.99")
	}
	if q.Stat == StatUnder && !(q.Limit > 0) {
		fault("limit", q.Limit, "take a positive number in the signal's unit, at which a bucket ends, such as 0.5 for half a second")
	}
	if q.Stat == StatHeatmap && q.Format == FormatTable {
		fault("format", string(q.Format), "a heatmap has an axis of time: take time_series")
	}
	if q.BytesPerRequest < 0 {
		fault("bytesPerRequest", q.BytesPerRequest, "take a positive number of bytes, or 0 for the configured size")
	}
	if q.Window != "" {
		if _, err := q.WindowDuration(); err != nil {
			faults = append(faults, err)
		}
	}
	for i, label := range q.GroupBy {
		checkLabel(fault, fmt.Sprintf("groupBy[%d]", i), label)
	}
	for i, f := range q.Filters {
		at := fmt.Sprintf("filters[%d]", i)
		if q.QueryType != TypePromQL {
			checkLabel(fault, at+".label", f.Label)
		} else if f.Label == "" || f.Label == model.MetricNameLabel {
			fault(at+".label", f.Label, "the expression names its metrics; take a label such as instance")
		}
		oneOf(fault, at+".op", f.Op, Ops...)
		if len(f.Values) == 0 {
			fault(at+".values", "[]", "give a value or remove the filter")
		}
		for _, v := range f.Values {
			if (f.Op == OpMatch || f.Op == OpNotMatch) && unexpanded.FindString(v) == "" {
				if len(v) > mostPattern {
					fault(at+".values", v[:50]+"…", fmt.Sprintf("a regular expression has at most %d bytes: list values in place of it", mostPattern))
				} else if _, err := regexp.Compile(v); err != nil {
					fault(at+".values", v, "it is not a regular expression")
				}
			}
		}
	}
	if name := q.unexpandedVariable(); name != "" {
		faults = append(faults, NotReplaced("query", name))
	}
	return errors.Join(faults...)
}

// mostPattern bounds one regular expression of a filter: servers run it over every
// value of the label.
const mostPattern = 4 << 10

// mostExpr and mostNested bound a PromQL text: parsing and printing a tree costs
// more than its length.
const (
	mostExpr   = 32 << 10
	mostNested = 100
)

// deeplyNested reports whether brackets or signs are stacked beyond what a person
// writes. Brackets in strings count too, which harms nobody.
func deeplyNested(expr string) bool {
	depth, signs := 0, 0
	for _, r := range expr {
		switch r {
		case '(', '[', '{':
			depth++
			signs = 0
		case ')', ']', '}':
			depth--
			signs = 0
		case '+', '-':
			signs++
		case ' ', '\t', '\n', '\r':
		default:
			signs = 0
		}
		if depth > mostNested || signs > mostNested {
			return true
		}
	}
	return false
}

// Printable reports whether a text may be the name of a label: servers take any valid
// UTF-8, but nobody means to write what cannot be seen.
func Printable(label string) bool {
	return utf8.ValidString(label) && !strings.ContainsFunc(label, unicode.IsControl)
}

// checkLabel refuses what is no label of an engine: metric names and bucket bounds
// are the catalog's business.
func checkLabel(fault func(string, any, string), field, label string) {
	switch label {
	case "":
		fault(field, label, "name a label, for example model")
	case model.MetricNameLabel, model.BucketLabel:
		fault(field, label, "it is chosen by the signal; take a label such as model or instance")
	default:
		if !Printable(label) {
			fault(field, label, "take control characters out of the name of a label")
		}
	}
}

func (q Query) unexpandedVariable() string {
	texts := append([]string{q.Signal, q.System, string(q.Role), q.Window}, q.GroupBy...)
	for _, f := range q.Filters {
		texts = append(append(texts, f.Label), f.Values...)
	}
	for _, text := range texts {
		if name := unexpanded.FindString(text); name != "" {
			return name
		}
	}
	return ""
}

// WindowDuration reads Window; it is 0 when unset.
func (q Query) WindowDuration() (time.Duration, error) {
	if q.Window == "" {
		return 0, nil
	}
	d, err := model.ParseDuration(q.Window)
	if err != nil || d == 0 {
		return 0, &FieldError{Field: "window", Value: q.Window, Remedy: "write a duration such as 30s or 5m, or leave it empty"}
	}
	return time.Duration(d), nil
}

func oneOf[T ~string](fault func(string, any, string), field string, value T, allowed ...T) {
	if slices.Contains(allowed, value) {
		return
	}
	var named []string
	for _, a := range allowed {
		if a != "" {
			named = append(named, string(a))
		}
	}
	fault(field, string(value), "choose one of "+strings.Join(named, ", "))
}
