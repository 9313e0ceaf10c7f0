package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

// grafanaFlags say which Grafana the demo starts and with what.
type grafanaFlags struct {
	home, plugin, dashboards string
	without                  bool
}

func (f *grafanaFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.home, "grafana", "", "`directory` of a Grafana (with bin/grafana and public/) to start with the plugin")
	cmd.Flags().BoolVar(&f.without, "no-grafana", false, "start no Grafana even if one is installed")
	cmd.Flags().StringVar(&f.plugin, "plugin-dir", "dist", "`directory` of the built plugin")
	cmd.Flags().StringVar(&f.dashboards, "dashboards-dir", "dashboards", "`directory` of the dashboards")
}

// grafana is a running Grafana; the zero value is none.
type grafana struct {
	process *exec.Cmd
	dir     string
	ended   chan struct{}
}

// find is the home of a Grafana: the one asked for, else an installed one, else "".
func (f *grafanaFlags) find() (string, error) {
	if f.without {
		return "", nil
	}
	if f.home != "" {
		if _, err := os.Stat(filepath.Join(f.home, "bin", "grafana")); err != nil {
			return "", fmt.Errorf("--grafana %s: no bin/grafana in it: give the directory of an unpacked Grafana", f.home)
		}
		return f.home, nil
	}
	candidates := []string{"/usr/share/grafana"}
	if path, err := exec.LookPath("grafana"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			candidates = append([]string{filepath.Dir(filepath.Dir(real))}, candidates...)
		}
	}
	for _, home := range candidates {
		_, binary := os.Stat(filepath.Join(home, "bin", "grafana"))
		_, public := os.Stat(filepath.Join(home, "public"))
		if binary == nil && public == nil {
			return home, nil
		}
	}
	return "", nil
}

// start runs a Grafana on loopback with the built plugin, a data source for the
// demo's Prometheus and the dashboards.
func (f *grafanaFlags) start(ctx context.Context, s *stack, progress io.Writer) (*grafana, error) {
	home, err := f.find()
	if err != nil {
		return &grafana{}, err
	}
	if f.without {
		return &grafana{}, nil
	}
	if home == "" {
		_, _ = fmt.Fprintln(progress, "Grafana:     none found; give --grafana DIR to see the dashboards")
		return &grafana{}, nil
	}
	if _, err := os.Stat(filepath.Join(f.plugin, "module.js")); err != nil {
		if f.home == "" {
			_, _ = fmt.Fprintf(progress, "Grafana:     not started, the plugin is not built in %s\n", f.plugin)
			return &grafana{}, nil
		}
		return &grafana{}, fmt.Errorf("--plugin-dir %s: the plugin is not built there: run go tool mage build", f.plugin)
	}
	g := &grafana{ended: make(chan struct{})}
	if g.dir, err = os.MkdirTemp("", "pdmonitor-grafana-"); err != nil {
		return &grafana{}, fmt.Errorf("directory for Grafana: %w", err)
	}
	address, err := f.launch(ctx, g, home, s)
	if err != nil {
		g.stop()
		return &grafana{}, err
	}
	_, _ = fmt.Fprintf(progress, "Grafana:     http://%s/dashboards (starting)\n", address)
	return g, nil
}

func (f *grafanaFlags) launch(ctx context.Context, g *grafana, home string, s *stack) (string, error) {
	if err := f.prepare(g.dir, s); err != nil {
		return "", err
	}
	port, err := freePort(ctx)
	if err != nil {
		return "", err
	}
	log, err := os.Create(filepath.Join(g.dir, "grafana.log"))
	if err != nil {
		return "", fmt.Errorf("log of Grafana: %w", err)
	}
	defer func() { _ = log.Close() }()
	g.process = exec.Command(filepath.Join(home, "bin", "grafana"), "server", "--homepath", home)
	g.process.Stdout, g.process.Stderr = log, log
	g.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its plugins end with it
	g.process.Env = append(os.Environ(),
		"GF_SERVER_HTTP_ADDR=127.0.0.1",
		"GF_SERVER_HTTP_PORT="+port,
		"GF_PATHS_DATA="+filepath.Join(g.dir, "data"),
		"GF_PATHS_LOGS="+filepath.Join(g.dir, "logs"),
		"GF_PATHS_PLUGINS="+filepath.Join(g.dir, "plugins"),
		"GF_PATHS_PROVISIONING="+filepath.Join(g.dir, "provisioning"),
		"GF_PLUGINS_ALLOW_LOADING_UNSIGNED_PLUGINS="+plugin.ID,
		"GF_PLUGINS_PREINSTALL_DISABLED=true",
		"GF_DASHBOARDS_MIN_REFRESH_INTERVAL=1s",
		"GF_AUTH_ANONYMOUS_ENABLED=true",
		"GF_AUTH_ANONYMOUS_ORG_ROLE=Admin",
		"GF_ANALYTICS_REPORTING_ENABLED=false",
		"GF_ANALYTICS_CHECK_FOR_UPDATES=false",
		"GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES=false",
	)
	if err := g.process.Start(); err != nil {
		return "", fmt.Errorf("start Grafana: %w", err)
	}
	go func() {
		_ = g.process.Wait()
		close(g.ended)
	}()
	address := net.JoinHostPort("127.0.0.1", port)
	return address, g.wait(ctx, address)
}

// wait returns when Grafana answers.
func (g *grafana) wait(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/api/health", nil)
		if err != nil {
			return fmt.Errorf("ask Grafana: %w", err)
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-g.ended:
			text, _ := os.ReadFile(filepath.Join(g.dir, "grafana.log"))
			return fmt.Errorf("grafana ended at once; its last words:\n%s", text[max(0, len(text)-2000):])
		default:
		}
		if err := sleep(ctx, 300*time.Millisecond); err != nil {
			return fmt.Errorf("wait for Grafana: %w", err)
		}
	}
}

// prepare lays out plugins and provisioning in dir.
func (f *grafanaFlags) prepare(dir string, s *stack) error {
	dist, err := filepath.Abs(f.plugin)
	if err != nil {
		return fmt.Errorf("--plugin-dir: %w", err)
	}
	dashboards, err := filepath.Abs(f.dashboards)
	if err != nil {
		return fmt.Errorf("--dashboards-dir: %w", err)
	}
	datasources := map[string]any{"apiVersion": 1, "datasources": []any{map[string]any{
		"name": "PD Monitor", "uid": rules.ProvisionedSource, "type": plugin.ID, "access": "proxy", "isDefault": true,
		"url": s.server.URL(), "jsonData": s.settings,
	}}}
	providers := map[string]any{"apiVersion": 1, "providers": []any{map[string]any{
		"name": "PD Monitor", "folder": "PD Monitor", "type": "file", "options": map[string]any{"path": dashboards},
	}}}
	alerts, err := rules.Grafana(rules.All(rules.DefaultTargets()), rules.ProvisionedSource)
	if err != nil {
		return err
	}
	provisioning := filepath.Join(dir, "provisioning")
	return errors.Join(
		os.MkdirAll(filepath.Join(dir, "plugins"), 0o755),
		os.Symlink(dist, filepath.Join(dir, "plugins", plugin.ID)),
		writeYAML(filepath.Join(provisioning, "datasources", "demo.yaml"), datasources),
		writeYAML(filepath.Join(provisioning, "dashboards", "demo.yaml"), providers),
		os.MkdirAll(filepath.Join(provisioning, "plugins"), 0o755),
		os.MkdirAll(filepath.Join(provisioning, "alerting"), 0o755),
		os.WriteFile(filepath.Join(provisioning, "alerting", "demo.yaml"), alerts, 0o600),
	)
}

func writeYAML(path string, v any) error {
	text, err := yaml.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o600))
}

func freePort(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return port, nil
}

// stop ends Grafana with its plugins and removes what it wrote.
func (g *grafana) stop() {
	if g.process != nil && g.process.Process != nil {
		_ = syscall.Kill(-g.process.Process.Pid, syscall.SIGTERM)
		select {
		case <-g.ended:
		case <-time.After(10 * time.Second):
			_ = syscall.Kill(-g.process.Process.Pid, syscall.SIGKILL)
			<-g.ended
		}
	}
	if g.dir != "" {
		_ = os.RemoveAll(g.dir)
	}
}
