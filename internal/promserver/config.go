package promserver

import (
	"fmt"
	"log/slog"
	"maps"
	"time"
)

// Defaults of the zero [Config].
const (
	DefaultScrapeInterval = time.Second
	DefaultRetention      = 24 * time.Hour
	DefaultLookback       = 5 * time.Minute
	DefaultQueryTimeout   = 2 * time.Minute
	DefaultMaxSamples     = 50_000_000
)

// Target is one endpoint to scrape.
type Target struct {
	// Address is host:port of the endpoint.
	Address string
	// Path of the exposition page; empty means /metrics.
	Path string
	// Labels are put on every series of the target. They may set instance and
	// job, which otherwise are the address and "pdmonitor".
	Labels map[string]string
}

// Config says what to scrape and how long to keep it. The zero value is a
// server which scrapes nothing and is filled with Append and AppendText.
type Config struct {
	// ScrapeInterval is also the scrape timeout; zero means one second.
	ScrapeInterval time.Duration
	// Targets are the static scrape targets.
	Targets []Target
	// Dir is the data folder. Empty means a temporary one, removed by Close; a
	// folder given here stays.
	Dir string
	// Retention of stored blocks; zero means 24 hours.
	Retention time.Duration
	// Lookback is how far an instant selector looks back; zero means 5 minutes,
	// as Prometheus does.
	Lookback time.Duration
	// OutOfOrder is how much older than a series' newest sample one may be that is
	// still taken; zero takes none.
	OutOfOrder time.Duration
	// MaxSamples one query may load; zero means 50 million.
	MaxSamples int
	// Logger receives what Prometheus' own parts log; nil drops it.
	Logger *slog.Logger
}

// withDefaults fills what is zero and refuses what cannot work.
func (c Config) withDefaults() (Config, error) {
	for _, d := range []struct {
		name     string
		value    *time.Duration
		fallback time.Duration
	}{
		{"ScrapeInterval", &c.ScrapeInterval, DefaultScrapeInterval},
		{"Retention", &c.Retention, DefaultRetention},
		{"Lookback", &c.Lookback, DefaultLookback},
	} {
		if *d.value < 0 {
			return c, fmt.Errorf("%s is %s: give a positive duration, or leave it out for %s", d.name, *d.value, d.fallback)
		}
		if *d.value == 0 {
			*d.value = d.fallback
		}
	}
	if c.MaxSamples <= 0 {
		c.MaxSamples = DefaultMaxSamples
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	targets := make([]Target, 0, len(c.Targets))
	for i, t := range c.Targets {
		if t.Address == "" {
			return c, fmt.Errorf("Targets[%d].Address is empty: give host:port of the endpoint to scrape", i)
		}
		if t.Path == "" {
			t.Path = "/metrics"
		}
		labels := maps.Clone(t.Labels)
		if labels == nil {
			labels = map[string]string{}
		}
		if labels["job"] == "" {
			labels["job"] = defaultJob
		}
		t.Labels = labels
		targets = append(targets, t)
	}
	c.Targets = targets
	return c, nil
}
