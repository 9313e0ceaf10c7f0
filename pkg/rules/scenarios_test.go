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
func played(t *testing.T, c simulator.Cluster) (*promserver.Server, time.Time) {
	t.Helper()
	server, err := promserver.Start(t.Context(), promserver.Config{ScrapeInterval: scrape})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	simulation, err := simulator.New(c, time.Unix(1_700_000_000, 0))
	require.NoError(t, err)
	start := time.Now().Add(-time.Hour).Truncate(time.Minute)
	require.NoError(t, simulation.Replay(t.Context(), server, start, lasts, scrape))
	return server, start
}

// alerts are those that fire at the end of a scenario, as name and system.
func alerts(t *testing.T, name string) []string {
	t.Helper()
	scenario, err := simulator.ScenarioNamed(name)
	require.NoError(t, err)
	server, start := played(t, scenario.Cluster)
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

func TestEachScenarioFiresItsAlertsAndNoOther(t *testing.T) {
	for name, want := range map[string][]string{
		"idle":                   nil,
		"prealloc-back-pressure": {"PDDecodePreallocBackPressure"},
	} {
		t.Run(name, func(t *testing.T) { require.ElementsMatch(t, want, alerts(t, name)) })
	}
}
