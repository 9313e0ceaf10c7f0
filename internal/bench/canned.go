package bench

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// canned serves one recorded answer to every request, so that what is left to
// measure is the client. The answer is not compressed.
func canned(ctx context.Context, address string, q question, end time.Time) (string, func(), error) {
	body, err := recorded(ctx, address, q, end)
	if err != nil {
		return "", nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}

func recorded(ctx context.Context, address string, q question, end time.Time) ([]byte, error) {
	body, err := plainly(ctx, address, q, end)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	return io.ReadAll(body)
}
