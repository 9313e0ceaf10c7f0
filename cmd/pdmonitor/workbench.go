package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"runtime"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/internal/dashboards"
	"github.com/ptd-monitor/pdmonitor/internal/workbench"
	"github.com/ptd-monitor/pdmonitor/internal/workbench/page"
)

// workbenchFlags say where the workbench is served and whether a browser shows it.
type workbenchFlags struct {
	listen string
	open   bool
}

func (f *workbenchFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "loopback `host:port` of the workbench; port 0 takes a free one")
	cmd.Flags().BoolVar(&f.open, "open", true, "show the workbench in a browser when started from a terminal")
}

// served is a running workbench.
type served struct {
	url   string
	ended chan error
	stop  func()
}

// start serves the workbench over a data source until the context ends or stop is
// called.
func (f *workbenchFlags) start(ctx context.Context, settings backend.DataSourceInstanceSettings) (*served, error) {
	listener, err := workbench.Listen(ctx, f.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	w, err := open(ctx, settings)
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &served{url: "http://" + listener.Addr().(*net.TCPAddr).String() + "/", ended: make(chan error, 1)}
	done := make(chan struct{})
	go func() {
		s.ended <- w.Serve(ctx, listener)
		w.Close()
		close(done)
	}()
	s.stop = func() {
		cancel()
		<-done
	}
	return s, nil
}

func open(ctx context.Context, settings backend.DataSourceInstanceSettings) (*workbench.Workbench, error) {
	boards, err := dashboards.Files()
	if err != nil {
		return nil, err
	}
	built, _ := page.Built()
	return workbench.New(ctx, workbench.Options{Settings: settings, Dashboards: boards, Page: built})
}

// show opens the workbench in a browser where somebody sits in front of one.
func (f *workbenchFlags) show(ctx context.Context, out io.Writer, url string) {
	if !f.open || !isTerminal(out) {
		return
	}
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	// The address is printed too, so a machine without a browser is no failure.
	if browser := exec.CommandContext(ctx, opener, url); browser.Start() == nil {
		go func() { _ = browser.Wait() }()
	}
}
