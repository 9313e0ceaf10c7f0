package simulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// Appender stores exposition pages; promserver's server is one.
type Appender interface {
	AppendText(ctx context.Context, exposition []byte, labels map[string]string, t time.Time) error
}

// Replay lets the cluster run from its present virtual time to the time to, and
// stores every target's page each step as if it had been scraped then. Virtual
// time zero is stored as the time start. It takes a small part of the virtual
// time.
func (s *Simulation) Replay(ctx context.Context, into Appender, start time.Time, to, step time.Duration) error {
	if step <= 0 {
		return fmt.Errorf("simulation: the step of a replay is %s: give a positive duration", step)
	}
	targets := s.Targets()
	var page bytes.Buffer
	for at := s.Now(); at <= to; at += step {
		for _, target := range targets {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("simulation: replay stopped at %s: %w", at, err)
			}
			page.Reset()
			err := s.Write(&page, target, at)
			if errors.Is(err, ErrDown) {
				continue
			}
			if err != nil {
				return err
			}
			if err := into.AppendText(ctx, page.Bytes(), target.Labels(), start.Add(at)); err != nil {
				return fmt.Errorf("simulation: replay of %s at %s: %w", target.Name, at, err)
			}
		}
	}
	return nil
}
