package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// curves are the three that PD Monitor exists for.
var curves = []string{"prefill_request_rate", "kv_transfer_request_rate", "decode_request_rate"}

// HealthDetails is what "Save & test" shows below its first line.
type HealthDetails struct {
	// Message is the first line, VerboseMessage the others; a server that is not well
	// has one line, which Grafana shows by itself.
	Message        string `json:"message,omitempty"`
	VerboseMessage string `json:"verboseMessage,omitempty"`
	// Severity is warning where something that was set up or that the curves need is missing.
	Severity       query.Severity `json:"severity"`
	Server         string         `json:"server,omitempty"`
	ScrapeInterval string         `json:"scrapeInterval,omitempty"`
	Systems        []string       `json:"systems,omitempty"`
	Models         []string       `json:"models,omitempty"`
	Curves         []Curve        `json:"curves,omitempty"`
}

// Curve says whether one of the three curves can be drawn.
type Curve struct {
	Signal string   `json:"signal"`
	Title  string   `json:"title"`
	Drawn  bool     `json:"drawn"`
	Why    []string `json:"why,omitempty"`
}

// CheckHealth goes from the outside in: settings, a real query, what the server
// holds, which of the three curves can be drawn. It stops at the first stage that
// fails and says what to do about it.
func (d *Datasource) CheckHealth(ctx context.Context, req *backend.CheckHealthRequest) (*backend.CheckHealthResult, error) {
	if req != nil {
		ctx = d.called(ctx, req.GetHTTPHeaders())
	}
	if err := d.reachable(); err != nil {
		return unhealthy(err.Error()), nil
	}
	result, err := d.client.Query(ctx, "1+1", time.Now())
	if err != nil {
		return unhealthy(explain(err).message), nil
	}
	if !isTwo(result.Value) {
		return unhealthy("The server answered 1+1 with something else than 2: the URL does not lead to a Prometheus-compatible API."), nil
	}
	out := HealthDetails{Server: d.server(ctx)}
	found, err := d.cache.Get(ctx, 0, discovery.Window{})
	if err != nil {
		return unhealthy(fmt.Sprintf("%s answers queries, but its labels cannot be read: %s", out.Server, explain(err).message)), nil
	}
	if len(found.Systems) == 0 {
		return unhealthy(fmt.Sprintf("%s answers queries, but holds no metric of %s. Check that it scrapes the engines (SGLang needs --enable-metrics) and, where metrics were renamed, set prefixes.",
			out.Server, d.systemTitles())), nil
	}
	d.describe(found, &out)
	lines := []string{out.Server + " answers. Found " + strings.Join(out.Systems, "; ") + "."}
	if out.ScrapeInterval != "" {
		lines = append(lines, "Scrape interval "+out.ScrapeInterval+".")
	}
	out.Severity = query.SeverityInfo
	var drawn []string
	for _, c := range out.Curves {
		if len(c.Why) == 0 && c.Drawn {
			drawn = append(drawn, c.Title)
			continue
		}
		out.Severity = query.SeverityWarning
		verdict := "Cannot draw %s: %s"
		if c.Drawn {
			verdict = "Can draw %s in part: %s"
		}
		lines = append(lines, fmt.Sprintf(verdict, c.Title, strings.Join(c.Why, " ")))
	}
	if len(drawn) > 0 {
		lines = append(lines, "Can draw "+strings.Join(drawn, ", ")+".")
	}
	for i, size := range d.settings.RequestSizes {
		if size.Fault == nil {
			continue
		}
		out.Severity = query.SeverityWarning
		fault := oneLine(size.Fault.Error())
		if !strings.Contains(strings.Join(lines, " "), fault) { // a curve has said so already
			lines = append(lines, fmt.Sprintf("Model %d in KV bytes per request is wrong: %s.", i+1, fault))
		}
	}
	out.Message, out.VerboseMessage = lines[0], strings.Join(lines[1:], "\n")
	return healthResult(backend.HealthStatusOk, strings.Join(lines, " "), out), nil
}

// isTwo takes what a server made of 1+1: VictoriaMetrics has no scalars and answers
// with a vector of one.
func isTwo(value model.Value) bool {
	switch v := value.(type) {
	case *model.Scalar:
		return v.Value == 2
	case model.Vector:
		return len(v) == 1 && v[0].Value == 2
	}
	return false
}

func (d *Datasource) describe(found *deployment.Deployment, out *HealthDetails) {
	for _, s := range d.catalog.Systems() {
		f, ok := found.Systems[s.Name]
		if !ok {
			continue
		}
		text := s.Title
		var counts []string
		for _, role := range []query.Role{query.RolePrefill, query.RoleDecode, query.RoleUnified} {
			if n := f.Present[role]; n > 0 {
				counts = append(counts, fmt.Sprintf("%d %s", n, role))
			}
		}
		if len(counts) > 0 {
			text += " (" + strings.Join(counts, ", ") + ")"
		}
		out.Systems = append(out.Systems, text)
	}
	out.Models = found.Models()
	out.ScrapeInterval = durationText(found.ScrapeInterval)
	for _, signal := range curves {
		out.Curves = append(out.Curves, d.curve(signal, found))
	}
}

// curve compiles one of the three curves; what stands in its way is in the notices.
func (d *Datasource) curve(signal string, found *deployment.Deployment) Curve {
	q := query.Query{Signal: signal, GroupBy: []string{"model"}}.WithDefaults()
	c := Curve{Signal: signal, Title: signal}
	if known, ok := d.catalog.Signal(signal); ok {
		c.Title = known.Title
	}
	plan, err := d.compiler.Compile(compile.Request{Query: q, Options: d.settings.Compile(), Deployment: found, Step: time.Second})
	if err != nil {
		c.Why = []string{explain(err).message}
		return c
	}
	c.Drawn = len(plan.Expressions) > 0
	for _, n := range plan.Notices {
		if n.Severity != query.SeverityInfo {
			c.Why = append(c.Why, n.Text)
		}
	}
	return c
}

func (d *Datasource) server(ctx context.Context) string {
	info, err := d.client.BuildInfo(ctx)
	if err != nil || info.Application+info.Version == "" {
		return "The server" // VictoriaMetrics and proxies need not tell
	}
	name := info.Application
	if name == "" {
		name = "Prometheus"
	}
	return strings.TrimSpace(name + " " + info.Version)
}

func (d *Datasource) systemTitles() string {
	var titles []string
	for _, s := range d.catalog.Systems() {
		titles = append(titles, s.Title)
	}
	slices.Sort(titles)
	return strings.Join(titles, ", ")
}

func unhealthy(message string) *backend.CheckHealthResult {
	return healthResult(backend.HealthStatusError, oneLine(message), HealthDetails{Severity: query.SeverityError})
}

// oneLine is a message for a place where Grafana runs lines together.
func oneLine(message string) string { return strings.ReplaceAll(message, "\n", "; ") }

func healthResult(status backend.HealthStatus, message string, out HealthDetails) *backend.CheckHealthResult {
	result := &backend.CheckHealthResult{Status: status, Message: message}
	if encoded, err := json.Marshal(out); err == nil {
		result.JSONDetails = encoded
	}
	return result
}
