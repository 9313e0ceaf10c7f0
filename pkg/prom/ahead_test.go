package prom_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// body is an answer whose reading the test decides.
type body struct {
	text   io.Reader
	after  func([]byte) (int, error) // what is read once the text is over
	closed chan struct{}
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	if errors.Is(err, io.EOF) && b.after != nil {
		return b.after(p)
	}
	return n, err
}

func (b *body) Close() error {
	close(b.closed)
	return nil
}

type given struct{ *body }

func (g given) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: g.body, Request: r}, nil
}

// A long answer is read ahead; whatever ends it, the query ends too, and nobody reads
// the body once it is closed.
func TestLongAnswersEndHoweverTheyBreakOff(t *testing.T) {
	long := largeMatrix(400, 100)
	broken := errors.New("reset")
	for name, test := range map[string]struct {
		after func(*body, context.CancelFunc) func([]byte) (int, error)
		text  string
	}{
		"an error": {func(*body, context.CancelFunc) func([]byte) (int, error) {
			return func([]byte) (int, error) { return 0, broken }
		}, "broke off in the middle"},
		"a panic": {func(*body, context.CancelFunc) func([]byte) (int, error) {
			return func([]byte) (int, error) { panic("no reader") }
		}, "broke off in the middle"},
		"the end": {func(*body, context.CancelFunc) func([]byte) (int, error) {
			return func([]byte) (int, error) { return 0, io.EOF }
		}, "ends too early"},
		"the caller goes": {func(_ *body, leave context.CancelFunc) func([]byte) (int, error) {
			return func([]byte) (int, error) {
				leave()
				return 0, context.Canceled
			}
		}, "cancelled"},
		"the caller goes while nothing fails": {func(_ *body, leave context.CancelFunc) func([]byte) (int, error) {
			return func(p []byte) (int, error) {
				leave()
				return copy(p, " "), nil
			}
		}, "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, leave := context.WithTimeout(t.Context(), 10*time.Second)
			defer leave()
			b := &body{text: io.LimitReader(&endless{text: long}, int64(len(long)-10)), closed: make(chan struct{})}
			b.after = test.after(b, leave)
			client, err := prom.New(prom.Options{URL: "http://prometheus", HTTP: &http.Client{Transport: given{b}}})
			require.NoError(t, err)
			_, err = client.Query(ctx, "x", time.Unix(1, 0))
			require.ErrorContains(t, err, test.text)
			<-b.closed
		})
	}
}

// endless repeats a text in pieces.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}
