package compile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func TestARestartIsACounterThatIsLowerThanBefore(t *testing.T) {
	require.Equal(t, []string{
		`vllm/prefill: max by (instance) (vllm:prompt_tokens_total{instance=~"prefill.*"} < bool last_over_time(vllm:prompt_tokens_total{instance=~"prefill.*"}[15m] offset 4s))`,
		`vllm/decode: max by (instance) (vllm:prompt_tokens_total{instance=~"decode.*"} < bool last_over_time(vllm:prompt_tokens_total{instance=~"decode.*"}[15m] offset 4s))`,
	}, promqls(planned(t, ask("engine_restarts", of("vllm"), perRole, by("instance")))))
}

func TestRestartsAreSeenAlsoAfterAnOutage(t *testing.T) {
	// a counts on; b begins anew at 30 s, having been away for 20 s.
	const series = `
		sglang:prompt_tokens_total{engine_type="decode",instance="a"} 0+10x60
		sglang:prompt_tokens_total{engine_type="decode",instance="b"} 0+10x10 _x19 0+10x30`
	at := func(second time.Duration, b float64) {
		t.Helper()
		values(t, series, ask("engine_restarts", of("sglang"), on(query.RoleDecode), by("instance")), second*time.Second, map[string]float64{
			`{instance="a", role="decode", system="sglang"}`: 0, `{instance="b", role="decode", system="sglang"}`: b,
		})
	}
	at(9, 0)
	at(30, 1)
	at(33, 1)
	// Five seconds on, the value of 4 s before is of after the restart already.
	at(35, 0)
}
