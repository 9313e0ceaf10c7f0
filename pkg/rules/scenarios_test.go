package rules_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

const (
	// lasts is the virtual time of a scenario, longer than the longest window and `for`.
	lasts  = 18 * time.Minute
	scrape = 15 * time.Second
	step   = 30 * time.Second
)

// source is what the rules of a cluster are compiled with, without a look at the
// server, as the provisioned rules are.
func source(t *testing.T, c simulator.Cluster) rules.Source {
	t.Helper()
	known, err := catalog.Load()
	require.NoError(t, err)
	options := compile.Options{
		ScrapeInterval: scrape,
		Roles:          map[query.Role]string{query.RolePrefill: `instance=~"prefill.*"`, query.RoleDecode: `instance=~"decode.*"`},
	}
	for _, g := range c.Groups {
		options.Sizes = append(options.Sizes, kvcache.Size{Model: g.Model, BytesPerRequest: g.BytesPerRequest})
	}
	return rules.Source{Catalog: known, Options: options}
}

// played is a Prometheus that holds a scenario, and when it began.
func played(t *testing.T, c simulator.Cluster, to time.Duration) (*promserver.Server, time.Time) {
	t.Helper()
	if testing.Short() {
		t.Skip("replays minutes of a cluster")
	}
	server, err := promserver.Start(t.Context(), promserver.Config{ScrapeInterval: scrape})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	simulation, err := simulator.New(c, time.Unix(1_700_000_000, 0))
	require.NoError(t, err)
	start := time.Now().Add(-time.Hour).Truncate(time.Minute)
	require.NoError(t, simulation.Replay(t.Context(), server, start, to, scrape))
	return server, start
}

// alerts are the names of those that fire in a scenario.
func alerts(t *testing.T, name string) []string {
	t.Helper()
	scenario, err := simulator.ScenarioNamed(name)
	require.NoError(t, err)
	server, start := played(t, scenario.Cluster, lasts)
	made, err := rules.Prometheus(rules.All(rules.DefaultTargets()), source(t, scenario.Cluster))
	require.NoError(t, err)
	fired, err := server.Evaluate(t.Context(), made.YAML, start, start.Add(lasts), step)
	require.NoError(t, err)
	var names []string
	for _, a := range fired {
		t.Logf("%s %v from %s to %s: %s", a.Name, a.Labels, a.First.Sub(start), a.Last.Sub(start), a.Annotations["description"])
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// late is what a queue anywhere before the first token costs users.
var late = []string{"PDTTFTBudgetBurnFast", "PDTTFTBudgetBurnSlow"}

func with(names []string, more ...string) []string { return append(slices.Clone(names), more...) }

func TestEachScenarioFiresItsAlertsAndNoOther(t *testing.T) {
	expected := map[string][]string{
		"healthy":            nil,
		"healthy-full-cache": nil,
		"idle":               nil,
		"restart":            nil,
		"prefill-bound":      with(late, "PDPrefillQueueGrowth"),
		// vLLM counts a prefill before its transfer and lets decode wait for it.
		"transfer-bound": with(late, "PDTransferQueueGrowth", "PDDecodeQueueGrowth", "PDStageImbalance"),
		"decode-bound":   with(late, "PDDecodeQueueGrowth", "PDStageImbalance"),
		"slow-decode":    {"PDITLBudgetBurnFast", "PDITLBudgetBurnSlow"},
		// In the end prefill's own memory is full.
		"prealloc-back-pressure": with(late, "PDDecodePreallocBackPressure", "PDDecodeQueueGrowth", "PDPrefillQueueGrowth"),
		"thrash":                 with(late, "PDKVCacheThrash", "PDRetractions", "PDDecodePreallocBackPressure", "PDDecodeQueueGrowth", "PDPrefillQueueGrowth", "PDStageImbalance"),
		"kv-expiry":              with(late, "PDKVLeaseExpiry", "PDKVTransferFailures", "PDDecodePreallocBackPressure", "PDDecodeQueueGrowth", "PDStageImbalance"),
		"bootstrap-failures":     {"PDBootstrapFailures"},
		"router-drift":           {"PDRouterDrift"},
		"nic-congestion":         {"PDRDMARetransmits"},
		"straggler-gpu":          {"PDGPUThrottled"},
		"restart-storm":          {"PDGPUXIDErrors", "PDKVTransferFailures"},
		"prefill-down":           {"PDPrefillMetricsMissing"},
	}
	for _, s := range simulator.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			want, ok := expected[s.Name]
			require.True(t, ok, "what does it fire?")
			require.ElementsMatch(t, want, alerts(t, s.Name))
		})
	}
}

// The cluster is healthy; what the data source believes of it is not.
func TestAWrongRequestSizeFires(t *testing.T) {
	scenario, err := simulator.ScenarioNamed("restart")
	require.NoError(t, err)
	const to = 45 * time.Minute
	server, start := played(t, scenario.Cluster, to)
	for name, test := range map[string]struct {
		factor float64
		want   []string
	}{
		"right":         {1, nil},
		"a fifth small": {0.8, []string{"more"}},
		"a fifth large": {1.25, []string{"less"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := source(t, scenario.Cluster)
			for i := range s.Options.Sizes {
				s.Options.Sizes[i].BytesPerRequest = int64(float64(s.Options.Sizes[i].BytesPerRequest) * test.factor)
			}
			made, err := rules.Prometheus(rules.All(rules.DefaultTargets()), s)
			require.NoError(t, err)
			fired, err := server.Evaluate(t.Context(), made.YAML, start, start.Add(to), step)
			require.NoError(t, err)
			var cases []string
			for _, a := range fired {
				require.Equal(t, "PDRequestSizeDrift", a.Name)
				cases = append(cases, a.Labels["case"])
			}
			slices.Sort(cases)
			require.Equal(t, test.want, slices.Compact(cases))
		})
	}
}
