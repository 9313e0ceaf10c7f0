//go:build mage

// Builds and checks both halves of the plugin; `go tool mage -l` lists the targets.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/build"
	"github.com/magefile/mage/mg"
	"github.com/magefile/mage/sh"
	"github.com/magefile/mage/target"

	"github.com/ptd-monitor/pdmonitor/internal/audit"
	"github.com/ptd-monitor/pdmonitor/internal/edited"
	"github.com/ptd-monitor/pdmonitor/internal/fuzzing"
	"github.com/ptd-monitor/pdmonitor/internal/grafana"
	"github.com/ptd-monitor/pdmonitor/internal/nightly"
	"github.com/ptd-monitor/pdmonitor/internal/steps"
)

// plugin.json lies at the top level; src/plugin.json is a link to it.
var _ = build.SetBeforeBuildCallback(func(cfg build.Config) (build.Config, error) {
	cfg.PluginJSONPath = "."
	return cfg, nil
})

// Aliases are the short names of targets.
var Aliases = map[string]any{"build": Build.Plugin}

// pdmonitor is where the command is built.
const pdmonitor = "bin/pdmonitor"

// Build groups the targets that fill dist/.
type Build mg.Namespace

// Linux builds the back end for Linux on amd64.
func (Build) Linux() error { return build.Build{}.Linux() }

// LinuxARM64 builds the back end for Linux on arm64.
func (Build) LinuxARM64() error { return build.Build{}.LinuxARM64() }

// Host builds the back end for this machine.
func (Build) Host() error { return build.Build{}.Backend() }

// Frontend builds the front end unless dist/ is newer than its sources.
func (Build) Frontend(ctx context.Context) error {
	const made = "dist/module.js"
	old, err := target.Dir(made, "src", "dashboards", ".config", "plugin.json", "package-lock.json", "webpack.config.ts")
	if err != nil || !old {
		return err
	}
	if err := npm(ctx, os.Stdout, "run", "build"); err != nil {
		return err
	}
	// Webpack leaves an output alone that it would write the same again.
	return os.Chtimes(made, time.Time{}, time.Now())
}

// Workbench builds the page that pdmonitor serves, unless it is newer than its sources.
func (Build) Workbench(ctx context.Context) error { return buildPage(ctx, os.Stdout) }

func buildPage(ctx context.Context, out io.Writer) error {
	const page, made = "internal/workbench/page/", "internal/workbench/page/dist/index.html"
	old, err := target.Dir(made, page+"src", page+"icons", page+"webpack.config.ts", "src", "plugin.json", "package-lock.json")
	if err != nil || !old {
		return err
	}
	if err := npm(ctx, out, "run", "build:workbench"); err != nil {
		return err
	}
	return os.Chtimes(made, time.Time{}, time.Now())
}

// Command builds pdmonitor with the workbench in it.
func (Build) Command(ctx context.Context) error { return buildCommand(ctx, os.Stdout) }

func buildCommand(ctx context.Context, out io.Writer) error {
	if err := buildPage(ctx, out); err != nil {
		return err
	}
	return run(ctx, out, nil, "go", "build", "-o", pdmonitor, "./cmd/pdmonitor")
}

// Plugin builds the plugin for this machine; also called build.
func (b Build) Plugin(ctx context.Context) error {
	if err := b.Host(); err != nil {
		return err
	}
	return b.Frontend(ctx)
}

// All builds the front end, then the back end for every platform.
func (b Build) All() {
	mg.SerialDeps(b.Frontend, build.BuildAll)
}

// Demo starts a simulated cluster with its Prometheus and the workbench, and a Grafana where one is installed.
func Demo(ctx context.Context) error {
	if home, _ := grafana.Find(); home != "" { // an error is the demo's to tell
		if err := (Build{}).Plugin(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "the plugin is not built, so no Grafana is started:", err)
		}
	}
	if err := (Build{}).Workbench(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "the page of the workbench is not built:", err) // the demo goes on without it
	}
	if err := sh.Run("go", "build", "-o", pdmonitor, "./cmd/pdmonitor"); err != nil {
		return err
	}
	// The binary and not go run: it ends without an error when it is interrupted.
	return sh.RunV(pdmonitor, "demo")
}

// Test runs every check and test of both halves, what is independent side by side, and fails when one of them does.
func Test(ctx context.Context) error {
	return steps.Run(ctx, os.Stdout, atOnce, slices.Concat(
		[]steps.Step{workbench, {Name: "go test", Run: goTest}, {Name: "jest", Run: script("test:ci")}, browsers},
		checks(), []steps.Step{{Name: "race detector", Run: race}, {Name: "webpack", Run: script("build")}, {Name: "audit", Run: audited}},
	)...)
}

// Quick checks and tests what the files that differ from the last commit concern, in a minute.
func Quick(ctx context.Context) error {
	files, err := edited.Files(ctx, ".")
	if err != nil {
		return err
	}
	if len(files) == 0 {
		fmt.Println("no file differs from the last commit: there is nothing to check")
		return nil
	}
	some, err := quickGo(ctx, files)
	if err != nil {
		return err
	}
	return steps.Run(ctx, os.Stdout, atOnce, append(some, quickFrontEnd(files)...)...)
}

// Nightly searches for what is found in hours: many more random cases, the race detector on every package, minutes of
// every fuzz target, and half an hour of many viewers.
func Nightly(ctx context.Context) error {
	if err := os.Setenv(nightly.Variable, "1"); err != nil {
		return err
	}
	return steps.Run(ctx, os.Stdout, 1,
		steps.Step{Name: "go test with many more cases", Run: goTest},
		steps.Step{Name: "race detector on every package", Run: func(ctx context.Context, out io.Writer) error {
			return raced(ctx, out, "-short", "./...")
		}},
		steps.Step{Name: "fuzz", Run: fuzz(3 * time.Minute)},
		steps.Step{Name: "soak", Run: command("go", "run", "./internal/soak/run")},
	)
}

// Audit asks the databases of known faults about the Go modules and npm packages that ship.
func Audit(ctx context.Context) error { return audited(ctx, os.Stdout) }

// Fuzz runs every fuzz target for a few seconds. What makes one fail is left in its testdata, where go test
// tries it ever after.
func Fuzz(ctx context.Context) error { return fuzz(5*time.Second)(ctx, os.Stdout) }

// Lint runs the checks that need no build.
func Lint(ctx context.Context) error { return steps.Run(ctx, os.Stdout, atOnce, checks()...) }

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

// atOnce is how many steps run side by side. Most use more than one processor at times, and the tests
// that scrape once a second need one of their own: two processors are for one step.
var atOnce = max(1, runtime.NumCPU()/2)

// undebugged leaves out what only a debugger reads, and with it a third of the time that linking tests takes.
const undebugged = "-ldflags=-w"

// sharing are the packages in which goroutines share memory.
var sharing = []string{"./pkg/pointcache", "./pkg/prom", "./pkg/discovery", "./pkg/plugin", "./internal/workbench"}

var (
	workbench = steps.Step{Name: "pdmonitor with the workbench", Run: buildCommand}
	browsers  = steps.Step{Name: "browser tests", After: []string{workbench.Name}, Run: browserTests}
)

// checks need no build. Types are checked by tsc alone, and what go vet finds by go vet alone.
func checks() []steps.Step {
	return []steps.Step{
		{Name: "tsc", Run: script("typecheck")},
		{Name: "eslint, prettier", Run: script("lint")},
		{Name: "gofmt", Run: gofmt("Magefile.go", "cmd", "internal", "pkg")},
		{Name: "go vet", Run: command("go", "vet", "-tags", "mage", ".", "./...")},
		{Name: "staticcheck", Run: command("go", "tool", "staticcheck", "-tags", "mage", ".", "./...")},
	}
}

// quickGo are the steps for the packages that edited files belong to: their short tests and those of the packages that
// import one, and whether all that rests on them still compiles.
func quickGo(ctx context.Context, files []string) ([]steps.Step, error) {
	all, err := edited.Packages(ctx, ".")
	if err != nil {
		return nil, err
	}
	touched := edited.Of(all, files)
	var some []steps.Step
	sources := present(files, ".go")
	if slices.Contains(sources, "Magefile.go") {
		some = append(some, steps.Step{Name: "go vet of the targets", Run: command("go", "vet", "-tags", "mage", ".")})
	}
	if len(sources) > 0 {
		some = append(some, steps.Step{Name: "gofmt", Run: gofmt(sources...)})
	}
	if len(touched.Own) == 0 {
		return some, nil
	}
	return append(some,
		steps.Step{Name: "go test, short", Run: command("go", slices.Concat([]string{"test", "-short", "-vet=off", undebugged}, touched.Near)...)},
		steps.Step{Name: "go vet", Run: command("go", append([]string{"vet"}, touched.All...)...)},
		steps.Step{Name: "staticcheck", Run: command("go", append([]string{"tool", "staticcheck"}, touched.Own...)...)},
	), nil
}

// quickFrontEnd are the steps for the edited files of the front end.
func quickFrontEnd(files []string) []steps.Step {
	sources := present(files, ".ts", ".tsx")
	if len(sources) == 0 {
		return nil
	}
	npx := func(args ...string) func(context.Context, io.Writer) error {
		return func(ctx context.Context, out io.Writer) error {
			return npm(ctx, out, append([]string{"exec", "--"}, args...)...)
		}
	}
	return []steps.Step{
		{Name: "tsc", Run: script("typecheck")},
		{Name: "jest", Run: npx(append([]string{"jest", "--maxWorkers", "2", "--passWithNoTests", "--findRelatedTests"}, sources...)...)},
		{Name: "eslint", Run: npx(append([]string{"eslint", "--cache", "--no-warn-ignored"}, sources...)...)},
		{Name: "prettier", Run: npx(append([]string{"prettier", "--check"}, sources...)...)},
	}
}

// present are the files that end in one of some ways and were not removed.
func present(files []string, ends ...string) []string {
	var some []string
	for _, file := range files {
		if _, err := os.Stat(file); err == nil && slices.Contains(ends, filepath.Ext(file)) {
			some = append(some, file)
		}
	}
	return some
}

// goTest leaves out what go vet finds. Tests of a Grafana are not taken from Go's cache, which does not know whether
// that has changed.
func goTest(ctx context.Context, out io.Writer) error {
	if home, err := grafana.Find(); os.Getenv("GRAFANA_URL") == "" && home == "" && err == nil {
		fmt.Fprintln(out, "without a Grafana: set GRAFANA_URL to one that has loaded the plugin, or GRAFANA_HOME to the directory of one to start")
	}
	return run(ctx, out, []string{"PDM_TEST_RUN=" + time.Now().Format(time.RFC3339Nano)}, "go", "test", "-vet=off", undebugged, "-timeout", nightly.Or("10m", "60m"), "./...")
}

// race runs the short tests of the packages that share memory.
func race(ctx context.Context, out io.Writer) error {
	return raced(ctx, out, append([]string{"-short"}, sharing...)...)
}

// raced runs tests with the race detector, where there is a compiler of C for it.
func raced(ctx context.Context, out io.Writer, args ...string) error {
	compiler, err := sh.Output("go", "env", "CC")
	if err != nil {
		return err
	}
	if _, err := exec.LookPath(compiler); err != nil {
		fmt.Fprintf(out, "skipped: the race detector needs a compiler of C, and %s is not installed\n", compiler)
		return nil
	}
	return run(ctx, out, []string{"CGO_ENABLED=1"}, "go", append([]string{"test", "-race", "-vet=off", undebugged}, args...)...)
}

func audited(ctx context.Context, out io.Writer) error {
	return errors.Join(audit.Go(ctx, out, "./pkg", "./cmd/pdmonitor"), audit.NPM(ctx, out))
}

// fuzz runs every fuzz target for a while.
func fuzz(long time.Duration) func(context.Context, io.Writer) error {
	return func(ctx context.Context, out io.Writer) error {
		targets, err := fuzzing.Targets("cmd", "internal", "pkg")
		if err != nil {
			return err
		}
		var failed []error
		for _, t := range targets {
			err := run(ctx, out, nil, "go", "test", "-vet=off", "-run", "^$", "-fuzz", "^"+t.Name+"$", "-fuzztime", long.String(), "./"+t.Dir)
			if err != nil {
				failed = append(failed, fmt.Errorf("%s of %s: %w", t.Name, t.Dir, err))
			}
		}
		return errors.Join(failed...)
	}
}

// run runs a program with more in its environment.
func run(ctx context.Context, out io.Writer, env []string, name string, args ...string) error {
	program := exec.CommandContext(ctx, name, args...)
	program.Env = append(os.Environ(), env...)
	program.Stdout, program.Stderr = out, out
	if err := program.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args[:min(2, len(args))], " "), err)
	}
	return nil
}

// command runs a program as a step.
func command(name string, args ...string) func(context.Context, io.Writer) error {
	return func(ctx context.Context, out io.Writer) error { return run(ctx, out, nil, name, args...) }
}

// script runs a script of package.json as a step.
func script(name string) func(context.Context, io.Writer) error {
	return func(ctx context.Context, out io.Writer) error { return npm(ctx, out, "run", name) }
}

// installing keeps steps that run side by side from installing the same packages.
var installing sync.Mutex

// npm runs npm with the packages of package-lock.json in place.
func npm(ctx context.Context, out io.Writer, args ...string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return errors.New("npm is not installed: install Node.js 20 or newer")
	}
	if err := installed(ctx, out); err != nil {
		return err
	}
	return run(ctx, out, nil, "npm", args...)
}

func installed(ctx context.Context, out io.Writer) error {
	installing.Lock()
	defer installing.Unlock()
	old, err := target.Path("node_modules/.package-lock.json", "package-lock.json")
	if err != nil || !old {
		return err
	}
	return run(ctx, out, nil, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
}

// browserTests drive the workbench, and a real Grafana that has the plugin where there is one.
func browserTests(ctx context.Context, out io.Writer) error {
	browser := chromium()
	if browser == "" {
		fmt.Fprintln(out, "skipped: no Chromium; install the package chromium, or set CHROMIUM_PATH to one")
		return nil
	}
	if os.Getenv("GRAFANA_URL") == "" {
		fmt.Fprintln(out, "without a Grafana: set GRAFANA_URL to one that has loaded the plugin, for example http://localhost:3000")
	}
	if err := os.Setenv("CHROMIUM_PATH", browser); err != nil {
		return err
	}
	return npm(ctx, out, "run", "e2e")
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

// gofmt names the files and folders of files that are not formatted.
func gofmt(where ...string) func(context.Context, io.Writer) error {
	return func(context.Context, io.Writer) error {
		unformatted, err := sh.Output("gofmt", append([]string{"-l"}, where...)...)
		if err != nil || unformatted == "" {
			return err
		}
		return fmt.Errorf("run gofmt -w on\n%s", unformatted)
	}
}
