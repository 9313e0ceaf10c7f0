// Package promql builds PromQL as a tree of the Prometheus parser and prints it.
//
// The parser's printer adds no parentheses of its own, so a hand-built tree of
// (a + b) / c would print as a + b / c. Every binary constructor here therefore
// wraps an operand of lower or equal precedence. Label values are escaped by the
// printer, regular expressions are compiled when a matcher is made.
package promql

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// Expr is a PromQL expression.
type Expr = parser.Expr

// Parse reads an expression; functions that a server may have to be told to allow
// are taken too, for the server to judge.
func Parse(text string) (Expr, error) {
	return parser.NewParser(parser.Options{EnableExperimentalFunctions: true}).ParseExpr(text)
}

// ParseMatchers reads label matchers such as `instance=~"prefill.*", job="llm"`.
// Braces round them are allowed; a metric name is not.
func ParseMatchers(text string) ([]*labels.Matcher, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	if !strings.HasPrefix(text, "{") {
		text = "{" + text + "}"
	}
	matchers, err := parser.NewParser(parser.Options{}).ParseMetricSelector(text)
	if err != nil {
		return nil, fmt.Errorf("label matchers %s: %w", text, err)
	}
	for _, m := range matchers {
		if m.Name == model.MetricNameLabel {
			return nil, fmt.Errorf("label matchers %s: a metric name is not allowed here", text)
		}
	}
	return matchers, nil
}

// Sel selects the series of one metric. The matchers are sorted so that equal
// selections print equally.
func Sel(name string, matchers ...*labels.Matcher) Expr {
	sorted := slices.Clone(matchers)
	slices.SortStableFunc(sorted, func(a, b *labels.Matcher) int {
		return strings.Compare(a.String(), b.String())
	})
	sorted = slices.CompactFunc(sorted, func(a, b *labels.Matcher) bool { return a.String() == b.String() })
	metric := parser.MustLabelMatcher(labels.MatchEqual, model.MetricNameLabel, name)
	if !model.LegacyValidation.IsValidMetricName(name) {
		// Only without Name does the printer quote a name outside the classic alphabet.
		name = ""
	}
	return &parser.VectorSelector{Name: name, LabelMatchers: append(sorted, metric)}
}

// Rate is the mean increase per second over the window, counter resets handled.
func Rate(selector Expr, window time.Duration) Expr { return over("rate", selector, window) }

// Irate is the increase per second between the two newest samples of the window.
func Irate(selector Expr, window time.Duration) Expr { return over("irate", selector, window) }

// Fell is 1 for each series whose value is below the last one that it had in the
// range that ended ago, else 0. A series that is new since then is left out.
func Fell(selector Expr, ago, within time.Duration) Expr {
	before := *selector.(*parser.VectorSelector)
	before.OriginalOffset = ago
	e := binary(parser.LSS, selector, over("last_over_time", &before, within))
	e.ReturnBool = true
	return e
}

func over(function string, selector Expr, window time.Duration) Expr {
	return call(function, &parser.MatrixSelector{VectorSelector: selector, Range: window})
}

func call(function string, args ...Expr) Expr {
	return &parser.Call{Func: parser.Functions[function], Args: args}
}

// SumBy adds up the series that agree in the labels by; no labels give one total.
func SumBy(e Expr, by ...string) Expr { return aggregate(parser.SUM, e, false, by) }

// MaxBy keeps the largest of the series that agree in the labels by.
func MaxBy(e Expr, by ...string) Expr { return aggregate(parser.MAX, e, false, by) }

// MinBy keeps the smallest of the series that agree in the labels by.
func MinBy(e Expr, by ...string) Expr { return aggregate(parser.MIN, e, false, by) }

// AvgBy is the mean of the series that agree in the labels by.
func AvgBy(e Expr, by ...string) Expr { return aggregate(parser.AVG, e, false, by) }

// CountBy is the number of series that agree in the labels by.
func CountBy(e Expr, by ...string) Expr { return aggregate(parser.COUNT, e, false, by) }

// MaxWithout keeps the largest of the series that differ only in the labels dropped.
func MaxWithout(e Expr, dropped ...string) Expr { return aggregate(parser.MAX, e, true, dropped) }

// AvgWithout is the mean of the series that differ only in the labels dropped.
func AvgWithout(e Expr, dropped ...string) Expr { return aggregate(parser.AVG, e, true, dropped) }

func aggregate(op parser.ItemType, e Expr, without bool, grouping []string) Expr {
	sorted := slices.Clone(grouping)
	slices.Sort(sorted)
	return &parser.AggregateExpr{Op: op, Expr: e, Grouping: slices.Compact(sorted), Without: without}
}

// Quantile estimates the q-quantile of a histogram.
func Quantile(q float64, e Expr) Expr { return call("histogram_quantile", Number(q), e) }

// HistogramSum and HistogramCount read the sum and the count of native histograms.
func HistogramSum(e Expr) Expr { return call("histogram_sum", e) }

// HistogramCount reads the number of observations of native histograms.
func HistogramCount(e Expr) Expr { return call("histogram_count", e) }

// Number is a scalar.
func Number(v float64) Expr { return &parser.NumberLiteral{Val: v} }

// Add is a + b for vectors with equal labels.
func Add(a, b Expr) Expr { return binary(parser.ADD, a, b) }

// Sub is a − b.
func Sub(a, b Expr) Expr { return binary(parser.SUB, a, b) }

// Mul is a × b.
func Mul(a, b Expr) Expr { return binary(parser.MUL, a, b) }

// Div is a ÷ b.
func Div(a, b Expr) Expr { return binary(parser.DIV, a, b) }

// AtLeast keeps the values that are not below the bound; NaN is dropped.
func AtLeast(e Expr, bound float64) Expr { return binary(parser.GTE, e, Number(bound)) }

// DivEach is a ÷ b where several series of a share one of b, told by all labels
// but those of a alone.
func DivEach(a, b Expr, ofA ...string) Expr {
	e := binary(parser.DIV, a, b)
	sorted := slices.Clone(ofA)
	slices.Sort(sorted)
	e.VectorMatching.Card, e.VectorMatching.MatchingLabels = parser.CardManyToOne, sorted
	return e
}

// Above keeps the values over the bound; NaN is dropped.
func Above(e Expr, bound float64) Expr { return binary(parser.GTR, e, Number(bound)) }

// Greater keeps the series of a whose value is over that of b.
func Greater(a, b Expr) Expr { return binary(parser.GTR, a, b) }

// Less keeps the series of a whose value is under that of b.
func Less(a, b Expr) Expr { return binary(parser.LSS, a, b) }

// Absent is one series of value 1 while e has none, and nothing otherwise.
func Absent(e Expr) Expr { return call("absent", e) }

// Renamed gives labels other names, old to new.
func Renamed(e Expr, names map[string]string) Expr {
	var gone []string
	for _, old := range slices.Sorted(maps.Keys(names)) {
		gone = append(gone, old)
		e = call("label_replace", e, text(names[old]), text("$1"), text(old), text("(.*)"))
	}
	if len(gone) == 0 {
		return e
	}
	return MaxWithout(e, gone...)
}

func text(s string) Expr { return &parser.StringLiteral{Val: s} }

// Pretty prints an expression over several lines where it is long.
func Pretty(e Expr) string { return parser.Prettify(e) }

// Or is every series of a, and those of b whose labels do not occur in a.
func Or(a, b Expr) Expr { return or(a, b, false, nil) }

// OrIgnoring is Or with labels left out of the comparison.
func OrIgnoring(a, b Expr, ignored ...string) Expr { return or(a, b, false, ignored) }

// And is every series of a whose labels occur in b.
func And(a, b Expr) Expr { return binary(parser.LAND, a, b) }

// UnlessOn is every series of a that no series of b equals in these labels.
func UnlessOn(a, b Expr, compared ...string) Expr {
	e := binary(parser.LUNLESS, a, b)
	sorted := slices.Clone(compared)
	slices.Sort(sorted)
	e.VectorMatching.On, e.VectorMatching.MatchingLabels = true, slices.Compact(sorted)
	return e
}

// OrOn is Or with no labels compared but these.
func OrOn(a, b Expr, compared ...string) Expr { return or(a, b, true, compared) }

func or(a, b Expr, on bool, names []string) Expr {
	e := binary(parser.LOR, a, b)
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	e.VectorMatching.On, e.VectorMatching.MatchingLabels = on, slices.Compact(sorted)
	return e
}

// precedence follows the PromQL grammar: a higher number binds tighter.
func precedence(op parser.ItemType) int {
	switch op {
	case parser.LOR:
		return 1
	case parser.LAND, parser.LUNLESS:
		return 2
	case parser.EQLC, parser.NEQ, parser.LTE, parser.LSS, parser.GTE, parser.GTR:
		return 3
	case parser.ADD, parser.SUB:
		return 4
	case parser.MUL, parser.DIV, parser.MOD, parser.ATAN2:
		return 5
	default: // power
		return 6
	}
}

func binary(op parser.ItemType, lhs, rhs Expr) *parser.BinaryExpr {
	b := &parser.BinaryExpr{Op: op, LHS: wrap(op, lhs), RHS: wrap(op, rhs)}
	if left, ok := lhs.(*parser.BinaryExpr); ok && op == parser.LOR && left.Op == parser.LOR {
		b.LHS = lhs // a chain of alternatives reads from left to right as it is
	}
	if vector(lhs) && vector(rhs) {
		card := parser.CardOneToOne
		if op.IsSetOperator() {
			card = parser.CardManyToMany
		}
		b.VectorMatching = &parser.VectorMatching{Card: card}
	}
	return b
}

func vector(e Expr) bool { return e.Type() == parser.ValueTypeVector }

func wrap(outer parser.ItemType, e Expr) Expr {
	b, ok := e.(*parser.BinaryExpr)
	if ok && precedence(b.Op) <= precedence(outer) {
		return &parser.ParenExpr{Expr: e}
	}
	return e
}
