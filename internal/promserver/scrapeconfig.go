package promserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/discovery"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"gopkg.in/yaml.v3"
)

// defaultJob names the targets which bring no job label of their own.
const defaultJob = "pdmonitor"

// pool is one scrape configuration: the targets which share job and path.
type pool struct{ job, path string }

func (p pool) String() string {
	if p.path == "/metrics" {
		return p.job
	}
	return p.job + p.path
}

// scrapeConfig turns the settings into a loaded Prometheus configuration and
// the target groups of each scrape pool. The configuration goes through
// Prometheus' own loader so that every default and check is the real one.
func scrapeConfig(c Config) (*config.Config, map[string][]*targetgroup.Group, error) {
	pools := map[pool][]*targetgroup.Group{}
	for _, t := range c.Targets {
		labels := model.LabelSet{model.AddressLabel: model.LabelValue(t.Address)}
		for name, value := range t.Labels {
			labels[model.LabelName(name)] = model.LabelValue(value)
		}
		p := pool{t.Labels["job"], t.Path}
		pools[p] = append(pools[p], &targetgroup.Group{
			Source:  fmt.Sprintf("%s/%d", p, len(pools[p])),
			Targets: []model.LabelSet{labels},
		})
	}

	type scrape struct {
		JobName     string `yaml:"job_name"`
		MetricsPath string `yaml:"metrics_path"`
	}
	interval := model.Duration(c.ScrapeInterval).String()
	raw := struct {
		Global  map[string]string `yaml:"global"`
		Scrapes []scrape          `yaml:"scrape_configs"`
	}{Global: map[string]string{"scrape_interval": interval, "scrape_timeout": interval}}
	sets := map[string][]*targetgroup.Group{}
	byName := func(a, b pool) int { return strings.Compare(a.String(), b.String()) }
	for _, p := range slices.SortedFunc(maps.Keys(pools), byName) {
		raw.Scrapes = append(raw.Scrapes, scrape{p.String(), p.path})
		sets[p.String()] = pools[p]
	}
	text, err := yaml.Marshal(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("writing the scrape configuration: %w", err)
	}
	cfg, err := config.Load(string(text), promslog.NewNopLogger())
	if err != nil {
		return nil, nil, fmt.Errorf("loading the scrape configuration: %w", err)
	}
	for _, s := range cfg.ScrapeConfigs {
		// Shown by /api/v1/status/config and /scrape_pools/config.
		s.ServiceDiscoveryConfigs = discovery.Configs{discovery.StaticConfig(sets[s.JobName])}
	}
	return cfg, sets, nil
}
