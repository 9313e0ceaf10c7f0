package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	log.DefaultLogger = log.NewNullLogger() // as main does
	backend.Logger = log.DefaultLogger
	os.Exit(m.Run())
}

// screen is what a command prints; it may be read while the command runs.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// finished is a command that has ended.
type finished struct {
	status   int
	out, err string
}

func pdmonitor(ctx context.Context, args ...string) finished {
	var out, errOut screen
	status := run(ctx, args, &out, &errOut)
	return finished{status, out.String(), errOut.String()}
}

// running is a command that goes on until it is stopped as Ctrl-C does.
type running struct {
	out, err screen
	stop     context.CancelFunc
	ended    chan int
}

func start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r := &running{stop: stop, ended: make(chan int, 1)}
	go func() { r.ended <- run(ctx, args, &r.out, &r.err) }()
	return r
}

// shows waits until standard error holds the text.
func (r *running) shows(t *testing.T, text string) {
	t.Helper()
	for range 1000 {
		if strings.Contains(r.err.String(), text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	require.Contains(t, r.err.String(), text)
}

func (r *running) interrupt(t *testing.T) int {
	t.Helper()
	r.stop()
	select {
	case status := <-r.ended:
		return status
	case <-time.After(15 * time.Second):
		require.FailNow(t, "the command does not end", r.err.String())
		return -1
	}
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestEveryCommandExplainsItself(t *testing.T) {
	for _, command := range []string{"", "demo", "serve", "query", "compile", "catalog", "simulate"} {
		got := pdmonitor(t.Context(), append(strings.Fields(command), "--help")...)
		require.Zero(t, got.status, command)
		require.Contains(t, got.out, "Usage:", command)
		require.Contains(t, got.out, "pdmonitor "+command, command)
		require.Empty(t, got.err, command)
		if command != "" {
			require.Contains(t, got.out, "Examples:", command)
		}
	}
}

func TestWrongUseIsStatusTwoAndSaysWhereHelpIs(t *testing.T) {
	for name, test := range map[string]struct {
		words   string
		message string
	}{
		"no command":                        {"", "name a command"},
		"an unknown command":                {"monitor", `"monitor"`},
		"an unknown flag":                   {"query --colour red", "--colour"},
		"words that are no flags":           {"compile ttft", `unexpected "ttft"`},
		"an unknown format":                 {"catalog -o yaml", "choose text or json"},
		"a query of nothing":                {"query --url http://localhost:1", "give --signal, --expr or --query"},
		"a query without server":            {"query --signal ttft", "give --url"},
		"a workbench without server":        {"serve", "give --url"},
		"a signal and an expression":        {"compile --signal ttft --expr up", "exclude each other"},
		"a filter without comparison":       {"compile --signal ttft --filter model", "write label=value"},
		"a filter without label":            {"compile --signal ttft --filter =x", "write label=value"},
		"a step that is no duration":        {"compile --signal ttft --step soon", "--step soon"},
		"a step of nothing":                 {"compile --signal ttft --step 0s", "--step 0s"},
		"a range that ends first":           {"compile --signal ttft --from now --to now-1h", "is not before"},
		"a start that is no time":           {"compile --signal ttft --from yesterday", "--from yesterday"},
		"a number that is none":             {"compile --signal ttft --quantile high", "--quantile"},
		"a quantile of nothing":             {"compile --signal ttft --quantile 0", "--quantile 0"},
		"an unknown signal":                 {"compile --signal ttfb", "did you mean ttft?"},
		"a statistic that the signal lacks": {"compile --signal kv_cache_usage --stat mean", `stat: "mean" is not allowed: kv_cache_usage is a gauge`},
		"an unknown statistic":              {"compile --signal ttft --stat median", "choose one of quantile"},
		"a statistic without its limit":     {"compile --signal ttft --stat under", "limit: 0"},
		"an unknown system":                 {"compile --signal ttft --system vlm", "choose auto or one of"},
		"an unknown role":                   {"compile --signal ttft --role encode", "role: "},
		"a mode of rates that is none":      {"compile --signal ttft --rate-mode fast", "rateMode: "},
		"a filter that is no expression":    {"compile --signal ttft --filter model=~[", "filters[0].values: "},
		"a label of the signal's own":       {"compile --signal ttft --group-by le", "groupBy[0]: "},
		"a variable that nobody replaces":   {"compile --signal $signal", "$signal"},
		"an expression that is no PromQL":   {"compile --expr sum(up{", "it is not PromQL"},
		"a window that is too short":        {"compile --signal prefill_request_rate --window 1s", "window: "},
		"two mistakes at once":              {"compile --signal ttft --role encode --stat median", "role: "},
		"a demo that measures backwards":    {"demo --duration -5s", "scrape intervals"},
		"a demo that is too short":          {"demo --duration 3s", "scrape intervals"},
		"a demo of JSON without end":        {"demo -o json", "needs --duration"},
		"a scrape interval that is no time": {"demo --scrape-interval often", "--scrape-interval often"},
	} {
		t.Run(name, func(t *testing.T) {
			got := pdmonitor(t.Context(), strings.Fields(test.words)...)
			require.Equal(t, exitWrongUse, got.status, got.err)
			require.Contains(t, got.err, test.message)
			require.Contains(t, got.err, "--help' for usage.")
			require.Empty(t, got.out)
		})
	}
}

func TestWorkThatFailsIsStatusOne(t *testing.T) {
	for name, test := range map[string]struct {
		words   string
		message string
	}{
		"nothing listens":                   {"query --url http://127.0.0.1:1 --signal ttft", "connection refused"},
		"a settings file that is not there": {"compile --signal ttft --settings /no/such/file", "--settings"},
		"a query file that is not there":    {"compile --query /no/such/file", "--query"},
		"a cluster file that is not there":  {"simulate --cluster /no/such/file", "--cluster"},
		"a port that is taken by others":    {"simulate --listen 256.0.0.1:1", "--listen"},
		"a Grafana that is none":            {"demo --grafana /no/such/directory", "no bin/grafana"},
		"a demo for the whole network":      {"demo --no-grafana --listen 0.0.0.0:0", "loopback"},
	} {
		t.Run(name, func(t *testing.T) {
			got := pdmonitor(t.Context(), strings.Fields(test.words)...)
			require.Equal(t, exitFailed, got.status, got.err)
			require.Contains(t, got.err, test.message)
			require.NotContains(t, got.err, "for usage.")
			require.Empty(t, got.out)
		})
	}
}
