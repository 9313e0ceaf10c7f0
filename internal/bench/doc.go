// Package bench measures what answers cost, on an embedded Prometheus in a process
// of its own, as ratios between contenders that take turns in one run. Its results
// are written into docs/performance.md by `go tool mage bench`.
package bench
