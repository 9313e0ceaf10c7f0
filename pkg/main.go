// Package main serves the PD Monitor data source to Grafana.
package main

import (
	"os"

	"github.com/grafana/grafana-plugin-sdk-go/backend/datasource"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/pointcache"
)

func main() {
	figures := pointcache.NewFigures()
	err := prometheus.Register(figures) // where the SDK collects what Grafana asks for
	if err == nil {
		err = datasource.Manage(plugin.ID, plugin.New(figures), datasource.ManageOpts{})
	}
	if err != nil {
		log.DefaultLogger.Error("PD Monitor stopped", "error", err)
		os.Exit(1)
	}
}
