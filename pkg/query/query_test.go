package query

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseFillsInDefaults(t *testing.T) {
	q, err := Parse([]byte(`{"refId":"A","intervalMs":1000,"signal":"ttft","stat":"quantile"}`))
	require.NoError(t, err)
	require.Equal(t, Query{
		SchemaVersion: 1, QueryType: TypeSignal, Signal: "ttft", Stat: StatQuantile, Quantile: 0.99,
		System: SystemAuto, RateMode: RateAuto, Format: FormatTimeSeries,
	}, q)

	q, err = Parse([]byte(`{"expr":"up"}`))
	require.NoError(t, err)
	require.Equal(t, TypePromQL, q.QueryType)
}

func TestBadQueriesNameFieldValueAndRemedy(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"no signal":             {`{}`, `signal: "" is not allowed: choose a signal, for example prefill_request_rate`},
		"a quantile over 1":     {`{"signal":"ttft","quantile":99}`, `quantile: 99 is not allowed: take a number between 0 and 1, such as 0.99`},
		"a negative quantile":   {`{"signal":"ttft","quantile":-0.5}`, `quantile: -0.5 is not allowed`},
		"an unknown role":       {`{"signal":"ttft","role":"router"}`, `role: "router" is not allowed: choose one of prefill, decode, unified`},
		"a window without unit": {`{"signal":"ttft","window":"30"}`, `window: "30" is not allowed: write a duration such as 30s or 5m`},
		"a window of nothing":   {`{"signal":"ttft","window":"0s"}`, `window: "0s" is not allowed`},
		"a filter without value": {`{"signal":"ttft","filters":[{"label":"model","op":"=","values":[]}]}`,
			`filters[0].values: "[]" is not allowed: give a value or remove the filter`},
		"a filter with a broken expression": {`{"signal":"ttft","filters":[{"label":"model","op":"=~","values":["a("]}]}`,
			`filters[0].values: "a(" is not allowed: it is not a regular expression`},
		"a variable left over": {`{"signal":"ttft","filters":[{"label":"model","op":"=","values":["$model"]}]}`,
			`query: "$model" is not allowed: the variable was not replaced`},
		"a variable in the old form": {`{"signal":"ttft","groupBy":["[[by]]"]}`, `query: "[[by]]" is not allowed`},
		"a future schema":            {`{"signal":"ttft","schemaVersion":7}`, `schemaVersion: 7 is not allowed: this plugin reads version 1`},
		"a text where a number is due": {`{"signal":"ttft","quantile":"high"}`,
			`quantile: "a string" is not allowed: it must be of type float64`},
		"negative bytes":       {`{"signal":"ttft","bytesPerRequest":-1}`, `bytesPerRequest: -1 is not allowed`},
		"an empty PromQL":      {`{"queryType":"promql","expr":" "}`, `expr: "" is not allowed: write a PromQL expression`},
		"text that is no JSON": {`{`, `the query is not valid JSON`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(test.text))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestPromQLIsFilteredByAnyLabelButTheMetricsName(t *testing.T) {
	for _, label := range []string{"model", "le", "a b", "system"} {
		_, err := Parse([]byte(`{"expr":"up","filters":[{"label":"` + label + `","op":"=","values":["x",""]}]}`))
		require.NoError(t, err, label)
	}
	for _, label := range []string{"__name__", " "} {
		_, err := Parse([]byte(`{"expr":"up","filters":[{"label":"` + label + `","op":"=","values":["x"]}]}`))
		require.ErrorContains(t, err, "filters[0].label", label)
		require.ErrorContains(t, err, "the expression names its metrics", label)
	}
	_, err := Parse([]byte(`{"signal":"ttft","filters":[{"label":"le","op":"=","values":["1"]}]}`))
	require.ErrorContains(t, err, "it is chosen by the signal")
	_, err = Parse([]byte(`{"expr":"up","filters":[{"label":"a","op":"=","values":["$model"]}]}`))
	require.ErrorContains(t, err, "was not replaced")
}

func TestPromQLThatWouldCostMoreThanItSaysIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("-", 200) + "up":                            "nested more than 100 deep",
		strings.Repeat("(", 200) + "up" + strings.Repeat(")", 200): "nested more than 100 deep",
		"up" + strings.Repeat("+1", 20000):                         "at most 32768 are taken",
	} {
		require.ErrorContains(t, Query{QueryType: TypePromQL, Expr: text}.WithDefaults().Validate(), want)
	}
	require.NoError(t, Query{QueryType: TypePromQL, Expr: "up" + strings.Repeat(" + (1)", 1000)}.WithDefaults().Validate())
}

func TestEveryFaultIsReportedAtOnce(t *testing.T) {
	_, err := Parse([]byte(`{"signal":"ttft","quantile":2,"role":"x","window":"y"}`))
	require.ErrorContains(t, err, "quantile")
	require.ErrorContains(t, err, "role")
	require.ErrorContains(t, err, "window")
}

func TestAlignLaysStartAndEndOnTheStep(t *testing.T) {
	at := func(s string) time.Time {
		parsed, err := time.Parse(time.RFC3339Nano, s)
		require.NoError(t, err)
		return parsed.UTC()
	}
	a := Align(at("2026-03-01T10:00:07.4Z"), at("2026-03-01T10:05:02.9Z"), 5*time.Second, 0)
	require.Equal(t, Timing{Start: at("2026-03-01T10:00:05Z"), End: at("2026-03-01T10:05:00Z"), Step: 5 * time.Second}, a)

	// One second over a day is 86,400 points: 86400 s / 11000 = 7.85 s, so 8 s.
	b := Align(at("2026-03-01T00:00:00Z"), at("2026-03-02T00:00:00Z"), time.Second, 0)
	require.Equal(t, 8*time.Second, b.Step)
	require.Equal(t, time.Second, b.Raised)

	// A day's step follows the wall clock of UTC+8: midnight there is 16:00 UTC.
	c := Align(at("2026-03-01T20:00:00Z"), at("2026-03-04T20:00:00Z"), 24*time.Hour, 8*time.Hour)
	require.Equal(t, at("2026-03-01T16:00:00Z"), c.Start)
	require.Equal(t, at("2026-03-04T16:00:00Z"), c.End)
}

func TestMacrosAreExpandedAndVariablesRefused(t *testing.T) {
	m := Macros{Interval: 15 * time.Second, RateInterval: time.Minute, Range: time.Hour}
	require.Equal(t, `rate(x[1m]) + 3600 * 15000 # 15s`, m.Expand(`rate(x[$__rate_interval]) + $__range_s * ${__interval_ms} # $__interval`))
	require.Equal(t, `x{model=~"a$|b"}`, m.Expand(`x{model=~"a$|b"}`))
	require.Equal(t, "$model", Unexpanded(m.Expand(`x{model="$model"}[$__range]`)))
	require.Empty(t, Unexpanded(`label_replace(x, "d", "${1}", "s", "(.*)$")`))
}

func TestBytesPerRequestMayComeFromAVariable(t *testing.T) {
	for text, want := range map[string]int64{
		`2684354560`: 2684354560, `"2684354560"`: 2684354560, `"2.5e9"`: 2500000000, `""`: 0, `" "`: 0, `null`: 0, `0`: 0,
	} {
		q, err := Parse([]byte(`{"signal": "kv_transfer_request_rate", "bytesPerRequest": ` + text + `}`))
		require.NoError(t, err, text)
		require.Equal(t, want, q.BytesPerRequest, text)
	}
	for text, says := range map[string]string{
		`"$size"`: "$size", `"2.5 GiB"`: "2.5 GiB", `1.5`: "1.5", `-1`: "-1", `1e300`: "2^53", `"NaN"`: "NaN", `[1]`: "[1]", `true`: "true",
	} {
		_, err := Parse([]byte(`{"signal": "kv_transfer_request_rate", "bytesPerRequest": ` + text + `}`))
		require.ErrorContains(t, err, "bytesPerRequest", text)
		require.ErrorContains(t, err, says, text)
	}
}

func TestALongPatternIsRefused(t *testing.T) {
	pattern := strings.Repeat("a", 4096)
	_, err := Parse([]byte(`{"signal": "ttft", "filters": [{"label": "model", "op": "=~", "values": ["` + pattern + `"]}]}`))
	require.NoError(t, err)
	_, err = Parse([]byte(`{"signal": "ttft", "filters": [{"label": "model", "op": "=~", "values": ["` + pattern + `a"]}]}`))
	require.ErrorContains(t, err, "at most 4096 bytes")
}
