// Command write renders src/wire.gen.ts into the file given.
package main

import (
	"fmt"
	"os"

	"github.com/ptd-monitor/pdmonitor/internal/wire"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: write FILE")
		os.Exit(2)
	}
	if err := wire.Write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
