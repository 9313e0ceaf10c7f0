package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/internal/workbench"
	"github.com/ptd-monitor/pdmonitor/internal/workbench/page"
)

func newServe() *cobra.Command {
	var c connection
	var f workbenchFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show the dashboards and the query editor over your own Prometheus, without Grafana",
		Long: `serve opens the workbench: the plugin's dashboards, query editor and settings page in
a browser on this machine. It knows no users and saves nothing, so it listens on
loopback alone; changes on its settings page last until it ends. Ctrl-C stops it.`,
		Example: `  pdmonitor serve --url http://localhost:9090
  pdmonitor serve --settings datasource.yaml --listen 127.0.0.1:8080`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd, &c, &f) },
	}
	c.flags(cmd)
	f.flags(cmd)
	return cmd
}

func runServe(cmd *cobra.Command, c *connection, f *workbenchFlags) error {
	if err := c.required(cmd); err != nil {
		return err
	}
	if _, ok := page.Built(); !ok {
		return errors.New("the page of the workbench is not part of this program. " + workbench.HowToBuild)
	}
	settings, err := c.instance()
	if err != nil {
		return err
	}
	s, err := f.start(cmd.Context(), settings)
	if err != nil {
		return err
	}
	defer s.stop()
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "Workbench:   %s (Ctrl-C stops)\n", s.url)
	f.show(cmd.Context(), cmd.OutOrStdout(), s.url)
	return <-s.ended
}
