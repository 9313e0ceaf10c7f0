package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestTheDemoMeasuresWhatTheSimulatorKnows(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for eight seconds")
	}
	t.Parallel() // it waits most of the time
	// A machine that is busy elsewhere scrapes late; it gets a second chance.
	m := measuredOnce(t)
	if !within(m, 0.1) || m.Window != "4s" {
		m = measuredOnce(t)
	}
	require.Regexp(t, `^http://127\.0\.0\.1:\d+$`, m.Prometheus)
	require.Equal(t, "1s", m.ScrapeInterval)
	require.Equal(t, "4s", m.Window)
	require.Len(t, m.Curves, 3*3)
	seen := map[string]bool{}
	for _, c := range m.Curves {
		seen[c.Signal+c.Model] = true
		require.NotEmpty(t, c.System)
		// The first point needs a window of four seconds.
		require.GreaterOrEqual(t, c.Points, 4)
		require.InEpsilon(t, c.Truth, c.Mean, 0.1, "%s of %s: few requests fit into 8 s", c.Signal, c.Model)
	}
	require.Len(t, seen, 9)
}

func measuredOnce(t *testing.T) measured {
	t.Helper()
	got := pdmonitor(t.Context(), "demo", "--duration", "8s", "--no-grafana", "-o", "json")
	require.Zero(t, got.status, got.err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.out), &fields))
	require.ElementsMatch(t, []string{"prometheus", "scrapeInterval", "window", "curves", "notices"}, keys(fields))
	var m measured
	require.NoError(t, json.Unmarshal([]byte(got.out), &m))
	return m
}

func within(m measured, share float64) bool {
	return !slices.ContainsFunc(m.Curves, func(c curve) bool { return math.Abs(c.Mean-c.Truth) > share*c.Truth })
}

func TestInterruptingTheDemoEndsEverything(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	left := t.TempDir()
	t.Setenv("TMPDIR", left)
	r := start(t, "demo", "--no-grafana", "--scrape-interval", "200ms")
	r.shows(t, "Waiting for the first samples")
	time.Sleep(time.Second) // some scrapes and queries are under way
	require.Zero(t, r.interrupt(t), "Ctrl-C is how the demo is meant to end")
	require.NotContains(t, r.err.String(), "pdmonitor:")
	entries, err := os.ReadDir(left)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// grafanaOf is a directory in the shape of Grafana's whose program is a script,
// and one of a built plugin.
func grafanaOf(t *testing.T, script string) []string {
	t.Helper()
	home, dist := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, "bin"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(home, "public"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(home, "bin", "grafana"), []byte("#!/bin/sh\n"+script), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dist, "module.js"), nil, 0o600))
	return []string{"--grafana", home, "--plugin-dir", dist}
}

func TestAGrafanaThatEndsAtOnceIsQuoted(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	got := pdmonitor(t.Context(), append([]string{"demo"}, grafanaOf(t, "echo the database is locked; exit 3\n")...)...)
	require.Equal(t, exitFailed, got.status)
	require.Contains(t, got.err, "grafana ended at once")
	require.Contains(t, got.err, "the database is locked")
}

func TestAGrafanaWithoutABuiltPluginIsRefused(t *testing.T) {
	flags := grafanaOf(t, "")
	flags[3] = t.TempDir()
	got := pdmonitor(t.Context(), append([]string{"demo"}, flags...)...)
	require.Equal(t, exitFailed, got.status)
	require.Contains(t, got.err, "the plugin is not built there")
}

func TestInterruptingTheDemoEndsGrafanaWithItsChildren(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	pids := filepath.Join(t.TempDir(), "pids")
	t.Setenv("TMPDIR", t.TempDir())
	r := start(t, append([]string{"demo"}, grafanaOf(t, "sleep 1000 &\necho $$ $! >"+pids+"\nwait\n")...)...)
	var text []byte
	require.Eventually(t, func() bool {
		text, _ = os.ReadFile(pids)
		return len(strings.Fields(string(text))) == 2
	}, 10*time.Second, 20*time.Millisecond)
	require.Zero(t, r.interrupt(t))
	for _, field := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(field)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			// A child that nobody waits for stays as a zombie, which is ended too.
			state, err := os.ReadFile("/proc/" + field + "/stat")
			return syscall.Kill(pid, 0) == syscall.ESRCH || err == nil && strings.Contains(string(state), ") Z ")
		}, 5*time.Second, 20*time.Millisecond, "process %d", pid)
	}
	entries, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, entries, "what was written for Grafana is gone")
}
