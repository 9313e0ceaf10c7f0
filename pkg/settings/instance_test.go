package settings_test

import (
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

func instance(jsonData string) backend.DataSourceInstanceSettings {
	return backend.DataSourceInstanceSettings{URL: "http://prometheus:9090", JSONData: []byte(jsonData)}
}

// defaults are what a data source has of which only the URL was entered.
func defaults() settings.Settings {
	return settings.Settings{
		URL:          "http://prometheus:9090",
		RankStrategy: compile.RanksAuto,
		Roles:        map[string]string{"prefill": `instance=~"prefill.*"`, "decode": `instance=~"decode.*"`},
		KVSource:     settings.KVAuto,
		HTTPMethod:   "POST",
		Timeout:      30 * time.Second,
		SeriesLimit:  1000,
		Cache:        true, CacheSize: 64, ConcurrentQueries: 64, ResponseSize: 128,
	}
}

func TestFromInstance(t *testing.T) {
	with := func(change func(*settings.Settings)) settings.Settings {
		s := defaults()
		change(&s)
		return s
	}
	tests := []struct {
		name, jsonData string
		want           settings.Settings
	}{
		{"no jsonData at all", ``, defaults()},
		{"an empty object", `{}`, defaults()},
		{"null", `null`, defaults()},
		{"fields left empty in the editor", `{"scrapeInterval": "", "rankStrategy": "", "prefixes": {}, "roles": {"prefill": " "}, "labels": {"model": []},
			"requestSizes": [], "kvSource": "", "customQueryParameters": "", "httpMethod": "", "timeout": 0}`,
			defaults()},
		{"cache and limits", `{"cache": false, "cacheSize": 8, "concurrentQueries": 2.0, "responseSize": 4096}`, with(func(s *settings.Settings) {
			s.Cache, s.CacheSize, s.ConcurrentQueries, s.ResponseSize = false, 8, 2, 4096
		})},
		{"fields that are null", `{"scrapeInterval": null, "roles": null, "labels": null, "requestSizes": null, "timeout": null, "seriesLimit": null}`, defaults()},
		{"Grafana's own keys", `{"httpHeaderName1": "X-Scope-OrgID", "httpHeaderNameless": 1, "tlsAuth": false, "tlsSkipVerify": true, "oauthPassThru": true, "pdcInjected": false,
			"enableSecureSocksProxy": true, "keepCookies": ["a"], "timeInterval": "5s", "manageAlerts": true, "httpIdleConnTimeout": 90}`, with(func(s *settings.Settings) { s.OAuthPassThru = true })},
		{"durations", `{"scrapeInterval": "1m30s", "timeout": "1500ms"}`, with(func(s *settings.Settings) { s.ScrapeInterval, s.Timeout = 90*time.Second, 1500*time.Millisecond })},
		{"a timeout in seconds", `{"timeout": 2.5}`, with(func(s *settings.Settings) { s.Timeout = 2500 * time.Millisecond })},
		{"a method in small letters", `{"httpMethod": "get"}`, with(func(s *settings.Settings) { s.HTTPMethod = "GET" })},
		{"no series limit", `{"seriesLimit": 0}`, with(func(s *settings.Settings) { s.SeriesLimit = 0 })},
		{"a series limit that JavaScript wrote as a float", `{"seriesLimit": 5e1}`, with(func(s *settings.Settings) { s.SeriesLimit = 50 })},
		{"rank strategy and KV source", `{"rankStrategy": "rank0", "kvSource": "nixl"}`, with(func(s *settings.Settings) { s.RankStrategy, s.KVSource = compile.RanksRank0, "nixl" })},
		{"prefixes with none among them", `{"prefixes": {"vllm": ["ray_vllm_", "vllm:", ""]}}`, with(func(s *settings.Settings) { s.Prefixes = map[string][]string{"vllm": {"ray_vllm_", "vllm:", ""}} })},
		{"labels", `{"labels": {"model": ["model_name", "model"], "engineGroup": ["pod"]}}`, with(func(s *settings.Settings) {
			s.Labels = map[string][]string{"model": {"model_name", "model"}, "engineGroup": {"pod"}}
		})},
		{"one role of one's own leaves the other's default", `{"roles": {"prefill": "pod=~\"p-.*\", namespace=\"llm\""}}`, with(func(s *settings.Settings) {
			s.Roles["prefill"] = `pod=~"p-.*", namespace="llm"`
		})},
		{"matchers copied with their braces", `{"roles": {"unified": "{job=\"a}\"}"}}`, with(func(s *settings.Settings) { s.Roles["unified"] = `job="a}"` })},
		{"custom parameters", `{"customQueryParameters": "?max_source_resolution=5m&dedup=true&dedup=x%26"}`, with(func(s *settings.Settings) {
			s.CustomQueryParameters = map[string][]string{"max_source_resolution": {"5m"}, "dedup": {"true", "x&"}}
		})},
		{"request sizes in both forms", `{"requestSizes": [{"model": "a/b", "bytesPerRequest": 9007199254740991},
			{"model": "/b$/", "layers": 80, "kvHeads": 8, "headDim": 128.0, "inputTokens": 8.192e3, "kvDtype": "bf16"}]}`, with(func(s *settings.Settings) {
			s.RequestSizes = kvcache.Sizes{
				{Model: "a/b", BytesPerRequest: 9007199254740991},
				{Model: "/b$/", Layers: 80, KVHeads: 8, HeadDim: 128, InputTokens: 8192, KVDtype: "bf16"},
			}
		})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := settings.FromInstance(t.Context(), instance(tt.jsonData))
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestFromInstanceRefusals(t *testing.T) {
	tests := []struct {
		name, jsonData string
		want           []string
	}{
		{"a list for an object", `[]`, []string{"jsonData is not an object"}},
		{"broken JSON", `{"a": `, []string{"jsonData is not valid JSON"}},
		{"a number for a duration", `{"scrapeInterval": 15}`, []string{"scrapeInterval is the number 15", "text in quotes"}},
		{"a duration without unit", `{"scrapeInterval": "15"}`, []string{`scrapeInterval is "15"`, "such as 1s"}},
		{"a duration below zero", `{"scrapeInterval": "-1s"}`, []string{`scrapeInterval is "-1s"`}},
		{"a duration of nothing", `{"scrapeInterval": "0s"}`, []string{`scrapeInterval is "0s"`}},
		{"a timeout below zero", `{"timeout": -1}`, []string{"timeout is -1", "seconds"}},
		{"a timeout beyond all numbers", `{"timeout": 1e999}`, []string{"timeout is 1e999"}},
		{"a timeout of another type", `{"timeout": [30]}`, []string{"timeout is a list"}},
		{"an unknown rank strategy", `{"rankStrategy": "Sum"}`, []string{`rankStrategy is "Sum"`, "auto, collapse, rank0, sum"}},
		{"an unknown KV source", `{"kvSource": "lmcache"}`, []string{`kvSource is "lmcache"`, "auto, flagcx, nixl, sglang, mooncake"}},
		{"a KV source of another type", `{"kvSource": {}}`, []string{"kvSource is an object"}},
		{"a catalog with a fault", `{"catalog": "systems:\n  - {system: acme, titel: Acme}"}`, []string{"catalog:2: systems[0].titel is no field: did you mean title?", "systems[0].bindings is missing"}},
		{"a catalog as an object with a fault", `{"catalog": {"systems": [{"system": "Acme"}]}}`, []string{`catalog: systems[0].system "Acme" is no name of a system`}},
		{"a catalog of another type", `{"catalog": [1]}`, []string{"catalog is a list", "text of YAML"}},
		{"a catalog beside another fault", `{"catalog": "systems: 3", "kvSource": "acme", "timeout": -1}`, []string{`catalog:1: systems "3" is a single value`, "timeout is -1"}},
		{"an unknown method", `{"httpMethod": "PUT"}`, []string{`httpMethod is "PUT"`, "POST or GET"}},
		{"half a series", `{"seriesLimit": 1.5}`, []string{"seriesLimit is the number 1.5"}},
		{"a limit in quotes", `{"seriesLimit": "1000"}`, []string{`seriesLimit is the text "1000"`, "whole number"}},
		{"a limit below zero", `{"seriesLimit": -1}`, []string{"seriesLimit is the number -1"}},
		{"prefixes as one text", `{"prefixes": {"vllm": "vllm:"}}`, []string{`prefixes.vllm is the text "vllm:"`, "list of texts"}},
		{"a prefix that no metric can have", `{"prefixes": {"vllm": ["vllm-"]}}`, []string{`prefixes.vllm holds "vllm-"`, "prefix such as"}},
		{"prefixes without a system", `{"prefixes": {"": ["a"]}}`, []string{"prefixes has an entry without a name"}},
		{"a label that no series can have", `{"labels": {"model": ["model.name"]}}`, []string{`labels.model holds "model.name"`}},
		{"the metric name as a label", `{"labels": {"model": ["__name__"]}}`, []string{`labels.model holds "__name__"`}},
		{"a number among labels", `{"labels": {"model": ["a", 1]}}`, []string{"labels.model[1] is the number 1"}},
		{"labels as a list", `{"labels": ["model"]}`, []string{"labels is a list", "object"}},
		{"an unknown role", `{"roles": {"encode": "a=\"b\""}}`, []string{"roles.encode is no role", "prefill, decode, unified"}},
		{"a role that is no text", `{"roles": {"decode": true}}`, []string{"roles.decode is true"}},
		{"a role that is no matcher", `{"roles": {"decode": "decode.*"}}`, []string{`roles.decode is "decode.*"`, "label matchers such as"}},
		{"a role whose expression is broken", `{"roles": {"decode": "instance=~\"(\""}}`, []string{"roles.decode", "missing closing )"}},
		{"a role that breaks out of its braces", `{"roles": {"decode": "a=\"b\"} or vector(1) # {"}}`, []string{"roles.decode", "parse error"}},
		{"a role that names a metric", `{"roles": {"decode": "__name__=\"up\""}}`, []string{"roles.decode", "a role holds for all metrics"}},
		{"a role that names a metric in quotes", `{"roles": {"decode": "\"up\",a=\"b\""}}`, []string{"roles.decode", "a role holds for all metrics"}},
		{"parameters that queries set", `{"customQueryParameters": "step=5&query=up"}`, []string{`customQueryParameters sets "query"`, `customQueryParameters sets "step"`}},
		{"sizes that are no list", `{"requestSizes": {}}`, []string{"requestSizes is an object", "write a list"}},
		{"a header name that the SDK would panic on", `{"httpHeaderName1": 5}`, []string{"httpHeaderName1 is of the wrong type", "in quotes"}},
		{"a server name that the SDK would panic on", `{"tlsAuth": true, "serverName": null}`, []string{"serverName is of the wrong type"}},
		{"a proxy user that the SDK would panic on", `{"enableSecureSocksProxy": true, "secureSocksProxyUsername": 1}`, []string{"secureSocksProxyUsername is of the wrong type"}},
		{"a switch in quotes that the SDK would ignore", `{"tlsSkipVerify": "true"}`, []string{"tlsSkipVerify is of the wrong type", "without quotes"}},
		{"a number in quotes that the SDK would take as 0", `{"dialTimeout": "10"}`, []string{"dialTimeout is of the wrong type", "whole number"}},
		{"several faults at once", `{"timeout": false, "rankStrategy": 1, "requestSizes": [{"model": "a"}]}`, []string{"timeout is false", "rankStrategy is the number 1", "requestSizes[0].bytesPerRequest is 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := settings.FromInstance(t.Context(), instance(tt.jsonData))
			require.Zero(t, got)
			for _, want := range tt.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestFromInstanceURL(t *testing.T) {
	tests := []struct {
		name, url, want string
	}{
		{"no scheme", "prometheus:9090", "url does not begin with http"},
		{"a path alone", "/prometheus", "url does not begin with http"},
		{"another scheme", "ftp://prometheus", "url does not begin with http"},
		{"no host", "http://:9090", "url has no host"},
		{"an unreadable address", "http://u:hunter2@[::1", "url cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := settings.FromInstance(t.Context(), backend.DataSourceInstanceSettings{URL: tt.url})
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, "http://prometheus:9090")
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
	t.Run("spaces round the address are taken off", func(t *testing.T) {
		got, err := settings.FromInstance(t.Context(), backend.DataSourceInstanceSettings{URL: " https://mimir/prometheus "})
		require.NoError(t, err)
		require.Equal(t, "https://mimir/prometheus", got.URL)
	})
}

func TestErrorsShowNoSecret(t *testing.T) {
	_, err := settings.FromInstance(t.Context(), backend.DataSourceInstanceSettings{
		URL:                     "ftp://user:hunter2@prometheus?token=hunter2",
		JSONData:                []byte(`{"customQueryParameters": "token=hunter2&bad=%zzhunter2", "basicAuth": "hunter2", "httpHeaderName1": ["hunter2"]}`),
		DecryptedSecureJSONData: map[string]string{"httpHeaderValue1": "hunter2", "basicAuthPassword": "hunter2"},
	})
	require.ErrorContains(t, err, "customQueryParameters cannot be read")
	require.Len(t, strings.Split(err.Error(), "\n"), 4)
	require.NotContains(t, err.Error(), "hunter2")
}
