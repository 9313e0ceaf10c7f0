package main

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

func TestSimulateServesPagesAndTheirListUntilInterrupted(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	r := start(t, "simulate", "--listen", "127.0.0.1:0")
	r.shows(t, "Ctrl-C stops.")
	address := regexp.MustCompile(`http://(\S+)`).FindStringSubmatch(r.err.String())[1]
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(path string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, nil)
		require.NoError(t, err)
		response, err := client.Do(request)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(body)
	}

	status, body := get("/sd")
	require.Equal(t, http.StatusOK, status)
	var list []discovered
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	const engines, prefills = 2 + 3 + 2 + 2, 2 + 1 + 1
	require.Len(t, list, engines+2*engines+prefills+2, "each engine's host has two exporters, each prefill a store beside it; and there are the store's master and a gateway")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	for _, d := range list {
		require.Equal(t, []string{address}, d.Targets)
		require.NotEmpty(t, d.Labels["instance"])
		require.Contains(t, []string{"vllm", "sglang", "dcgm", "node", "lmcache", "mooncake", "dynamo"}, d.Labels["job"])
		status, page := get(d.Labels["__metrics_path__"])
		require.Equal(t, http.StatusOK, status)
		families, err := parser.TextToMetricFamilies(strings.NewReader(page))
		require.NoError(t, err)
		require.NotEmpty(t, families)
	}
	status, _ = get("/healthz")
	require.Equal(t, http.StatusOK, status)
	status, _ = get("/metrics/nobody")
	require.Equal(t, http.StatusNotFound, status)

	require.Zero(t, r.interrupt(t))
	require.Empty(t, r.out.String())
}

func TestTheHelpSaysWhatHappensWhen(t *testing.T) {
	for _, command := range []string{"demo", "simulate"} {
		got := pdmonitor(t.Context(), command, "--help")
		require.Zero(t, got.status)
		for _, s := range simulator.Scenarios() {
			require.Regexp(t, `(?m)^ +`+s.Name+` +`+regexp.QuoteMeta(s.About)+`$`, got.out)
			require.Contains(t, got.out, s.When())
		}
		require.Contains(t, got.out, "prefill-0 of each model is away from 5m to 5m20s")
	}
}
