package grafana

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// upstream is a server that keeps what it is asked.
type upstream struct {
	url  string
	mu   sync.Mutex
	seen []*http.Request
}

// newUpstream listens where Grafana reaches it: on loopback, unless GRAFANA_REACHES
// has the name that this machine has for a Grafana elsewhere, such as in a container.
func newUpstream(t *testing.T, answer http.HandlerFunc) *upstream {
	t.Helper()
	u := &upstream{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // a broken body has no form, and is recorded all the same
		u.mu.Lock()
		u.seen = append(u.seen, r)
		u.mu.Unlock()
		answer(w, r)
	}))
	name := "127.0.0.1"
	if elsewhere := os.Getenv("GRAFANA_REACHES"); elsewhere != "" {
		name = elsewhere
		require.NoError(t, s.Listener.Close())
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", ":0")
		require.NoError(t, err)
		s.Listener = listener
	}
	s.Start()
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	require.NoError(t, err)
	u.url = "http://" + net.JoinHostPort(name, port)
	return u
}

// take returns what was asked since it was called last.
func (u *upstream) take() []*http.Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	seen := u.seen
	u.seen = nil
	return seen
}

// prometheus answers like one that has a single series, whose labels say who asked.
func prometheus(who func(*http.Request) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data := any([]any{})
		metric := map[string]string{"who": who(r)}
		switch {
		case strings.HasSuffix(r.URL.Path, "/query_range"):
			data = map[string]any{"resultType": "matrix", "result": []any{map[string]any{
				"metric": metric, "values": []any{[]any{json.Number(r.Form.Get("end")), "1"}},
			}}}
		case strings.HasSuffix(r.URL.Path, "/query"):
			data = map[string]any{"resultType": "scalar", "result": []any{1, "2"}}
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": data}); err != nil {
			_, _ = fmt.Fprintln(w, err) // no JSON, which the plugin complains about
		}
	}
}

func anybody(*http.Request) string { return "anybody" }

// forwardForm passes a request on whose form has been read.
func forwardForm(to http.Handler, w http.ResponseWriter, r *http.Request) {
	onward := r.Clone(r.Context())
	if r.Method == http.MethodPost {
		text := r.PostForm.Encode()
		onward.Body, onward.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	}
	to.ServeHTTP(w, onward)
}
