package prom_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// behindNginx is a way to a server that refuses long addresses, as proxies do.
func behindNginx(t *testing.T, to http.Handler) string {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.RequestURI) > 8<<10 {
			w.WriteHeader(http.StatusRequestURITooLong)
			return
		}
		to.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

func TestLabelValuesOfMatchersThatAreTooLongForAnAddress(t *testing.T) {
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	now := time.Now().Truncate(time.Second)
	for _, instance := range []string{"b", "a", "c"} {
		require.NoError(t, server.Append(t.Context(), promserver.Sample{
			Labels: map[string]string{"__name__": "up", "instance": instance}, Time: now, Value: 1,
		}))
	}
	var front promserver.Front
	require.NoError(t, front.Lead(server))
	client := newClient(t, prom.Options{URL: behindNginx(t, &front)})
	matchers := []string{`{instance=~"a|b|` + strings.Repeat("x", 9<<10) + `"}`}
	values, err := client.LabelValues(t.Context(), "instance", matchers, now.Add(-time.Minute), now)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, values)
}

func TestAnAddressThatIsTooLong(t *testing.T) {
	refused := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestURITooLong) })
	for method, remedy := range map[string]string{
		http.MethodGet:  "The query is too long for GET (414). Set the HTTP method to POST in the data source settings.",
		http.MethodPost: "Shorten the URL and the custom query parameters in the data source settings, or raise the limit.",
	} {
		_, err := newClient(t, prom.Options{URL: behindNginx(t, refused), Method: method}).Query(t.Context(), "up", time.Now())
		require.ErrorContains(t, err, remedy)
	}
}
