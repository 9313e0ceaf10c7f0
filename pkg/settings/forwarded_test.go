package settings_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

// A browser offers compressions that a Go transport does not unpack once they are
// named by hand; that came back as "not a Prometheus API".
func TestWhatABrowserOffersIsNotForwarded(t *testing.T) {
	var received http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received = r.Header
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			_, _ = packed.Write([]byte("plain words"))
			_ = packed.Close()
		}
	}))
	defer server.Close()
	instance := backend.DataSourceInstanceSettings{URL: server.URL, JSONData: []byte(`{}`)}
	s, err := settings.FromInstance(t.Context(), instance)
	require.NoError(t, err)
	opts, err := s.HTTPOptions(t.Context(), instance)
	require.NoError(t, err)
	client, err := httpclient.NewProvider().New(opts)
	require.NoError(t, err)

	// This is how the SDK forwards the headers of a call.
	forwarded := http.Header{
		"Accept-Encoding": {"gzip, deflate, br"}, "Origin": {"http://grafana"}, "Content-Type": {"text/plain"},
		"Authorization": {"Bearer token"}, "X-Id-Token": {"id"}, "X-Grafana-Org-Id": {"1"},
	}
	ctx := httpclient.WithContextualMiddleware(t.Context(), httpclient.MiddlewareFunc(func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(r *http.Request) (*http.Response, error) {
			for name, values := range forwarded {
				r.Header[name] = values
			}
			return next.RoundTrip(r)
		})
	}))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)

	require.Equal(t, "plain words", string(body))
	require.Equal(t, "gzip", received.Get("Accept-Encoding"))
	require.Empty(t, received.Get("Origin"))
	require.Empty(t, received.Get("Content-Type"))
	require.Equal(t, "Bearer token", received.Get("Authorization"))
	require.Equal(t, "id", received.Get("X-Id-Token"))
	require.Equal(t, "1", received.Get("X-Grafana-Org-Id"))
}
