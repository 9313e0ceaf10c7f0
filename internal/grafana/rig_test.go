package grafana

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/host"
)

// theOne is the Grafana that all tests ask: the one at GRAFANA_URL, else one that is
// started when the first test needs it.
var theOne struct {
	once    sync.Once
	server  *Server
	process *Process // nil for one that ran before
	dir     string
	skip    string
	err     error
}

// runVariable is another one in every run of go tool mage test: nothing else tells Go's
// cache of test results that the Grafana at an address may have changed.
const runVariable = "PDM_TEST_RUN"

func TestMain(m *testing.M) {
	// A Grafana of its own process group would outlive an interrupted test.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		end()
		os.Exit(1)
	}()
	code := m.Run()
	end()
	os.Exit(code)
}

func end() {
	if theOne.process != nil {
		theOne.process.Stop()
	}
	_ = os.RemoveAll(theOne.dir)
}

// server skips the test where there is no Grafana.
func server(t *testing.T) *Server {
	t.Helper()
	theOne.once.Do(func() { theOne.err = find(context.Background()) })
	if theOne.skip != "" {
		t.Skip(theOne.skip)
	}
	require.NoError(t, theOne.err)
	return theOne.server
}

func find(ctx context.Context) (err error) {
	_ = os.Getenv(runVariable) // the cache knows of what is read while tests run
	login, password := os.Getenv("GRAFANA_USER"), os.Getenv("GRAFANA_PASSWORD")
	if login == "" {
		login = "admin"
	}
	if password == "" {
		password = "admin"
	}
	if address := os.Getenv("GRAFANA_URL"); address != "" {
		theOne.server, err = Connect(ctx, address, login, password)
		return err
	}
	home, err := Find()
	if err != nil {
		return err
	}
	if home == "" {
		theOne.skip = "no Grafana is installed: set " + HomeVariable + " to the directory of one, or GRAFANA_URL to one that has loaded the plugin"
		return nil
	}
	if theOne.dir, err = os.MkdirTemp("", "pdmonitor-plugin-"); err != nil {
		return err
	}
	if err := build(ctx, theOne.dir); err != nil {
		return err
	}
	theOne.process, err = Start(ctx, Options{Home: home, Plugin: theOne.dir, Env: []string{
		"GF_DATAPROXY_SEND_USER_HEADER=true", // some proxies decide by it what a user may see
		"GF_SECURITY_ADMIN_USER=admin", "GF_SECURITY_ADMIN_PASSWORD=admin",
	}})
	if err != nil {
		return err
	}
	theOne.server, err = Connect(ctx, theOne.process.URL, "admin", "admin")
	if err != nil {
		text := theOne.process.Log()
		return fmt.Errorf("%w\n%s", err, text[max(0, len(text)-4000):])
	}
	return nil
}

// build makes a plugin that Grafana loads: the description, the back end and a front
// end that does nothing.
func build(ctx context.Context, dir string) error {
	description, err := os.ReadFile(filepath.Join("..", "..", "plugin.json"))
	if err != nil {
		return err
	}
	description = bytes.ReplaceAll(description, []byte("%VERSION%"), []byte("0.0.0"))
	description = bytes.ReplaceAll(description, []byte("%TODAY%"), []byte("2025-01-01"))
	binary, err := host.Build(ctx, dir)
	if err != nil {
		return err
	}
	return errors.Join(
		os.Rename(binary, fmt.Sprintf("%s_%s_%s", binary, runtime.GOOS, runtime.GOARCH)),
		os.WriteFile(filepath.Join(dir, "plugin.json"), description, 0o600),
		os.WriteFile(filepath.Join(dir, "module.js"), []byte("define([], () => ({ plugin: {} }));\n"), 0o600),
	)
}

// names are different in every run, also against a Grafana that stays.
var names atomic.Int64

func name(kind string) string {
	return fmt.Sprintf("pdm-%s-%d-%d", kind, time.Now().UnixNano(), names.Add(1))
}

// org is an organisation of one test, which goes with it.
type org struct {
	t      *testing.T
	server *Server
	id     int64
}

func newOrg(t *testing.T) *org {
	t.Helper()
	return newOrgOf(t, server(t))
}

func newOrgOf(t *testing.T, s *Server) *org {
	t.Helper()
	id, err := s.AddOrg(t.Context(), name("org"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.RemoveOrg(context.Background(), id)) })
	return &org{t: t, server: s, id: id}
}

// user is somebody of the organisation who has logged in, as Viewer, Editor or Admin.
func (o *org) user(role string) *User {
	o.t.Helper()
	u, err := o.server.AddUser(o.t.Context(), o.id, name("user"), role)
	if u != nil {
		o.t.Cleanup(func() { require.NoError(o.t, o.server.RemoveUser(context.Background(), u)) })
	}
	require.NoError(o.t, err)
	return u
}

// source is a data source of the organisation for a server, refreshed every second.
func (o *org) source(of *upstream, s Source) Source {
	o.t.Helper()
	s.Name, s.URL = name("source"), of.url
	settings := map[string]any{"scrapeInterval": "1s", "timeout": "10s"}
	for key, value := range s.JSONData {
		settings[key] = value
	}
	s.JSONData = settings
	made, err := o.server.AddSource(o.t.Context(), o.id, s)
	require.NoError(o.t, err)
	return made
}

// ask is a call of the API that must be answered, whatever the answer is.
func ask(t *testing.T, u *User, method, path string, body any) Answer {
	t.Helper()
	answer, err := u.Ask(t.Context(), method, path, body)
	require.NoError(t, err)
	return answer
}

// up asks for a curve that every upstream has.
func up(t *testing.T, u *User, s Source) Answer {
	t.Helper()
	answer, err := u.Query(t.Context(), s, map[string]any{"schemaVersion": 1, "queryType": "promql", "expr": "up"})
	require.NoError(t, err)
	return answer
}
