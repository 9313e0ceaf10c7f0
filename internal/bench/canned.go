package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
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
	form := fmt.Sprintf("query=%s&start=%d&end=%d&step=%v", strings.ReplaceAll(q.promql, "+", "%2B"), end.Add(-q.span).Unix(), end.Unix(), step.Seconds())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/api/v1/query_range", strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	var body bytes.Buffer
	_, err = body.ReadFrom(resp.Body)
	return body.Bytes(), err
}
