package promql

import (
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/stretchr/testify/require"
)

func TestPrintedExpressions(t *testing.T) {
	a, b, c := Sel("a"), Sel("b"), Sel("c")
	tests := map[string]struct {
		expr Expr
		want string
	}{
		"a sum divided is wrapped":                      {Div(Add(a, b), c), `(a + b) / c`},
		"a quotient divided on the left is wrapped":     {Div(Div(a, b), c), `(a / b) / c`},
		"a quotient as divisor is wrapped":              {Div(a, Div(b, c)), `a / (b / c)`},
		"a product inside a sum needs no parentheses":   {Add(Mul(a, b), c), `a * b + c`},
		"a comparison as divisor is wrapped":            {Div(a, Above(b, 0)), `a / (b > 0)`},
		"a scaled value is compared without":            {AtLeast(Div(a, Number(1000)), 0), `a / 1000 >= 0`},
		"alternatives are wrapped when divided":         {Div(Or(a, b), c), `(a or b) / c`},
		"a chain of alternatives needs no parentheses":  {OrIgnoring(OrIgnoring(a, b, "m"), c, "m"), `a or ignoring (m) b or ignoring (m) c`},
		"an alternative of two is wrapped on the right": {Or(a, Or(b, c)), `a or (b or c)`},
		"alternatives can ignore labels":                {OrIgnoring(a, b, "mode", "dp_rank"), `a or ignoring (dp_rank, mode) b`},
		"alternatives can compare a few labels alone":   {OrOn(a, b, "job", "instance"), `a or on (instance, job) b`},
		"grouping is sorted and unique":                 {SumBy(a, "z", "b", "z"), `sum by (b, z) (a)`},
		"no grouping gives the total":                   {SumBy(a), `sum(a)`},
		"copies are dropped by without":                 {MaxWithout(a, "tp_rank", "pid"), `max without (pid, tp_rank) (a)`},
		"a rate takes its window as a literal duration": {Rate(Sel("x_total"), 90*time.Second), `rate(x_total[1m30s])`},
		"a quantile takes its number first":             {Quantile(0.99, a), `histogram_quantile(0.99, a)`},
		"a name outside the classic alphabet is quoted": {Sel("köln.total"), `{__name__="köln.total"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, test.expr.String())
			again, err := Parse(test.expr.String())
			require.NoError(t, err)
			require.Equal(t, test.want, again.String())
		})
	}
}

func TestMatchersKeepEveryValue(t *testing.T) {
	for _, value := range []string{
		"meta-llama/Llama-3.1-70B", `quote " and back\slash`, "a|b", "x.y+z(1)[2]{3}^$", "模型", "new\nline", "",
	} {
		one, err := OneOf("model_name", value)
		require.NoError(t, err)
		several, err := OneOf("model_name", value, "other")
		require.NoError(t, err)
		for _, m := range []*labels.Matcher{one, several} {
			printed := Sel("x", m).String()
			parsed, err := Parse(printed)
			require.NoError(t, err, printed)
			require.Equal(t, printed, parsed.String())
			require.True(t, m.Matches(value))
			require.False(t, m.Matches(value+"x"))
		}
	}
}

func TestOneValueIsAnEqualityAndSeveralAreEscapedAlternatives(t *testing.T) {
	one, err := OneOf("m", "Llama-3.1")
	require.NoError(t, err)
	require.Equal(t, `m="Llama-3.1"`, one.String())
	two, err := OneOf("m", "b", "Llama-3.1", "b")
	require.NoError(t, err)
	require.Equal(t, `m=~"Llama-3\\.1|b"`, two.String())
	none, err := NoneOf("m", "a.b", "c")
	require.NoError(t, err)
	require.Equal(t, `m!~"a\\.b|c"`, none.String())
}

func TestABadRegularExpressionIsRefusedByName(t *testing.T) {
	_, err := Matching("instance", "a(")
	require.ErrorContains(t, err, `label instance: "a(" is not a regular expression`)
	_, err = ParseMatchers(`instance=~"a("`)
	require.Error(t, err)
	_, err = ParseMatchers(`__name__="x"`)
	require.ErrorContains(t, err, "metric name is not allowed")
}

func FuzzMatcherRoundTrip(f *testing.F) {
	f.Add("Qwen/Qwen2.5-7B")
	f.Add("\\\"'`")
	f.Fuzz(func(t *testing.T, value string) {
		m, err := OneOf("l", value, "z")
		if err != nil {
			t.Skip() // not valid UTF-8: no label value of Prometheus
		}
		printed := Sel("x", m).String()
		parsed, err := Parse(printed)
		require.NoError(t, err)
		require.Equal(t, printed, parsed.String())
	})
}
