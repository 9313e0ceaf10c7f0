package plugin_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
)

// checked is what "Save & test" shows and what the config page reads of it.
type checked struct {
	Message        string   `json:"message"`
	VerboseMessage string   `json:"verboseMessage"`
	Severity       string   `json:"severity"`
	Server         string   `json:"server"`
	ScrapeInterval string   `json:"scrapeInterval"`
	Systems        []string `json:"systems"`
	Models         []string `json:"models"`
	Curves         []struct {
		Signal string   `json:"signal"`
		Drawn  bool     `json:"drawn"`
		Why    []string `json:"why"`
	} `json:"curves"`
}

func check(t *testing.T, source *plugin.Datasource) (*backend.CheckHealthResult, checked) {
	t.Helper()
	result, err := source.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
	require.NoError(t, err, "an unhealthy server is an answer, not an error")
	var details checked
	require.NoError(t, json.Unmarshal(result.JSONDetails, &details))
	require.NotEmpty(t, result.Message)
	return result, details
}

func TestHealthStopsAtTheFirstStageThatFails(t *testing.T) {
	empty, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, empty.Close()) })
	for name, test := range map[string]struct {
		address  string
		jsonData map[string]any
		texts    []string
	}{
		"the settings are wrong, every fault at once": {
			"http://localhost:9090", map[string]any{"scrapeInterval": "often", "rankStrategy": "best"},
			[]string{"The data source settings are wrong", "scrapeInterval", "; rankStrategy"},
		},
		"there is no address":              {"", nil, []string{"no URL is set", "http://localhost:9090"}},
		"the address is none":              {"prometheus:9090", nil, []string{"url", "http://"}},
		"nothing listens":                  {refusing(t), nil, []string{"connection refused", "port"}},
		"a login page answers":             {failingOn(t, answering(200, "text/html", "<html>"), everywhere), nil, []string{"login page"}},
		"the login is wrong":               {failingOn(t, answering(401, "text/plain", "no"), everywhere), nil, []string{"asks for a login (401)"}},
		"1+1 is 3":                         {failingOn(t, answering(200, "application/json", `{"status":"success","data":{"resultType":"scalar","result":[1,"3"]}}`), onQueries), nil, []string{"1+1", "does not lead to a Prometheus-compatible API"}},
		"the labels cannot be read":        {failingOn(t, apiError(422, "execution", "labels are closed"), onLabels), nil, []string{"answers queries, but its labels cannot be read", "labels are closed"}},
		"the server has none of the names": {empty.URL(), nil, []string{"Prometheus 3.16.0 answers queries, but holds no metric of", "vLLM", "SGLang", "--enable-metrics", "prefixes"}},
		"the prefixes are others": {
			theDefaultCluster(t).server.URL(), map[string]any{"prefixes": map[string]any{"vllm": []string{"x_"}, "sglang": []string{"y_"}}},
			[]string{"holds no metric of"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			result, details := check(t, opened(t, test.address, test.jsonData))
			require.Equal(t, backend.HealthStatusError, result.Status)
			require.Equal(t, "error", details.Severity)
			require.Empty(t, details.Message+details.VerboseMessage, "Grafana shows the message by itself, and these once more")
			require.NotContains(t, result.Message, "\n", "Grafana runs lines together")
			for _, text := range test.texts {
				require.Contains(t, result.Message, text)
			}
			require.Empty(t, details.Curves)
		})
	}
}

func onLabels(r *http.Request) bool { return strings.Contains(r.URL.Path, "/label/") }

func TestHealthWithoutSizesSaysWhichModelLacksOne(t *testing.T) {
	r := theDefaultCluster(t)
	// The first of three models has a size.
	source := opened(t, r.server.URL(), map[string]any{"requestSizes": r.sizes()[:1]})
	result, details := check(t, source)
	require.Equal(t, backend.HealthStatusOk, result.Status, "two curves can be drawn, and one for one model")
	require.Equal(t, "kv_transfer_request_rate", details.Curves[1].Signal)
	require.True(t, details.Curves[1].Drawn)
	why := strings.Join(details.Curves[1].Why, " ")
	require.Contains(t, why, "KV transfer req/s has no number for Qwen/Qwen2.5-32B-Instruct, deepseek-ai/DeepSeek-V3")
	require.Contains(t, why, "requestSizes")
	require.Contains(t, details.VerboseMessage, "Can draw KV transfer req/s in part: KV transfer req/s has no number for Qwen/Qwen2.5-32B-Instruct")

	result, details = check(t, opened(t, r.server.URL(), nil))
	require.Equal(t, backend.HealthStatusOk, result.Status)
	require.Equal(t, "warning", details.Severity)
	require.False(t, details.Curves[1].Drawn)
	require.Contains(t, result.Message, "Cannot draw KV transfer req/s: ")
	require.Contains(t, result.Message, "requestSizes")
	require.Contains(t, result.Message, "Can draw Prefill req/s, Decode req/s.")
}

func TestHealthOfAWholeDeploymentTellsWhatWasFound(t *testing.T) {
	result, details := check(t, theDefaultCluster(t).source)
	require.Equal(t, backend.HealthStatusOk, result.Status)
	require.Equal(t, "Prometheus 3.16.0", details.Server)
	require.Equal(t, "1s", details.ScrapeInterval)
	require.Contains(t, details.Systems, "vLLM (2 prefill, 3 decode)")
	require.Contains(t, details.Systems, "SGLang (2 prefill, 2 decode)")
	require.Contains(t, details.Systems, "FlagCX")
	require.Equal(t, []string{"Qwen/Qwen2.5-32B-Instruct", "deepseek-ai/DeepSeek-V3", "meta-llama/Llama-3.1-70B-Instruct"}, details.Models)
	require.Len(t, details.Curves, 3)
	for _, c := range details.Curves {
		require.True(t, c.Drawn, c.Signal)
		require.Empty(t, c.Why, c.Signal)
	}
	require.Contains(t, result.Message, "Can draw Prefill req/s, KV transfer req/s, Decode req/s.")
	require.NotContains(t, result.Message, "Cannot")
	require.Equal(t, "info", details.Severity)
}

func TestAnUnfinishedSizeStopsItsOwnModelAndNothingElse(t *testing.T) {
	r := theDefaultCluster(t)
	const model = "deepseek-ai/DeepSeek-V3"
	var sizes []any
	for _, size := range r.sizes() {
		if size.(map[string]any)["model"] == model {
			size = map[string]any{"model": model, "preset": "deepseek-v3"}
		}
		sizes = append(sizes, size)
	}
	sizes = append(sizes, map[string]any{"model": "", "config": "{"})
	source := opened(t, r.server.URL(), map[string]any{"requestSizes": sizes})
	result, details := check(t, source)
	require.Equal(t, backend.HealthStatusOk, result.Status, result.Message)
	require.Equal(t, "warning", details.Severity)
	require.Contains(t, details.VerboseMessage, "Can draw KV transfer req/s in part: An entry of KV bytes per request in the data source settings is wrong, so that "+model+" gets no number of KV transfer req/s: ")
	require.Equal(t, 1, strings.Count(details.VerboseMessage, "].inputTokens is 0 or missing"), "once is enough")
	require.Contains(t, details.VerboseMessage, "Model 4 in KV bytes per request is wrong: requestSizes[3].config is the text \"{\"")
	require.Contains(t, details.VerboseMessage, "Can draw Prefill req/s, Decode req/s.")
}

func TestHealthLooksAnewAtEveryCall(t *testing.T) {
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	source := opened(t, server.URL(), nil)
	result, _ := check(t, source)
	require.Equal(t, backend.HealthStatusError, result.Status)
	require.NoError(t, server.Append(t.Context(), promserver.Sample{
		Labels: map[string]string{"__name__": "vllm:num_requests_running", "model_name": "m", "instance": "a"}, Time: time.Now(), Value: 1,
	}))
	result, details := check(t, source)
	require.Equal(t, backend.HealthStatusOk, result.Status, result.Message)
	require.Equal(t, []string{"vLLM (1 unified)"}, details.Systems)
	require.Equal(t, []string{"m"}, details.Models)
}
