// Package soak lets many viewers refresh the PD overview every second for a long
// time, through the plugin's own process against a Prometheus that is restarted
// again and again, and says whether memory, goroutines or open files grew, whether
// anything failed that no restart explains, and whether what was shown is what the
// server holds. `go tool mage soak` runs it for half an hour, its test for seconds.
package soak
