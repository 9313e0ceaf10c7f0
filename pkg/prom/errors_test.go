package prom_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// asError is the error of a range query against address.
func asError(t *testing.T, opts prom.Options) *prom.Error {
	t.Helper()
	_, err := newClient(t, opts).QueryRange(t.Context(), "up", aRange())
	var e *prom.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, prom.Downstream, e.Source)
	return e
}

func TestStatuses(t *testing.T) {
	const (
		asJSON = "application/json"
		asText = "text/plain; charset=utf-8"
		asHTML = "text/html"
	)
	tests := []struct {
		name       string
		status     int
		kind, body string
		want       int
		message    string
	}{
		{"a query that cannot be parsed", 400, asJSON, `{"status":"error","errorType":"bad_data","error":"1:5: parse error: unexpected <eof>"}`,
			400, `The server refused the query (400): 1:5: parse error: unexpected <eof>. Correct what the message names.`},
		{"a bad request without words", 400, "", ``,
			400, `The server refused the query (400). Check the query and the custom query parameters.`},
		{"plain HTTP sent to a TLS port", 400, asText, "Client sent an HTTP request to an HTTPS server.\n",
			400, `The server refused the query (400): Client sent an HTTP request to an HTTPS server. Correct what the message names.`},
		{"no login", 401, asText, "Unauthorized\n",
			401, `The server asks for a login (401). Check user, password, token and headers in the data source settings.`},
		{"no right", 403, asHTML, "<html>nginx</html>",
			403, `The server denies access (403). The login has no right to query, or a proxy before the server blocks it: ask who runs it.`},
		{"another path", 404, asText, "404 page not found\n",
			404, `No Prometheus API answers at this address (404): 404 page not found. Check the path in the data source's URL: Mimir needs /prometheus, a VictoriaMetrics cluster /select/0/prometheus.`},
		{"POST is not allowed", 405, "", "",
			405, `The server does not accept POST (405). Set the HTTP method to GET in the data source settings.`},
		{"a query that fails", 422, asJSON, `{"status":"error","errorType":"execution","error":"found duplicate series"}`,
			422, `The server could not run the query (422): found duplicate series. Correct what the message names, or ask for fewer series or a shorter range.`},
		{"too many requests", 429, asText, "rate limit",
			429, `The server gets too many requests (429): rate limit. Wait, refresh less often, or raise the limit of the server.`},
		{"an internal error", 500, asJSON, `{"status":"error","errorType":"internal","error":"expanding series: Post \"http://u:p@store:10902/x?token=abc\": EOF"}`,
			500, `The server failed (500): expanding series: Post "http://store:10902/x": EOF. Look into the server's log.`},
		{"a proxy without its server", 502, asHTML, "<html>502</html>",
			502, `A proxy could not reach the server (502): got a web page, text/html, instead of JSON. Check that the server runs, and what the proxy points at.`},
		{"the server's own timeout, whose words are only in the body", 503, asJSON, `{"status":"error","errorType":"timeout","error":"query timed out in expression evaluation"}`,
			503, `The query took too long for the server (503): query timed out in expression evaluation. Choose a shorter range or a longer step, or ask for fewer series.`},
		{"a server that starts", 503, asText, "Service Unavailable",
			503, `The server is not available (503): Service Unavailable. It may be starting or overloaded: try again in a moment.`},
		{"a proxy's timeout", 504, "", "",
			504, `A proxy waited too long for the server (504). Choose a shorter range or a longer step, or raise the proxy's timeout.`},
		{"another status", 418, "image/png", "\x89PNG",
			418, `The server gave no answer to the query (418). Check the data source's URL and what lies before the server.`},
		{"an error that comes with status 200", 200, asJSON, `{"status":"error","errorType":"execution","error":"no"}`,
			422, `The server could not run the query (422): no. Correct what the message names, or ask for fewer series or a shorter range.`},
		{"a login page with status 200", 200, asHTML, "<!doctype html><html>secret</html>",
			502, `This is not a Prometheus API (got text/html): the address may lead to a login page or a web interface. Check the data source's URL and its login.`},
		{"a text with status 200", 200, asText, "Welcome",
			502, `This is not a Prometheus API (got text/plain), it begins with "Welcome". Check the data source's URL.`},
		{"other JSON", 200, asJSON, `["a"]`,
			502, `This is not a Prometheus API (got other JSON than its own), it begins with "[\"a\"]". Check the data source's URL.`},
		{"another API's object", 200, asJSON, `{"hits":[]}`,
			502, `This is not a Prometheus API (got other JSON than its own), it begins with "{\"hits\":[]}". Check the data source's URL.`},
		{"a value that is no number", 200, asJSON, `{"status":"success","data":{"resultType":"scalar","result":[1,"x"]}}`,
			502, `This is not a Prometheus API (got other JSON than its own), it begins with "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[1,\"x\"]}}". Check the data source's URL.`},
		{"an unknown type of result", 200, asJSON, `{"status":"success","data":{"resultType":"streams","result":[]}}`,
			502, `This is not a Prometheus API (got other JSON than its own), it begins with "{\"status\":\"success\",\"data\":{\"resultType\":\"streams\",\"result\":[]}}". Check the data source's URL.`},
		{"success without data", 200, asJSON, `{"status":"success"}`,
			502, `The answer of the server holds no data. Check that the data source's URL leads to a Prometheus API.`},
		{"JSON that ends too early", 200, asJSON, `{"status":"success","data":{"resultType":"matrix","result":[{"metr`,
			502, `The answer ends too early, it begins with "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metr". Try again; if it stays so, check the proxy before the server.`},
		{"an empty answer", 200, asJSON, ``,
			502, `The answer ends too early. Try again; if it stays so, check the proxy before the server.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.Header()["Content-Type"] = []string{tt.kind}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			defer server.Close()
			e := asError(t, prom.Options{URL: server.URL})
			require.Equal(t, tt.want, e.Status)
			require.Equal(t, tt.message, e.Message)
			require.Equal(t, int32(1), requests.Load(), "no status is worth a second query")
		})
	}
}

func TestMessagesShowNoSecret(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusBadRequest)
		_, password, _ := r.BasicAuth()
		_, _ = fmt.Fprintf(w, "cannot serve %s for %s", r.URL, password)
	}))
	address := strings.Replace(server.URL, "http://", "http://reader:hunter2@", 1) + "/x?key=other-secret"
	e := asError(t, prom.Options{URL: address, Parameters: map[string][]string{"token": {"p4ss word?"}, "dedup": {"true"}}})
	require.Contains(t, e.Message, "cannot serve /x/api/v1/query_range?dedup=true&key=***&token=*** for ***")

	server.Close()
	e = asError(t, prom.Options{URL: address})
	require.Contains(t, e.Message, "connection refused")
	require.NotContains(t, e.Message, "hunter2")
}

func TestBodiesAreBounded(t *testing.T) {
	t.Run("a long error is cut", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, strings.Repeat("é\n\x00", 1<<20))
		}))
		defer server.Close()
		e := asError(t, prom.Options{URL: server.URL})
		require.Less(t, len(e.Message), 1000)
		require.Contains(t, e.Message, "é é …")
	})
	t.Run("a large answer is refused", func(t *testing.T) {
		address, _ := answering(t, `{"status":"success","data":{"resultType":"string","result":[1,"`+strings.Repeat("x", 2<<20)+`"]}}`)
		e := asError(t, prom.Options{URL: address, Limits: prom.Limits{Bytes: 1 << 20}})
		require.Equal(t, 422, e.Status)
		require.Equal(t, "The answer is larger than 1 MiB, the limit of an answer's size. Narrow it with filters, group by fewer labels, or choose a shorter range or a longer step.", e.Message)
	})
}

func TestRedirectedPost(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Redirect(w, r, "/elsewhere"+r.URL.Path, http.StatusMovedPermanently)
		}
	}))
	defer server.Close()
	e := asError(t, prom.Options{URL: server.URL})
	require.Equal(t, 502, e.Status)
	require.Contains(t, e.Message, "redirects elsewhere")
}

// Another server would get whatever login the middlewares set on each hop.
func TestARedirectToAnotherServerIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 307, 308} {
		asked := false
		target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
		defer target.Close()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target.URL+r.URL.Path, status)
		}))
		defer server.Close()
		e := asError(t, prom.Options{URL: server.URL})
		require.Equal(t, 502, e.Status)
		require.Contains(t, e.Message, "redirects to another server, which would get the login")
		require.False(t, asked, "%d", status)
	}
}

func TestWarningsAreFewShortAndWithoutSecrets(t *testing.T) {
	warnings := []string{"http://user:hunter2@store:1/x?token=abcdef failed: Bearer SuperSecret123", strings.Repeat("x", 5000)}
	for range 100 {
		warnings = append(warnings, "more")
	}
	text, err := json.Marshal(map[string]any{"status": "success", "data": map[string]any{"resultType": "matrix", "result": []any{}}, "warnings": warnings})
	require.NoError(t, err)
	address, _ := answering(t, string(text))
	client, err := prom.New(prom.Options{URL: address, HTTP: http.DefaultClient, Secrets: []string{"Bearer SuperSecret123"}})
	require.NoError(t, err)
	result, err := client.Query(t.Context(), "x", time.Now())
	require.NoError(t, err)
	require.Len(t, result.Warnings, 21)
	require.Equal(t, "http://store:1/x failed: ***", result.Warnings[0])
	require.Less(t, len(result.Warnings[1]), 1100)
	require.Equal(t, "The server sent 82 further warnings.", result.Warnings[20])
}

func TestTooManySeriesAreRefusedBeforeTheyFillTheMemory(t *testing.T) {
	text := `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":"1"},"value":[1,"1"]},{"metric":{"a":"2"},"value":[1,"1"]},{"metric":{"a":"3"},"value":[1,"1"]}]}}`
	address, _ := answering(t, text)
	client, err := prom.New(prom.Options{URL: address, HTTP: http.DefaultClient, Limits: prom.Limits{Series: 2}})
	require.NoError(t, err)
	_, err = client.Query(t.Context(), "x", time.Now())
	require.ErrorContains(t, err, "The query brings more than 2 series. Narrow it with filters, group by fewer labels, or choose a shorter range or a longer step.")
}

// sending listens and, once a request has come, writes text and closes; reset
// closes with an RST instead of a FIN.
func sending(t *testing.T, text string, reset bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			_, _ = io.WriteString(conn, text)
			if tcp, ok := conn.(*net.TCPConn); ok && reset {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
		}
	}()
	return "http://" + listener.Addr().String()
}

func TestBrokenConnections(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	tests := []struct {
		name, text string
		reset      bool
		want       string
	}{
		{"closed before an answer", "", false, "closed the connection before it answered"},
		{"reset before an answer", "", true, "closed the connection before it answered"},
		{"cut within the promised length", head + "Content-Length: 1000\r\n\r\n{\"status\":\"succ", false, "The answer broke off in the middle"},
		{"cut within a chunk", head + "Transfer-Encoding: chunked\r\n\r\n400\r\n{\"status\":\"success\",\"data\":{", false, "The answer broke off in the middle"},
		{"not HTTP at all", "SSH-2.0-OpenSSH_9.9\r\n", false, "could not be reached: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := asError(t, prom.Options{URL: sending(t, tt.text, tt.reset)})
			require.Equal(t, 502, e.Status)
			require.Contains(t, e.Message, tt.want)
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Run("nothing listens", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		address := listener.Addr().String()
		require.NoError(t, listener.Close())
		e := asError(t, prom.Options{URL: "http://" + address})
		require.Equal(t, 502, e.Status)
		require.Equal(t, "Nothing listens at "+address+" (connection refused). Check that the server runs and that the port in the data source's URL is right.", e.Message)
	})
	t.Run("a name that nobody knows", func(t *testing.T) {
		e := asError(t, prom.Options{URL: "http://prometheus.invalid:9090"})
		require.Equal(t, 502, e.Status)
		require.Contains(t, e.Message, `The host name "prometheus.invalid" could not be looked up`)
	})
}

func TestTimeAndCancellation(t *testing.T) {
	arrived := make(chan struct{}, 10)
	release := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/silent/", func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	})
	mux.HandleFunc("/half/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":"success","data":{`)
		w.(http.Flusher).Flush()
		arrived <- struct{}{}
		<-release
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	defer close(release)

	for _, path := range []string{"/silent", "/half"} {
		t.Run("our own timeout on "+path, func(t *testing.T) {
			e := asError(t, prom.Options{URL: server.URL + path, Limits: prom.Limits{Timeout: 50 * time.Millisecond}})
			require.Equal(t, 504, e.Status)
			require.Equal(t, "The server did not answer within 50ms. Choose a shorter range or a longer step, or raise the timeout in the data source settings.", e.Message)
			require.ErrorIs(t, e, context.DeadlineExceeded)
			<-arrived
		})
		t.Run("the HTTP client's timeout on "+path, func(t *testing.T) {
			e := asError(t, prom.Options{URL: server.URL + path, HTTP: &http.Client{Timeout: 50 * time.Millisecond}})
			require.Equal(t, 504, e.Status)
			<-arrived
		})
		t.Run("the caller's deadline on "+path, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err := newClient(t, prom.Options{URL: server.URL + path}).Query(ctx, "up", time.Unix(1, 0))
			var e *prom.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, 504, e.Status)
			require.Contains(t, e.Message, "the time that the caller allows")
			<-arrived
		})
		t.Run("a caller who gives up on "+path, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-arrived
				cancel()
			}()
			_, err := newClient(t, prom.Options{URL: server.URL + path}).Query(ctx, "up", time.Unix(1, 0))
			var e *prom.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, prom.StatusCancelled, e.Status)
			require.ErrorIs(t, err, context.Canceled)
		})
	}
}

func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	picky := httptest.NewUnstartedServer(http.NotFoundHandler())
	picky.Config.ErrorLog = server.Config.ErrorLog
	picky.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	picky.StartTLS()
	defer picky.Close()

	tests := []struct {
		name   string
		client *http.Client
		url    string
		want   string
	}{
		{"an authority that is not known", &http.Client{}, server.URL, "authority that is not known here. Add its CA certificate"},
		{"a certificate for another name", server.Client(), strings.Replace(server.URL, "127.0.0.1", "localhost", 1), "certificate is for another name"},
		{"TLS to a plain port", &http.Client{}, strings.Replace(plain.URL, "http", "https", 1), "does not speak TLS at this address"},
		{"a client certificate is wanted", picky.Client(), picky.URL, "may need a client certificate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := asError(t, prom.Options{URL: tt.url, HTTP: tt.client})
			require.Equal(t, 502, e.Status)
			require.Contains(t, e.Message, tt.want)
		})
	}
}
