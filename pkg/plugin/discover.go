package plugin

import (
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

// mostNames bounds the engines that are named where all are counted.
const mostNames = 20

// Discovery is what the server holds, for the settings page.
type Discovery struct {
	// Server is its name and version as far as it tells them.
	Server string `json:"server"`
	// ScrapeInterval of the engines, "" where it could not be told.
	ScrapeInterval string             `json:"scrapeInterval"`
	Systems        []DiscoveredSystem `json:"systems"`
	// Engines is how many have samples now, of all systems. One that two of them see,
	// such as a vLLM with LMCache in its process, is one.
	Engines int `json:"engines"`
	// Matchers says by role which engines its label matchers fit.
	Matchers map[string]Matched `json:"matchers"`
}

// DiscoveredSystem is one system of the catalog that the server holds.
type DiscoveredSystem struct {
	Name     string            `json:"name"`
	Title    string            `json:"title"`
	Prefixes []string          `json:"prefixes"`
	RoleBy   deployment.RoleBy `json:"roleBy"`
	// Roles are those that any engine has; a system without engines has none.
	Roles  []DiscoveredRole `json:"roles"`
	Models []string         `json:"models"`
	// DPRanks and TPRanks are the numbers of different ranks seen, 0 for none.
	DPRanks        int    `json:"dpRanks"`
	TPRanks        int    `json:"tpRanks"`
	ScrapeInterval string `json:"scrapeInterval"`
}

// DiscoveredRole is the engines of one role.
type DiscoveredRole struct {
	// Role is "" for engines that do not tell theirs although others do.
	Role  query.Role `json:"role"`
	Count int        `json:"count"`
	// Instances are the first of their names.
	Instances []string `json:"instances"`
}

// Matched is the engines that some label matchers fit.
type Matched struct {
	// Matchers are as they were understood, defaults filled in.
	Matchers  string   `json:"matchers"`
	Count     int      `json:"count"`
	Instances []string `json:"instances"`
	// Error says what is wrong with the matchers, "" when nothing is.
	Error string `json:"error"`
}

// getDiscovery answers with what the server holds. The parameters prefill and decode
// are matchers to be tried in place of the settings'. They are only ever held against
// labels here: no server sees them. again=true looks at the server anew.
func (d *Datasource) getDiscovery(r *http.Request) (any, error) {
	if err := d.reachable(); err != nil {
		return nil, err
	}
	d.lookAgain(r)
	found, err := d.cache.Get(r.Context(), discovery.Fresh, discovery.Window{})
	if err != nil {
		return nil, err
	}
	engines, err := d.cache.Engines(r.Context())
	if err != nil {
		return nil, err
	}
	out := Discovery{
		Server: d.server(r.Context()), ScrapeInterval: durationText(found.ScrapeInterval),
		Systems: []DiscoveredSystem{}, Matchers: map[string]Matched{},
		Engines: len(namesOf(engines, func(discovery.Engine) bool { return true })),
	}
	for _, s := range d.catalog.Systems() {
		if f, ok := found.Systems[s.Name]; ok {
			out.Systems = append(out.Systems, discoveredSystem(s, f, engines))
		}
	}
	for _, role := range []string{"prefill", "decode"} {
		out.Matchers[role] = d.matched(role, r.URL.Query(), engines)
	}
	return out, nil
}

func discoveredSystem(s catalog.System, f deployment.Found, engines []discovery.Engine) DiscoveredSystem {
	one := DiscoveredSystem{
		Name: s.Name, Title: s.Title, Prefixes: append([]string{}, f.Prefixes...), RoleBy: f.RoleBy, Roles: []DiscoveredRole{},
		Models: append([]string{}, f.Models...), DPRanks: f.DPRanks, TPRanks: f.TPRanks, ScrapeInterval: durationText(f.ScrapeInterval),
	}
	for _, role := range []query.Role{query.RolePrefill, query.RoleDecode, query.RoleUnified, ""} {
		names := namesOf(engines, func(e discovery.Engine) bool { return e.System == s.Name && e.Role == role })
		if len(names) > 0 {
			one.Roles = append(one.Roles, DiscoveredRole{Role: role, Count: len(names), Instances: first(names)})
		}
	}
	return one
}

// matched counts the engines that a role's matchers fit: those that are tried, or the
// settings'.
func (d *Datasource) matched(role string, tried url.Values, engines []discovery.Engine) Matched {
	text := d.settings.Roles[role]
	if tried.Has(role) {
		text = tried.Get(role)
	}
	matchers, err := settings.RoleMatchers(role, text)
	if err != nil {
		return Matched{Matchers: text, Instances: []string{}, Error: err.Error()}
	}
	parsed, err := promql.ParseMatchers(matchers)
	if err != nil {
		return Matched{Matchers: text, Instances: []string{}, Error: err.Error()}
	}
	names := namesOf(engines, func(e discovery.Engine) bool { return e.Matches(parsed) })
	return Matched{Matchers: matchers, Count: len(names), Instances: first(names)}
}

// namesOf are the names of the engines that are wanted, each once; those that are called alike
// with where they are.
func namesOf(engines []discovery.Engine, wanted func(discovery.Engine) bool) []string {
	seen, alike := map[deployment.Engine]bool{}, map[string]int{}
	for _, e := range engines {
		if wanted(e) && !seen[e.Engine] {
			seen[e.Engine] = true
			alike[e.Name]++
		}
	}
	names := []string{}
	for _, e := range slices.SortedFunc(maps.Keys(seen), deployment.Engine.Compare) {
		name := e.Name
		if alike[name] > 1 {
			name += " (" + e.Place() + ")"
		}
		names = append(names, name)
	}
	return names
}

func first(names []string) []string { return names[:min(len(names), mostNames)] }

// durationText is a duration as Prometheus writes it, "" for none.
func durationText[D ~int64](d D) string {
	if d <= 0 {
		return ""
	}
	return model.Duration(d).String()
}
