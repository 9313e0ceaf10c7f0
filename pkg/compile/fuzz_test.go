package compile_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// FuzzCompile sends filters and groupings that nobody foresaw. A query that
// Validate accepts either compiles into PromQL that parses, or is refused.
func FuzzCompile(f *testing.F) {
	for _, seed := range [][4]string{
		{"ttft", "model", "meta-llama/Llama-3.1-70B", "instance"},
		{"prefill_request_rate", "pod", `quote " and back\slash`, "模型"},
		{"kv_transfer_request_rate", "model", "a|b.*(c)[d]{2}^$", "model"},
		{"prefix_cache_hit_rate", "dp_rank", "new\nline", "dp_rank"},
		{"requests_running", "__name__", "up", "le"},
		{"kv_transfer_latency", "le", "+Inf", "__name__"},
		{"itl", "a b", "", "a-b"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], uint8(0))
	}
	c, err := catalog.Load()
	require.NoError(f, err)
	compiler, signals := compile.New(c), c.Signals()
	ops := []query.Op{query.OpEqual, query.OpNotEqual, query.OpMatch, query.OpNotMatch}
	f.Fuzz(func(t *testing.T, signal, label, value, group string, choice uint8) {
		if !utf8.ValidString(label) || !utf8.ValidString(value) || !utf8.ValidString(group) {
			return // no JSON text holds it
		}
		if _, ok := c.Signal(signal); !ok {
			signal = signals[int(choice)%len(signals)].ID
		}
		r := ask(signal, by(group), where(label, ops[choice%4], value), func(r *compile.Request) {
			r.Query.BytesPerRequest = int64(choice)
		})
		if r.Query.Validate() != nil {
			return
		}
		p, err := compiler.Compile(r)
		if err != nil {
			return // refused, which is an answer
		}
		for _, e := range p.Expressions {
			parsed, err := promql.Parse(e.PromQL)
			require.NoError(t, err, e.PromQL)
			require.Equal(t, e.PromQL, parsed.String())
		}
	})
}
