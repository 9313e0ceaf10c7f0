package promserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/scrape"
	"github.com/prometheus/prometheus/tsdb"
)

// Server is a running Prometheus. Its methods may be called concurrently.
type Server struct {
	url     string
	dir     string
	ownsDir bool

	db      *tsdb.DB
	engine  *promql.Engine
	manager *scrape.Manager
	http    *http.Server
	loader  *loader

	stop      context.CancelFunc
	running   sync.WaitGroup
	closeOnce sync.Once
	closeErr  error
}

// Start opens the database, starts to scrape and serves the HTTP API on a
// loopback port of the system's choice. It is ready for queries when it
// returns. The server runs until Close, or until ctx ends, which does the same.
func Start(ctx context.Context, c Config) (*Server, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("promserver: %w", err)
	}
	cfg, sets, err := scrapeConfig(c)
	if err != nil {
		return nil, fmt.Errorf("promserver: %w", err)
	}

	s := &Server{dir: c.Dir}
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "promserver-"); err != nil {
			return nil, fmt.Errorf("promserver: making a data folder: %w", err)
		}
		s.ownsDir = true
	}
	// A registry of its own: two servers in one process must not collide.
	registry := prometheus.NewRegistry()
	if s.db, err = openDB(s.dir, s.ownsDir, c, registry); err != nil {
		return nil, errors.Join(err, s.removeDir())
	}
	s.loader = newLoader(s.db)
	promqlParser := parser.NewParser(parser.Options{})
	s.engine = promql.NewEngine(promql.EngineOpts{
		Logger:                   c.Logger,
		Reg:                      registry,
		MaxSamples:               c.MaxSamples,
		Timeout:                  DefaultQueryTimeout,
		LookbackDelta:            c.Lookback,
		NoStepSubqueryIntervalFn: func(int64) int64 { return c.ScrapeInterval.Milliseconds() },
		EnableAtModifier:         true,
		EnableNegativeOffset:     true,
		Parser:                   promqlParser,
	})
	s.manager, err = scrape.NewManager(&scrape.Options{
		DiscoveryReloadInterval:  model.Duration(time.Second),
		DiscoveryReloadOnStartup: true,
	}, c.Logger, nil, nil, s.db, registry)
	if err == nil {
		err = s.manager.ApplyConfig(cfg)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("promserver: setting up the scraper: %w", err), s.closeDB())
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("promserver: opening a port: %w", err), s.closeDB())
	}
	s.url = "http://" + listener.Addr().String()
	s.http = &http.Server{
		Handler:           s.handler(c, cfg, registry, promqlParser),
		ReadHeaderTimeout: 10 * time.Second,
	}

	running, stop := context.WithCancel(ctx)
	s.stop = stop
	targets := make(chan map[string][]*targetgroup.Group, 1)
	targets <- sets
	s.running.Go(func() { _ = s.manager.Run(targets) })
	s.running.Go(func() { _ = s.http.Serve(listener) })
	context.AfterFunc(running, func() { _ = s.Close() })
	return s, nil
}

// URL is the base of the server, without a slash at the end: the address to
// give to a Prometheus client or data source.
func (s *Server) URL() string { return s.url }

// Close stops scraping and serving, closes the database and removes the
// temporary folder. It is safe to call more than once; every call returns the
// result of the first.
func (s *Server) Close() error {
	s.closeOnce.Do(func() {
		s.stop()
		// No client that hangs may keep the port open.
		httpErr := s.http.Close()
		s.manager.Stop()
		s.running.Wait()
		s.closeErr = errors.Join(httpErr, s.engine.Close(), s.closeDB())
	})
	return s.closeErr
}

func (s *Server) closeDB() error {
	err := s.db.Close()
	if err != nil {
		err = fmt.Errorf("promserver: closing the database: %w", err)
	}
	return errors.Join(err, s.removeDir())
}

func (s *Server) removeDir() error {
	if !s.ownsDir {
		return nil
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("promserver: removing the data folder: %w", err)
	}
	return nil
}
