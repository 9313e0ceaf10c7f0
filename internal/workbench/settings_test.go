package workbench_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

const address = "/api/datasources/uid/pdmonitor"

func TestChangedSettingsWorkAtOnce(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{})
	_, settings := call(t, h, "GET", address, "")
	require.Empty(t, settings["url"])
	settings["url"] = answers(t).URL
	settings["jsonData"] = map[string]any{"scrapeInterval": "5s"}
	body, err := json.Marshal(settings)
	require.NoError(t, err)
	status, got := call(t, h, "PUT", address, string(body))
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, settings["url"], got["datasource"].(map[string]any)["url"])

	_, got = call(t, h, "POST", "/api/ds/query", promqlUp)
	require.NotContains(t, got["results"].(map[string]any)["B"], "error")
	_, got = call(t, h, "GET", "/api/frontend/settings", "")
	source := got["datasources"].(map[string]any)["PD Monitor"].(map[string]any)
	require.Equal(t, map[string]any{"scrapeInterval": "5s"}, source["jsonData"])
}

func TestWrongSettingsAreKeptAndTheHealthCheckSaysWhatIsWrong(t *testing.T) {
	h := opened(t, backend.DataSourceInstanceSettings{URL: answers(t).URL})
	status, _ := call(t, h, "PUT", address, `{"url":"prometheus:9090","jsonData":{}}`)
	require.Equal(t, http.StatusOK, status)
	status, got := call(t, h, "GET", address+"/health", "")
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, got["message"], "http://")
}

func TestSecretsGoInButNeverOut(t *testing.T) {
	server := answers(t)
	h := opened(t, backend.DataSourceInstanceSettings{
		URL: server.URL, BasicAuthEnabled: true, BasicAuthUser: "ann",
		DecryptedSecureJSONData: map[string]string{"basicAuthPassword": "first-secret"},
	})
	user := func() any {
		_, got := call(t, h, "POST", "/api/ds/query", promqlUp)
		frame := got["results"].(map[string]any)["B"].(map[string]any)["frames"].([]any)[0].(map[string]any)
		field := frame["schema"].(map[string]any)["fields"].([]any)[1].(map[string]any)
		return field["labels"].(map[string]any)["user"]
	}
	const first, second = "Basic YW5uOmZpcnN0LXNlY3JldA==", "Basic YW5uOnNlY29uZC1zZWNyZXQ="
	require.Equal(t, first, user())

	put := func(secrets string) string {
		body := fmt.Sprintf(`{"url":%q,"basicAuth":true,"basicAuthUser":"ann","jsonData":{},"secureJsonData":{%s}}`, server.URL, secrets)
		got := ask(h, "PUT", address, body, nil)
		require.Equal(t, http.StatusOK, got.Code)
		return got.Body.String()
	}
	require.NotContains(t, put(`"basicAuthPassword":"second-secret"`), "second-secret")
	require.Equal(t, second, user())
	put("")
	require.Equal(t, second, user(), "a secret that is not sent again stays")

	shown := ask(h, "GET", address, "", nil).Body.String()
	require.NotContains(t, shown, "secret\"", "no value")
	require.Contains(t, shown, `"secureJsonFields":{"basicAuthPassword":true}`)
}
