package settings

import (
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

// Stored is the wire form of the settings: what Grafana keeps in jsonData beside its own
// keys, and what the settings page writes. Whatever is left out has its default. It is
// read field by field, so that every fault is told and not the first alone; a test
// holds what is read against it.
type Stored struct {
	ScrapeInterval        string               `json:"scrapeInterval,omitempty"` // "1s"
	RankStrategy          compile.RankStrategy `json:"rankStrategy,omitempty"`
	Prefixes              map[string][]string  `json:"prefixes,omitempty"` // by system
	Roles                 StoredRoles          `json:"roles,omitempty"`
	Labels                map[string][]string  `json:"labels,omitempty"` // by logical label
	RequestSizes          []kvcache.Size       `json:"requestSizes,omitempty"`
	KVSource              KVSource             `json:"kvSource,omitempty"`
	CustomQueryParameters string               `json:"customQueryParameters,omitempty"`
	HTTPMethod            HTTPMethod           `json:"httpMethod,omitempty"`
	ForwardGrafanaID      bool                 `json:"forwardGrafanaId,omitempty"`
	Timeout               float64              `json:"timeout,omitempty"` // seconds
	SeriesLimit           int                  `json:"seriesLimit,omitempty"`
	Catalog               string               `json:"catalog,omitempty"` // YAML; an object of the same form is taken too
	Cache                 bool                 `json:"cache,omitempty"`
	CacheSize             int                  `json:"cacheSize,omitempty"` // MiB
	ConcurrentQueries     int                  `json:"concurrentQueries,omitempty"`
	ResponseSize          int                  `json:"responseSize,omitempty"` // MiB
}

// StoredRoles are label matchers by role.
type StoredRoles struct {
	Prefill string `json:"prefill,omitempty"`
	Decode  string `json:"decode,omitempty"`
	Unified string `json:"unified,omitempty"`
}

// HTTPMethod of queries.
type HTTPMethod string
