// Package faults holds tests of what servers, networks and hosts do wrong, through
// the plugin's own process with a faulty proxy before an embedded Prometheus.
package faults
