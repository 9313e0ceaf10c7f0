package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

func newSimulate() *cobra.Command {
	var cluster clusterFlag
	var listen string
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Serve the simulated cluster's /metrics for a Prometheus of your own",
		Long: `simulate serves the page of each instance under /metrics/<instance>, and the list of
instances under /sd for Prometheus' http_sd_configs, with the labels instance and job.

` + scenarios(),
		Example: `  pdmonitor simulate --listen 127.0.0.1:9100
  curl 127.0.0.1:9100/sd
  pdmonitor simulate --scenario prealloc-back-pressure`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			described, err := cluster.load(cmd)
			if err != nil {
				return err
			}
			return simulate(cmd, described, listen)
		},
	}
	cluster.flag(cmd)
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:9100", "`host:port` to serve on; 0.0.0.0:9100 serves other machines too")
	return cmd
}

func simulate(cmd *cobra.Command, cluster simulator.Cluster, listen string) error {
	simulation, err := simulator.New(cluster, time.Now())
	if err != nil {
		return err
	}
	live, err := simulation.Serve(cmd.Context())
	if err != nil {
		return err
	}
	defer func() { _ = live.Close() }()
	listener, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w; choose another address", listen, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics/", live.Handler())
	mux.HandleFunc("GET /sd", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(serviceDiscovery(simulation.Targets(), r.Host))
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "Serving %d instances on http://%s (list: /sd). Ctrl-C stops.\n", len(simulation.Targets()), listener.Addr())
	stop := context.AfterFunc(cmd.Context(), func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// discovered is an entry of Prometheus' HTTP service discovery.
type discovered struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// serviceDiscovery lists the instances at the address by which the caller knows
// this server.
func serviceDiscovery(targets []simulator.Target, host string) []discovered {
	list := make([]discovered, 0, len(targets))
	for _, t := range targets {
		labels := t.Labels()
		labels["__metrics_path__"] = "/metrics/" + t.Name
		list = append(list, discovered{Targets: []string{host}, Labels: labels})
	}
	return list
}
