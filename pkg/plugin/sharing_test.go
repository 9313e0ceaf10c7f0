package plugin_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/host"
)

// grafanaToken is one of several that Grafana has made about a user.
func grafanaToken(user string, issued int) string {
	return host.Token(user, time.Unix(int64(issued)*3600, 0))
}

// as asks for the same panel as somebody, and tells how many requests that cost.
func (seen *recorded) as(t *testing.T, about backend.PluginContext, headers map[string]string) (requests int) {
	t.Helper()
	dq := decodeRate(t)
	dq.RefID = "A"
	request := &backend.QueryDataRequest{PluginContext: about, Queries: []backend.DataQuery{dq}}
	for name, value := range headers {
		if name == backend.FromAlertHeaderName {
			request.Headers = map[string]string{name: value}
			continue
		}
		request.SetHTTPHeader(name, value)
	}
	before := seen.count()
	response, err := served(t).QueryData(t.Context(), request)
	require.NoError(t, err)
	require.NoError(t, response.Responses["A"].Error)
	return seen.count() - before
}

func (seen *recorded) count() int {
	seen.mu.Lock()
	defer seen.mu.Unlock()
	return len(seen.headers)
}

// Grafana tells the plugin of every user who asks, with a token that is new all the time. The
// server is not told, so that all are shown the same and share it.
func TestUsersOfGrafanaShare(t *testing.T) {
	seen := record(t)
	about := instanceOf(t, seen.address, nil)
	alone := seen.as(t, about, map[string]string{"X-Grafana-Id": grafanaToken("user:1", 1), "X-Grafana-Org-Id": "1"})
	require.Positive(t, alone)
	for user := range 5 {
		require.Zero(t, seen.as(t, about, map[string]string{
			"X-Grafana-Id": grafanaToken(fmt.Sprintf("user:%d", user), user), "X-Dashboard-Title": fmt.Sprint(user),
		}))
	}
	require.Zero(t, seen.as(t, about, nil), "nor is nobody told from them")
	seen.all(t, "X-Grafana-Id", "")
}

// An alert rule asks the server itself, and nothing else anew.
func TestAlertRulesShareDiscovery(t *testing.T) {
	seen := record(t)
	about := instanceOf(t, seen.address, nil)
	seen.as(t, about, nil)
	for _, rule := range []string{"one", "two"} {
		require.LessOrEqual(t, seen.as(t, about, map[string]string{
			backend.FromAlertHeaderName: "true", "X-Rule-Name": rule, "X-Rule-Uid": rule, "X-Rule-Version": "3", "X-Rule-Folder": "PD", "X-Grafana-Org-Id": "1",
		}), 2, "the query of each of two engine types")
	}
}

func TestAForwardedTokenIsKeyedByItsSubject(t *testing.T) {
	seen := record(t)
	about := instanceOf(t, seen.address, map[string]any{"forwardGrafanaId": true})
	first := grafanaToken("user:1", 1)
	alone := seen.as(t, about, map[string]string{"X-Grafana-Id": first})
	seen.all(t, "X-Grafana-Id", first)
	require.Zero(t, seen.as(t, about, map[string]string{"X-Grafana-Id": grafanaToken("user:1", 2)}), "the same user's next token")
	other := seen.as(t, about, map[string]string{"X-Grafana-Id": grafanaToken("user:2", 1)})
	require.Positive(t, other, "another user")
	require.Less(t, other, alone, "who is shown the same does not pay for all of a look")
	require.LessOrEqual(t, other, 4+2+1, "a glance, the query of each of two engine types and the look for restarts")

	// A browser writes the headers of resource calls: it may have made up the token.
	before := seen.count()
	forged := &backend.CallResourceRequest{
		PluginContext: about, Method: http.MethodGet, Path: "discovery", URL: "discovery",
		Headers: map[string][]string{"X-Grafana-Id": {grafanaToken("user:1", 3)}},
	}
	_, _, err := sent(t, forged)
	require.NoError(t, err)
	require.Greater(t, seen.count(), before, "is shown nothing that was looked up for the user of the same name")
}

// sent sends a resource call to the plugin's process.
func sent(t *testing.T, r *backend.CallResourceRequest) (status int, body string, err error) {
	t.Helper()
	var text strings.Builder
	err = served(t).CallResource(t.Context(), r, backend.CallResourceResponseSenderFunc(func(response *backend.CallResourceResponse) error {
		status = response.Status
		_, err := text.Write(response.Body)
		return err
	}))
	return status, text.String(), err
}

// A proxy before the server may believe a user's or a tenant's name. Grafana passes a browser's
// own headers on to the plugin with resource calls; there they end.
func TestABrowserCannotSayWhoItIs(t *testing.T) {
	seen := record(t)
	about := instanceOf(t, seen.address, map[string]any{"httpHeaderName1": "X-Scope-Orgid"})
	about.DataSourceInstanceSettings.DecryptedSecureJSONData = map[string]string{"httpHeaderValue1": "our-own-tenant"}
	about.User = &backend.User{Login: "viewer"}
	claims := map[string][]string{
		"X-Scope-OrgID": {"another-tenant"}, "X-Webauth-User": {"admin"}, "X-Forwarded-User": {"admin"}, "Remote-User": {"admin"},
		"X-Grafana-User": {"admin"}, "X-Prom-Label-Policy": {"all"}, "Thanos-Tenant": {"another"}, "X-Forwarded-For": {"127.0.0.1"},
		"Sec-Fetch-Mode": {"cors"}, "Authorization": {"Bearer made-up"}, "X-Id-Token": {"made.up.token"},
	}
	status, body, err := sent(t, &backend.CallResourceRequest{
		PluginContext: about, Method: http.MethodGet, Path: "discovery", URL: "discovery", Headers: claims,
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, body)
	for name := range claims {
		want := map[string]string{"X-Scope-OrgID": "our-own-tenant"}[name]
		seen.all(t, name, want)
	}
}

func TestTheNameThatGrafanaKnowsIsSentOn(t *testing.T) {
	seen := record(t)
	about := instanceOf(t, seen.address, nil)
	about.User = &backend.User{Login: "viewer"}
	_, _, err := sent(t, &backend.CallResourceRequest{
		PluginContext: about, Method: http.MethodGet, Path: "discovery", URL: "discovery",
		Headers: map[string][]string{"X-Grafana-User": {"viewer"}},
	})
	require.NoError(t, err)
	seen.all(t, "X-Grafana-User", "viewer")
}

// What a request brought is masked in whatever the server repeats: errors, warnings, health and
// resource calls.
func TestSecretsOfARequestAreMasked(t *testing.T) {
	const bearer, session, idToken, password = "bearer-token-of-alice", "session-cookie-of-alice", "id-token-of-alice", "password-of-alice"
	own := map[string]string{
		"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte("alice:"+password)),
		"Cookie":        "lang=de; proxy_session=" + session, "X-Id-Token": idToken, "X-Grafana-Id": grafanaToken("user:alice", 1),
	}
	hidden := []string{session, idToken, password, own["Authorization"], own["X-Grafana-Id"], "c2lnbmF0dXJlLXVzZXI6YWxpY2U"}
	says := strings.Join(append(hidden, own["Cookie"], bearer), " | ")
	for name, test := range map[string]struct {
		fail  http.HandlerFunc
		takes func(*http.Request) bool
	}{
		"an error of the API": {apiError(422, "execution", says), onQueries},
		"an error of a proxy": {answering(502, "text/plain", says), onQueries},
		"a warning": {answering(200, "application/json",
			fmt.Sprintf(`{"status":"success","data":{"resultType":"matrix","result":[]},"warnings":[%q],"infos":[%q]}`, says, says)), onRanges},
	} {
		t.Run(name, func(t *testing.T) {
			about := instanceOf(t, failingOn(t, test.fail, test.takes), nil)
			dq := decodeRate(t)
			dq.RefID = "A"
			request := &backend.QueryDataRequest{PluginContext: about, Queries: []backend.DataQuery{dq}}
			health := &backend.CheckHealthRequest{PluginContext: about}
			resource := &backend.CallResourceRequest{PluginContext: about, Method: http.MethodGet, Path: "discovery", URL: "discovery", Headers: map[string][]string{}}
			for header, value := range own {
				request.SetHTTPHeader(header, value)
				health.SetHTTPHeader(header, value)
				resource.Headers[header] = []string{value}
			}
			response, err := served(t).QueryData(t.Context(), request)
			require.NoError(t, err)
			answer := response.Responses["A"]
			text := fmt.Sprint(answer.Error)
			for _, frame := range answer.Frames {
				printed, err := frame.MarshalJSON()
				require.NoError(t, err)
				text += string(printed)
			}
			// The SDK's test client leaves the headers of a health check out.
			checked, err := served(t).DiagnosticsClient.CheckHealth(t.Context(), &pluginv2.CheckHealthRequest{
				PluginContext: backend.ToProto().PluginContext(about), Headers: health.Headers,
			})
			require.NoError(t, err)
			_, body, err := sent(t, resource)
			require.NoError(t, err)
			text += checked.GetMessage() + string(checked.GetJsonDetails()) + body
			require.Contains(t, text, "***", "the server's words are shown")
			for _, secret := range hidden {
				require.NotContains(t, text, secret)
			}
		})
	}
}

// A dashboard at one refresh a second cancels what it asked before; that is no failure to
// anybody's log.
func TestACancelledRequestIsNoFailure(t *testing.T) {
	source := opened(t, failingOn(t, hanging, onRanges), nil)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	dq := decodeRate(t)
	dq.RefID = "A"
	response, err := source.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{dq}})
	require.Nil(t, response)
	require.Equal(t, backend.RequestStatusCancelled, backend.RequestStatusFromError(err))
	require.True(t, backend.IsDownstreamError(err))
}
