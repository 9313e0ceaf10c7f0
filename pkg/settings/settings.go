// Package settings reads the data source's settings: type, defaults and
// validation in one place. It is strict about what it knows and silent about
// the keys that Grafana keeps in the same object.
package settings

import (
	"net/http"
	"net/url"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
)

// Settings are the data source's settings with every default filled in. They
// hold no secret except what the user wrote into URL or CustomQueryParameters.
type Settings struct {
	// URL is the address of the Prometheus-compatible server, below which /api/v1 is
	// found; "" means that none is set.
	URL string
	// ScrapeInterval is the distance of the targets' samples; 0 means that it is to be detected.
	ScrapeInterval time.Duration
	// RankStrategy says what is done with the series that ranks repeat.
	RankStrategy compile.RankStrategy
	// Prefixes are the metric name prefixes of each system in order of preference;
	// a system that is absent has its own known ones. "" is a name without prefix.
	Prefixes map[string][]string
	// Roles are label matchers ("instance=~\"prefill.*\"", several with commas)
	// that make a role where no engine_type does. prefill and decode are always set.
	Roles map[string]string
	// Labels are the physical candidates of each logical label, in order of
	// preference; "engineGroup" is the label that identifies one engine.
	Labels map[string][]string
	// RequestSizes are the KV-cache sizes of requests by model, first match wins.
	// Entries that are wrong are among them, each with its Fault.
	RequestSizes kvcache.Sizes
	// KVSource is the system whose byte counters stand for KV transfers, one of the
	// catalog's KVSources, or KVAuto.
	KVSource string
	// Catalog is the built-in one with the own systems, bindings and signals laid over it,
	// nil where there are none.
	Catalog *catalog.Catalog
	// CustomQueryParameters are added to every request.
	CustomQueryParameters url.Values
	// HTTPMethod is POST or GET, of queries.
	HTTPMethod string
	// OAuthPassThru says whether Grafana forwards a user's login of OAuth.
	OAuthPassThru bool
	// ForwardGrafanaID says whether Grafana's token about the user is sent on to the server.
	ForwardGrafanaID bool
	// Timeout is the longest that one request may take, above 0.
	Timeout time.Duration
	// SeriesLimit is the most series of one answer that are shown; 0 means all.
	SeriesLimit int
	// Cache says whether points are kept between refreshes, CacheSize in how much
	// memory, in MiB.
	Cache     bool
	CacheSize int
	// ConcurrentQueries is how many requests may run at the server at once.
	ConcurrentQueries int
	// ResponseSize is the largest answer that is taken, unpacked, in MiB.
	ResponseSize int
}

// KVAuto takes the first source of KV bytes that the server holds.
const KVAuto = "auto"

// KVSource is a system that counts KV bytes, or KVAuto.
type KVSource string

// KVSources are all sources of a catalog, the default first.
func KVSources(c *catalog.Catalog) []KVSource {
	all := []KVSource{KVAuto}
	for _, system := range c.KVSources() {
		all = append(all, KVSource(system))
	}
	return all
}

// HTTPMethods are those of queries, the default first.
var HTTPMethods = []HTTPMethod{http.MethodPost, http.MethodGet}

const (
	defaultTimeout     = 30 * time.Second
	defaultSeriesLimit = 1000

	defaultCacheSize         = 64  // MiB
	defaultResponseSize      = 128 // MiB
	defaultConcurrentQueries = 64
)

// defaultRoles are tried where nothing is configured for a role. They fit
// deployments that name their targets by what they do.
func defaultRoles() map[string]string {
	return map[string]string{
		"prefill": `instance=~"prefill.*"`,
		"decode":  `instance=~"decode.*"`,
	}
}
