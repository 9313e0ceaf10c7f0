package prom

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// DefaultTimeout bounds one request when Limits.Timeout is 0.
	DefaultTimeout = 30 * time.Second
	// DefaultBytes bounds one answer when Limits.Bytes is 0: 1,000 series of 4,000
	// points fit.
	DefaultBytes int64 = 128 << 20
	// DefaultSeries bounds one answer when Limits.Series is 0.
	DefaultSeries = 50_000
	// DefaultPoints bounds one answer when Limits.Points is 0.
	DefaultPoints = 10_000_000
	// DefaultConcurrent bounds the requests at once when Limits.Concurrent is 0: a dashboard
	// asks for some fifty expressions, and where the way to the server is long they should
	// all be under way. A Prometheus runs 20 queries at once and lets others wait.
	DefaultConcurrent = 64
)

// Limits bound what a client asks and takes; 0 is the default of each. What is over
// a limit ends in an error that names it.
type Limits struct {
	// Timeout bounds one request with its answer, and the wait for its turn.
	Timeout time.Duration
	// Bytes bounds the body of one answer, unpacked.
	Bytes int64
	// Series and Points bound what one answer holds.
	Series, Points int
	// Concurrent bounds the requests that run at once; others wait for their turn.
	Concurrent int
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Timeout:    cmp.Or(max(l.Timeout, 0), DefaultTimeout),
		Bytes:      cmp.Or(max(l.Bytes, 0), DefaultBytes),
		Series:     cmp.Or(max(l.Series, 0), DefaultSeries),
		Points:     cmp.Or(max(l.Points, 0), DefaultPoints),
		Concurrent: cmp.Or(max(l.Concurrent, 0), DefaultConcurrent),
	}
}

// overLimit says that an answer has more than a limit allows.
type overLimit struct {
	most int
	what string
}

func (e *overLimit) Error() string { return fmt.Sprintf("more than %d %s", e.most, e.what) }

// limitError is about answers over a limit, nil of others.
func (c *Client) limitError(body *boundedReader, err error) *Error {
	const remedy = "Narrow it with filters, group by fewer labels, or choose a shorter range or a longer step."
	if over := (*overLimit)(nil); errors.As(err, &over) {
		return downstream(http.StatusUnprocessableEntity, fmt.Sprintf("The query brings more than %d %s. %s", over.most, over.what, remedy), err)
	}
	if errors.Is(body.err, errTooLarge) {
		return downstream(http.StatusUnprocessableEntity, fmt.Sprintf("The answer is larger than %d MiB, the limit of an answer's size. %s", c.limits.Bytes>>20, remedy), body.err)
	}
	return nil
}

// turn waits until a request may run; done has to be called after it. limited is
// the caller's context with the client's timeout.
func (c *Client) turn(caller, limited context.Context) (done func(), err *Error) {
	select {
	case c.turns <- struct{}{}:
		return func() { <-c.turns }, nil
	case <-limited.Done():
	}
	if caller.Err() != nil {
		return nil, c.contextError(caller, caller.Err())
	}
	return nil, downstream(http.StatusGatewayTimeout, fmt.Sprintf(
		"%d queries of this data source run at once, the limit, and none ended within %s. Refresh less often, or raise the limit of concurrent queries in the data source settings if the server can bear it.",
		c.limits.Concurrent, c.limits.Timeout), context.DeadlineExceeded)
}
