package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

func newCatalog() *cobra.Command {
	var c connection
	var o output
	var bindings bool
	cmd := &cobra.Command{
		Use:   "catalog",
		Short: "List the signals; with --check say which of them a server has",
		Example: `  pdmonitor catalog
  pdmonitor catalog --bindings
  pdmonitor catalog --check http://localhost:9090`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			source, err := c.open(cmd.Context())
			if err != nil {
				return err
			}
			defer source.Dispose()
			if c.url != "" || c.settings != "" {
				if err := source.Reach(cmd.Context()); err != nil {
					return err
				}
			}
			listing := source.List(cmd.Context())
			if o.json() {
				return printJSON(cmd.OutOrStdout(), listing)
			}
			if bindings {
				return printBindings(cmd, listing.Bindings)
			}
			return printListing(cmd, listing)
		},
	}
	c.addressFlag(cmd, "check", "`address` of a Prometheus-compatible server to look at")
	cmd.Flags().StringVar(&c.settings, "settings", "", "`file` with the data source settings, JSON or YAML")
	c.catalogFlag(cmd)
	cmd.Flags().BoolVar(&bindings, "bindings", false, "list the metrics that each system exports for each signal")
	o.flag(cmd)
	return cmd
}

func printListing(cmd *cobra.Command, listing plugin.Listing) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	header := []string{"SIGNAL", "TITLE", "中文", "UNIT", "SYSTEMS"}
	checked := slices.ContainsFunc(listing.Signals, func(s plugin.ListedSignal) bool { return s.Available != nil })
	if checked {
		header = append(header, "HERE", "WHY NOT")
	}
	_, _ = fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, s := range listing.Signals {
		row := []string{s.ID, s.Title, s.TitleZH, strings.TrimPrefix(s.Unit, "suffix:"), strings.Join(s.Systems, ",")}
		if checked {
			here := "no"
			if s.Available != nil && *s.Available {
				here = "yes"
			}
			row = append(row, here, s.Reason)
		}
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return flushed(w)
}

func printBindings(cmd *cobra.Command, bindings []plugin.ListedBinding) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, strings.Join([]string{"SIGNAL", "SYSTEM", "TYPE", "UNIT", "ROLE", "SHAPE", "SINCE", "METRICS", "CONDITION"}, "\t"))
	for _, b := range bindings {
		row := []string{b.Signal, b.System, b.Type, b.Unit, string(b.Role), string(b.Shape), b.Since, strings.Join(b.Metrics, " "), b.Condition}
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return flushed(w)
}

func flushed(w *tabwriter.Writer) error {
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print the catalog: %w", err)
	}
	return nil
}
