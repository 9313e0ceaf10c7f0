// Package main serves the PD Monitor data source to Grafana.
package main

import (
	"os"

	"github.com/grafana/grafana-plugin-sdk-go/backend/datasource"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

func main() {
	if err := datasource.Manage(plugin.ID, plugin.New, datasource.ManageOpts{}); err != nil {
		log.DefaultLogger.Error("PD Monitor stopped", "error", err)
		os.Exit(1)
	}
}
