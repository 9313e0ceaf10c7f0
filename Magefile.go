//go:build mage

// Builds and checks both halves of the plugin; `go tool mage -l` lists the targets.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/build"
	"github.com/magefile/mage/mg"
	"github.com/magefile/mage/sh"
	"github.com/magefile/mage/target"

	"github.com/ptd-monitor/pdmonitor/internal/audit"
	"github.com/ptd-monitor/pdmonitor/internal/fuzzing"
	"github.com/ptd-monitor/pdmonitor/internal/grafana"
)

// plugin.json lies at the top level; src/plugin.json is a link to it.
var _ = build.SetBeforeBuildCallback(func(cfg build.Config) (build.Config, error) {
	cfg.PluginJSONPath = "."
	return cfg, nil
})

// Aliases are the short names of targets.
var Aliases = map[string]any{"build": Build.Plugin}

// command is where pdmonitor is built.
const command = "bin/pdmonitor"

// Build groups the targets that fill dist/.
type Build mg.Namespace

// Linux builds the back end for Linux on amd64.
func (Build) Linux() error { return build.Build{}.Linux() }

// LinuxARM64 builds the back end for Linux on arm64.
func (Build) LinuxARM64() error { return build.Build{}.LinuxARM64() }

// Host builds the back end for this machine.
func (Build) Host() error { return build.Build{}.Backend() }

// Frontend builds the front end unless dist/ is newer than its sources.
func (Build) Frontend() error {
	const made = "dist/module.js"
	old, err := target.Dir(made, "src", "dashboards", ".config", "plugin.json", "package-lock.json", "webpack.config.ts")
	if err != nil || !old {
		return err
	}
	if err := npm("run", "build"); err != nil {
		return err
	}
	// Webpack leaves an output alone that it would write the same again.
	return os.Chtimes(made, time.Time{}, time.Now())
}

// Workbench builds the page that pdmonitor serves, unless it is newer than its sources.
func (Build) Workbench() error {
	const page, made = "internal/workbench/page/", "internal/workbench/page/dist/index.html"
	old, err := target.Dir(made, page+"src", page+"icons", page+"webpack.config.ts", "src", "plugin.json", "package-lock.json")
	if err != nil || !old {
		return err
	}
	if err := npm("run", "build:workbench"); err != nil {
		return err
	}
	return os.Chtimes(made, time.Time{}, time.Now())
}

// Command builds pdmonitor with the workbench in it.
func (b Build) Command() error {
	if err := b.Workbench(); err != nil {
		return err
	}
	return sh.Run("go", "build", "-o", command, "./cmd/pdmonitor")
}

// Plugin builds the plugin for this machine; also called build.
func (b Build) Plugin() error {
	if err := b.Host(); err != nil {
		return err
	}
	return b.Frontend()
}

// All builds the front end, then the back end for every platform.
func (b Build) All() {
	mg.SerialDeps(b.Frontend, build.BuildAll)
}

// Demo starts a simulated cluster with its Prometheus and the workbench, and a Grafana where one is installed.
func Demo() error {
	if home, _ := grafana.Find(); home != "" { // an error is the demo's to tell
		if err := (Build{}).Plugin(); err != nil {
			fmt.Fprintln(os.Stderr, "the plugin is not built, so no Grafana is started:", err)
		}
	}
	if err := (Build{}).Workbench(); err != nil {
		fmt.Fprintln(os.Stderr, "the page of the workbench is not built:", err) // the demo goes on without it
	}
	if err := sh.Run("go", "build", "-o", command, "./cmd/pdmonitor"); err != nil {
		return err
	}
	// The binary and not go run: it ends without an error when it is interrupted.
	return sh.RunV(command, "demo")
}

// Test runs every check and test of both halves, and fails when one of them does.
func Test() error {
	audited := func() error { return Audit(context.Background()) }
	checks := append(goChecks(), step{"audit", audited}, step{"fuzz", Fuzz}, step{"go test", goTest})
	return inOrder(append(frontEndChecks(), checks...)...)
}

// Audit asks the databases of known faults about the Go modules and npm packages that ship.
func Audit(ctx context.Context) error {
	return errors.Join(audit.Go(ctx, os.Stdout, "./pkg", "./cmd/pdmonitor"), audit.NPM(ctx, os.Stdout))
}

// Fuzz runs every fuzz target for a few seconds. What makes one fail is left in its testdata, where go test
// tries it ever after.
func Fuzz() error {
	targets, err := fuzzing.Targets("cmd", "internal", "pkg")
	if err != nil {
		return err
	}
	var failed []error
	for _, t := range targets {
		err := sh.RunV("go", "test", "-run", "^$", "-fuzz", "^"+t.Name+"$", "-fuzztime", "5s", "./"+t.Dir)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s of %s: %w", t.Name, t.Dir, err))
		}
	}
	return errors.Join(failed...)
}

// Lint runs the checks that need no build.
func Lint() error {
	return inOrder(append(goChecks(), step{"eslint, prettier", script("lint")}, step{"tsc", script("typecheck")})...)
}

// Dashboards writes dashboards/*.json from internal/dashboards.
func Dashboards() error { return sh.RunV("go", "run", "./internal/dashboards/write", "dashboards") }

// Rules writes provisioning/alerting/pdmonitor.yaml from pkg/rules.
func Rules() error {
	text, err := sh.Output("go", "run", "./cmd/pdmonitor", "rules", "--format", "grafana")
	if err != nil {
		return err
	}
	return os.WriteFile("provisioning/alerting/pdmonitor.yaml", []byte(text+"\n"), 0o644)
}

// Docs writes docs/signals.md from the catalog.
func Docs() error { return sh.RunV("go", "run", "./internal/signalsdoc/write", "docs/signals.md") }

// Wire writes src/wire.gen.ts, what travels between back end and front end, from the Go side.
func Wire() error { return sh.RunV("go", "run", "./internal/wire/write", "src/wire.gen.ts") }

// Bench measures what answers cost and writes the results into docs/performance.md.
func Bench() error { return sh.RunV("go", "run", "./internal/bench/write", "docs/performance.md") }

// Soak lets 20 viewers refresh a dashboard for half an hour against a server that restarts, and writes what it
// found into docs/performance.md.
func Soak() error { return sh.RunV("go", "run", "./internal/soak/run", "docs/performance.md") }

// Clean removes everything that was built; node_modules stays.
func Clean() error {
	for _, made := range []string{"bin", "dist", "internal/workbench/page/dist/build", "internal/workbench/page/dist/fonts", "internal/workbench/page/dist/index.html", "coverage", "test-results", "playwright-report", ".eslintcache"} {
		if err := sh.Rm(made); err != nil {
			return err
		}
	}
	return nil
}

// step is one part of a longer target.
type step struct {
	name string
	run  func() error
}

func frontEndChecks() []step {
	return []step{
		{"tsc", script("typecheck")},
		{"eslint, prettier", script("lint")},
		{"jest", script("test:ci")},
		{"webpack", script("build")},
		{"pdmonitor with the workbench", Build{}.Command},
		{"browser tests", browserTests},
	}
}

func goChecks() []step {
	return []step{
		{"gofmt", gofmt},
		{"go vet", func() error { return sh.RunV("go", "vet", "./...") }},
		{"go vet of this file", func() error { return sh.RunV("go", "vet", "-tags", "mage", ".") }},
		{"staticcheck", func() error { return sh.RunV("go", "tool", "staticcheck", "./...") }},
	}
}

// goTest comes last, so that its summary is what a log ends with. Tests of a Grafana are not taken from Go's
// cache, which does not know whether that has changed.
func goTest() error {
	if home, err := grafana.Find(); os.Getenv("GRAFANA_URL") == "" && home == "" && err == nil {
		fmt.Println("without a Grafana: set GRAFANA_URL to one that has loaded the plugin, or GRAFANA_HOME to the directory of one to start")
	}
	return sh.RunWithV(map[string]string{"PDM_TEST_RUN": time.Now().Format(time.RFC3339Nano)}, "go", "test", "./...")
}

// inOrder runs all steps, also after a failure: one run then shows every fault.
func inOrder(steps ...step) error {
	var failed []error
	for _, s := range steps {
		fmt.Printf("\n== %s\n", s.name)
		if err := s.run(); err != nil {
			fmt.Printf("FAILED: %s: %v\n", s.name, err)
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		}
	}
	return errors.Join(failed...)
}

// script runs a script of package.json.
func script(name string) func() error {
	return func() error { return npm("run", name) }
}

// npm runs npm with the packages of package-lock.json in place.
func npm(args ...string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("npm is not installed: install Node.js 20 or newer")
	}
	old, err := target.Path("node_modules/.package-lock.json", "package-lock.json")
	if err != nil {
		return err
	}
	if old {
		if err := sh.RunV("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"); err != nil {
			return err
		}
	}
	return sh.RunV("npm", args...)
}

// browserTests drive the workbench, and a real Grafana that has the plugin where there is one.
func browserTests() error {
	browser := chromium()
	if browser == "" {
		fmt.Println("skipped: no Chromium; install the package chromium, or set CHROMIUM_PATH to one")
		return nil
	}
	if os.Getenv("GRAFANA_URL") == "" {
		fmt.Println("without a Grafana: set GRAFANA_URL to one that has loaded the plugin, for example http://localhost:3000")
	}
	if err := os.Setenv("CHROMIUM_PATH", browser); err != nil {
		return err
	}
	return npm("run", "e2e")
}

// chromium is a browser of this machine that Playwright can drive, or "".
func chromium() string {
	for _, variable := range []string{"CHROMIUM_PATH", "PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH"} {
		if path := os.Getenv(variable); path != "" {
			return path
		}
	}
	for _, name := range []string{"chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// gofmt names the files that are not formatted.
func gofmt() error {
	unformatted, err := sh.Output("gofmt", "-l", "Magefile.go", "cmd", "internal", "pkg")
	if err != nil || unformatted == "" {
		return err
	}
	return fmt.Errorf("run gofmt -w on\n%s", unformatted)
}
