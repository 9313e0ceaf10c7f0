package compile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// BenchmarkCompile compiles every signal once, a large dashboard's worth. The
// floor is one parse of what was printed, which a pass-through of the same
// PromQL would cost; "x-parse" says how many times that compiling takes.
func BenchmarkCompile(b *testing.B) {
	c, err := catalog.Load()
	require.NoError(b, err)
	compiler := compile.New(c)
	var requests []compile.Request
	var printed []string
	for _, s := range c.Signals() {
		r := ask(s.ID, byModel, perRole, ofBytes(1342177280), holding(everything(c, deployment.RoleByLabel)))
		requests = append(requests, r)
		for _, e := range planned(b, r).Expressions {
			printed = append(printed, e.PromQL)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range requests {
			if _, err := compiler.Compile(r); err != nil {
				b.Fatal(err)
			}
		}
	}
	compiling := b.Elapsed() / time.Duration(b.N)

	start, rounds := time.Now(), 20
	for range rounds {
		for _, text := range printed {
			if _, err := promql.Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	}
	parsing := time.Since(start) / time.Duration(rounds)
	b.ReportMetric(float64(compiling)/float64(parsing), "x-parse")
	b.ReportMetric(float64(compiling.Microseconds())/float64(len(requests)), "µs/query")
}
