package plugin

import (
	"context"
	"runtime/debug"
	"sync"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// mostEnds bounds the expressions that are remembered.
const mostEnds = 1000

// ends remembers of quantiles whether they lay on the last bucket. Where they did, or where it
// is not known, how much lies beyond is asked for beside the quantile, so that nobody waits for
// one answer after the other.
type ends struct {
	mu      sync.Mutex
	reached map[string]bool // by the PromQL of what lies beyond
}

func (e *ends) likely(beyond string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	reached, known := e.reached[beyond]
	return reached || !known
}

func (e *ends) remember(beyond string, reached bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.reached == nil {
		e.reached = map[string]bool{}
	}
	if _, known := e.reached[beyond]; !known && len(e.reached) >= mostEnds {
		for any := range e.reached { // one is as good as another: it costs a query to learn it again
			delete(e.reached, any)
			break
		}
	}
	e.reached[beyond] = reached
}

// aside does something beside a query. A panic there would end the process, and with it every
// other panel; it gives nothing instead.
func aside[T any](ctx context.Context, do func() T) <-chan T {
	done := make(chan T, 1)
	go func() {
		var found T
		defer func() {
			if fault := recover(); fault != nil {
				backend.Logger.FromContext(ctx).Error("A look beside a query panicked", "fault", fault, "stack", string(debug.Stack()))
			}
			done <- found
		}()
		found = do()
	}()
	return done
}

// beyond is the share of observations beyond the last bucket of an expression's quantile. It is
// asked for at once where that is likely to be needed, and else once it is.
func (d *Datasource) beyond(ctx context.Context, p prepared, e compile.Expression) func(prom.Result, error) float64 {
	if e.Beyond == "" {
		return func(prom.Result, error) float64 { return 0 }
	}
	ask := func() float64 { return d.largest(ctx, p, e.Beyond) }
	if d.ends.likely(e.Beyond) {
		share := aside(ctx, ask)
		ask = func() float64 { return <-share }
	}
	return func(result prom.Result, err error) float64 {
		if err != nil {
			return 0
		}
		reached := reaches(result.Value, e.Quantile)
		d.ends.remember(e.Beyond, reached)
		if !reached {
			return 0
		}
		return ask()
	}
}
