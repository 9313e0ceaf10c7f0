package faults

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/prometheus/model/value"
	"github.com/stretchr/testify/require"
)

func answering(status int, kind, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// hanging sends what it is given and then nothing until the client goes.
func hanging(head string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // the server notices that a client goes once the body is read
		if head != "" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(head))
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
}

// wire hands over the bare connection and closes it after.
func wire(do func(net.Conn, *bufio.ReadWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buffer, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		do(conn, buffer)
		_ = buffer.Flush()
		_ = conn.Close()
	}
}

const half = `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"1"],[2,`

func TestAFaultIsNamedAndTheNextRefreshIsRight(t *testing.T) {
	tests := map[string]struct {
		fault  http.HandlerFunc
		status int
		text   string
	}{
		"slow first byte": {hanging(""), 504, "did not answer within 5s"},
		"stalled body":    {hanging(half), 504, "did not answer within 5s"},
		"reset in the middle": {wire(func(conn net.Conn, b *bufio.ReadWriter) {
			_, _ = b.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n" + half)
			_ = b.Flush()
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // a close is then a reset
			}
		}), 502, "broke off in the middle"},
		"truncated JSON":   {answering(200, "application/json", half), 502, "ends too early"},
		"broken gzip":      {answering(200, "application/json", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03no deflate", "Content-Encoding", "gzip"), 502, "broke off in the middle"},
		"a web page":       {answering(200, "text/html", "<html><title>Log in</title>"), 502, "text/html"},
		"unavailable":      {answering(503, "application/json", `{"status":"error","errorType":"unavailable","error":"starting"}`), 503, "starting"},
		"login lost":       {answering(401, "text/plain", "who are you, Basic "+secret), 401, "asks for a login"},
		"wrong shape":      {answering(200, "application/json", `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,2,3]]}]}}`), 502, "other JSON"},
		"too many answers": {manySeries, 422, "more than 50000 series"},
		"zip bomb":         {zipBomb, 422, "larger than 8 MiB"},
		"huge headers":     {answering(200, "application/json", "{}", "X-Huge", strings.Repeat("x", 11<<20)), 502, "could not be reached"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time is spent waiting
			r := newRig(t, nil)
			r.right(expr)
			r.breaks(test.fault)
			time.Sleep(time.Second) // what was asked a second ago is asked anew
			got := r.ask(expr, now())
			require.ErrorContains(t, got.Error, test.text)
			require.EqualValues(t, test.status, got.Status)
			require.Equal(t, backend.ErrorSourceDownstream, got.ErrorSource)
			require.NotContains(t, got.Error.Error(), secret)
			r.breaks(nil)
			r.right(expr)
		})
	}
}

// manySeries are a million, of which the plugin reads as many as it takes.
func manySeries(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"matrix","result":[`))
	for i := range 1_000_000 {
		if _, err := fmt.Fprintf(w, `{"metric":{"i":"%d"},"values":[[1,"1"]]},`, i); err != nil {
			return
		}
	}
}

// zipBomb is small on the wire and endless unpacked.
func zipBomb(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	packed := gzip.NewWriter(w)
	_, _ = packed.Write([]byte(`{"status":"success","data":`))
	spaces := make([]byte, 1<<20)
	for i := range spaces {
		spaces[i] = ' '
	}
	for range 10 << 10 {
		if _, err := packed.Write(spaces); err != nil {
			return
		}
	}
}

func TestAServerThatAsksForAPauseGetsIt(t *testing.T) {
	r := newRig(t, nil)
	r.right(expr)
	var asked atomic.Int64
	r.breaks(func(w http.ResponseWriter, req *http.Request) {
		asked.Add(1)
		answering(429, "text/plain", "slow down", "Retry-After", "2")(w, req)
	})
	time.Sleep(time.Second)
	began := time.Now()
	for range 5 {
		got := r.ask(expr, now())
		require.EqualValues(t, 429, got.Status)
		require.ErrorContains(t, got.Error, "too many requests")
	}
	require.EqualValues(t, 1, asked.Load(), "the others were not sent")
	r.breaks(nil)
	time.Sleep(time.Until(began.Add(2100 * time.Millisecond)))
	r.right(expr)
}

func TestAServerThatRestartsLosesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.right(expr)
	require.NoError(t, r.server.Close())
	time.Sleep(time.Second)
	got := r.ask(expr, now())
	require.Error(t, got.Error)
	require.EqualValues(t, 502, got.Status)
	r.start()
	for range 3 {
		r.right(expr)
		time.Sleep(time.Second)
	}
}

func TestSamplesThatComeLateOrOutOfOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.right(expr)
	lost := now().Add(-2 * time.Second)
	r.append(lost.Add(500*time.Millisecond), 0) // looks like a reset
	time.Sleep(time.Second)
	r.right(expr)
}

func TestAClockThatIsAhead(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.right(expr)
	r.behind = 6 * time.Second
	for range 10 {
		// What Grafana calls now is later than anything that the server has.
		r.right(expr)
		time.Sleep(time.Second)
	}
}

func TestNumbersThatAreNone(t *testing.T) {
	r := newRig(t, nil)
	series := map[string]float64{"nan": math.NaN(), "inf": math.Inf(1), "stale": math.Float64frombits(value.StaleNaN)}
	for name, v := range series {
		r.gauge(name, now().Add(-2*time.Second), 7)
		r.gauge(name, now().Add(-time.Second), v)
	}
	for name := range series {
		r.right(`odd{kind="` + name + `"}`)
	}
}

func TestANameThatCannotBeLookedUp(t *testing.T) {
	got := asked(t, shared, instance(t, "http://prometheus.invalid:9090", nil), expr, now())
	require.ErrorContains(t, got.Error, `"prometheus.invalid" could not be looked up`)
	require.EqualValues(t, 502, got.Status)
}
