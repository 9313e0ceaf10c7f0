package promserver

import (
	"context"
	"net/http"
	"net/url"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/route"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/util/notifications"
	webapi "github.com/prometheus/prometheus/web/api/v1"
)

// version is what /api/v1/status/buildinfo reports: the Prometheus release whose
// packages are built in (module v0.316.0).
const version = "3.16.0"

// handler is the HTTP surface: the real API, and nothing of the user interface.
func (s *Server) handler(c Config, cfg *config.Config, registry *prometheus.Registry, promqlParser parser.Parser) http.Handler {
	started := time.Now()
	targets := targetsWithLoaded{s.manager, s.loader}
	api := webapi.NewAPI(
		s.engine, s.db, nil, s.db,
		func(context.Context) webapi.ScrapePoolsRetriever { return s.manager },
		func(context.Context) webapi.TargetRetriever { return targets },
		func(context.Context) webapi.AlertmanagerRetriever { return nothing{} },
		func() config.Config { return *cfg },
		map[string]string{},
		webapi.GlobalURLOptions{ListenAddress: s.url, Host: "127.0.0.1", Scheme: "http"},
		func(f http.HandlerFunc) http.HandlerFunc { return f },
		adminStats{s.db}, s.dir, false, false, 0,
		c.Logger,
		func(context.Context) webapi.RulesRetriever { return nothing{} },
		50_000_000, 10, 1<<20,
		false, nil,
		func() (webapi.RuntimeInfo, error) {
			return webapi.RuntimeInfo{
				StartTime: started, ServerTime: time.Now(),
				ReloadConfigSuccess: true, LastConfigTime: started,
				GoroutineCount: runtime.NumGoroutine(), GOMAXPROCS: runtime.GOMAXPROCS(0),
				StorageRetention: c.Retention.String(),
			}, nil
		},
		&webapi.PrometheusVersion{Version: version, GoVersion: runtime.Version()},
		func() []notifications.Notification { return nil },
		func() (<-chan notifications.Notification, func(), bool) { return nil, func() {}, false },
		registry, registry, nil,
		false, nil, false, false, false,
		c.Lookback, false, false, nil, nil,
		webapi.OpenAPIOptions{ExternalURL: s.url, Version: version},
		promqlParser, false, DefaultQueryTimeout,
	)
	router := route.New()
	api.Register(router)

	mux := http.NewServeMux()
	mux.Handle("/api/v1/", http.StripPrefix("/api/v1", router))
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	for _, path := range []string{"/-/ready", "/-/healthy"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("Prometheus Server is Ready.\n"))
		})
	}
	return mux
}

// adminStats gives the API the database statistics it asks for.
type adminStats struct{ *tsdb.DB }

// Stats describes the head block, as /api/v1/status/tsdb shows it.
func (a adminStats) Stats(label string, limit int) (*tsdb.Stats, error) {
	return a.Head().Stats(label, limit), nil
}

// WALReplayStatus is always complete: Start returns after the replay.
func (adminStats) WALReplayStatus() (tsdb.WALReplayStatus, error) {
	return tsdb.WALReplayStatus{}, nil
}

// BlockMetas lists the blocks on disk.
func (a adminStats) BlockMetas() ([]tsdb.BlockMeta, error) {
	var metas []tsdb.BlockMeta
	for _, b := range a.Blocks() {
		metas = append(metas, b.Meta())
	}
	return metas, nil
}

// nothing answers for the parts of Prometheus this server does not have.
type nothing struct{}

func (nothing) RuleGroups() []*rules.Group           { return nil }
func (nothing) AlertingRules() []*rules.AlertingRule { return nil }
func (nothing) Alertmanagers() []*url.URL            { return nil }
func (nothing) DroppedAlertmanagers() []*url.URL     { return nil }
