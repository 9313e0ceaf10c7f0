package plugin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

// failingOn is a proxy before the default cluster's Prometheus that answers some
// paths in a way of its own.
func failingOn(t *testing.T, fail http.HandlerFunc, takes func(*http.Request) bool) string {
	t.Helper()
	target, err := url.Parse(theDefaultCluster(t).server.URL())
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if takes(r) {
			fail(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Where a server fails. Discovery asks for label values and instant queries.
func onRanges(r *http.Request) bool  { return strings.HasSuffix(r.URL.Path, "/query_range") }
func onQueries(r *http.Request) bool { return strings.Contains(r.URL.Path, "/query") }
func everywhere(*http.Request) bool  { return true }

func answering(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func apiError(status int, kind, message string) http.HandlerFunc {
	text, _ := json.Marshal(map[string]string{"status": "error", "errorType": kind, "error": message})
	return answering(status, "application/json", string(text))
}

// hanging never answers; it ends when the client goes.
func hanging(_ http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm() // the server notices that a client goes once the body is read
	<-r.Context().Done()
}

// hijacked hands the bare connection over.
func hijacked(do func(net.Conn, *bufio.ReadWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buffer, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		do(conn, buffer)
		_ = conn.Close()
	}
}

func resetting(conn net.Conn, _ *bufio.ReadWriter) {
	_ = conn.(*net.TCPConn).SetLinger(0) // a close is then a reset
}

// breakingOff promises more than it sends.
func breakingOff(_ net.Conn, buffer *bufio.ReadWriter) {
	_, _ = buffer.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n" +
		`{"status":"success","warnings":["half a wo`)
	_ = buffer.Flush()
}

// refusing is an address at which nothing listens.
func refusing(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	return "http://" + listener.Addr().String()
}

// opened is a data source over an address.
func opened(t testing.TB, address string, jsonData map[string]any) *plugin.Datasource {
	t.Helper()
	text, err := json.Marshal(jsonData)
	require.NoError(t, err)
	source, err := plugin.Open(context.Background(), backend.DataSourceInstanceSettings{Type: plugin.ID, URL: address, JSONData: text})
	require.NoError(t, err)
	t.Cleanup(source.Dispose)
	return source
}

// respond is the answer to one query, failed or not.
func respond(t testing.TB, source *plugin.Datasource, dq backend.DataQuery) backend.DataResponse {
	t.Helper()
	dq.RefID = "A"
	response, err := source.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{dq}})
	require.NoError(t, err)
	return response.Responses["A"]
}

// called is the answer to a resource call.
type called struct {
	status int
	body   []byte
	header http.Header
}

func call(t testing.TB, source backend.CallResourceHandler, method, path, body string) called {
	t.Helper()
	var got called
	address, query, _ := strings.Cut(path, "?")
	err := source.CallResource(t.Context(), &backend.CallResourceRequest{
		Method: method, Path: address, URL: address + "?" + query, Body: []byte(body),
	}, backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
		got = called{status: r.Status, body: r.Body, header: r.Headers}
		return nil
	}))
	require.NoError(t, err)
	return got
}

// failed is the error of a resource call.
type failed struct {
	Error struct {
		Status  int    `json:"status"`
		Source  string `json:"source"`
		Message string `json:"message"`
	} `json:"error"`
	Message string `json:"message"`
}

func (c called) failure(t testing.TB) failed {
	t.Helper()
	var f failed
	require.NoError(t, json.Unmarshal(c.body, &f), "%s", c.body)
	return f
}
