// Command run soaks the plugin and puts what it found into the page given.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/ptd-monitor/pdmonitor/internal/bench"
	"github.com/ptd-monitor/pdmonitor/internal/soak"
)

func main() {
	length := flag.Duration("for", 30*time.Minute, "how long")
	viewers := flag.Int("viewers", 20, "dashboards that are open at once")
	restart := flag.Duration("restart", time.Minute, "time between restarts of the server")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, soak.Config{Length: *length, Viewers: *viewers, Restart: *restart}, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c soak.Config, page string) error {
	report, err := soak.Run(ctx, c)
	if err != nil {
		return err
	}
	fmt.Print(report)
	if page != "" {
		err = bench.Replace(page, "soak", report.String())
	}
	return errors.Join(report.Err(), err)
}
