package workbench_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/dashboards"
	"github.com/ptd-monitor/pdmonitor/internal/workbench"
)

// page is a front end as webpack lays it out.
var page = fstest.MapFS{
	"index.html":                       {Data: []byte("<!doctype html><title>PD Monitor</title>")},
	"build/main.0123.js":               {Data: []byte("run()")},
	"build/img/icons/unicons/sync.svg": {Data: []byte("<svg>sync</svg>")},
}

// answers is a Prometheus that answers every query with one point, whose label says
// with which login it was asked.
func answers(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := `{"status":"success","data":[]}`
		switch {
		case strings.HasSuffix(r.URL.Path, "/query_range"):
			body = fmt.Sprintf(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"user":%q},"values":[[%s,"2"]]}]}}`,
				r.Header.Get("Authorization"), r.FormValue("end"))
		case strings.HasSuffix(r.URL.Path, "/query"):
			body = `{"status":"success","data":{"resultType":"scalar","result":[0,"2"]}}`
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server
}

func opened(t *testing.T, settings backend.DataSourceInstanceSettings) http.Handler {
	t.Helper()
	boards, err := dashboards.Files()
	require.NoError(t, err)
	w, err := workbench.New(t.Context(), workbench.Options{Settings: settings, Dashboards: boards, Page: page})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w.Handler()
}

// call asks the workbench as its page does, and reads JSON.
func call(t *testing.T, h http.Handler, method, path, body string) (int, map[string]any) {
	t.Helper()
	got := ask(h, method, path, body, nil)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(got.Body.Bytes(), &fields), got.Body.String())
	return got.Code, fields
}

func ask(h http.Handler, method, path, body string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(body))
	for name, values := range header {
		r.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
	}
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, r)
	return recorder
}

const promqlUp = `{"queries":[{"refId":"B","queryType":"promql","schemaVersion":1,"expr":"up","intervalMs":1000,"maxDataPoints":100}],"from":"1700000000000","to":"1700000060000"}`

func TestAQueryIsAnsweredAsGrafanaWould(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{URL: answers(t).URL})
	status, got := call(t, h, "POST", "/api/ds/query?ds_type=ptd-pdmonitor-datasource", promqlUp)
	require.Equal(t, http.StatusOK, status)
	result := got["results"].(map[string]any)["B"].(map[string]any)
	require.EqualValues(t, 200, result["status"])
	frame := result["frames"].([]any)[0].(map[string]any)
	require.Equal(t, []any{[]any{1700000060000.0}, []any{2.0}}, frame["data"].(map[string]any)["values"])
}

func TestAFailedQuerySaysSoInItsOwnPart(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	status, got := call(t, h, "POST", "/api/ds/query", promqlUp)
	require.Equal(t, http.StatusOK, status, "one bad query does not spoil the others")
	require.Contains(t, got["results"].(map[string]any)["B"].(map[string]any)["error"], "no URL is set")
}

func TestCallsThatMakeNoSenseAreRefusedInWords(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	for name, test := range map[string]struct{ method, path, body, message string }{
		"no JSON":                 {"POST", "/api/ds/query", "up", "cannot be read"},
		"no query":                {"POST", "/api/ds/query", `{"from":"0","to":"1"}`, "queries: there is none"},
		"a time that is none":     {"POST", "/api/ds/query", `{"queries":[{}],"from":"soon","to":"1"}`, "from: "},
		"a query that is no JSON": {"POST", "/api/ds/query", `{"queries":[1],"from":"0","to":"1"}`, "query 1: "},
		"settings that are none":  {"PUT", "/api/datasources/uid/pdmonitor", "x", "cannot be read"},
		"an unknown call":         {"GET", "/api/users", "", "no such call"},
		"an unknown dashboard":    {"GET", "/api/dashboards/uid/none", "", "not found"},
		"an unknown data source":  {"GET", "/api/datasources/uid/other", "", "no such call"},
	} {
		t.Run(name, func(t *testing.T) {
			status, got := call(t, h, test.method, test.path, test.body)
			require.GreaterOrEqual(t, status, 400)
			require.Less(t, status, 500)
			require.Contains(t, got["message"], test.message)
		})
	}
}

func TestABodyHasItsLimit(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	large := `{"queries":"` + strings.Repeat("x", 5<<20) + `"}`
	for _, path := range []string{"/api/ds/query", "/api/datasources/uid/pdmonitor/resources/compile"} {
		status, got := call(t, h, "POST", path, large)
		require.GreaterOrEqual(t, status, 400)
		require.Contains(t, got["message"], "too large", path)
	}
}

func TestResourcesReachThePluginWithPathQueryAndBody(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	status, got := call(t, h, "GET", "/api/datasources/uid/pdmonitor/resources/catalog", "")
	require.Equal(t, http.StatusOK, status)
	require.NotEmpty(t, got["signals"])
	status, got = call(t, h, "POST", "/api/datasources/uid/pdmonitor/resources/compile", `{"query":{"schemaVersion":1,"queryType":"promql","expr":"up"}}`)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, []any{"up"}, got["promql"])
	status, got = call(t, h, "GET", "/api/datasources/uid/pdmonitor/resources/labels/a%2Fb/values?signal=ttft", "")
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, got["message"], "no URL is set", "the label with a slash has found its route")
}

func TestHealthIsThePluginsOwn(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	status, got := call(t, h, "GET", "/api/datasources/uid/pdmonitor/health", "")
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "ERROR", got["status"])
	require.Contains(t, got["message"], "no URL is set")
	require.Equal(t, map[string]any{"severity": "error"}, got["details"])
}

func TestTheDashboardsAreListedWithTheOverviewFirst(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	got := ask(h, "GET", "/api/search?type=dash-db", "", nil)
	var list []struct{ UID, Title, URL string }
	require.NoError(t, json.Unmarshal(got.Body.Bytes(), &list))
	require.Equal(t, "pdmonitor-overview", list[0].UID)
	for _, hit := range list {
		status, board := call(t, h, "GET", "/api/dashboards/uid/"+hit.UID, "")
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, hit.Title, board["dashboard"].(map[string]any)["title"])
	}
}
