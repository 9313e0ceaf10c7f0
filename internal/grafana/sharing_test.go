package grafana

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/dashboards"
	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

// plain is a Grafana as it is by default, which sends no names of users to servers. Its alert
// rules ask the data source of their name in organisation 1.
func plain(t *testing.T, address string) (*Server, *Process) {
	t.Helper()
	theirs := server(t)
	if theOne.process == nil {
		return theirs, nil
	}
	home, err := Find()
	require.NoError(t, err)
	alerts, err := rules.Grafana(rules.All(rules.DefaultTargets()), rules.ProvisionedSource)
	require.NoError(t, err)
	sources := fmt.Sprintf(`{"apiVersion":1,"datasources":[{"name":"PD","uid":%q,"type":"ptd-pdmonitor-datasource","access":"proxy","url":%q,"jsonData":{}}]}`,
		rules.ProvisionedSource, address)
	process, err := Start(t.Context(), Options{
		Home: home, Plugin: theOne.dir, Env: []string{"GF_SECURITY_ADMIN_USER=admin", "GF_SECURITY_ADMIN_PASSWORD=admin"},
		Files: map[string][]byte{"alerting/rules.yaml": alerts, "datasources/pd.yaml": []byte(sources)},
	})
	require.NoError(t, err)
	t.Cleanup(process.Stop)
	s, err := Connect(t.Context(), process.URL, "admin", "admin")
	require.NoError(t, err)
	return s, process
}

// running is the upstream of a cluster whose samples reach a while into the future, so that
// there are new ones while a test runs.
func running(t *testing.T) *upstream {
	t.Helper()
	simulation, err := simulator.New(simulator.DefaultCluster(), time.Now())
	require.NoError(t, err)
	held, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, held.Close()) })
	const past, future = 2 * time.Minute, 3 * time.Minute
	require.NoError(t, simulation.Replay(t.Context(), held, time.Now().Add(-past).Truncate(time.Second), past+future, time.Second))
	var front promserver.Front
	require.NoError(t, front.Lead(held))
	return newUpstream(t, func(w http.ResponseWriter, r *http.Request) { forwardForm(&front, w, r) })
}

// overview is what the browser of a viewer of the shipped dashboard asks for.
func overview(t *testing.T, s Source, end time.Time) map[string]any {
	t.Helper()
	panels, err := dashboards.Asked("pd-overview.json")
	require.NoError(t, err)
	var queries []any
	for _, panel := range panels {
		for _, q := range panel {
			text, err := json.Marshal(q)
			require.NoError(t, err)
			one := map[string]any{}
			require.NoError(t, json.Unmarshal(text, &one))
			one["refId"], one["datasource"] = fmt.Sprint("q", len(queries)), map[string]any{"uid": s.UID, "type": s.Type}
			one["intervalMs"], one["maxDataPoints"] = 1000, 1000
			queries = append(queries, one)
		}
	}
	return map[string]any{"queries": queries, "from": fmt.Sprint(end.Add(-time.Minute).UnixMilli()), "to": fmt.Sprint(end.UnixMilli())}
}

// expressions counts the queries among some requests.
func expressions(asked []*http.Request) (n int) {
	for _, r := range asked {
		if strings.HasSuffix(r.URL.Path, "/query") || strings.HasSuffix(r.URL.Path, "/query_range") {
			n++
		}
	}
	return n
}

// Logged-in viewers of both kinds and all alert rules together cost the server about what one
// viewer costs without the cache.
func TestLoggedInViewersAndRulesShare(t *testing.T) {
	of := running(t)
	s, process := plain(t, of.url)
	own := &org{t: t, server: s, id: 1}
	if process == nil {
		own = newOrgOf(t, s)
	}
	alone := own.source(of, Source{JSONData: map[string]any{"cache": false}})
	first := own.user("Viewer")
	refresh := func(u *User, of Source, end time.Time) {
		answer, err := u.Ask(t.Context(), http.MethodPost, "/api/ds/query", overview(t, of, end))
		if err != nil || answer.Status != http.StatusOK {
			t.Errorf("status %d: %v: %.500s", answer.Status, err, answer.Body)
		}
	}
	now := func() time.Time { return time.Now().Truncate(time.Second) }
	refresh(first, alone, now()) // discovers
	if names := of.take(); names[0].Header.Get("X-Grafana-User") != "" {
		t.Skip("this Grafana sends users' names, so that no two may share")
	}
	const times = 2
	for range times {
		refresh(first, alone, now())
	}
	perRefresh := expressions(of.take()) / times

	shared := own.source(of, Source{})
	if process != nil {
		shared.UID = rules.ProvisionedSource // which the rules ask too
	}
	users := []*User{first, own.user("Viewer"), own.user("Editor"), own.user("Editor"), own.user("Admin")}
	refresh(first, shared, now())
	of.take()
	seconds := map[time.Time]bool{}
	for began := time.Now(); time.Since(began) < 35*time.Second; { // in which every rule is evaluated
		end := now()
		if seconds[end] {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		seconds[end] = true
		var all sync.WaitGroup
		for _, u := range users {
			all.Go(func() { refresh(u, shared, end) })
		}
		all.Wait()
	}
	asked := of.take()
	t.Logf("%d users, %d refreshes each: %.2f of one viewer's queries without the cache", len(users), len(seconds),
		float64(expressions(asked))/float64(perRefresh*len(seconds)))
	require.LessOrEqual(t, float64(expressions(asked)), 1.35*float64(perRefresh*len(seconds)),
		"1.2 of 60 refreshes a minute; two busy cores bring fewer, and rules ask as often as ever")
	for _, r := range asked {
		require.Empty(t, r.Header.Get("X-Grafana-Id"), "nobody has asked to send who is logged in")
	}
	if process != nil {
		evaluated(t, s)
		quiet(t, process.Log())
	}
}

// evaluated requires that every shipped rule was evaluated and is well.
func evaluated(t *testing.T, s *Server) {
	t.Helper()
	var state struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError, LastEvaluation string }
			}
		}
	}
	require.NoError(t, s.ask(t.Context(), 1, http.MethodGet, "/api/prometheus/grafana/api/v1/rules", nil, &state))
	seen := 0
	for _, g := range state.Data.Groups {
		for _, r := range g.Rules {
			seen++
			require.NotEqual(t, "error", r.Health, "%s: %s", r.Name, r.LastError)
		}
	}
	require.Greater(t, seen, 30)
}

// quiet requires that nothing failed, by Grafana's log: neither a query nor an annotation.
func quiet(t *testing.T, log string) {
	t.Helper()
	faults := regexp.MustCompile(`(?m)^.*level=error.*(?:ptd-pdmonitor|Partial data response|Error in expanding template).*$`).FindAllString(log, 5)
	require.Empty(t, faults)
}

// What a browser writes of itself ends at the plugin: a proxy before the server may believe it.
func TestAViewerCannotSayWhoHeIs(t *testing.T) {
	own := newOrg(t)
	of := newUpstream(t, prometheus(anybody))
	source, viewer := own.source(of, Source{}), own.user("Viewer")
	claims := map[string]string{
		"X-Scope-OrgID": "another-tenant", "X-Forwarded-User": "admin", "X-Webauth-User": "admin", "Remote-User": "admin",
		"X-Grafana-User": "admin", "Thanos-Tenant": "another-tenant", "X-Id-Token": "made.up.token",
	}
	for _, before := range resources(source) {
		_, err := viewer.ask(t.Context(), http.MethodGet, before+"labels/model/values", nil, func(r *http.Request) {
			for name, value := range claims {
				r.Header.Set(name, value)
			}
		})
		require.NoError(t, err)
	}
	asked := of.take()
	require.NotEmpty(t, asked)
	for _, r := range asked {
		for name, value := range claims {
			require.NotEqual(t, value, r.Header.Get(name), "%s at %s", name, r.URL.Path)
		}
	}
}

// Cookies that are forwarded are masked in what the server repeats.
func TestAForwardedCookieIsShownToNobody(t *testing.T) {
	own := newOrg(t)
	of := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"status": "error", "errorType": "bad_data", "error": "no session " + r.Header.Get("Cookie") + " " + r.Header.Get("X-Grafana-Id"),
		})
	})
	source := own.source(of, Source{JSONData: map[string]any{"keepCookies": []string{"session"}}})
	viewer := own.user("Viewer")
	const secret = "cookie-of-the-proxy-4711"
	require.NoError(t, viewer.SetCookie("session", secret))
	shown := up(t, viewer, source).Body
	for _, call := range []string{"/api/datasources/uid/" + source.UID + "/health", resources(source)[0] + "labels/model/values", resources(source)[0] + "catalog"} {
		shown += ask(t, viewer, http.MethodGet, call, nil).Body
	}
	reached := false
	for _, r := range of.take() {
		reached = reached || strings.Contains(r.Header.Get("Cookie"), secret)
	}
	require.True(t, reached, "it is forwarded")
	require.Contains(t, shown, "***")
	if theOne.process != nil {
		shown += theOne.process.Log()
	}
	require.NotContains(t, shown, secret)
}

// A browser cancels what it asked a second ago. Neither the plugin's log nor Grafana's own
// calls that a failure of the plugin.
func TestCancelledQueriesAreNoFailures(t *testing.T) {
	own := newOrg(t)
	of := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/query_range") {
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Second):
			}
			return
		}
		prometheus(anybody)(w, r)
	})
	source, viewer := own.source(of, Source{}), own.user("Viewer")
	before := 0
	if theOne.process != nil {
		before = len(theOne.process.Log())
	}
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		_, err := viewer.Query(ctx, source, map[string]any{"schemaVersion": 1, "queryType": "promql", "expr": "up"})
		require.Error(t, err)
		cancel()
	}
	time.Sleep(time.Second)
	require.NotEmpty(t, of.take())
	if theOne.process != nil {
		log := theOne.process.Log()[before:]
		require.NotContains(t, log, "Partial data response error")
		require.NotContains(t, log, "status=error")
	}
}
