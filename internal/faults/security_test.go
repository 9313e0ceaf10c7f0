package faults

import (
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

// recording is a server that keeps what it is asked.
type recording struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
}

func newRecording(t *testing.T, answer http.HandlerFunc) *recording {
	t.Helper()
	r := &recording{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.seen = append(r.seen, req)
		r.mu.Unlock()
		answer(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *recording) requests() []*http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

var nothing = answering(200, "application/json", `{"status":"success","data":[]}`)

func TestNoRedirectLeadsToAnotherHostOrIntoAnotherAPI(t *testing.T) {
	elsewhere := newRecording(t, nothing)
	for _, status := range []int{301, 302, 303, 307, 308} {
		first := newRecording(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/latest/meta-data", status)
		})
		about := instance(t, first.URL, nil)
		about.DataSourceInstanceSettings.BasicAuthEnabled = true
		about.DataSourceInstanceSettings.BasicAuthUser = "reader"
		got := asked(t, shared, about, expr, now())
		require.ErrorContains(t, got.Error, "redirect", status)
		require.NotContains(t, got.Error.Error(), secret)
	}
	require.Empty(t, elsewhere.requests(), "another host would get the login")
}

func TestResourceCallsReachOnlyTheAPIsOwnPaths(t *testing.T) {
	server := newRecording(t, nothing)
	about := instance(t, server.URL+"/prometheus", nil)
	for _, call := range []string{
		"labels/model/values", "labels/../../../admin/tsdb/delete_series/values", "labels/..%2f..%2fadmin%2ftsdb/values",
		"labels/%2e%2e/values", "labels/model%3fx=1/values?signal=ttft", "../api/v1/admin/tsdb/snapshot",
		"//evil.example/values", "labels/http:%2f%2fevil.example/values", "catalog", "api/v1/query?query=up",
	} {
		_, _, err := shared.Resource(t.Context(), about, http.MethodGet, call)
		require.NoError(t, err, call)
	}
	require.NotEmpty(t, server.requests())
	for _, r := range server.requests() {
		rest, ok := strings.CutPrefix(r.URL.Path, "/prometheus/api/v1/")
		require.True(t, ok, r.URL.Path)
		require.Equal(t, path.Clean(r.URL.Path), r.URL.Path)
		kind, _, _ := strings.Cut(rest, "/")
		require.Contains(t, []string{"label", "query", "query_range", "series", "status"}, kind)
		require.NotContains(t, rest, "admin/tsdb")
	}
}

func TestAFilterCannotBecomePromQL(t *testing.T) {
	r := newRig(t, nil)
	evil := `x"} or vector(1) or up{a="`
	text := `{"schemaVersion":1,"queryType":"signal","signal":"decode_request_rate","system":"sglang","filters":[{"label":"model","op":"=","values":[` +
		quoted(evil) + `]}]}`
	response, err := shared.QueryData(t.Context(), &backend.QueryDataRequest{PluginContext: r.about, Queries: []backend.DataQuery{{
		RefID: "A", JSON: []byte(text), Interval: time.Second, TimeRange: backend.TimeRange{From: now().Add(-time.Minute), To: now()},
	}}})
	require.NoError(t, err)
	for _, frame := range response.Responses["A"].Frames {
		require.Empty(t, frame.Fields, "vector(1) would have a value")
	}
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// Two users whose logins are forwarded see their own answers, also while both ask
// the same, and neither after the other.
func TestForwardedLoginsNeverShare(t *testing.T) {
	server := newRecording(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/query_range") {
			nothing(w, r)
			return
		}
		time.Sleep(50 * time.Millisecond)
		_ = r.ParseForm()
		who := r.Header.Get("Authorization") + r.Header.Get("X-Grafana-User")
		answering(200, "application/json", `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"who":`+quoted(who)+`},"values":[[`+r.Form.Get("end")+`,"1"]]}]}}`)(w, r)
	})
	about := instance(t, server.URL, map[string]any{"oauthPassThru": true})
	var all sync.WaitGroup
	for _, headers := range []map[string]string{
		{"Authorization": "Bearer alice"}, {"Authorization": "Bearer bob"}, {"http_X-Grafana-User": "carol"}, {"http_X-Grafana-User": "dave"},
	} {
		for range 3 {
			all.Go(func() {
				who := headers["Authorization"] + headers["http_X-Grafana-User"]
				end := now()
				response, err := shared.QueryData(t.Context(), &backend.QueryDataRequest{PluginContext: about, Headers: headers, Queries: []backend.DataQuery{{
					RefID: "A", JSON: []byte(`{"schemaVersion":1,"queryType":"promql","expr":"up"}`), Interval: time.Second,
					TimeRange: backend.TimeRange{From: end.Add(-time.Minute), To: end},
				}}})
				if !check(t, err == nil && response.Responses["A"].Error == nil && len(response.Responses["A"].Frames) == 1, "no answer") {
					return
				}
				field := response.Responses["A"].Frames[0].Fields[1]
				check(t, field.Labels["who"] == who, "%s was shown the answer of %s", who, field.Labels["who"])
			})
		}
	}
	all.Wait()
}

func check(t *testing.T, ok bool, format string, args ...any) bool {
	t.Helper()
	if !ok {
		t.Errorf(format, args...)
	}
	return ok
}

func TestOnlyWebAddressesAreAsked(t *testing.T) {
	for _, address := range []string{"file:///etc/passwd", "gopher://127.0.0.1:70/x", "unix:///var/run/docker.sock", "javascript:alert(1)", "http://"} {
		got := asked(t, shared, instance(t, address, nil), expr, now())
		require.Error(t, got.Error, address)
		require.EqualValues(t, http.StatusBadRequest, got.Status, address)
	}
}
