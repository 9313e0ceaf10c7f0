package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/ptd-monitor/pdmonitor/internal/grafana"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

// grafanaFlags say which Grafana the demo starts and with what.
type grafanaFlags struct {
	home, plugin, dashboards string
	without                  bool
}

func (f *grafanaFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.home, "grafana", "", "`directory` of a Grafana (with bin/grafana and public/) to start with the plugin")
	cmd.Flags().BoolVar(&f.without, "no-grafana", false, "start no Grafana even if one is installed")
	cmd.Flags().StringVar(&f.plugin, "plugin-dir", "dist", "`directory` of the built plugin")
	cmd.Flags().StringVar(&f.dashboards, "dashboards-dir", "dashboards", "`directory` of the dashboards")
}

// find is the home of the Grafana asked for, else of one that is there, else "".
func (f *grafanaFlags) find() (string, error) {
	if f.home == "" {
		return grafana.Find()
	}
	if err := grafana.Home(f.home); err != nil {
		return "", fmt.Errorf("--grafana %w", err)
	}
	return f.home, nil
}

// start runs a Grafana on loopback with the built plugin, a data source for the
// demo's Prometheus and the dashboards, and returns what stops it.
func (f *grafanaFlags) start(ctx context.Context, s *stack, progress io.Writer) (func(), error) {
	none := func() {}
	if f.without {
		return none, nil
	}
	home, err := f.find()
	if err != nil {
		return none, err
	}
	if home == "" {
		_, _ = fmt.Fprintln(progress, "Grafana:     none found; give --grafana DIR to see the dashboards")
		return none, nil
	}
	if _, err := os.Stat(filepath.Join(f.plugin, "module.js")); err != nil {
		if f.home == "" {
			_, _ = fmt.Fprintf(progress, "Grafana:     not started, the plugin is not built in %s\n", f.plugin)
			return none, nil
		}
		return none, fmt.Errorf("--plugin-dir %s: the plugin is not built there: run go tool mage build", f.plugin)
	}
	files, err := f.provisioned(s)
	if err != nil {
		return none, err
	}
	running, err := grafana.Start(ctx, grafana.Options{Home: home, Plugin: f.plugin, Files: files, Env: []string{
		"GF_DASHBOARDS_MIN_REFRESH_INTERVAL=1s",
		"GF_AUTH_ANONYMOUS_ENABLED=true",
		"GF_AUTH_ANONYMOUS_ORG_ROLE=Admin",
	}})
	if err != nil {
		return none, err
	}
	_, _ = fmt.Fprintf(progress, "Grafana:     %s/dashboards\n", running.URL)
	return running.Stop, nil
}

// provisioned are the data source, the dashboards and the alert rules of the demo.
func (f *grafanaFlags) provisioned(s *stack) (map[string][]byte, error) {
	dashboards, err := filepath.Abs(f.dashboards)
	if err != nil {
		return nil, fmt.Errorf("--dashboards-dir: %w", err)
	}
	sources, sourcesErr := yaml.Marshal(map[string]any{"apiVersion": 1, "datasources": []any{map[string]any{
		"name": "PD Monitor", "uid": rules.ProvisionedSource, "type": plugin.ID, "access": "proxy", "isDefault": true,
		"url": s.server.URL(), "jsonData": s.settings,
	}}})
	boards, boardsErr := yaml.Marshal(map[string]any{"apiVersion": 1, "providers": []any{map[string]any{
		"name": "PD Monitor", "folder": "PD Monitor", "type": "file", "options": map[string]any{"path": dashboards},
	}}})
	alerts, alertsErr := rules.Grafana(rules.All(rules.DefaultTargets()), rules.ProvisionedSource)
	return map[string][]byte{
		"datasources/demo.yaml": sources, "dashboards/demo.yaml": boards, "alerting/demo.yaml": alerts,
	}, errors.Join(sourcesErr, boardsErr, alertsErr)
}
