package prom_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// busy is a way to a server that answers nothing until it is released, and counts who
// waits there at once.
type busy struct {
	release chan struct{}
	mu      sync.Mutex
	at, top int
}

func (b *busy) RoundTrip(r *http.Request) (*http.Response, error) {
	b.count(1)
	defer b.count(-1)
	select {
	case <-b.release:
		return fixed(emptyMatrix).RoundTrip(r)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func (b *busy) count(more int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at += more
	b.top = max(b.top, b.at)
}

func TestRequestsWaitForTheirTurn(t *testing.T) {
	b := &busy{release: make(chan struct{})}
	client := newClient(t, prom.Options{URL: "http://prometheus", HTTP: &http.Client{Transport: b}, Limits: prom.Limits{Concurrent: 2, Timeout: 300 * time.Millisecond}})
	failed := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := client.Query(context.Background(), "up", time.Unix(1, 0))
			failed <- err
		}()
	}
	require.Eventually(t, func() bool { return len(failed) == 3 }, 10*time.Second, 5*time.Millisecond)
	var waited int
	for range 3 {
		if e := <-failed; e != nil && e.Error() == "2 queries of this data source run at once, the limit, and none ended within 300ms. Refresh less often, or raise the limit of concurrent queries in the data source settings if the server can bear it." {
			waited++
		}
	}
	require.LessOrEqual(t, waited, 1)
	require.Equal(t, 2, b.top)
	close(b.release)
	_, err := client.Query(t.Context(), "up", time.Unix(1, 0))
	require.NoError(t, err, "turns are given back")
}

func TestTooManyPointsAreRefused(t *testing.T) {
	address, _ := answering(t, largeMatrix(3, 100))
	_, err := newClient(t, prom.Options{URL: address, Limits: prom.Limits{Points: 250}}).Query(t.Context(), "x", time.Unix(1, 0))
	require.ErrorContains(t, err, "The query brings more than 250 points.")
}

// A server that is overwhelmed is so for whoever comes next.
func TestAPauseHoldsForAllWhoAskTheServer(t *testing.T) {
	for status, text := range map[int]string{
		http.StatusTooManyRequests:    "The server gets too many requests (429) and asked to be left alone for another 30s.",
		http.StatusServiceUnavailable: "The server is not available (503) and asked to be left alone for another 30s.",
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			var asked atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
				w.WriteHeader(status)
			}))
			defer server.Close()
			client := newClient(t, prom.Options{URL: server.URL})
			for _, who := range []string{"loud", "quiet", ""} {
				_, err := client.Query(prom.WithCaller(t.Context(), prom.Caller{Identity: who}), "up", time.Unix(1, 0))
				var failed *prom.Error
				require.ErrorAs(t, err, &failed)
				require.Equal(t, status, failed.Status)
			}
			_, err := client.Query(t.Context(), "up", time.Unix(1, 0))
			require.ErrorContains(t, err, text, "an hour is not believed")
			require.EqualValues(t, 1, asked.Load())
		})
	}
}

func TestNoPauseWithoutBeingAskedForOne(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	client := newClient(t, prom.Options{URL: server.URL})
	for range 2 {
		_, err := client.Query(t.Context(), "up", time.Unix(1, 0))
		require.ErrorContains(t, err, "The server is not available (503)")
	}
	require.EqualValues(t, 2, asked.Load())
}

// What a caller's request brought is masked in whatever the server repeats, for this
// caller, beside what is configured.
func TestForwardedSecretsAreMasked(t *testing.T) {
	const cookie, configured = "session-of-alice-4711", "token-of-the-tenant"
	says := `"` + cookie + ` ` + configured + ` is no login"`
	ctx := prom.WithCaller(t.Context(), prom.Caller{Identity: "alice", Secrets: []string{cookie}})
	for name, body := range map[string]string{
		"error":   `{"status":"error","errorType":"bad_data","error":` + says + `}`,
		"warning": `{"status":"success","data":{"resultType":"vector","result":[]},"warnings":[` + says + `],"infos":[` + says + `]}`,
		"page":    says,
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := answering(t, body)
			client := newClient(t, prom.Options{URL: address, Secrets: []string{configured}})
			result, err := client.Query(ctx, "up", time.Unix(1, 0))
			text := fmt.Sprint(result.Warnings, err)
			require.NotContains(t, text, cookie)
			require.NotContains(t, text, configured)
			require.Contains(t, text, "***")
		})
	}
}

// Programs repeat a text of theirs in more than one spelling, and bodies are cut.
func TestSecretsAreMaskedHoweverTheyAreWritten(t *testing.T) {
	const secret = `s%3Aabc<d>&"ef/gh=0123456789`
	ctx := prom.WithCaller(t.Context(), prom.Caller{Identity: "alice", Secrets: []string{secret}})
	for name, says := range map[string]string{
		"as it is":      secret,
		"decoded":       `s:abc<d>&"ef/gh=0123456789`,
		"in JSON":       `s%3Aabc\u003cd\u003e\u0026\"ef/gh=0123456789`,
		"in a page":     `s%3Aabc&lt;d&gt;&amp;&#34;ef/gh=0123456789`,
		"in Go":         `"s%3Aabc<d>&\"ef/gh=0123456789"`,
		"in a path":     url.PathEscape(secret),
		"torn":          "s%3Aabc<d>&\"ef/gh\x00=0123456789",
		"cut":           strings.Repeat("x ", 40) + secret[:20],
		"in an address": url.QueryEscape(secret),
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte("no login " + says))
			}))
			defer server.Close()
			_, err := newClient(t, prom.Options{URL: server.URL}).Query(ctx, "up", time.Unix(1, 0))
			require.ErrorContains(t, err, "***")
			require.NotContains(t, err.Error(), "abc")
		})
	}
}
