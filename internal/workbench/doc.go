// Package workbench serves the plugin's own query editor, settings page and
// dashboards to a browser on this machine, without Grafana. The page is in page/;
// here is the part of Grafana's HTTP API that it needs, answered by the plugin in
// this process.
//
// It is a viewer for one person: no users, nothing is saved, and nobody but this
// machine is answered.
package workbench
