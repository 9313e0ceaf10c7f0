package grafana

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

// Options say what is started.
type Options struct {
	Home   string            // of Grafana
	Plugin string            // directory of the built plugin
	Files  map[string][]byte // below the directory of what is provisioned
	Env    []string          // more settings, such as GF_AUTH_ANONYMOUS_ENABLED=true
}

// Process is a Grafana on loopback with the plugin, and what it has written.
type Process struct {
	URL     string
	command *exec.Cmd
	dir     string
	ended   chan struct{}
}

// Start runs a Grafana and returns when it answers.
func Start(ctx context.Context, o Options) (*Process, error) {
	dir, err := os.MkdirTemp("", "pdmonitor-grafana-")
	if err != nil {
		return nil, fmt.Errorf("directory for Grafana: %w", err)
	}
	p := &Process{dir: dir, ended: make(chan struct{})}
	for _, step := range []func(context.Context, Options) error{p.lay, p.launch, p.wait} {
		if err := step(ctx, o); err != nil {
			p.Stop()
			return nil, err
		}
	}
	return p, nil
}

// lay puts the plugin and what is provisioned where Grafana looks for them.
func (p *Process) lay(_ context.Context, o Options) error {
	dist, err := filepath.Abs(o.Plugin)
	if err != nil {
		return fmt.Errorf("directory of the plugin: %w", err)
	}
	errs := []error{
		os.MkdirAll(filepath.Join(p.dir, "plugins"), 0o755),
		os.Symlink(dist, filepath.Join(p.dir, "plugins", plugin.ID)),
	}
	// Grafana's log complains about those that are missing.
	for _, kind := range []string{"alerting", "dashboards", "datasources", "plugins"} {
		errs = append(errs, os.MkdirAll(filepath.Join(p.dir, "provisioning", kind), 0o755))
	}
	for name, text := range o.Files {
		errs = append(errs, os.WriteFile(filepath.Join(p.dir, "provisioning", name), text, 0o600))
	}
	return errors.Join(errs...)
}

func (p *Process) launch(ctx context.Context, o Options) error {
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	p.URL = "http://" + net.JoinHostPort("127.0.0.1", port)
	log, err := os.Create(p.log())
	if err != nil {
		return fmt.Errorf("log of Grafana: %w", err)
	}
	defer func() { _ = log.Close() }()
	command := exec.Command(filepath.Join(o.Home, "bin", "grafana"), "server", "--homepath", o.Home)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its plugins end with it
	command.Env = append(append(os.Environ(),
		"GF_SERVER_HTTP_ADDR=127.0.0.1",
		"GF_SERVER_HTTP_PORT="+port,
		"GF_PATHS_DATA="+filepath.Join(p.dir, "data"),
		"GF_PATHS_LOGS="+filepath.Join(p.dir, "logs"),
		"GF_PATHS_PLUGINS="+filepath.Join(p.dir, "plugins"),
		"GF_PATHS_PROVISIONING="+filepath.Join(p.dir, "provisioning"),
		"GF_PLUGINS_ALLOW_LOADING_UNSIGNED_PLUGINS="+plugin.ID,
		"GF_PLUGINS_PREINSTALL_DISABLED=true",
		"GF_ANALYTICS_REPORTING_ENABLED=false",
		"GF_ANALYTICS_CHECK_FOR_UPDATES=false",
		"GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES=false",
	), o.Env...)
	if err := command.Start(); err != nil {
		return fmt.Errorf("start Grafana: %w", err)
	}
	p.command = command
	go func() {
		_ = command.Wait()
		close(p.ended)
	}()
	return nil
}

// wait returns when Grafana answers; its first start writes a whole database.
func (p *Process) wait(ctx context.Context, _ Options) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/api/health", nil)
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
		case <-p.ended:
			text := p.Log()
			return fmt.Errorf("grafana ended at once; its last words:\n%s", text[max(0, len(text)-2000):])
		case <-ctx.Done():
			return fmt.Errorf("wait for Grafana: %w", ctx.Err())
		case <-time.After(300 * time.Millisecond):
		}
	}
}

func (p *Process) log() string { return filepath.Join(p.dir, "grafana.log") }

// Log is what Grafana and the plugin have logged so far.
func (p *Process) Log() string {
	text, _ := os.ReadFile(p.log())
	return string(text)
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

// Stop ends Grafana with its plugins and removes what it wrote.
func (p *Process) Stop() {
	if p.command != nil {
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGTERM)
		select {
		case <-p.ended:
		case <-time.After(10 * time.Second):
			_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
			<-p.ended
		}
	}
	_ = os.RemoveAll(p.dir)
}
