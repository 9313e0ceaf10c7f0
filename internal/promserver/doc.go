// Package promserver is a small Prometheus that lives inside the process: the
// time series database, the scraper, the query engine and the HTTP API of
// Prometheus 3 itself, put together on a loopback port.
//
// It exists so that the demo and the tests run real PromQL over real scrapes
// without anything installed. There are two ways to fill it:
//
//   - scraping: [Config.Targets] are scraped at [Config.ScrapeInterval], by
//     Prometheus' own scrape manager (staleness, up, scrape_* included);
//   - loading: [Server.AppendText] parses an exposition page and stores it at a
//     time of the caller's choice, [Server.Append] stores single samples, so a
//     test gets minutes of data in a fraction of a second.
//
// Both ways go through the same text parser, so "le" and "quantile" values are
// normalised alike ("1" and "1.0" are one series).
//
// The server answers below /api/v1 (query, query_range, labels, label values,
// series, metadata, targets, status, …; GET and POST), /metrics with its own
// counters, and /-/ready and /-/healthy. There is no user interface. Rules are
// evaluated by [Server.Evaluate] alone: /api/v1/rules and /api/v1/alerts are empty.
package promserver
