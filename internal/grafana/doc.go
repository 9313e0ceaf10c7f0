// Package grafana finds and starts a real Grafana with the plugin and asks it as
// its users do. Its tests hold what only Grafana can show: its headers, its users
// and its data source proxy.
package grafana
