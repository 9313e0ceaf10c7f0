package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/internal/workbench"
	"github.com/ptd-monitor/pdmonitor/internal/workbench/page"
)

// demoFlags are the words of `pdmonitor demo`.
type demoFlags struct {
	cluster   clusterFlag
	output    output
	duration  time.Duration
	scrape    string
	workbench workbenchFlags
	grafana   grafanaFlags
}

func newDemo() *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run everything on embedded parts: simulated cluster, Prometheus, data source",
		Long: `demo starts a simulated PD cluster, a Prometheus that scrapes it and the data source,
prints the three req/s curves of each model beside the simulator's own record, and
opens the workbench: dashboards, query editor and settings page in a browser.
Where a Grafana is found (--grafana, $GRAFANA_HOME, PATH, /usr/share/grafana) it is
started too, with the plugin, the data source and the dashboards. Ctrl-C stops everything.

` + scenarios(),
		Example: `  pdmonitor demo
  pdmonitor demo --duration 20s -o json
  pdmonitor demo --scenario thrash
  pdmonitor demo --grafana /usr/share/grafana`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd, &f) },
	}
	f.cluster.flag(cmd)
	f.output.flag(cmd)
	f.workbench.flags(cmd)
	f.grafana.flags(cmd)
	cmd.Flags().DurationVar(&f.duration, "duration", 0, "measure for this `time`, print the result and end")
	cmd.Flags().StringVar(&f.scrape, "scrape-interval", "1s", "`distance` of the samples")
	return cmd
}

func runDemo(cmd *cobra.Command, f *demoFlags) error {
	scrape, err := model.ParseDuration(f.scrape)
	switch {
	case err != nil || scrape == 0:
		err = fmt.Errorf("--scrape-interval %s: write a duration such as 1s", f.scrape)
	case cmd.Flags().Changed("duration") && f.duration == 0 || f.duration < 0 || f.duration > 0 && f.duration < 2*windowScrapes*time.Duration(scrape):
		err = fmt.Errorf("--duration %s: take at least %s, eight scrape intervals", f.duration, 2*windowScrapes*scrape)
	case f.output.json() && f.duration == 0:
		err = errors.New("-o json needs --duration")
	}
	if err := errors.Join(f.output.check(cmd), err); err != nil {
		return &wrongUse{command: cmd.CommandPath(), cause: err}
	}
	cluster, err := f.cluster.load(cmd)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	progress := cmd.ErrOrStderr()
	s, err := startStack(ctx, cluster, time.Duration(scrape))
	if err != nil {
		return err
	}
	defer func() { _ = s.close() }()
	_, _ = fmt.Fprintf(progress, "Prometheus:  %s\n", s.server.URL())
	if f.duration == 0 {
		w, err := f.startWorkbench(ctx, cmd, s)
		if err != nil {
			return err
		}
		defer w.stop()
		stop, err := f.grafana.start(ctx, s, progress)
		if err != nil {
			return interrupted(err)
		}
		defer stop()
	}
	_, _ = fmt.Fprintln(progress, "Waiting for the first samples…")
	if err := s.warm(ctx); err != nil {
		return interrupted(err)
	}
	if f.duration > 0 {
		return measureOnce(ctx, cmd, f, s)
	}
	if _, err := fmt.Fprintf(progress, "Collecting the first %s…\n", watched); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := sleep(ctx, watched); err != nil {
		return interrupted(err)
	}
	return interrupted(s.watch(ctx, cmd.OutOrStdout()))
}

// startWorkbench serves the workbench and says where. The demo goes on without the
// page too: its table is worth something by itself.
func (f *demoFlags) startWorkbench(ctx context.Context, cmd *cobra.Command, s *stack) (*served, error) {
	progress := cmd.ErrOrStderr()
	w, err := f.workbench.start(ctx, s.instance)
	if err != nil {
		return nil, err
	}
	if _, ok := page.Built(); !ok {
		_, _ = fmt.Fprintln(progress, "Workbench:   its page is not part of this program. "+workbench.HowToBuild)
		return w, nil
	}
	_, _ = fmt.Fprintf(progress, "\n  Workbench: %s\n  dashboards, query editor and settings, without Grafana\n\n", w.url)
	f.workbench.show(ctx, cmd.OutOrStdout(), w.url)
	return w, nil
}

// interrupted makes Ctrl-C a success: it is how the demo is meant to end.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func measureOnce(ctx context.Context, cmd *cobra.Command, f *demoFlags, s *stack) error {
	from := time.Now()
	if err := sleep(ctx, f.duration); err != nil {
		return interrupted(err)
	}
	to := from.Add(f.duration)
	if err := sleep(ctx, 2*s.scrape); err != nil { // the last scrape must have come in
		return interrupted(err)
	}
	m, err := s.measure(ctx, from, to)
	if err != nil {
		return err
	}
	if f.output.json() {
		return printJSON(cmd.OutOrStdout(), m)
	}
	_, _ = fmt.Fprint(cmd.OutOrStdout(), m.table())
	return nil
}

// watched is the time that a live table speaks of.
const watched = 10 * time.Second

// watch prints the curves of the last ten seconds again and again; on a terminal
// the table stays in its place.
func (s *stack) watch(ctx context.Context, out io.Writer) error {
	every, lines := 5*time.Second, 0
	if isTerminal(out) {
		every = s.scrape
	}
	for {
		now := time.Now().Add(-s.scrape)
		m, err := s.measure(ctx, now.Add(-watched), now)
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%s, the last %s\n", now.Format(time.TimeOnly), watched) + m.table()
		if isTerminal(out) && lines > 0 {
			_, _ = fmt.Fprintf(out, "\033[%dA\033[J", lines)
		}
		lines = strings.Count(text, "\n")
		_, _ = fmt.Fprint(out, text)
		if err := sleep(ctx, every); err != nil {
			return err
		}
	}
}

func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
