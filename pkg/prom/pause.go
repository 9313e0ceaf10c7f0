package prom

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// longestPause bounds what a server may ask for: a wrong clock must not silence a
// dashboard for a day.
const longestPause = 30 * time.Second

// pause is the time until which a server does not want to be asked. It holds for all who
// ask: a server that is overwhelmed is so whoever comes next.
type pause struct {
	mu     sync.Mutex
	until  time.Time
	status int // with which the server asked for it
}

// now is why nothing may be asked now, nil when something may.
func (p *pause) now() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := time.Until(p.until)
	if left <= 0 {
		return nil
	}
	what := "gets too many requests (429)"
	if p.status == http.StatusServiceUnavailable {
		what = "is not available (503)"
	}
	return downstream(p.status, fmt.Sprintf(
		"The server %s and asked to be left alone for another %s. Wait, refresh less often, or raise the limit of the server.",
		what, max(left.Round(time.Second), time.Second)), nil)
}

// begin notes the pause that an answer asks for, if it does. One that lasts longer stands.
func (p *pause) begin(resp *http.Response) {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return
	}
	until := time.Now().Add(retryAfter(resp.Header))
	p.mu.Lock()
	defer p.mu.Unlock()
	if until.After(p.until) {
		p.until, p.status = until, resp.StatusCode
	}
}

// retryAfter is the pause that an answer asks for, 0 for none.
func retryAfter(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if text == "" {
		return 0
	}
	length := time.Duration(0)
	if seconds, err := strconv.ParseUint(text, 10, 16); err == nil {
		length = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		length = time.Until(at)
	}
	return min(max(length, 0), longestPause)
}
