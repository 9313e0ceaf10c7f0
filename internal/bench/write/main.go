// Command write measures and puts the results into the page given; serve is how it
// starts the servers that it measures with.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/ptd-monitor/pdmonitor/internal/bench"
)

// rounds are enough for medians that repeat.
const rounds = 7

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "serve":
		return bench.Serve(ctx, bench.Cluster(args[1]), os.Stdin, os.Stdout)
	case len(args) != 1:
		return fmt.Errorf("usage: write FILE")
	}
	var rows []string
	for _, cluster := range []bench.Cluster{bench.Small, bench.Large} {
		measured, err := bench.Answers(ctx, cluster, rounds)
		if err != nil {
			return err
		}
		rows = append(rows, measured)
	}
	table := bench.Table(rows...)
	fmt.Print(table)
	return bench.Replace(args[0], "answers", table)
}
