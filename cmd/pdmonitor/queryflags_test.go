package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func TestFiltersAreReadWithTheirComparison(t *testing.T) {
	for text, want := range map[string]query.Filter{
		"model=a":                     {Label: "model", Op: query.OpEqual, Values: []string{"a"}},
		"model!=a":                    {Label: "model", Op: query.OpNotEqual, Values: []string{"a"}},
		"model=~a.*":                  {Label: "model", Op: query.OpMatch, Values: []string{"a.*"}},
		"model!~a.*":                  {Label: "model", Op: query.OpNotMatch, Values: []string{"a.*"}},
		"model=org/m-1.5=x!":          {Label: "model", Op: query.OpEqual, Values: []string{"org/m-1.5=x!"}},
		"reason==stop":                {Label: "reason", Op: query.OpEqual, Values: []string{"=stop"}},
		"model=":                      {Label: "model", Op: query.OpEqual, Values: []string{""}},
		"model=a,b":                   {Label: "model", Op: query.OpEqual, Values: []string{"a,b"}},
		`model=~"quoted" and a space`: {Label: "model", Op: query.OpMatch, Values: []string{`"quoted" and a space`}},
	} {
		got, err := parseFilter(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "model", "=a", "!=a", "model!a"} {
		_, err := parseFilter(text)
		require.ErrorContains(t, err, "write label=value", text)
	}
}

func TestFlagsWinOverTheFile(t *testing.T) {
	file := written(t, "q.json", `{"signal":"ttft","quantile":0.5,"groupBy":["model"],"role":"decode"}`)
	compile := func(args ...string) string {
		got := pdmonitor(t.Context(), append([]string{"compile", "-o", "json"}, args...)...)
		require.Zero(t, got.status, got.err)
		return got.out
	}
	require.JSONEq(t,
		compile("--signal", "ttft", "--quantile", "0.5", "--group-by", "model", "--role", "decode"),
		compile("--query", file))
	require.JSONEq(t,
		compile("--signal", "e2e_latency", "--quantile", "0.9", "--group-by", "model", "--role", "decode", "--system", "vllm", "--filter", "model=~a.*"),
		compile("--query", file, "--signal", "e2e_latency", "--quantile", "0.9", "--system", "vllm", "--filter", "model=~a.*"))
}

func TestWhatIsWrongInAFileIsNoWrongUse(t *testing.T) {
	signal := written(t, "signal.json", `{"signal":"ttfb"}`)
	stat := written(t, "stat.json", `{"signal":"ttft","stat":"median"}`)
	variable := written(t, "variable.json", `{"signal":"ttft","groupBy":["$label"]}`)
	prefixes := written(t, "settings.yaml", `jsonData: {prefixes: {vlm: [x]}}`)
	for name, test := range map[string]struct {
		args    []string
		status  int
		message string
	}{
		"the signal of a file":               {[]string{"--query", signal}, exitFailed, "did you mean"},
		"a signal in place of the file's":    {[]string{"--query", signal, "--signal", "tpto"}, exitWrongUse, "did you mean"},
		"one that mends the file's":          {[]string{"--query", signal, "--signal", "ttft"}, 0, ""},
		"the statistic of a file":            {[]string{"--query", stat}, exitFailed, "stat: "},
		"a flag's beside one of the file":    {[]string{"--query", stat, "--role", "encode"}, exitWrongUse, "stat: "},
		"a variable of a dashboard's panel":  {[]string{"--query", variable}, exitFailed, "$label"},
		"settings of a system that is none":  {[]string{"--signal", "ttft", "--settings", prefixes}, exitFailed, "prefixes: "},
		"settings at fault before the words": {[]string{"--signal", "ttfb", "--settings", prefixes}, exitFailed, "prefixes: "},
	} {
		t.Run(name, func(t *testing.T) {
			got := pdmonitor(t.Context(), append([]string{"compile"}, test.args...)...)
			require.Equal(t, test.status, got.status, got.err)
			require.Contains(t, got.err, test.message)
			require.Equal(t, test.status == exitWrongUse, strings.Contains(got.err, "for usage."), got.err)
		})
	}
}

func TestCompileHasStableJSON(t *testing.T) {
	args := []string{"compile", "--signal", "decode_request_rate", "--group-by", "model", "--system", "vllm", "-o", "json"}
	first, second := pdmonitor(t.Context(), args...), pdmonitor(t.Context(), args...)
	require.Equal(t, first, second)
	require.Zero(t, first.status)
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(first.out), &fields))
	require.ElementsMatch(t, []string{"promql", "legend", "unit", "window", "explanation", "notices"}, keys(fields))
	require.Equal(t, []any{`sum by (model_name) (irate(vllm:request_success_total{finished_reason!~"abort|error",instance=~"decode.*"}[4s]))`}, fields["promql"])
	require.Equal(t, "reqps", fields["unit"])
	require.Equal(t, "4s", fields["window"])
	require.IsType(t, []any{}, fields["notices"], "a list also when it is empty")
}

func keys(fields map[string]any) []string {
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	return names
}
