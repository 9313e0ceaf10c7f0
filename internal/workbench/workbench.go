package workbench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// HowToBuild says what to do about a program without the page.
const HowToBuild = "Build it with: npm ci && npm run build:workbench, then build pdmonitor again; go tool mage demo does both"

// Options are what a workbench shows.
type Options struct {
	// Settings are the data source's at the start; the settings page may change
	// them for as long as the workbench runs.
	Settings backend.DataSourceInstanceSettings
	// Dashboards are dashboards as JSON, by file name.
	Dashboards map[string][]byte
	// Page is the built front end: index.html and what it loads.
	Page fs.FS
}

// Workbench is an HTTP handler that shows one data source.
type Workbench struct {
	source     *source
	dashboards []dashboard
	page       fs.FS
}

// New makes a workbench. Close frees what it holds.
func New(ctx context.Context, o Options) (*Workbench, error) {
	boards, err := readDashboards(o.Dashboards)
	if err != nil {
		return nil, err
	}
	s, err := newSource(ctx, o.Settings)
	if err != nil {
		return nil, err
	}
	return &Workbench{source: s, dashboards: boards, page: o.Page}, nil
}

// Close frees the connections of the data source.
func (w *Workbench) Close() { w.source.close() }

// Handler serves the page and its API to callers on this machine.
func (w *Workbench) Handler() http.Handler {
	mux := http.NewServeMux()
	const source = "/api/datasources/uid/" + UID
	mux.HandleFunc("POST /api/ds/query", w.source.query)
	mux.HandleFunc("GET "+source, w.source.show)
	mux.HandleFunc("PUT "+source, w.source.change)
	mux.HandleFunc("GET "+source+"/health", w.source.health)
	mux.HandleFunc(source+"/resources/{path...}", w.source.resource)
	mux.HandleFunc("GET /api/frontend/settings", w.source.frontendSettings)
	mux.HandleFunc("GET /api/search", w.listDashboards)
	mux.HandleFunc("GET /api/dashboards/uid/{uid}", w.showDashboard)
	mux.HandleFunc("/api/", notFound)
	mux.Handle("/public/", http.StripPrefix("/public/", public{w.page}))
	mux.HandleFunc("/", w.index)
	return guarded(mux)
}

// Serve answers on the listener until the context ends.
func (w *Workbench) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{Handler: w.Handler(), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the workbench: %w", err)
	}
	return nil
}

// Listen opens an address of this machine alone: the workbench knows no users, so
// whoever reaches it can do everything.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil || !isLoopback(host) {
		return nil, errors.New("the workbench serves this machine alone: give a loopback address such as 127.0.0.1:0, and reach it from elsewhere through ssh -L")
	}
	return (&net.ListenConfig{}).Listen(ctx, "tcp", address)
}
