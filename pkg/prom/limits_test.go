package prom_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
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

func TestAPauseIsForTheOneWhoWasRefused(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Tenant") == "loud" {
			w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		_, _ = w.Write([]byte(emptyMatrix))
	}))
	defer server.Close()
	client := newClient(t, prom.Options{URL: server.URL, HTTP: &http.Client{Transport: tenant{}}})
	loud, quiet := prom.WithIdentity(t.Context(), "loud"), prom.WithIdentity(t.Context(), "quiet")
	for range 2 {
		_, err := client.Query(loud, "up", time.Unix(1, 0))
		require.ErrorContains(t, err, "too many requests")
		_, err = client.Query(quiet, "up", time.Unix(1, 0))
		require.NoError(t, err)
	}
	_, err := client.Query(loud, "up", time.Unix(1, 0))
	require.ErrorContains(t, err, "left alone for another 30s", "an hour is not believed")
}

// tenant sends who asks.
type tenant struct{}

func (tenant) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Tenant", prom.Identity(r.Context()))
	return http.DefaultTransport.RoundTrip(r)
}
