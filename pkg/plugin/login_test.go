package plugin_test

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

// recorded is a proxy before the default cluster that keeps every request's headers.
type recorded struct {
	address string
	mu      sync.Mutex
	headers []http.Header
}

func record(t *testing.T) *recorded {
	t.Helper()
	seen := &recorded{}
	seen.address = failingOn(t, nil, func(r *http.Request) bool {
		seen.mu.Lock()
		defer seen.mu.Unlock()
		seen.headers = append(seen.headers, r.Header.Clone())
		return false
	})
	return seen
}

// all asserts that every request, those of discovery too, had the header.
func (seen *recorded) all(t *testing.T, name, value string) {
	t.Helper()
	seen.mu.Lock()
	defer seen.mu.Unlock()
	require.NotEmpty(t, seen.headers)
	for _, h := range seen.headers {
		require.Equal(t, value, h.Get(name), "%s of %v", name, h)
	}
}

func TestHeadersOfTheCallerReachTheServer(t *testing.T) {
	seen := record(t)
	client := served(t)
	dq := decodeRate(t)
	dq.RefID = "A"
	request := &backend.QueryDataRequest{
		PluginContext: instanceOf(t, seen.address, map[string]any{"oauthPassThru": true}), Queries: []backend.DataQuery{dq},
	}
	request.SetHTTPHeader("Authorization", "Bearer users-own-token")
	request.SetHTTPHeader("X-Id-Token", "users-id")
	response, err := client.QueryData(t.Context(), request)
	require.NoError(t, err)
	require.NoError(t, response.Responses["A"].Error)
	seen.all(t, "Authorization", "Bearer users-own-token")
	seen.all(t, "X-Id-Token", "users-id")
}

const (
	password = "pass-word-of-the-server"
	token    = "token-of-the-tenant"
)

// loggedIn has a login and a header with a secret, as Grafana keeps them.
func loggedIn(t *testing.T, address, timeout string) *plugin.Datasource {
	t.Helper()
	source, err := plugin.Open(t.Context(), backend.DataSourceInstanceSettings{
		Type: plugin.ID, URL: address, BasicAuthEnabled: true, BasicAuthUser: "grafana",
		JSONData:                []byte(`{"httpHeaderName1":"X-Scope-Token","timeout":"` + timeout + `"}`),
		DecryptedSecureJSONData: map[string]string{"basicAuthPassword": password, "httpHeaderValue1": token},
	})
	require.NoError(t, err)
	t.Cleanup(source.Dispose)
	return source
}

func TestTheConfiguredLoginReachesTheServer(t *testing.T) {
	seen := record(t)
	source := loggedIn(t, seen.address, "20s")
	require.NoError(t, respond(t, source, decodeRate(t)).Error)
	require.Equal(t, http.StatusOK, call(t, source, http.MethodGet, "labels/model/values", "").status)
	health, err := source.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
	require.NoError(t, err)
	require.Equal(t, backend.HealthStatusOk, health.Status)
	expected := httptest.NewRequest(http.MethodGet, "/", nil)
	expected.SetBasicAuth("grafana", password)
	seen.all(t, "Authorization", expected.Header.Get("Authorization"))
	seen.all(t, "X-Scope-Token", token)
}

func TestSecretsAppearInNoError(t *testing.T) {
	addresses := map[string]string{
		// An address may hold a password too.
		"nothing listens": "http://grafana:" + password + "@" + refusing(t)[len("http://"):] + "/?token=" + token,
		"a server that repeats the login": failingOn(t, func(w http.ResponseWriter, r *http.Request) {
			_, pass, _ := r.BasicAuth()
			http.Error(w, "unknown: "+pass+" "+r.Header.Get("Authorization")+" "+r.Header.Get("X-Scope-Token"), http.StatusUnauthorized)
		}, everywhere),
	}
	for name, test := range faults() {
		addresses[name] = failingOn(t, test.fail, everywhere)
	}
	for name, address := range addresses {
		t.Run(name, func(t *testing.T) {
			source := loggedIn(t, address, "300ms")
			got := respond(t, source, decodeRate(t))
			require.Error(t, got.Error)
			health, err := source.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
			require.NoError(t, err)
			encoded := httptest.NewRequest(http.MethodGet, "/", nil)
			encoded.SetBasicAuth("grafana", password)
			for _, text := range []string{
				got.Error.Error(), health.Message, string(health.JSONDetails),
				string(call(t, source, http.MethodGet, "labels/model/values", "").body),
			} {
				for _, secret := range []string{password, token, encoded.Header.Get("Authorization")[len("Basic "):]} {
					require.NotContains(t, text, secret)
				}
			}
		})
	}
}

func TestAServerWithACertificateOfItsOwnAuthority(t *testing.T) {
	target, err := url.Parse(theDefaultCluster(t).server.URL())
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(target))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are what is tested
	server.StartTLS()
	t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})

	for name, test := range map[string]struct {
		jsonData string
		secure   map[string]string
		message  string // of the error, "" for none
	}{
		"is refused while the authority is not known": {`{}`, nil, "signed by an authority that is not known here"},
		"is accepted with the authority's certificate": {
			`{"tlsAuthWithCACert":true}`, map[string]string{"tlsCACert": string(authority)}, ""},
		"is accepted where nothing is verified": {`{"tlsSkipVerify":true}`, nil, ""},
		"is refused under another name": {
			`{"tlsAuthWithCACert":true,"serverName":"prometheus.invalid"}`, map[string]string{"tlsCACert": string(authority)}, "for another name"},
	} {
		t.Run(name, func(t *testing.T) {
			source, err := plugin.Open(t.Context(), backend.DataSourceInstanceSettings{
				Type: plugin.ID, URL: server.URL, JSONData: []byte(test.jsonData), DecryptedSecureJSONData: test.secure,
			})
			require.NoError(t, err)
			t.Cleanup(source.Dispose)
			got := respond(t, source, decodeRate(t))
			if test.message == "" {
				require.NoError(t, got.Error)
				return
			}
			require.ErrorContains(t, got.Error, test.message)
			require.EqualValues(t, http.StatusBadGateway, got.Status)
		})
	}
}

func TestACertificateThatIsNoneIsReportedByHealth(t *testing.T) {
	source, err := plugin.Open(t.Context(), backend.DataSourceInstanceSettings{
		Type: plugin.ID, URL: "https://localhost", JSONData: []byte(`{"tlsAuthWithCACert":true}`),
		DecryptedSecureJSONData: map[string]string{"tlsCACert": "no certificate"},
	})
	require.NoError(t, err)
	health, err := source.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
	require.NoError(t, err)
	require.Equal(t, backend.HealthStatusError, health.Status)
	require.Contains(t, health.Message, "The data source settings are wrong")
}
