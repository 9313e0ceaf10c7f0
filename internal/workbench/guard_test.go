package workbench_test

import (
	"io"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/workbench"
)

func TestOnlyNamesOfThisMachineAreAnswered(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "127.0.0.1:8080": 200, "127.0.0.2": 200, "[::1]:8080": 200, "[::1]": 200,
		"evil.example": 403, "evil.example:8080": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403,
		"10.0.0.1:8080": 403, "192.168.0.1": 403, "[fe80::1]:80": 403, "0.0.0.0:8080": 403,
	} {
		for _, path := range []string{"/", "/public/build/main.0123.js", "/api/frontend/settings"} {
			got := ask(h, "GET", path, "", http.Header{"Host": {host}})
			require.Equal(t, want, got.Code, "%s of %s", path, host)
		}
	}
}

func TestAPageOfAnotherOriginCannotAskForAnything(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	for _, header := range []http.Header{
		{"Origin": {"https://evil.example"}},
		{"Origin": {"http://127.0.0.1:9999"}},
		{"Sec-Fetch-Site": {"cross-site"}},
	} {
		require.Equal(t, http.StatusForbidden, ask(h, "POST", "/api/ds/query", promqlUp, header).Code)
		require.Equal(t, http.StatusForbidden, ask(h, "PUT", address, `{"url":"http://evil.example"}`, header).Code)
	}
	got := ask(h, "POST", "/api/ds/query", promqlUp, http.Header{"Origin": {"http://127.0.0.1:8080"}, "Sec-Fetch-Site": {"same-origin"}})
	require.Equal(t, http.StatusOK, got.Code)
	require.Equal(t, "same-origin", got.Header().Get("Cross-Origin-Resource-Policy"), "nor read what it may load")
}

func TestThePageRunsNothingFromElsewhereAndNothingMadeAtRunTime(t *testing.T) {
	got := ask(opened(t, backend.DataSourceInstanceSettings{}), "GET", "/", "", nil)
	policy := got.Header().Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'self';")
	require.Contains(t, policy, "frame-ancestors 'none'")
	require.NotContains(t, policy, "unsafe-eval")
	require.NotContains(t, policy, "http")
}

func TestTheWorkbenchListensOnLoopbackAlone(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.168.0.1:0", "example.com:80", "nonsense", ""} {
		_, err := workbench.Listen(t.Context(), address)
		require.ErrorContains(t, err, "loopback", address)
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0"} {
		listener, err := workbench.Listen(t.Context(), address)
		require.NoError(t, err, address)
		require.NoError(t, listener.Close())
	}
}

func TestEveryAddressOfThePageIsThePage(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	for _, path := range []string{"/", "/d/pdmonitor-overview", "/d/pdmonitor-overview/pd-overview?from=now-1h", "/explore", "/settings"} {
		got := ask(h, "GET", path, "", nil)
		require.Equal(t, http.StatusOK, got.Code, path)
		require.Contains(t, got.Body.String(), "<title>PD Monitor</title>", path)
		require.Equal(t, "no-cache", got.Header().Get("Cache-Control"))
	}
	require.Equal(t, http.StatusNotFound, ask(h, "GET", "/favicon.ico", "", nil).Code)
	require.Equal(t, http.StatusMethodNotAllowed, ask(h, "POST", "/settings", "", nil).Code)
}

func TestFilesAreServedByTypeAndKept(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	got := ask(h, "GET", "/public/build/main.0123.js", "", nil)
	require.Equal(t, "run()", got.Body.String())
	require.Contains(t, got.Header().Get("Content-Type"), "javascript")
	require.Contains(t, got.Header().Get("Cache-Control"), "immutable")
	require.Equal(t, "<svg>sync</svg>", ask(h, "GET", "/public/build/img/icons/unicons/sync.svg", "", nil).Body.String())
}

func TestAnIconThatIsNotThereIsAnEmptyPicture(t *testing.T) {
	got := ask(opened(t, backend.DataSourceInstanceSettings{}), "GET", "/public/build/img/icons/unicons/no-such.svg", "", nil)
	require.Equal(t, http.StatusOK, got.Code)
	require.Equal(t, "image/svg+xml", got.Header().Get("Content-Type"))
	require.Contains(t, got.Body.String(), "<svg")
}

func TestNoPathLeadsOutOfThePage(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	for _, path := range []string{
		"/public/", "/public/build", "/public/none.js", "/public/%2e%2e/workbench.go", "/public/..%2f..%2fgo.mod", "/public//etc/passwd", "/public/build/img/icons/..%2f..%2f..%2findex.html",
	} {
		got := ask(h, "GET", path, "", nil)
		require.Contains(t, []int{http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusNotFound}, got.Code, path)
	}
}

func TestAProgramWithoutThePageSaysHowToBuildIt(t *testing.T) {
	w, err := workbench.New(t.Context(), workbench.Options{Page: fstest.MapFS{}})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	got := ask(w.Handler(), "GET", "/", "", nil)
	require.Equal(t, http.StatusNotFound, got.Code)
	text, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), "npm run build:workbench")
}
