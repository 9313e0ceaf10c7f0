package discovery

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// work is done side by side. A panic of one part is its error: of a goroutine it would end the
// process, and with it every other panel.
type work struct{ group *errgroup.Group }

// together begins work; its context ends with the first error.
func together(ctx context.Context) (work, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return work{group}, ctx
}

// Go does one part.
func (w work) Go(part func() error) {
	w.group.Go(func() (err error) {
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("PD Monitor failed while it looked at the server, please report it: %v", fault)
			}
		}()
		return part()
	})
}

// Wait returns the first error once all parts have ended.
func (w work) Wait() error { return w.group.Wait() }
