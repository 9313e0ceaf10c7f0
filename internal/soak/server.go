package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

// server is a Prometheus that scrapes a simulated cluster, behind an address that
// outlives it.
type server struct {
	cluster simulator.Cluster
	live    *simulator.Live
	config  promserver.Config
	running *promserver.Server
	front   promserver.Front
	http    *http.Server
	address string
}

// startServer gives the server a past as long as the dashboards look back, so that
// what the plugin keeps does not grow merely because the server is young.
func startServer(ctx context.Context, dir string) (*server, error) {
	s := &server{cluster: simulator.DefaultCluster()}
	if err := s.start(ctx, filepath.Join(dir, "prometheus")); err != nil {
		return nil, errors.Join(fmt.Errorf("soak: %w", err), s.close())
	}
	return s, nil
}

func (s *server) start(ctx context.Context, dir string) error {
	simulation, err := simulator.New(s.cluster, time.Now())
	if err != nil {
		return err
	}
	s.config = promserver.Config{Dir: dir}
	past, err := promserver.Start(ctx, s.config)
	if err != nil {
		return err
	}
	replayed := simulation.Replay(ctx, past, time.Now().Add(-span).Truncate(time.Second), span, time.Second)
	if err := errors.Join(replayed, past.Close()); err != nil {
		return err
	}
	if s.live, err = simulation.Serve(ctx); err != nil {
		return err
	}
	for _, e := range s.live.Endpoints() {
		s.config.Targets = append(s.config.Targets, promserver.Target{Address: e.Address, Labels: e.Target.Labels()})
	}
	if err := s.up(ctx); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.address = "http://" + listener.Addr().String()
	s.http = &http.Server{Handler: &s.front, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(listener) }()
	return nil
}

// up starts the server on what it has stored.
func (s *server) up(ctx context.Context) (err error) {
	if s.running, err = promserver.Start(ctx, s.config); err != nil {
		return err
	}
	return s.front.Lead(s.running)
}

// restart takes the server away for the length of an outage, and tells the log when.
func (s *server) restart(ctx context.Context, l *log) error {
	defer l.outage(time.Now())
	if err := errors.Join(s.front.Lead(nil), s.running.Close()); err != nil {
		return err
	}
	time.Sleep(outage)
	return s.up(ctx)
}

func (s *server) close() error {
	var errs []error
	if s.http != nil {
		errs = append(errs, s.http.Close())
	}
	if s.running != nil {
		errs = append(errs, s.running.Close())
	}
	if s.live != nil {
		errs = append(errs, s.live.Close())
	}
	return errors.Join(errs...)
}

// instance is what the host tells the plugin of the data source with every call.
func (s *server) instance() (backend.PluginContext, error) {
	var sizes []map[string]any
	for _, g := range s.cluster.Groups {
		sizes = append(sizes, map[string]any{"model": g.Model, "bytesPerRequest": g.BytesPerRequest})
	}
	settings, err := json.Marshal(map[string]any{"requestSizes": sizes, "cacheSize": cacheMiB})
	if err != nil {
		return backend.PluginContext{}, fmt.Errorf("soak: settings of the data source: %w", err)
	}
	return backend.PluginContext{PluginID: plugin.ID, DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
		ID: 1, UID: "soak", Name: "PD", Type: plugin.ID, URL: s.address, JSONData: settings,
	}}, nil
}
