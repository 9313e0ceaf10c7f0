// Package host runs the plugin's binary in a process of its own and speaks gRPC to
// it, as Grafana does.
package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/grpcplugin"
	"github.com/grafana/grafana-plugin-sdk-go/experimental/datasourcetest"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
)

// Build compiles the plugin into a directory and returns the binary's path.
func Build(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "gpx_pdmonitor")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/ptd-monitor/pdmonitor/pkg")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the plugin: %w\n%s", err, out)
	}
	return path, nil
}

// Plugin is a running process.
type Plugin struct {
	*datasourcetest.TestPluginClient
	process *goplugin.Client
}

// Start runs a binary. Its log goes to the log given, nil drops it.
func Start(path string, logs *os.File) (*Plugin, error) {
	logger := hclog.NewNullLogger()
	if logs != nil {
		logger = hclog.New(&hclog.LoggerOptions{Output: logs, Level: hclog.Debug})
	}
	process := goplugin.NewClient(&goplugin.ClientConfig{
		Cmd: exec.Command(path),
		HandshakeConfig: goplugin.HandshakeConfig{
			ProtocolVersion: grpcplugin.ProtocolVersion, MagicCookieKey: grpcplugin.MagicCookieKey, MagicCookieValue: grpcplugin.MagicCookieValue,
		},
		VersionedPlugins: map[int]goplugin.PluginSet{grpcplugin.ProtocolVersion: {
			"data": &grpcplugin.DataGRPCPlugin{}, "diagnostics": &grpcplugin.DiagnosticsGRPCPlugin{}, "resource": &grpcplugin.ResourceGRPCPlugin{},
		}},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		Logger:           logger,
		SyncStderr:       logger.StandardWriter(&hclog.StandardLoggerOptions{}),
	})
	p := &Plugin{process: process, TestPluginClient: &datasourcetest.TestPluginClient{}}
	if err := p.connect(); err != nil {
		process.Kill()
		return nil, fmt.Errorf("start the plugin: %w", err)
	}
	return p, nil
}

func (p *Plugin) connect() error {
	protocol, err := p.process.Client()
	if err != nil {
		return err
	}
	var errs []error
	dispense := func(name string) any {
		client, err := protocol.Dispense(name)
		errs = append(errs, err)
		return client
	}
	var ok [3]bool
	p.DataClient, ok[0] = dispense("data").(pluginv2.DataClient)
	p.DiagnosticsClient, ok[1] = dispense("diagnostics").(pluginv2.DiagnosticsClient)
	p.ResourceClient, ok[2] = dispense("resource").(pluginv2.ResourceClient)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if ok != [3]bool{true, true, true} {
		return errors.New("it does not serve data, diagnostics and resources")
	}
	return nil
}

// Kill ends the process as the host does when it stops or the plugin is broken.
func (p *Plugin) Kill() { p.process.Kill() }

// Resource is a call of the front end: its status and body.
func (p *Plugin) Resource(ctx context.Context, about backend.PluginContext, method, path string) (int, string, error) {
	address, _, _ := strings.Cut(path, "?")
	var status int
	var body strings.Builder
	err := p.CallResource(ctx, &backend.CallResourceRequest{PluginContext: about, Method: method, Path: address, URL: path},
		backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
			status = r.Status
			_, err := body.Write(r.Body)
			return err
		}))
	return status, body.String(), err
}

// Figures is the page of metrics that Grafana collects from the plugin.
func (p *Plugin) Figures(ctx context.Context) (string, error) {
	answer, err := p.DiagnosticsClient.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{})
	if err != nil {
		return "", fmt.Errorf("collect the plugin's metrics: %w", err)
	}
	return string(answer.GetMetrics().GetPrometheus()), nil
}
