package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// output is the -o flag.
type output struct{ format string }

func (o *output) flag(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.format, "output", "o", "text", "`format` of the output: text or json")
}

func (o *output) check(cmd *cobra.Command) error {
	if o.format != "text" && o.format != "json" {
		return &wrongUse{command: cmd.CommandPath(), cause: fmt.Errorf("-o %s: choose text or json", o.format)}
	}
	return nil
}

func (o *output) json() bool { return o.format == "json" }

func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("print the answer: %w", err)
	}
	return nil
}

func printNotices(w io.Writer, notices []query.Notice) {
	for _, n := range notices {
		_, _ = fmt.Fprintf(w, "%s: %s\n", n.Severity, n.Text)
	}
}
