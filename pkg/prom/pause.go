package prom

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// longestPause bounds what a server may ask for: a wrong clock must not silence a
// dashboard for a day.
const longestPause = 30 * time.Second

// pauses are the times until which a server does not want to be asked, by identity,
// since servers limit each user or tenant apart.
type pauses struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// left is how long the one who asks has to wait, 0 for not at all.
func (p *pauses) left(ctx context.Context) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(time.Until(p.until[Identity(ctx)]), 0)
}

func (p *pauses) begin(ctx context.Context, length time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for who, until := range p.until {
		if time.Now().After(until) {
			delete(p.until, who)
		}
	}
	if p.until == nil {
		p.until = map[string]time.Time{}
	}
	p.until[Identity(ctx)] = time.Now().Add(length)
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

// paused is the error of a question that is not asked.
func paused(left time.Duration) *Error {
	return downstream(http.StatusTooManyRequests, fmt.Sprintf(
		"The server gets too many requests (429) and asked to be left alone for another %s. Refresh less often, or raise the limit of the server.",
		max(left.Round(time.Second), time.Second)), nil)
}
