package settings_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

func TestHTTPOptions(t *testing.T) {
	received := make(chan http.Header, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		received <- r.Header
	}))
	defer server.Close()
	instance := backend.DataSourceInstanceSettings{
		URL:              server.URL,
		BasicAuthEnabled: true,
		BasicAuthUser:    "reader",
		JSONData:         []byte(`{"timeout": 7, "httpHeaderName1": "X-Scope-OrgID"}`),
		DecryptedSecureJSONData: map[string]string{
			"basicAuthPassword": "pass",
			"httpHeaderValue1":  "tenant",
		},
	}
	s, err := settings.FromInstance(t.Context(), instance)
	require.NoError(t, err)

	opts, err := s.HTTPOptions(t.Context(), instance)
	require.NoError(t, err)
	require.True(t, opts.ForwardHTTPHeaders)
	require.Equal(t, 8*time.Second, opts.Timeouts.Timeout, "a second more than the context of each request")

	client, err := httpclient.NewProvider().New(opts)
	require.NoError(t, err)
	resp, err := client.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	header := <-received
	require.Equal(t, "tenant", header.Get("X-Scope-OrgID"))
	require.Equal(t, "Basic cmVhZGVyOnBhc3M=", header.Get("Authorization"), "reader:pass")
}

func TestEverySettingThatPassesSurvivesTheSDK(t *testing.T) {
	for _, key := range []string{
		"access", "url", "basicAuth", "basicAuthUser", "serverName", "secureSocksProxyUsername", "enableSecureSocksProxy",
		"tlsAuth", "tlsAuthWithCACert", "tlsSkipVerify", "timeout", "dialTimeout", "keepAlive", "httpHeaderName1", "httpHeaderName2",
		"sigV4Auth", "sigV4Region", "sigV4AssumeRoleArn", "sigV4AuthType", "sigV4ExternalId", "sigV4Profile",
	} {
		for _, value := range []string{`null`, `5`, `"x"`, `true`, `[]`, `{}`} {
			t.Run(key+" is "+value, func(t *testing.T) {
				instance := backend.DataSourceInstanceSettings{
					URL: "http://prometheus:9090",
					JSONData: []byte(`{"basicAuth": true, "tlsAuth": true, "sigV4Auth": true, "enableSecureSocksProxy": true,
						"httpHeaderName1": "a", "` + key + `": ` + value + `}`),
					DecryptedSecureJSONData: map[string]string{"httpHeaderValue1": "v", "httpHeaderValue2": "v"},
				}
				s, err := settings.FromInstance(t.Context(), instance)
				if err != nil {
					return // refused, as it may be
				}
				require.NotPanics(t, func() { _, err = s.HTTPOptions(t.Context(), instance) })
				require.NoError(t, err)
			})
		}
	}
}
