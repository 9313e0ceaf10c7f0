package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func embedded(t *testing.T) *Catalog {
	t.Helper()
	c, err := Load()
	require.NoError(t, err)
	return c
}

// Panels, alerts and dashboards store these ids.
func TestTheFixedSignalsAreThere(t *testing.T) {
	c := embedded(t)
	for _, id := range strings.Fields(`
		prefill_request_rate kv_transfer_request_rate decode_request_rate kv_transfer_byte_rate kv_transfer_bytes
		prefill_token_rate decode_token_rate requests_running requests_waiting
		kv_transfer_latency prefill_bootstrap_queue prefill_inflight_queue decode_prealloc_queue decode_transfer_queue
		ttft itl tpot e2e_latency queue_time prefill_time decode_time kv_cache_usage kv_cache_occupied kv_cache_active
		prefix_cache_hit_rate preemption_rate retracted_requests abort_rate bootstrap_failure_rate kv_bytes_per_request_measured`) {
		_, ok := c.Signal(id)
		require.True(t, ok, id)
	}
}

func TestRatesEndInRateAndMeaningsAreSentences(t *testing.T) {
	for _, s := range embedded(t).Signals() {
		if s.Kind == KindRate {
			require.True(t, strings.HasSuffix(s.ID, "_rate"), s.ID)
		}
		require.True(t, strings.HasSuffix(s.Meaning, "."), "%s: a meaning is a sentence", s.ID)
	}
}

// Priorities repeat the total of these six gauges.
func TestGaugesThatPrioritiesRepeatReadTheTotalAlone(t *testing.T) {
	c := embedded(t)
	system, ok := c.System("sglang")
	require.True(t, ok)
	for _, b := range system.Bindings {
		if slices.Contains(strings.Fields(`requests_running requests_waiting prefill_bootstrap_queue prefill_inflight_queue
			decode_prealloc_queue decode_transfer_queue`), b.Signal) {
			require.Equal(t, `priority=""`, b.Sources[0].Match, b.Signal)
		}
	}
}

func TestSignalsOfOneRoleAreBoundToIt(t *testing.T) {
	c := embedded(t)
	roles := map[string]query.Role{
		"prefill_request_rate": query.RolePrefill, "decode_request_rate": query.RoleDecode,
		"prefill_token_rate": query.RolePrefill, "decode_token_rate": query.RoleDecode,
		"itl": query.RoleDecode, "tpot": query.RoleDecode, "prefix_cache_hit_rate": query.RolePrefill,
	}
	for id, role := range roles {
		s, ok := c.Signal(id)
		require.True(t, ok, id)
		for _, b := range c.Bindings(s) {
			require.Equal(t, role, b.Role, "%s of %s", id, b.System)
		}
	}
	for _, system := range c.Systems() {
		for _, b := range system.Bindings {
			if b.Signal == "ttft" {
				require.Equal(t, map[string]query.Role{"sglang": query.RoleDecode, "vllm": query.RoleAny}[system.Name], b.Role, system.Name)
			}
		}
	}
}

func TestNearSignalsAreSuggestedNearestFirst(t *testing.T) {
	c := embedded(t)
	require.Equal(t, "ttft", c.Suggest("tttf")[0])
	require.Equal(t, "prefill_request_rate", c.Suggest("prefil_request_rate")[0])
	require.LessOrEqual(t, len(c.Suggest("rate")), 3)
	require.Empty(t, c.Suggest("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"))
}

func TestWhatIsReturnedCanBeChangedWithoutHarm(t *testing.T) {
	c := embedded(t)
	c.Signals()[0].ID = "changed"
	c.Systems()[0].Name = "changed"
	require.NotEqual(t, "changed", c.Signals()[0].ID)
	require.NotEqual(t, "changed", c.Systems()[0].Name)
}
