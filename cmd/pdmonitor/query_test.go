package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// past is a minute of the default cluster in a Prometheus.
func past(t *testing.T) (url string, truth simulator.Truth, from time.Time) {
	t.Helper()
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	simulation, err := simulator.New(simulator.DefaultCluster(), time.Now())
	require.NoError(t, err)
	start := time.Now().Add(-time.Minute).Truncate(time.Second)
	require.NoError(t, simulation.Replay(t.Context(), server, start, time.Minute, time.Second))
	return server.URL(), simulation.Truth(), start
}

func millis(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }

func TestQueryAnswersWithStableJSON(t *testing.T) {
	url, truth, start := past(t)
	ask := func(args ...string) (finished, answered) {
		got := pdmonitor(t.Context(), append([]string{"query", "--url", url, "--step", "1s", "-o", "json",
			"--from", millis(start.Add(21 * time.Second)), "--to", millis(start.Add(time.Minute))}, args...)...)
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(got.out), &fields), got.err)
		require.ElementsMatch(t, []string{"frames", "promql", "notices", "error"}, keys(fields))
		var a answered
		require.NoError(t, json.Unmarshal([]byte(got.out), &a))
		return got, a
	}
	t.Run("a curve", func(t *testing.T) {
		got, a := ask("--signal", "decode_request_rate", "--group-by", "model", "--filter", "model=~.*Llama.*")
		require.Zero(t, got.status, got.err)
		require.Nil(t, a.Error)
		require.NotEmpty(t, a.PromQL)
		require.Len(t, a.Frames, 1)
		values := a.Frames[0].Fields[1]
		require.Equal(t, 40, values.Len())
		total := 0.0
		for i := range values.Len() {
			total += values.At(i).(float64)
		}
		model := values.Labels["model"]
		require.Equal(t, "meta-llama/Llama-3.1-70B-Instruct", model)
		want := truth.Count(simulator.DecodeCompleted, simulator.Selector{Model: model}, 20*time.Second+1, time.Minute+1)
		require.InEpsilon(t, want, total, 1e-9)
		require.Equal(t, data.FrameTypeTimeSeriesMulti, a.Frames[0].Meta.Type)
	})
	t.Run("an error", func(t *testing.T) {
		got, a := ask("--expr", "sum(up{")
		require.Equal(t, exitWrongUse, got.status)
		require.Equal(t, "Run 'pdmonitor query --help' for usage.\n", got.err, "the error is in the JSON")
		require.NotNil(t, a.Error)
		require.Equal(t, 400, a.Error.Status)
		require.Equal(t, "downstream", a.Error.Source)
		require.NotEmpty(t, a.Error.Message)
		require.Contains(t, got.out, `"frames": []`, "a list also when it is empty")
	})
	t.Run("an error of the server", func(t *testing.T) {
		got, a := ask("--expr", "vllm:num_requests_running * on(job) vllm:num_requests_running")
		require.Equal(t, exitFailed, got.status, "the words are in order")
		require.Equal(t, 422, a.Error.Status)
		require.Empty(t, got.err)
	})
	t.Run("a signal that is none", func(t *testing.T) {
		text := pdmonitor(t.Context(), "query", "--url", url, "--signal", "ttfb")
		require.Equal(t, exitWrongUse, text.status)
		require.Equal(t, "pdmonitor: signal: \"ttfb\" is not allowed: did you mean ttft?\nRun 'pdmonitor query --help' for usage.\n", text.err)
	})
	t.Run("nothing to be had", func(t *testing.T) {
		got, a := ask("--signal", "kv_transfer_request_rate", "--group-by", "model")
		require.Zero(t, got.status, "no size is configured, which is no failure")
		require.Contains(t, got.out, "requestSizes")
		require.Empty(t, a.PromQL)
	})
}

func TestQueryPrintsALineForEveryPoint(t *testing.T) {
	url, _, start := past(t)
	got := pdmonitor(t.Context(), "query", "--url", url, "--signal", "requests_running", "--role", "decode", "--group-by", "model",
		"--step", "10s", "--from", millis(start.Add(20*time.Second)), "--to", millis(start.Add(59*time.Second)))
	require.Zero(t, got.status, got.err)
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	// The grid of 10 s steps has three or four points before each of the ends.
	require.InDelta(t, 3*4, len(lines), 3)
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +\S.* +\d+$`, lines[0])
	require.Contains(t, got.err, "info: ", "notices do not stand among the data")
}

func TestCatalogChecksAServer(t *testing.T) {
	url, _, _ := past(t)
	got := pdmonitor(t.Context(), "catalog", "--check", url)
	require.Zero(t, got.status, got.err)
	rows := map[string]string{}
	for line := range strings.Lines(got.out) {
		rows[strings.Fields(line)[0]] = line
	}
	require.Contains(t, rows["SIGNAL"], "WHY NOT")
	require.Regexp(t, `\byes\b`, rows["ttft"])
	require.Regexp(t, `\bno\b.*requestSizes`, rows["kv_transfer_request_rate"])

	alone := pdmonitor(t.Context(), "catalog", "-o", "json")
	require.Zero(t, alone.status)
	require.Contains(t, alone.out, `"available": null`)
}
