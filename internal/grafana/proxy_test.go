package grafana

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// forbidden are paths of servers that may change or tell something, and ways to write
// them that would pass by a route for a name.
var forbidden = []string{
	"/", "//", "/api/v1/query?query=up", "/api/v1/query_range", "/api/v1/series", "/api/v1/write", "/api/v1/otlp/v1/metrics",
	"/api/v1/admin/tsdb/delete_series?match[]=up", "/api/v1/admin/tsdb/snapshot", "/api/v1/admin/tsdb/clean_tombstones",
	"/api/v1/status/config", "/api/v1/status/flags", "/api/v1/status/buildinfo", "/api/v1/targets", "/api/v1/rules", "/api/v1/alerts",
	"/api/v2/alerts", "/-/reload", "/-/quit", "/-/healthy", "/metrics", "/federate?match[]=up", "/debug/pprof/", "/debug/pprof/heap", "/graph", "/config",
	"/flags", "/targets", "/service-discovery", "/consoles/x.html", "/static/x.js", "/version", "/.well-known/x", "/_/x", "/~/x",
	// written otherwise
	"/%61pi/v1/admin/tsdb/delete_series", "/%2fapi/v1/admin/tsdb/delete_series", "/%2Dx", "///api/v1/admin/tsdb/delete_series",
	"/x/../api/v1/admin/tsdb/delete_series", "/./api/v1/admin/tsdb/delete_series", "/../api/v1/admin/tsdb/delete_series",
	"/%2e%2e/api/v1/admin/tsdb/delete_series", "/%2e/-/reload", "/API/v1/status/config", "//./-/reload", "/;/api/v1/query", "/%00",
	// Mimir, Cortex
	"/prometheus/api/v1/query", "/prometheus/config/v1/rules/x", "/api/v1/user_limits", "/ingester/shutdown", "/ingester/flush", "/distributor/ring",
	"/compactor/delete_tenant", "/store-gateway/tenants", "/multitenant_alertmanager/delete_tenant_config", "/memberlist", "/runtime_config", "/services",
	// Thanos
	"/api/v1/stores", "/api/v1/blocks/mark", "/loaded", "/stores", "/global",
	// VictoriaMetrics
	"/select/0/prometheus/api/v1/query", "/insert/0/prometheus/api/v1/import", "/delete/0/prometheus/api/v1/admin/tsdb/delete_series",
	"/snapshot/create", "/snapshot/delete_all", "/internal/force_merge", "/internal/resetRollupResultCache", "/tags/delSeries", "/vmui/", "/vmalert/",
	"/write", "/influx/write", "/datadog/api/v1/series", "/opentelemetry/v1/metrics", "/reset", "/admin/tenants", "/expand-with-exprs",
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// through are the addresses of the proxy for a data source.
func through(s Source) []string {
	return []string{
		"/api/datasources/proxy/uid/" + s.UID, fmt.Sprintf("/api/datasources/proxy/%d", s.ID),
		fmt.Sprintf("/api/datasources/proxy/+%d", s.ID), // the same number, where Grafana no longer finds what follows
	}
}

func TestTheProxyIsClosedToEverybodyBelowAdmin(t *testing.T) {
	own, other := newOrg(t), newOrg(t)
	of := newUpstream(t, prometheus(anybody))
	source := own.source(of, Source{BasicAuth: true, BasicAuthUser: "grafana", SecureData: map[string]string{"basicAuthPassword": "opens-the-server"}})
	other.source(of, Source{})
	for who, u := range map[string]*User{
		"a viewer": own.user("Viewer"), "an editor": own.user("Editor"),
		"a viewer of another organisation": other.user("Viewer"), "an admin of another organisation": other.user("Admin"),
		"somebody who has not logged in": newUser(own.server.URL, "nobody", 0),
	} {
		t.Run(who, func(t *testing.T) {
			var open []string
			for _, before := range through(source) {
				for _, method := range methods {
					for _, path := range append([]string{""}, forbidden...) {
						answer := ask(t, u, method, before+path, nil)
						if asked := of.take(); len(asked) > 0 || answer.Status < 400 || answer.Status >= 500 {
							open = append(open, fmt.Sprintf("%s %s%s: status %d, the server was asked %d times", method, before, path, answer.Status, len(asked)))
						}
					}
				}
			}
			if len(open) > 0 {
				t.Errorf("%d requests get through, such as\n%s", len(open), strings.Join(open[:min(len(open), 5)], "\n"))
			}
		})
	}
}

func TestAnAdminReachesTheServerThroughTheProxy(t *testing.T) {
	own := newOrg(t)
	of := newUpstream(t, prometheus(anybody))
	source := own.source(of, Source{BasicAuth: true, BasicAuthUser: "grafana", SecureData: map[string]string{"basicAuthPassword": "opens-the-server"}})
	admin := own.user("Admin")
	for _, before := range through(source)[:2] {
		for _, method := range methods {
			for _, path := range forbidden {
				answer := ask(t, admin, method, before+path, nil)
				asked := of.take()
				require.Equal(t, http.StatusOK, answer.Status, "%s %s%s: %s", method, before, path, answer.Body)
				require.Len(t, asked, 1, "%s %s%s", method, before, path)
				require.Equal(t, method, asked[0].Method)
				_, password, _ := asked[0].BasicAuth()
				require.Equal(t, "opens-the-server", password)
			}
		}
	}
	ask(t, admin, http.MethodGet, through(source)[0]+"/api/v1/query?query=up%7Ba%3D%22b%22%7D&time=1", nil)
	asked := of.take()
	require.Len(t, asked, 1)
	require.Equal(t, "/api/v1/query?query=up%7Ba%3D%22b%22%7D&time=1", asked[0].RequestURI, "the routes leave the request as it is")
}

func TestAViewerIsAnsweredByTheBackEnd(t *testing.T) {
	own := newOrg(t)
	of := newUpstream(t, prometheus(anybody))
	source := own.source(of, Source{})
	for _, role := range []string{"Viewer", "Editor", "Admin"} {
		answer := up(t, own.user(role), source)
		require.Equal(t, http.StatusOK, answer.Status, answer.Body)
		require.Contains(t, answer.Body, `"who":"anybody"`)
	}
	require.NotEmpty(t, of.take())
	stranger := newOrg(t).user("Admin")
	require.NotEqual(t, http.StatusOK, up(t, stranger, source).Status, "of another organisation")
	require.Empty(t, of.take())
}
