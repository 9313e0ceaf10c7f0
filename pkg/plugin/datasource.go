// Package plugin is the Grafana side of PD Monitor: one file for each handler.
// It joins the parts below it (settings, discovery, compile, prom, frames) and
// holds no knowledge of engines itself.
package plugin

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/backend/instancemgmt"
	"github.com/grafana/grafana-plugin-sdk-go/backend/resource/httpadapter"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/nearest"
	"github.com/ptd-monitor/pdmonitor/pkg/pointcache"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

// ID is the plugin's id in Grafana.
const ID = "ptd-pdmonitor-datasource"

var (
	_ backend.QueryDataHandler      = (*Datasource)(nil)
	_ backend.CheckHealthHandler    = (*Datasource)(nil)
	_ backend.CallResourceHandler   = (*Datasource)(nil)
	_ instancemgmt.InstanceDisposer = (*Datasource)(nil)
)

// Datasource is one configured data source. It is safe for concurrent use.
type Datasource struct {
	backend.CallResourceHandler

	figures  *pointcache.Figures
	settings settings.Settings
	catalog  *catalog.Catalog
	compiler *compile.Compiler
	// http, client and cache are nil where no URL is set, points also where no points
	// are to be kept.
	http   *http.Client
	client *prom.Client
	cache  *discovery.Cache
	points *pointcache.Cache
	ends   ends
	// broken is why nothing can be asked of this data source: its settings are
	// wrong. Every handler answers with it, the health check in plain words.
	broken error
}

// New makes the function that makes data sources from the settings that Grafana
// stored; they count what their caches do in figures. Wrong settings are no error
// there, so that "Save & test" can say what is wrong with them.
func New(figures *pointcache.Figures) func(context.Context, backend.DataSourceInstanceSettings) (instancemgmt.Instance, error) {
	return func(ctx context.Context, instance backend.DataSourceInstanceSettings) (instancemgmt.Instance, error) {
		return open(ctx, instance, figures)
	}
}

// Open makes one data source for callers that are not Grafana.
func Open(ctx context.Context, instance backend.DataSourceInstanceSettings) (*Datasource, error) {
	return open(ctx, instance, pointcache.NewFigures())
}

func open(ctx context.Context, instance backend.DataSourceInstanceSettings, figures *pointcache.Figures) (*Datasource, error) {
	known, err := catalog.Load()
	if err != nil {
		return nil, fmt.Errorf("start PD Monitor: %w", err)
	}
	d := &Datasource{figures: figures, catalog: known}
	d.CallResourceHandler = httpadapter.New(d.resources())
	d.broken = d.configure(ctx, instance)
	d.compiler = compile.New(d.catalog)
	return d, nil
}

func (d *Datasource) configure(ctx context.Context, instance backend.DataSourceInstanceSettings) error {
	var err error
	if d.settings, err = settings.FromInstance(ctx, instance); err != nil {
		return err
	}
	if d.settings.Catalog != nil {
		d.catalog = d.settings.Catalog
	}
	for _, system := range slices.Sorted(maps.Keys(d.settings.Prefixes)) {
		if _, ok := d.catalog.System(system); !ok {
			return &query.FieldError{Field: "prefixes", Value: system, Remedy: "it is no system of the catalog, such as " + d.systemLike(system)}
		}
	}
	if d.settings.URL == "" {
		return nil // queries can be compiled, if not run
	}
	options, err := d.settings.HTTPOptions(ctx, instance)
	if err != nil {
		return err
	}
	// The provider appends to the SDK's middlewares; httpclient.New with own
	// middlewares would drop basic auth, headers and forwarding.
	if d.http, err = httpclient.NewProvider().New(options); err != nil {
		return fmt.Errorf("HTTP client: %w", err)
	}
	d.client, err = prom.New(prom.Options{
		URL: d.settings.URL, HTTP: d.http, Method: d.settings.HTTPMethod,
		Parameters: d.settings.CustomQueryParameters, Secrets: secrets(instance),
		Limits: prom.Limits{
			Timeout: d.settings.Timeout, Bytes: int64(d.settings.ResponseSize) << 20, Concurrent: d.settings.ConcurrentQueries,
		},
	})
	if err != nil {
		return err
	}
	if d.settings.Cache {
		d.points = pointcache.New(d.client, pointcache.Options{Bytes: int64(d.settings.CacheSize) << 20, Figures: d.figures})
	}
	shared := d.settings.Compile()
	d.cache = discovery.NewCache(discovery.New(d.client, d.catalog, discovery.Options{
		Prefixes: shared.Prefixes, Roles: shared.Roles, Labels: shared.Labels,
	}))
	return nil
}

// systemLike names the systems whose names are nearest, or that there are.
func (d *Datasource) systemLike(wrong string) string {
	var names []string
	for _, s := range d.catalog.Systems() {
		names = append(names, s.Name)
	}
	if near := nearest.Names(wrong, names); len(near) > 0 {
		names = near
	}
	return strings.Join(names, ", ")
}

// secrets are the configured values that a server could echo in an error.
func secrets(instance backend.DataSourceInstanceSettings) []string {
	values := slices.Collect(maps.Values(instance.DecryptedSecureJSONData))
	if password := instance.DecryptedSecureJSONData["basicAuthPassword"]; password != "" {
		values = append(values, base64.StdEncoding.EncodeToString([]byte(instance.BasicAuthUser+":"+password)))
	}
	return values
}

// errNoURL is the answer to whatever needs a server where none is set.
var errNoURL = errors.New("no URL is set: enter the address of a Prometheus-compatible server, for example http://localhost:9090")

// reachable says why the server cannot be asked at all, nil when it can be.
func (d *Datasource) reachable() error {
	switch {
	case d.broken != nil:
		return &brokenSettings{d.broken}
	case d.client == nil:
		return &brokenSettings{errNoURL}
	}
	return nil
}

// Dispose frees the connections of a data source whose settings were replaced.
func (d *Datasource) Dispose() {
	if d.points != nil {
		d.points.Close()
	}
	if d.http != nil {
		d.http.CloseIdleConnections()
	}
}
