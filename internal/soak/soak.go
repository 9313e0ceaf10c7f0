package soak

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ptd-monitor/pdmonitor/internal/dashboards"
	"github.com/ptd-monitor/pdmonitor/internal/host"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
)

const (
	// refresh is how often a viewer's dashboard asks, over the span before now.
	refresh = time.Second
	span    = 5 * time.Minute
	// outage is how long the server is down in a restart.
	outage = 2 * time.Second
	// figuresEvery is how often the plugin is asked what it uses.
	figuresEvery = 2 * time.Second
)

// Config says how long and how hard.
type Config struct {
	// Length is how long the viewers refresh.
	Length time.Duration
	// Viewers are the dashboards that are open at once.
	Viewers int
	// Restart is the time from one restart of the server to the next.
	Restart time.Duration
}

// Run soaks a plugin that it builds and starts. The error is about what kept it from
// being tried; what was found is in the report.
func Run(ctx context.Context, c Config) (report Report, err error) {
	dir, err := os.MkdirTemp("", "soak-")
	if err != nil {
		return Report{}, fmt.Errorf("soak: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	binary, err := host.Build(ctx, dir)
	if err != nil {
		return Report{}, err
	}
	server, err := startServer(ctx, dir)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, server.close()) }()
	plugin, err := host.Start(binary, nil)
	if err != nil {
		return Report{}, err
	}
	defer plugin.Kill()
	panels, err := dashboards.Asked("pd-overview.json")
	if err != nil {
		return Report{}, err
	}
	about, err := server.instance()
	if err != nil {
		return Report{}, err
	}
	board := &board{plugin: plugin, about: about, panels: panels, log: &log{}}
	// Without an answer now, everything after would be for nothing.
	if err := board.first(ctx); err != nil {
		return Report{}, err
	}
	return soak(ctx, c, board, server)
}

func soak(ctx context.Context, c Config, b *board, s *server) (Report, error) {
	began := time.Now()
	limited, stop := context.WithTimeout(ctx, c.Length)
	defer stop()
	var all errgroup.Group
	var figures []Figures
	for i := range c.Viewers {
		all.Go(func() error {
			// Dashboards were opened at any time, not together.
			pause(limited, refresh*time.Duration(i)/time.Duration(c.Viewers))
			b.view(limited, i)
			return nil
		})
	}
	all.Go(func() (err error) {
		defer stop() // a plugin that is gone ends the whole
		figures, err = b.collect(limited)
		return err
	})
	var restarts, points, different int
	all.Go(func() error {
		defer stop()
		for limited.Err() == nil {
			pause(limited, c.Restart/2)
			if limited.Err() != nil {
				break
			}
			if err := s.restart(ctx, b.log); err != nil {
				return err
			}
			restarts++
			pause(ctx, max(c.Restart/2, discovery.Retry+time.Second)) // a failure is remembered
			n, wrong, err := b.compare(ctx)
			if err != nil {
				return err
			}
			points, different = points+n, different+wrong
		}
		return nil
	})
	if err := all.Wait(); err != nil {
		return Report{}, err
	}
	return b.log.report(c, time.Since(began), figures, restarts, points, different), ctx.Err()
}

// pause waits, or until the end.
func pause(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
}
