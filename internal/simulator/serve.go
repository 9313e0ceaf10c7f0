package simulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// keptTruth is how long a live simulation remembers requests.
const keptTruth = time.Hour

// Endpoint is where a target's /metrics is.
type Endpoint struct {
	Target Target
	// Address is host:port.
	Address string
}

// Live is a simulation driven by the wall clock, one loopback HTTP endpoint per
// instance.
type Live struct {
	simulation *Simulation
	started    time.Time
	endpoints  []Endpoint
	servers    []*http.Server
	stop       context.CancelFunc
	running    sync.WaitGroup
	closeOnce  sync.Once
	closeErr   error
}

// Serve starts the live mode: a second of virtual time is a second of the wall
// clock, beginning at the simulation's present virtual time. It runs until
// Close, or until ctx ends, which does the same. The truth keeps the last hour.
func (s *Simulation) Serve(ctx context.Context) (*Live, error) {
	l := &Live{simulation: s, started: time.Now().Add(-s.Now())}
	running, stop := context.WithCancel(ctx)
	l.stop = stop
	for _, target := range s.Targets() {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(fmt.Errorf("simulation: opening a port for %s: %w", target.Name, err), l.Close())
		}
		mux := http.NewServeMux()
		mux.HandleFunc("GET /metrics", l.handler(target))
		server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
		l.servers = append(l.servers, server)
		l.endpoints = append(l.endpoints, Endpoint{target, listener.Addr().String()})
		l.running.Go(func() { _ = server.Serve(listener) })
	}
	l.running.Go(func() { l.drive(running) })
	context.AfterFunc(running, func() { _ = l.Close() })
	return l, nil
}

// Endpoints lists the addresses in the order of [Simulation.Targets].
func (l *Live) Endpoints() []Endpoint { return l.endpoints }

// Started is the wall-clock time of virtual time zero.
func (l *Live) Started() time.Time { return l.started }

// Elapsed is the present virtual time.
func (l *Live) Elapsed() time.Duration { return time.Since(l.started) }

// Close stops the clock and frees the ports. It is safe to call more than once.
func (l *Live) Close() error {
	l.closeOnce.Do(func() {
		l.stop()
		for _, server := range l.servers {
			l.closeErr = errors.Join(l.closeErr, server.Close())
		}
		l.running.Wait()
	})
	return l.closeErr
}

// catchUp lets the cluster run to the present. Scrapes meet, so the present of
// one may be a little behind that of another.
func (l *Live) catchUp() {
	s := l.simulation
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := l.Elapsed(); now > s.clock.now {
		s.clock.advance(now)
	}
}

// drive keeps the truth up to date while nobody scrapes.
func (l *Live) drive(ctx context.Context) {
	ticker := time.NewTicker(250 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			l.catchUp()
			if old := l.Elapsed() - keptTruth; old > 0 {
				l.simulation.Forget(old)
			}
		}
	}
}

func (l *Live) handler(target Target) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		l.catchUp()
		var page bytes.Buffer
		if err := l.simulation.writeNow(&page, target); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(page.Bytes())
	}
}

// Handler serves the page of every instance under /metrics/{instance}, for one
// server that stands for the whole cluster.
func (l *Live) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, target := range l.simulation.Targets() {
		mux.HandleFunc("GET /metrics/"+target.Name, l.handler(target))
	}
	return mux
}
