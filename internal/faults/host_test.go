package faults

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/host"
)

func TestAPluginThatIsKilledAndStartedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	first, err := host.Start(binary, nil)
	require.NoError(t, err)
	r.plugin = first
	r.right(expr)
	first.Kill()
	r.plugin, err = host.Start(binary, nil)
	require.NoError(t, err)
	defer r.plugin.Kill()
	time.Sleep(time.Second)
	r.right(expr)
}

func TestThePluginTellsItsFigures(t *testing.T) {
	r := newRig(t, nil)
	r.right(expr)
	page, err := shared.Figures(t.Context())
	require.NoError(t, err)
	for _, figure := range []string{`pdmonitor_cache_answers_total{from="tail"}`, "pdmonitor_cache_bytes", "go_goroutines"} {
		require.Contains(t, page, figure)
	}
}
