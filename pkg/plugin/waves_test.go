package plugin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

// waves is a proxy before a Prometheus whose answers come in waves: it holds what it is asked
// until nothing more is asked, then answers all of it. The waves until a refresh is answered are
// how often it waited for the slowest answer, whatever the machine's speed.
type waves struct {
	address string
	quiet   time.Duration

	mu      sync.Mutex
	held    int
	gate    chan struct{}
	release *time.Timer
	count   int
	paths   []string
}

func before(t *testing.T, address string) *waves {
	t.Helper()
	target, err := url.Parse(address)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	w := &waves{quiet: 250 * time.Millisecond, gate: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.wait(r)
		proxy.ServeHTTP(out, r)
	}))
	t.Cleanup(server.Close)
	w.address = server.URL
	return w
}

func (w *waves) wait(r *http.Request) {
	w.mu.Lock()
	w.paths = append(w.paths, r.URL.Path)
	w.held++
	if w.release == nil {
		w.release = time.AfterFunc(w.quiet, w.answer)
	} else {
		w.release.Reset(w.quiet)
	}
	gate := w.gate
	w.mu.Unlock()
	<-gate
}

func (w *waves) answer() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held == 0 {
		return
	}
	w.held = 0
	w.count++
	close(w.gate)
	w.gate = make(chan struct{})
}

// during counts the waves of something.
func (w *waves) during(do func()) int {
	w.mu.Lock()
	before := w.count
	w.mu.Unlock()
	do()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count - before
}

// settle waits until nothing is asked any more, such as a look behind an answer.
func (w *waves) settle(t *testing.T) {
	t.Helper()
	last := -1
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		still := w.held == 0 && len(w.paths) == last
		last = len(w.paths)
		return still
	}, time.Minute, 3*w.quiet)
}

// minute is a panel of one signal over the minute before a time.
func minute(t *testing.T, end time.Time, signal string) []backend.DataQuery {
	t.Helper()
	return []backend.DataQuery{{
		JSON: asJSON(t, byModel(signal)), Interval: time.Second, TimeRange: backend.TimeRange{From: end.Add(-time.Minute), To: end},
	}}
}

// No panel waits for discovery: a server whose every answer takes a second would otherwise
// stop all of them every half minute.
func TestNoPanelWaitsForDiscovery(t *testing.T) {
	t.Parallel()
	r := replay(t, simulator.DefaultCluster(), 2*time.Minute, nil)
	// A panel of a signal that no engine exports looks again all the time.
	for name, asked := range map[string]func(t *testing.T, end time.Time) []backend.DataQuery{
		"the overview": overview,
		"a signal that is absent": func(t *testing.T, end time.Time) []backend.DataQuery {
			return minute(t, end, "xid_error_rate")
		},
		"a quantile": func(t *testing.T, end time.Time) []backend.DataQuery { return minute(t, end, "ttft") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := before(t, r.server.URL())
			source, err := r.openAt(w.address, nil)
			require.NoError(t, err)
			t.Cleanup(source.Dispose)
			late := time.Duration(0)
			source.LookAt(func() time.Time { return time.Now().Add(late) })
			end := r.start.Add(2 * time.Minute)
			refresh := func() {
				var panels sync.WaitGroup
				for _, dq := range asked(t, end) {
					panels.Go(func() {
						if err := respond(t, source, dq).Error; err != nil {
							t.Error(err)
						}
					})
				}
				panels.Wait()
				end = end.Add(time.Second)
			}
			require.LessOrEqual(t, w.during(refresh), 4, "the first of all")
			w.settle(t)
			late = discovery.Fresh + time.Second
			require.LessOrEqual(t, w.during(refresh), 2, "a refresh when the last look is old")
			w.settle(t)
			require.LessOrEqual(t, w.during(refresh), 2, "any other")
		})
	}
}

// Two engines whose buckets differ, and whose requests all take longer than the last of them.
func TestNoPanelWaitsForWhatLiesBeyondTheBuckets(t *testing.T) {
	t.Parallel()
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	const length = time.Minute
	start := time.Now().Add(-length).Truncate(time.Second)
	for second := range int(length/time.Second) + 1 {
		for instance, bounds := range map[string][]string{"a": {"0.5", "1", "2"}, "b": {"0.25", "1", "2"}} {
			page := fmt.Sprintf("vllm:num_requests_running{model_name=\"m\"} 1\nvllm:time_to_first_token_seconds_count{model_name=\"m\"} %d\n", second)
			for _, le := range bounds {
				page += fmt.Sprintf("vllm:time_to_first_token_seconds_bucket{model_name=\"m\",le=%q} 0\n", le)
			}
			page += fmt.Sprintf("vllm:time_to_first_token_seconds_bucket{model_name=\"m\",le=\"+Inf\"} %d\n", second)
			at := start.Add(time.Duration(second) * time.Second)
			require.NoError(t, server.AppendText(t.Context(), []byte(page), map[string]string{"instance": instance, "job": "vllm"}, at))
		}
	}
	w := before(t, server.URL())
	source := opened(t, w.address, nil)
	end := start.Add(length)
	var got backend.DataResponse
	refresh := func() {
		dq := minute(t, end, "ttft")[0]
		dq.TimeRange.From = end.Add(-30 * time.Second)
		got = respond(t, source, dq)
		end = end.Add(time.Second)
	}
	require.LessOrEqual(t, w.during(refresh), 4, "the first of all")
	require.NoError(t, got.Error)
	codes := map[string]bool{}
	for _, n := range plugin.Notices(got.Frames) {
		codes[n.Code] = true
	}
	require.True(t, codes["common-buckets"] && codes["last-bucket"] && codes["beyond-buckets"], "%v", codes)
	w.settle(t)
	require.LessOrEqual(t, w.during(refresh), 2, "any other")
}
