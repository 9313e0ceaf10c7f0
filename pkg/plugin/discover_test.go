package plugin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func discoveredBy(t *testing.T, source *plugin.Datasource, tried url.Values) plugin.Discovery {
	t.Helper()
	got := call(t, source, http.MethodGet, "discovery?"+tried.Encode(), "")
	require.Equal(t, http.StatusOK, got.status, "%s", got.body)
	var found plugin.Discovery
	require.NoError(t, json.Unmarshal(got.body, &found))
	return found
}

func TestDiscoveryTellsWhatTheServerHolds(t *testing.T) {
	found := discoveredBy(t, theDefaultCluster(t).source, nil)
	require.Equal(t, "Prometheus 3.16.0", found.Server)
	require.Equal(t, "1s", found.ScrapeInterval)
	require.Equal(t, 9, found.Engines)
	systems := map[string]plugin.DiscoveredSystem{}
	for _, s := range found.Systems {
		systems[s.Name] = s
	}
	require.Equal(t, plugin.DiscoveredSystem{
		Name: "vllm", Title: "vLLM", Prefixes: []string{"vllm:"}, RoleBy: deployment.RoleByMatchers, ScrapeInterval: "1s",
		Roles: []plugin.DiscoveredRole{
			{Role: query.RolePrefill, Count: 2, Instances: []string{"prefill-0.llama", "prefill-1.llama"}},
			{Role: query.RoleDecode, Count: 3, Instances: []string{"decode-0.llama", "decode-1.llama", "decode-2.llama"}},
		},
		Models: []string{"meta-llama/Llama-3.1-70B-Instruct"}, DPRanks: systems["vllm"].DPRanks,
	}, systems["vllm"])
	sglang := systems["sglang"]
	require.Equal(t, deployment.RoleByLabel, sglang.RoleBy)
	require.Equal(t, []string{"Qwen/Qwen2.5-32B-Instruct", "deepseek-ai/DeepSeek-V3"}, sglang.Models)
	require.Len(t, sglang.Roles, 2)
	require.Equal(t, 4, sglang.DPRanks)
	require.Empty(t, systems["flagcx"].Roles, "a connector has no engines of its own")
}

func TestMatchersAreCountedBeforeTheyAreSaved(t *testing.T) {
	source := theDefaultCluster(t).source
	saved := discoveredBy(t, source, nil).Matchers
	require.Equal(t, `instance=~"prefill.*"`, saved["prefill"].Matchers)
	require.Equal(t, 4, saved["prefill"].Count, "those of both engines")
	require.Equal(t, 5, saved["decode"].Count)

	for name, test := range map[string]struct {
		text, matchers string
		instances      []string
	}{
		"another label":         {`job="vllm", instance=~"decode-[01].*"`, `job="vllm", instance=~"decode-[01].*"`, []string{"decode-0.llama", "decode-1.llama"}},
		"braces round them":     {`{instance="prefill-0.llama"}`, `instance="prefill-0.llama"`, []string{"prefill-0.llama"}},
		"none at all":           {`pod="x"`, `pod="x"`, []string{}},
		"nothing, the default":  {" ", `instance=~"decode.*"`, saved["decode"].Instances},
		"a value like a PromQL": {`instance="\"} or vector(1) or {a=\""`, `instance="\"} or vector(1) or {a=\""`, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := discoveredBy(t, source, url.Values{"decode": {test.text}}).Matchers
			require.Equal(t, plugin.Matched{Matchers: test.matchers, Count: len(test.instances), Instances: test.instances}, got["decode"])
			require.Equal(t, saved["prefill"], got["prefill"])
		})
	}
	for name, text := range map[string]string{
		"no matcher": "decode.*", "a bad pattern": `instance=~"("`, "a metric's name": `__name__="up"`, "a selector and more": `a="b"} or up{`,
	} {
		t.Run(name, func(t *testing.T) {
			got := discoveredBy(t, source, url.Values{"decode": {text}}).Matchers["decode"]
			require.Contains(t, got.Error, "write label matchers such as")
			require.Zero(t, got.Count)
			require.Empty(t, got.Instances)
		})
	}
}

func TestDiscoveryNamesOnlyTheFirstOfManyEngines(t *testing.T) {
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	for i := range 50 {
		require.NoError(t, server.Append(t.Context(), promserver.Sample{
			Labels: map[string]string{"__name__": "vllm:num_requests_running", "model_name": "m", "instance": fmt.Sprintf("prefill-%02d", i)}, Time: time.Now(), Value: 1,
		}))
	}
	found := discoveredBy(t, opened(t, server.URL(), nil), nil)
	require.Equal(t, 50, found.Engines)
	require.Equal(t, 50, found.Matchers["prefill"].Count)
	require.Len(t, found.Matchers["prefill"].Instances, 20)
	require.Len(t, found.Systems[0].Roles[0].Instances, 20)
	require.Equal(t, 50, found.Systems[0].Roles[0].Count)
}

func TestAnEngineThatTwoSystemsSeeIsOne(t *testing.T) {
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	for _, metric := range []string{"vllm:num_requests_running", "lmcache:num_retrieve_requests_total"} {
		require.NoError(t, server.Append(t.Context(), promserver.Sample{
			Labels: map[string]string{"__name__": metric, "model_name": "m", "instance": "prefill-0"}, Time: time.Now(), Value: 1,
		}))
	}
	found := discoveredBy(t, opened(t, server.URL(), nil), nil)
	require.Len(t, found.Systems, 2)
	require.Equal(t, 1, found.Engines)
	require.Equal(t, []string{"prefill-0"}, found.Matchers["prefill"].Instances)
	require.Equal(t, 1, found.Matchers["prefill"].Count)
}

func TestDiscoveryWithoutAnythingToDiscover(t *testing.T) {
	empty, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, empty.Close()) })
	got := call(t, opened(t, empty.URL(), nil), http.MethodGet, "discovery", "")
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, string(got.body), `"systems":[]`)

	for name, test := range map[string]struct{ address, text string }{
		"no address":     {"", "no URL is set"},
		"nobody at home": {refusing(t), "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			got := call(t, opened(t, test.address, nil), http.MethodGet, "discovery", "")
			require.NotEqual(t, http.StatusOK, got.status)
			require.Contains(t, got.failure(t).Message, test.text)
		})
	}
}
