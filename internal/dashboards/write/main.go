// Command write renders the dashboards into the directory given.
package main

import (
	"fmt"
	"os"

	"github.com/ptd-monitor/pdmonitor/internal/dashboards"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: write DIRECTORY")
		os.Exit(2)
	}
	if err := dashboards.Write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
