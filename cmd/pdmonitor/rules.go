package main

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/spf13/cobra"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

// ruleFlags are the words of `pdmonitor rules`.
type ruleFlags struct {
	connection connection
	format     string
	targets    rules.Targets
	source     string
	record     bool
	windows    []string
}

// sourceUID is what Grafana takes for the uid of a data source.
var sourceUID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)

func newRules() *cobra.Command {
	f := ruleFlags{targets: rules.DefaultTargets()}
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Print the alert rules, for Prometheus or for Grafana's provisioning",
		Long: `rules prints the alert rules that docs/alerts.md describes.

For Prometheus they are PromQL, made by the compiler from the same signals that the
panels show: give --settings where roles, prefixes, labels or request sizes are not the
defaults, and --url to have rules for what that server holds and nothing else; without
it they allow for every system and name of the catalog. For Grafana they are semantic
queries of a PD Monitor data source, which compiles them itself: give its uid with
--datasource-uid, the last part of the address of its settings page.

With --record it prints recording rules for Prometheus of what the PD overview reads, by
model and instance. Once a server has them for the whole time that is looked at, the data
source reads them wherever they give exactly the answer that is asked for, and says so.`,
		Example: `  pdmonitor rules --format prometheus --settings settings.yaml > pdmonitor.rules.yaml
  pdmonitor rules --record --url http://localhost:9090 > pdmonitor.recording.yaml
  pdmonitor rules --format grafana --datasource-uid bf1x2 > provisioning/alerting/pdmonitor.yaml`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.print(cmd) },
	}
	f.connection.flags(cmd)
	set := cmd.Flags()
	set.StringVar(&f.format, "format", "prometheus", "`form` of the rules: prometheus or grafana")
	set.StringVar(&f.source, "datasource-uid", rules.ProvisionedSource, "with --format grafana, `uid` of the data source that the rules ask")
	set.DurationVar(&f.targets.TTFT, "ttft-target", f.targets.TTFT, "`limit` of the time to the first token; a bucket of the engines has to end there")
	set.DurationVar(&f.targets.ITL, "itl-target", f.targets.ITL, "`limit` of the time between tokens, likewise")
	set.Float64Var(&f.targets.Objective, "objective", f.targets.Objective, "`share` of tokens and requests that has to be within the limits")
	set.BoolVar(&f.record, "record", false, "print recording rules in place of alerts")
	set.StringSliceVar(&f.windows, "window", []string{"1m", "5m"}, "with --record, `ranges` of the recorded rates, each at least twice the scrape interval")
	return cmd
}

func (f *ruleFlags) print(cmd *cobra.Command) error {
	if f.format != "prometheus" && f.format != "grafana" {
		return &wrongUse{command: cmd.CommandPath(), cause: fmt.Errorf("--format %s: choose prometheus or grafana", f.format)}
	}
	if !sourceUID.MatchString(f.source) {
		return &wrongUse{command: cmd.CommandPath(), cause: fmt.Errorf("--datasource-uid %q: a uid has 1 to 40 letters, digits, - and _", f.source)}
	}
	if err := f.targets.Validate(); err != nil {
		return &wrongUse{command: cmd.CommandPath(), cause: err}
	}
	if f.record {
		return f.printRecords(cmd)
	}
	groups := rules.All(f.targets)
	if f.format == "grafana" {
		text, err := rules.Grafana(groups, f.source)
		if err != nil {
			return err
		}
		return write(cmd, text)
	}
	source, server, err := f.connection.ruleSource(cmd)
	if err != nil {
		return err
	}
	made, err := rules.Prometheus(groups, source)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprint(cmd.ErrOrStderr(), leftOut(made, server))
	return write(cmd, made.YAML)
}

// leftOut says which alerts are not printed, why, and what to do about it; server is the
// host and port that was looked at, "" where none was.
func leftOut(made rules.Rendered, server string) string {
	exporter, models := "no system of the catalog exports", "any model"
	remedy := ""
	if server != "" {
		exporter, models = "the server at "+server+" does not hold", "the models of the server at "+server
		remedy = " `pdmonitor catalog --check` says what brings it."
	}
	var text strings.Builder
	if len(made.LeftOut) > 0 {
		_, _ = fmt.Fprintf(&text, "Left out, because %s what they need: %s.%s\n", exporter, strings.Join(made.LeftOut, ", "), remedy)
	}
	if len(made.Unsized) > 0 {
		_, _ = fmt.Fprintf(&text, "Left out, because the settings give no KV bytes of one request for %s: %s. Set requestSizes in a file for --settings.\n",
			models, strings.Join(made.Unsized, ", "))
	}
	return text.String()
}

// printRecords prints recording rules, which Prometheus alone evaluates.
func (f *ruleFlags) printRecords(cmd *cobra.Command) error {
	wrong := func(format string, args ...any) error {
		return &wrongUse{command: cmd.CommandPath(), cause: fmt.Errorf(format, args...)}
	}
	if f.format != "prometheus" {
		return wrong("--record --format %s: recording rules are for prometheus", f.format)
	}
	var windows []time.Duration
	for _, text := range f.windows {
		window, err := model.ParseDuration(text)
		if err != nil || window == 0 {
			return wrong("--window %s: write a duration such as 1m", text)
		}
		windows = append(windows, time.Duration(window))
	}
	source, _, err := f.connection.ruleSource(cmd)
	if err != nil {
		return err
	}
	text, err := rules.Records(source, windows)
	var refused *query.FieldError
	if errors.As(err, &refused) && refused.Field == "window" {
		return wrong("--%w", refused)
	}
	if err != nil {
		return err
	}
	return write(cmd, text)
}

// ruleSource is what the compiler knows of the server that the flags describe, and that
// server's host and port, "" where they name none. The rest of its address may hold a password.
// Entries of requestSizes that are wrong are told: the rules that need them miss a model.
func (c *connection) ruleSource(cmd *cobra.Command) (source rules.Source, server string, err error) {
	ctx := cmd.Context()
	instance, err := c.instance()
	if err != nil {
		return rules.Source{}, "", err
	}
	opened, err := plugin.Open(ctx, instance)
	if err != nil {
		return rules.Source{}, "", err
	}
	defer opened.Dispose()
	if source, err = opened.Rules(ctx); err != nil {
		return rules.Source{}, "", err
	}
	for _, fault := range source.Options.Sizes.Faults() {
		_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "error:", fault)
	}
	if address, err := url.Parse(strings.TrimSpace(instance.URL)); err == nil {
		server = address.Host
	}
	return source, server, nil
}

func write(cmd *cobra.Command, text []byte) error {
	if _, err := cmd.OutOrStdout().Write(text); err != nil {
		return fmt.Errorf("print the rules: %w", err)
	}
	return nil
}
