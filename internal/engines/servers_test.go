package engines_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// server is one that holds the replay.
type server struct {
	name string
	url  string
	// known is the first word that health calls it by.
	known string
	// span is what a window's rate is the increase of, where samples lie a second apart
	// and one of them on the window's end.
	span func(window time.Duration) time.Duration
	// pages is how it is filled, flush makes what came visible.
	pages simulator.Appender
	flush func(context.Context) error
	stop  func() error
	// missing says why it is not here.
	missing string
}

// errNotInstalled is why a server is left out.
var errNotInstalled = errors.New("not installed")

// started are all servers, once for all tests, which only read.
var started = sync.OnceValues(func() ([]*server, error) {
	ctx := context.Background()
	var all []*server
	for _, start := range []func(context.Context) (*server, error){embedded, prometheus2, victoriaMetrics} {
		s, err := start(ctx)
		if s != nil {
			all = append(all, s)
		}
		if errors.Is(err, errNotInstalled) {
			s.missing = err.Error()
			continue
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
})

// TestMain ends the servers that the tests started.
func TestMain(m *testing.M) {
	log.DefaultLogger = log.NewNullLogger() // the SDK logs every query
	backend.Logger = log.DefaultLogger
	code := m.Run()
	if all, _ := started(); len(all) > 0 {
		for _, s := range all {
			if s.stop == nil {
				continue
			}
			if err := s.stop(); err != nil {
				fmt.Fprintf(os.Stderr, "stopping %s: %v\n", s.name, err)
				code = 1
			}
		}
	}
	os.Exit(code)
}

func embedded(ctx context.Context) (*server, error) {
	s, err := promserver.Start(ctx, promserver.Config{})
	if err != nil {
		return nil, err
	}
	// Prometheus 3 leaves the sample on a window's beginning out.
	span := func(window time.Duration) time.Duration { return window - time.Second }
	return &server{name: "embedded Prometheus 3", known: "Prometheus", url: s.URL(), span: span, pages: s, stop: s.Close}, nil
}

func prometheus2(ctx context.Context) (*server, error) {
	// Prometheus 2 takes it in.
	s := &server{name: "Debian's prometheus", known: "Prometheus", span: func(window time.Duration) time.Duration { return window }}
	err := s.run(ctx, "prometheus", "/-/ready", func(dir, address string) ([]string, error) {
		// Nothing to scrape: all samples are written to it.
		file := filepath.Join(dir, "prometheus.yml")
		return []string{
			"--config.file=" + file, "--storage.tsdb.path=" + filepath.Join(dir, "data"),
			"--web.listen-address=" + address, "--web.enable-remote-write-receiver", "--log.level=error",
		}, os.WriteFile(file, []byte("global: {}\n"), 0o600)
	})
	s.pages = newRemoteWriter(s.url + "/api/v1/write")
	return s, err
}

func victoriaMetrics(ctx context.Context) (*server, error) {
	// VictoriaMetrics takes the sample before the window, and widens windows below some
	// scrape intervals.
	s := &server{name: "Debian's victoria-metrics", known: "The", span: func(window time.Duration) time.Duration { return max(window, 5*time.Second) }}
	err := s.run(ctx, "victoria-metrics", "/health", func(dir, address string) ([]string, error) {
		return []string{"-storageDataPath=" + dir, "-httpListenAddr=" + address, "-loggerLevel=ERROR"}, nil
	})
	s.pages = importer{s.url + "/api/v1/import/prometheus"}
	s.flush = func(ctx context.Context) error { return get(ctx, s.url+"/internal/force_flush") }
	return s, err
}

// run starts a program on a loopback port of its own, with a folder of its own, and
// waits until it is ready.
func (s *server) run(ctx context.Context, program, ready string, arguments func(dir, address string) ([]string, error)) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return fmt.Errorf("%s is %w: apt-get install %s", program, errNotInstalled, program)
	}
	dir, err := os.MkdirTemp("", "engines-")
	if err != nil {
		return err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	args, err := arguments(dir, address)
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	running, end := context.WithCancel(ctx)
	cmd := exec.CommandContext(running, path, args...)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second // then it is killed
	if err := cmd.Start(); err != nil {
		end()
		return errors.Join(err, os.RemoveAll(dir))
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // ended by a signal, which counts as an error
		close(exited)
	}()
	s.url = "http://" + address
	s.stop = func() error {
		end()
		<-exited
		return os.RemoveAll(dir)
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		select {
		case <-exited:
			return fmt.Errorf("%s ended instead of serving", program)
		default:
		}
		if get(ctx, s.url+ready) == nil {
			return nil
		}
	}
	return fmt.Errorf("%s is not ready after 30 s", program)
}

func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

func get(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	return send(request)
}

// send is for requests of which only the success matters.
func send(request *http.Request) error {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s: %s", request.URL.Path, response.Status)
	}
	return nil
}

// theServers are those that are here, the embedded one first.
func theServers(t *testing.T) []*server {
	t.Helper()
	all, err := started()
	require.NoError(t, err)
	return all
}

// others runs a test against each server that is not the embedded one.
func others(t *testing.T, test func(*testing.T, *source)) {
	t.Helper()
	against(t, theServers(t)[1:], test)
}

// each runs a test against each server.
func each(t *testing.T, test func(*testing.T, *source)) {
	t.Helper()
	against(t, theServers(t), test)
}

func against(t *testing.T, servers []*server, test func(*testing.T, *source)) {
	t.Helper()
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			if s.missing != "" {
				t.Skip(s.missing)
			}
			test(t, theReplay(t).sources[s.name])
		})
	}
}
