package query

import (
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzParse reads what may be stored in a dashboard that nobody foresaw. What is
// accepted stays what it is when it is stored and read again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `""`, `{"signal":"ttft"}`, `{"signal":"ttft","stat":"quantile","quantile":0.5,"groupBy":["model","模型"]}`,
		`{"schemaVersion":1,"queryType":"signal","signal":"ttft","filters":[{"label":"model","op":"=~","values":["a.*","[[:alpha:]]+"]}],"window":"1m30s"}`,
		`{"queryType":"promql","expr":"rate(x[$__rate_interval]) + ${__interval_ms:raw} + $x"}`, `{"signal":"$signal","groupBy":["[[by]]"]}`,
		`{"signal":"ttft","stat":"under","limit":1e999}`, `{"signal":"ttft","bytesPerRequest":9223372036854775808}`,
		`{"queryType":"inventory","inventory":"systems"}`, `{"signal":"ttft","filters":null,"groupBy":[null],"window":"290y"}`, "{\"signal\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		q, err := Parse(stored)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotEmpty(t, q.Signal+q.Expr+string(q.Inventory))
		window, err := q.WindowDuration()
		require.NoError(t, err)
		require.GreaterOrEqual(t, window, time.Duration(0))
		text, err := json.Marshal(q)
		require.NoError(t, err)
		again, err := Parse(text)
		require.NoError(t, err, "%s", text)
		once, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(text), string(once))

		m := Macros{Interval: time.Second, RateInterval: 4 * time.Second, Range: time.Hour}
		expr := m.Expand(q.Expr)
		require.Equal(t, expr, m.Expand(expr))
		require.Equal(t, utf8.ValidString(q.Expr), utf8.ValidString(expr))
	})
}
