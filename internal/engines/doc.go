// Package engines holds what the data source answers from other servers with the
// API of Prometheus against what it answers from the embedded Prometheus 3. There
// is no code here, only tests; they start Debian's prometheus and victoria-metrics
// where these are installed. docs/servers.md tells what they found.
package engines
