package grafana

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

const (
	password = "Correct-Horse-Battery"
	token    = "token-of-the-tenant"
)

// guarded is a data source with every kind of login that Grafana keeps.
var guarded = Source{
	BasicAuth: true, BasicAuthUser: "grafana",
	JSONData:   map[string]any{"httpHeaderName1": "X-Scope-OrgID"},
	SecureData: map[string]string{"basicAuthPassword": password, "httpHeaderValue1": token},
}

// resources are a data source's addresses for its own calls.
func resources(s Source) []string {
	return []string{"/api/datasources/uid/" + s.UID + "/resources/", fmt.Sprintf("/api/datasources/%d/resources/", s.ID)}
}

func TestResourceCallsOfAViewerReachOnlyTheAPIsOwnPaths(t *testing.T) {
	own := newOrg(t)
	of := newUpstream(t, prometheus(anybody))
	source, viewer := own.source(of, Source{}), own.user("Viewer")
	for _, before := range resources(source) {
		for _, method := range methods {
			for _, call := range []string{
				"labels/model/values", "labels/../../../admin/tsdb/delete_series/values", "labels/..%2f..%2fadmin%2ftsdb/values",
				"labels/%2e%2e/values", "labels/model%3fx=1/values?signal=ttft", "../api/v1/admin/tsdb/snapshot", "discovery?again=true",
				"//evil.example/values", "labels/http:%2f%2fevil.example/values", "catalog?again=true", "api/v1/query?query=up", "-/reload", "",
			} {
				ask(t, viewer, method, before+call, nil)
			}
		}
	}
	asked := of.take()
	require.NotEmpty(t, asked)
	for _, r := range asked {
		rest, ok := strings.CutPrefix(r.URL.Path, "/api/v1/")
		require.True(t, ok, r.URL.Path)
		require.Equal(t, path.Clean(r.URL.Path), r.URL.Path)
		kind, _, _ := strings.Cut(rest, "/")
		require.Contains(t, []string{"label", "query", "query_range", "series", "status"}, kind)
		require.NotContains(t, rest, "admin/tsdb")
	}
}

func TestAViewersOwnHeadersDoNotReplaceTheConfiguredLogin(t *testing.T) {
	own := newOrg(t)
	of := newUpstream(t, prometheus(anybody))
	source, viewer := own.source(of, guarded), own.user("Viewer")
	for _, before := range resources(source) {
		_, err := viewer.ask(t.Context(), http.MethodGet, before+"labels/model/values", nil, func(r *http.Request) {
			r.Header.Set("X-Scope-OrgID", "another-tenant")
			r.Header.Set("X-DS-Authorization", "Bearer mine")
		})
		require.NoError(t, err)
	}
	require.Equal(t, http.StatusOK, up(t, viewer, source).Status)
	asked := of.take()
	require.NotEmpty(t, asked)
	for _, r := range asked {
		_, p, _ := r.BasicAuth()
		require.Equal(t, password, p, r.URL.Path)
		require.Equal(t, []string{token}, r.Header.Values("X-Scope-OrgID"), r.URL.Path)
	}
}

func TestNoRedirectCarriesTheLoginToAnotherHost(t *testing.T) {
	own := newOrg(t)
	viewer := own.user("Viewer")
	elsewhere := newUpstream(t, prometheus(anybody))
	for _, status := range []int{301, 302, 303, 307, 308} {
		of := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.url+"/latest/meta-data", status)
		})
		source := own.source(of, guarded)
		answer := up(t, viewer, source)
		require.Contains(t, answer.Body, "redirect", status)
		health := ask(t, viewer, http.MethodGet, "/api/datasources/uid/"+source.UID+"/health", nil)
		require.Contains(t, health.Body, "redirect", status)
		ask(t, viewer, http.MethodGet, resources(source)[0]+"labels/model/values", nil)
		require.NotEmpty(t, of.take())
	}
	require.Empty(t, elsewhere.take(), "another host would get the login")
}

// Users whose cookies are forwarded see their own answers, also while all ask the same.
func TestUsersWithForwardedCookiesSeeTheirOwnAnswers(t *testing.T) {
	own := newOrg(t)
	of := newUpstream(t, slowly(prometheus(func(r *http.Request) string {
		cookie, err := r.Cookie("team")
		if err != nil {
			return err.Error()
		}
		return cookie.Value
	})))
	source := own.source(of, Source{JSONData: map[string]any{"keepCookies": []string{"team"}}})
	users := map[string]*User{}
	for _, team := range []string{"red", "green", "blue"} {
		users[team] = own.user("Viewer")
		require.NoError(t, users[team].SetCookie("team", team))
		require.NoError(t, users[team].SetCookie("other", "not-forwarded"))
	}
	apart(t, users, source)
	for _, r := range of.take() {
		require.Len(t, r.Cookies(), 1, "neither the session's cookie nor one that is not named goes to the server")
	}
}

// The same, where Grafana tells the server who asks.
func TestUsersWhoseNamesAreSentSeeTheirOwnAnswers(t *testing.T) {
	own := newOrg(t)
	name := func(r *http.Request) string { return r.Header.Get("X-Grafana-User") }
	of := newUpstream(t, slowly(prometheus(name)))
	source := own.source(of, Source{})
	users := map[string]*User{}
	for range 3 {
		u := own.user("Viewer")
		users[u.Login] = u
	}
	up(t, own.user("Viewer"), source)
	if asked := of.take(); name(asked[0]) == "" {
		t.Skip("this Grafana does not send users' names: set send_user_header in [dataproxy]")
	}
	apart(t, users, source)
}

// slowly lets the questions of several users be under way at once.
func slowly(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(50 * time.Millisecond)
		answer(w, r)
	}
}

// apart has all users ask the same at the same time, several times.
func apart(t *testing.T, users map[string]*User, source Source) {
	t.Helper()
	for range 3 {
		var all sync.WaitGroup
		for who, u := range users {
			for range 3 {
				all.Go(func() {
					answer, err := u.Query(t.Context(), source, map[string]any{"schemaVersion": 1, "queryType": "promql", "expr": "up"})
					if err != nil || answer.Status != http.StatusOK || !strings.Contains(answer.Body, `"who":"`+who+`"`) {
						t.Errorf("%s was shown %s (%v)", who, answer.Body, err)
					}
				})
			}
		}
		all.Wait()
	}
}

func TestNoSecretIsShownToAViewer(t *testing.T) {
	own := newOrg(t)
	viewer := own.user("Viewer")
	login := base64.StdEncoding.EncodeToString([]byte("grafana:" + password))
	var shown []string
	for _, status := range []int{200, 400, 401, 403, 404, 422, 429, 500, 502, 503} {
		of := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
			_, pass, _ := r.BasicAuth()
			text := pass + " " + r.Header.Get("Authorization") + " " + r.Header.Get("X-Scope-OrgID")
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(map[string]any{"status": "error", "errorType": "bad_data", "error": text})
		})
		source := own.source(of, guarded)
		shown = append(shown, up(t, viewer, source).Body)
		for _, call := range []string{
			"/api/datasources/uid/" + source.UID + "/health", resources(source)[0] + "labels/model/values", resources(source)[0] + "catalog",
			through(source)[0] + "/api/v1/query", "/api/datasources/uid/" + source.UID, "/api/frontend/settings",
		} {
			shown = append(shown, ask(t, viewer, http.MethodGet, call, nil).Body)
		}
		require.NotEmpty(t, of.take())
	}
	require.Contains(t, strings.Join(shown, ""), "***", "what the server said is shown, without the secrets in it")
	if theOne.process != nil {
		shown = append(shown, theOne.process.Log())
	}
	for _, text := range shown {
		for _, secret := range []string{password, token, login} {
			require.NotContains(t, text, secret)
		}
	}
}

// A cluster's past lies in a Prometheus, so that there are series to ask for.
func TestAFilterOfAViewerCannotBecomePromQL(t *testing.T) {
	own := newOrg(t)
	simulation, err := simulator.New(simulator.DefaultCluster(), time.Now())
	require.NoError(t, err)
	held, err := promserver.Start(context.Background(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, held.Close()) })
	require.NoError(t, simulation.Replay(t.Context(), held, time.Now().Add(-time.Minute).Truncate(time.Second), time.Minute, time.Second))
	var front promserver.Front
	require.NoError(t, front.Lead(held))
	of := newUpstream(t, func(w http.ResponseWriter, r *http.Request) { forwardForm(&front, w, r) })
	source, viewer := own.source(of, Source{}), own.user("Viewer")
	question := func(value string) (string, []string) {
		of.take()
		answer, err := viewer.Query(t.Context(), source, map[string]any{
			"schemaVersion": 1, "queryType": "signal", "signal": "decode_request_rate",
			"filters": []any{map[string]any{"label": "model", "op": "=", "values": []string{value}}},
		})
		require.NoError(t, err)
		var asked []string
		for _, r := range of.take() {
			if strings.HasSuffix(r.URL.Path, "/query_range") {
				asked = append(asked, r.Form.Get("query"))
			}
		}
		require.NotEmpty(t, asked, answer.Body)
		return answer.Body, asked
	}
	for _, evil := range []string{`x"} or vector(1) or up{a="`, "x'} or vector(1) or up{a='", `x\"} or vector(1)`, "x`} or vector(1)", "x\n# "} {
		_, asked := question(evil)
		for _, expr := range asked {
			parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
			require.NoError(t, err, expr)
			found := false
			parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
				if call, ok := n.(*parser.Call); ok {
					require.NotEqual(t, "vector", call.Func.Name, expr)
				}
				if s, ok := n.(*parser.VectorSelector); ok {
					for _, m := range s.LabelMatchers {
						found = found || m.Type == labels.MatchEqual && m.Value == evil
					}
				}
				return nil
			})
			require.True(t, found, "%q is not what is compared with in %s", evil, expr)
		}
	}
}
