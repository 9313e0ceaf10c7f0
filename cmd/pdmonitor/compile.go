package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

func newCompile() *cobra.Command {
	var q queryFlags
	var c connection
	var o output
	cmd := &cobra.Command{
		Use:   "compile",
		Short: "Print the PromQL of a query, what was done and what to know of it",
		Example: `  pdmonitor compile --signal prefill_request_rate --group-by model
  pdmonitor compile --signal ttft --quantile 0.95 --url http://localhost:9090`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			if !cmd.Flags().Changed("step") {
				q.step = "1s"
			}
			dq, err := q.dataQuery(cmd)
			if err != nil {
				return err
			}
			source, err := c.open(cmd.Context())
			if err != nil {
				return err
			}
			defer source.Dispose()
			compiled, err := source.Compile(cmd.Context(), dq)
			if err != nil {
				return q.misuse(cmd, err)
			}
			if o.json() {
				return printJSON(cmd.OutOrStdout(), compiled)
			}
			printCompiled(cmd, compiled)
			return nil
		},
	}
	q.flags(cmd)
	c.flags(cmd)
	o.flag(cmd)
	return cmd
}

func printCompiled(cmd *cobra.Command, compiled plugin.Compiled) {
	out := cmd.OutOrStdout()
	for _, line := range compiled.PromQL {
		_, _ = fmt.Fprintln(out, line)
	}
	if len(compiled.PromQL) > 0 && compiled.Unit != "" {
		_, _ = fmt.Fprintf(out, "\nunit: %s", compiled.Unit)
		if compiled.Window != "" {
			_, _ = fmt.Fprintf(out, ", window: %s", compiled.Window)
		}
		_, _ = fmt.Fprintln(out)
	}
	for _, line := range compiled.Explanation {
		_, _ = fmt.Fprintln(out, "-", line)
	}
	printNotices(cmd.ErrOrStderr(), compiled.Notices)
}
