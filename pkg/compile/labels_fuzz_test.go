package compile_test

import (
	"testing"
	"unicode/utf8"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// FuzzLabelValues filters by values of any kind. Whatever they hold, a filter takes
// exactly them, alone and beside another.
func FuzzLabelValues(f *testing.F) {
	for _, seed := range [][2]string{
		{"meta-llama/Llama-3.1-8B", "meta-llama/Llama-3x1-8B"}, {`a\b`, `a\\b`}, {`"`, `'`}, {"{a=\"b\"}", "(x|y)"}, {"a+*?", "[a]{2}"},
		{"^$", "$"}, {" a ", "a"}, {"模型", "型模"}, {"new\nline", "new\\nline"}, {"", "x"}, {"\x00", "\u2028"}, {"(?i)A", "a"}, {"a.b", "a|b"},
	} {
		f.Add(seed[0], seed[1], "other")
	}
	f.Fuzz(func(t *testing.T, one, two, other string) {
		for _, text := range []string{one, two, other} {
			if !utf8.ValidString(text) {
				return // no label value
			}
		}
		for _, values := range [][]string{{one}, {one, two}} {
			want := func(value string) bool { return value == one || len(values) == 2 && value == two }
			for _, negate := range []bool{false, true} {
				op := map[bool]query.Op{false: query.OpEqual, true: query.OpNotEqual}[negate]
				// Counters, histograms and ratios are filtered alike.
				for _, signal := range []string{"requests_running", "decode_token_rate", "ttft", "prefix_cache_hit_rate"} {
					r := ask(signal, of("vllm"), where("model", op, values...))
					if r.Query.Validate() != nil {
						continue // it looks like a variable that nobody replaced
					}
					for _, e := range planned(t, r).Expressions {
						for _, m := range matchersOf(t, e.PromQL, "model_name") {
							for _, value := range []string{one, two, other, one + "x", "x" + one, one + two} {
								require.Equal(t, want(value) != negate, m.Matches(value), "%s on %q", m, value)
							}
						}
					}
				}
			}
		}
	})
}

// matchersOf are the matchers of a label, one for each selector of an expression.
func matchersOf(t *testing.T, text, label string) []*labels.Matcher {
	t.Helper()
	expr, err := promql.Parse(text)
	require.NoError(t, err, text)
	var found []*labels.Matcher
	selectors := 0
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			selectors++
			for _, m := range selector.LabelMatchers {
				if m.Name == label {
					found = append(found, m)
				}
			}
		}
		return nil
	})
	require.Len(t, found, selectors, text)
	return found
}
