// Command pdmonitor runs PD Monitor without Grafana: a demo, queries, the PromQL
// behind them, the catalog and the simulated cluster.
//
// It exits with 0 on success, 2 on wrong use, which is a mistake in the words of the
// command line such as a signal that is not known, and 1 when the work failed, also on
// what a file or a server says; messages go to standard error, data to standard output.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/spf13/cobra"
)

const (
	exitFailed   = 1
	exitWrongUse = 2
)

func main() {
	// The SDK logs every query for Grafana's log; here that would bury the answer.
	log.DefaultLogger = log.NewNullLogger()
	backend.Logger = log.DefaultLogger
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main without the process: it returns the exit status.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var silent *alreadySaid
	if !errors.As(err, &silent) {
		_, _ = fmt.Fprintln(errOut, "pdmonitor:", err)
	}
	var use *wrongUse
	if errors.As(err, &use) {
		_, _ = fmt.Fprintf(errOut, "Run '%s --help' for usage.\n", use.command)
		return exitWrongUse
	}
	return exitFailed
}

// wrongUse is a mistake in the command's words, not in its work.
type wrongUse struct {
	command string
	cause   error
}

func (e *wrongUse) Error() string { return e.cause.Error() }
func (e *wrongUse) Unwrap() error { return e.cause }

// alreadySaid ends a command whose output already holds the error.
type alreadySaid struct{ cause error }

func (e *alreadySaid) Error() string { return e.cause.Error() }
func (e *alreadySaid) Unwrap() error { return e.cause }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "pdmonitor",
		Short: "Comparable req/s of prefill, KV transfer and decode, from any Prometheus",
		Long: `pdmonitor asks a Prometheus-compatible server about prefill/decode-disaggregated
LLM inference, in the terms of the PD Monitor data source for Grafana.

Start with: pdmonitor demo`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return &wrongUse{command: "pdmonitor", cause: errors.New("name a command")}
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &wrongUse{command: cmd.CommandPath(), cause: err}
	})
	root.AddCommand(newDemo(), newServe(), newQuery(), newCompile(), newCatalog(), newKVBytes(), newRules(), newSimulate())
	return root
}

// noArguments refuses words that are no flags.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &wrongUse{command: cmd.CommandPath(), cause: fmt.Errorf("unexpected %q", args[0])}
	}
	return nil
}
