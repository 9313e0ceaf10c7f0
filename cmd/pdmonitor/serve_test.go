package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptd-monitor/pdmonitor/internal/workbench/page"
)

// workbenchURL is the address that a command printed.
func workbenchURL(t *testing.T, r *running) string {
	t.Helper()
	r.shows(t, "Workbench: ")
	url := regexp.MustCompile(`Workbench: +(http://127\.0\.0\.1:\d+/)`).FindStringSubmatch(r.err.String())
	require.NotNil(t, url, r.err.String())
	return url[1]
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

func TestServeShowsTheSettingsOfItsFile(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	settings := written(t, "settings.yaml", "url: http://127.0.0.1:1\njsonData: {scrapeInterval: 7s}\nsecureJsonData: {httpHeaderValue1: very-secret}\n")
	if _, ok := page.Built(); !ok {
		got := pdmonitor(t.Context(), "serve", "--settings", settings)
		require.Equal(t, exitFailed, got.status)
		require.Contains(t, got.err, "npm run build:workbench")
		return
	}
	r := start(t, "serve", "--settings", settings)
	status, text := get(t, workbenchURL(t, r)+"api/datasources/uid/pdmonitor")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, text, `"url":"http://127.0.0.1:1"`)
	require.Contains(t, text, `"scrapeInterval":"7s"`)
	require.NotContains(t, text, "very-secret")
	require.Zero(t, r.interrupt(t), r.err.String())
}

func TestServeStartsOverAServerThatIsAway(t *testing.T) {
	if _, ok := page.Built(); !ok {
		got := pdmonitor(t.Context(), "serve", "--url", "http://127.0.0.1:1")
		require.Equal(t, exitFailed, got.status, "the address is in order, the page is missing")
		require.Contains(t, got.err, "npm run build:workbench")
		return
	}
	r := start(t, "serve", "--url", "http://127.0.0.1:1")
	_, text := get(t, workbenchURL(t, r)+"api/datasources/uid/pdmonitor/health")
	require.Contains(t, text, "connection refused")
	require.Zero(t, r.interrupt(t), r.err.String())
}

func TestTheDemoHasAWorkbenchOverItsOwnPrometheus(t *testing.T) {
	if _, ok := page.Built(); !ok {
		t.Skip("the page is not built: go tool mage build:workbench")
	}
	r := start(t, "demo", "--no-grafana")
	url := workbenchURL(t, r)
	require.Eventually(t, func() bool {
		status, text := get(t, url+"api/datasources/uid/pdmonitor/health")
		return status == http.StatusOK && strings.Contains(text, "Can draw Prefill req/s")
	}, 30*time.Second, 200*time.Millisecond)
	require.Zero(t, r.interrupt(t))
}
