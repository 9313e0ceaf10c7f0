package packaging

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// route is one of plugin.json: who may have Grafana's data source proxy ask the server for paths that begin like it.
type route struct{ Path, Method, ReqRole, ReqAction string }

func routes(t *testing.T) []route {
	t.Helper()
	var d struct{ Routes []route }
	require.NoError(t, json.Unmarshal(read(t, "plugin.json"), &d))
	require.NotEmpty(t, d.Routes)
	return d.Routes
}

// roles that a role includes; a reqRole that is none of them would be ignored.
var roles = map[string][]string{"Viewer": {"Viewer"}, "Editor": {"Viewer", "Editor"}, "Admin": {"Viewer", "Editor", "Admin"}}

// proxied reports whether Grafana lets a user's request through. It compares the path as it was escaped, cleaned and
// without the slash that it begins with, and takes the first route whose path, cleaned likewise, it begins with, letter
// by letter and not name by name. A path that is empty is cleaned to a dot. Without a route everybody may pass.
func proxied(all []route, role, method, escaped string) bool {
	clean := func(p string) string {
		if p = strings.TrimPrefix(path.Clean("/"+p), "/"); p == "" {
			return "."
		}
		return p
	}
	for _, r := range all {
		if r.Method != "" && r.Method != "*" && r.Method != method || !strings.HasPrefix(clean(escaped), clean(r.Path)) {
			continue
		}
		if _, known := roles[r.ReqRole]; !known {
			return true
		}
		for _, included := range roles[role] {
			if included == r.ReqRole {
				return true
			}
		}
		return false
	}
	return true
}

// escapedAfter is what Grafana compares of an address: what follows the data source's id, as net/http escapes it.
func escapedAfter(rest string) (string, bool) {
	const before = "/api/datasources/proxy/uid/pdmonitor/"
	u, err := url.ParseRequestURI(before + rest)
	if err != nil {
		return "", false // the server refuses the request
	}
	return strings.TrimPrefix(u.EscapedPath(), before), true
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

func requireAdmin(t *testing.T, all []route, rest string) {
	t.Helper()
	escaped, ok := escapedAfter(rest)
	if !ok {
		return
	}
	for _, method := range methods {
		require.False(t, proxied(all, "Viewer", method, escaped), "%s %q as a viewer", method, rest)
		require.False(t, proxied(all, "Editor", method, escaped), "%s %q as an editor", method, rest)
		require.True(t, proxied(all, "Admin", method, escaped), "%s %q as an admin", method, rest)
	}
}

func TestNobodyBelowAdminReachesTheServerThroughTheProxy(t *testing.T) {
	all := routes(t)
	for _, rest := range []string{
		"", "/", "//", ".", "..", "./", "../..", ".well-known/x", "...", "x", "*",
		"api/v1/query", "api/v1/admin/tsdb/delete_series", "api/v1/status/config", "API/v1/query", "-/reload", "metrics", "federate",
		"debug/pprof/", "graph", "config", "%61pi/v1/admin/tsdb/snapshot", "%2fapi/v1/query", "%2e%2e/api/v1/query",
		"//api/v1/query", "./api/v1/query", "x/../api/v1/query", "../../../api/v1/query", "x/..", "x/../..",
		"prometheus/api/v1/query", "ingester/shutdown", "select/0/prometheus/api/v1/query", "delete/0/prometheus/api/v1/admin/tsdb/delete_series",
		"internal/force_merge", "snapshot/delete_all", "vmui/",
	} {
		requireAdmin(t, all, rest)
	}
}

func TestTheRoutesHoldWhateverAPathBeginsWith(t *testing.T) {
	all := routes(t)
	for b := range 256 {
		for _, begin := range []string{string([]byte{byte(b)}), fmt.Sprintf("%%%02X", b), fmt.Sprintf("%%%02x", b)} {
			for _, rest := range []string{begin, begin + "pi/v1/query", "/" + begin, "./" + begin, "../" + begin, begin + "/../" + begin} {
				requireAdmin(t, all, rest)
			}
		}
	}
}

// A route with an address, headers, parameters or a body would change an admin's request, and one with an action would
// ask for that in place of the role.
func TestARouteSaysWhoMayPassAndNothingElse(t *testing.T) {
	var d struct{ Routes []map[string]any }
	require.NoError(t, json.Unmarshal(read(t, "plugin.json"), &d))
	seen := map[any]bool{}
	for _, r := range d.Routes {
		require.Len(t, r, 2, r)
		require.Equal(t, "Admin", r["reqRole"], r)
		require.Contains(t, r, "path")
		require.False(t, seen[r["path"]], "%v twice", r["path"])
		seen[r["path"]] = true
	}
}

func TestEveryRouteIsNeeded(t *testing.T) {
	all := routes(t)
	for i, r := range all {
		fewer := append(append([]route{}, all[:i]...), all[i+1:]...)
		require.True(t, proxied(fewer, "Viewer", http.MethodPost, r.Path), "without %q another closes it", r.Path)
	}
}
