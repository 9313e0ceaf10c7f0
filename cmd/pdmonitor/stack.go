package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

// stack is what the demo runs: a simulated cluster, a Prometheus that scrapes it
// and the data source that asks the Prometheus.
type stack struct {
	live       *simulator.Live
	simulation *simulator.Simulation
	server     *promserver.Server
	source     *plugin.Datasource
	models     []string
	settings   map[string]any // jsonData of the data source
	instance   backend.DataSourceInstanceSettings
	scrape     time.Duration
}

func startStack(ctx context.Context, cluster simulator.Cluster, scrape time.Duration) (*stack, error) {
	s := &stack{scrape: scrape}
	if err := s.start(ctx, cluster); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stack) start(ctx context.Context, cluster simulator.Cluster) error {
	var err error
	if s.simulation, err = simulator.New(cluster, time.Now()); err != nil {
		return err
	}
	if s.live, err = s.simulation.Serve(ctx); err != nil {
		return err
	}
	config := promserver.Config{ScrapeInterval: s.scrape}
	for _, e := range s.live.Endpoints() {
		config.Targets = append(config.Targets, promserver.Target{Address: e.Address, Labels: e.Target.Labels()})
	}
	if s.server, err = promserver.Start(ctx, config); err != nil {
		return err
	}
	var sizes []map[string]any
	for _, g := range cluster.Groups {
		s.models = append(s.models, g.Model)
		sizes = append(sizes, map[string]any{"model": g.Model, "bytesPerRequest": g.BytesPerRequest})
	}
	s.settings = map[string]any{"scrapeInterval": s.scrape.String(), "requestSizes": sizes}
	jsonData, err := json.Marshal(s.settings)
	if err != nil {
		return fmt.Errorf("settings of the demo: %w", err)
	}
	s.instance = backend.DataSourceInstanceSettings{URL: s.server.URL(), JSONData: jsonData}
	s.source, err = plugin.Open(ctx, s.instance)
	return err
}

func (s *stack) close() error {
	var errs []error
	if s.source != nil {
		s.source.Dispose()
	}
	if s.server != nil {
		errs = append(errs, s.server.Close())
	}
	if s.live != nil {
		errs = append(errs, s.live.Close())
	}
	return errors.Join(errs...)
}
