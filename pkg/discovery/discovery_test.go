package discovery_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// page is what one target exposes, and when it was scraped before the present.
type page struct {
	instance string
	text     []string
	ages     []time.Duration
}

// now is given where a test does not care.
var now = []time.Duration{0}

// every lists the ages of scrapes at a distance.
func every(distance time.Duration, n int) []time.Duration {
	ages := make([]time.Duration, n)
	for i := range n {
		ages[i] = time.Duration(n-1-i) * distance
	}
	return ages
}

func discover(t *testing.T, options discovery.Options, pages ...page) *deployment.Deployment {
	t.Helper()
	if testing.Short() {
		t.Skip("asks a Prometheus of its own")
	}
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	present := time.Now().Truncate(time.Millisecond)
	for _, p := range pages {
		for _, age := range p.ages {
			text := strings.Join(p.text, "\n") + "\n"
			require.NoError(t, server.AppendText(t.Context(), []byte(text), map[string]string{"instance": p.instance, "job": "engines"}, present.Add(-age)))
		}
	}
	client, err := prom.New(prom.Options{URL: server.URL(), HTTP: http.DefaultClient})
	require.NoError(t, err)
	known, err := catalog.Load()
	require.NoError(t, err)
	if options.Roles == nil {
		options.Roles = map[query.Role]string{query.RolePrefill: `instance=~"prefill.*"`, query.RoleDecode: `instance=~"decode.*"`}
	}
	found, err := discovery.New(client, known, options).Discover(t.Context(), discovery.Window{From: present.Add(-time.Hour), To: present})
	require.NoError(t, err)
	return found
}

func vllm(model string) []string {
	return []string{`vllm:num_requests_running{model_name="` + model + `",engine="0"} 1`}
}

func sglang(engineType, more string) string {
	return `sglang:num_running_reqs{model_name="m",engine_type="` + engineType + `"` + more + `} 1`
}

func TestRolesAreToldByWhatTheDeploymentOffers(t *testing.T) {
	for name, test := range map[string]struct {
		options   discovery.Options
		pages     []page
		system    string
		by        deployment.RoleBy
		instances map[query.Role]int
	}{
		"by the engine's own label, whatever the instances are called": {
			pages: []page{
				{"decode-9", []string{sglang("prefill", `,tp_rank="0"`), sglang("prefill", `,tp_rank="1"`)}, now},
				{"b", []string{sglang("decode", "")}, now}, {"c", []string{sglang("decode", "")}, now},
			},
			system: "sglang", by: deployment.RoleByLabel,
			instances: map[query.Role]int{query.RolePrefill: 1, query.RoleDecode: 2},
		},
		"by the label, with a unified engine beside": {
			pages:  []page{{"a", []string{sglang("prefill", "")}, now}, {"b", []string{sglang("unified", "")}, now}},
			system: "sglang", by: deployment.RoleByLabel,
			instances: map[query.Role]int{query.RolePrefill: 1, query.RoleUnified: 1},
		},
		"by the names of the instances": {
			pages:  []page{{"prefill-0", vllm("m"), now}, {"decode-0", vllm("m"), now}, {"decode-1", vllm("m"), now}},
			system: "vllm", by: deployment.RoleByMatchers,
			instances: map[query.Role]int{query.RolePrefill: 1, query.RoleDecode: 2},
		},
		"by matchers of the settings": {
			options: discovery.Options{Roles: map[query.Role]string{query.RolePrefill: `instance=~".*-p",job="engines"`, query.RoleDecode: `instance=~".*-d"`}},
			pages:   []page{{"x-p", vllm("m"), now}, {"y-d", vllm("m"), now}, {"z", vllm("m"), now}},
			system:  "vllm", by: deployment.RoleByMatchers,
			instances: map[query.Role]int{query.RolePrefill: 1, query.RoleDecode: 1, query.RoleUnified: 1},
		},
		"by nothing: every engine is unified": {
			pages:  []page{{"a", vllm("m"), now}, {"b", vllm("m"), now}},
			system: "vllm", by: deployment.RoleByNothing,
			instances: map[query.Role]int{query.RoleUnified: 2},
		},
		"by nothing, although the label is there": {
			pages:  []page{{"a", []string{sglang("unified", "")}, now}},
			system: "sglang", by: deployment.RoleByNothing,
			instances: map[query.Role]int{query.RoleUnified: 1},
		},
		"nodes of one engine count once where a label identifies it": {
			options: discovery.Options{Labels: map[string][]string{"engineGroup": {"engine_id"}}},
			pages: []page{
				{"node-0", []string{sglang("prefill", `,engine_id="e"`)}, now}, {"node-1", []string{sglang("prefill", `,engine_id="e"`)}, now},
				{"node-2", []string{sglang("decode", `,engine_id="f"`)}, now},
			},
			system: "sglang", by: deployment.RoleByLabel,
			instances: map[query.Role]int{query.RolePrefill: 1, query.RoleDecode: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := discover(t, test.options, test.pages...)
			require.Contains(t, found.Systems, test.system)
			require.Equal(t, test.by, found.Systems[test.system].RoleBy)
			require.Equal(t, test.instances, found.Systems[test.system].Instances)
		})
	}
}

func TestPrefixesAreThoseThatTheServerHas(t *testing.T) {
	for name, test := range map[string]struct {
		options discovery.Options
		text    string
		system  string
		want    []string
	}{
		"the engine's own":        {text: `vllm:num_requests_running{model_name="m"} 1`, system: "vllm", want: []string{"vllm:"}},
		"that of Ray":             {text: `ray_vllm_num_requests_running{model_name="m"} 1`, system: "vllm", want: []string{"ray_vllm_"}},
		"that behind a router":    {text: `sglang_num_running_reqs{model_name="m",worker_addr="w"} 1`, system: "sglang", want: []string{"sglang_"}},
		"one that the user named": {discovery.Options{Prefixes: map[string][]string{"vllm": {"prod_"}}}, `prod_num_requests_running{model_name="m"} 1`, "vllm", []string{"prod_"}},
	} {
		t.Run(name, func(t *testing.T) {
			found := discover(t, test.options, page{"a", []string{test.text}, now})
			require.Equal(t, test.want, found.Systems[test.system].Prefixes)
			require.Equal(t, []string{"m"}, found.Models())
		})
	}
}

func TestModelsAndRanksAreCountedOnce(t *testing.T) {
	found := discover(t, discovery.Options{},
		page{"prefill-0", vllm("org/b-1.5"), now}, page{"decode-0", vllm("org/b-1.5"), now}, page{"decode-1", vllm("a"), now},
		page{"s", []string{
			sglang("decode", `,dp_rank="0",tp_rank="0"`), sglang("decode", `,dp_rank="1",tp_rank="1"`),
			sglang("decode", `,dp_rank="1",tp_rank="1",priority="3"`),
		}, now})
	require.Equal(t, []string{"a", "m", "org/b-1.5"}, found.Models())
	require.Equal(t, 2, found.Systems["sglang"].DPRanks)
	require.Equal(t, 2, found.Systems["sglang"].TPRanks)
	require.Equal(t, 0, found.Systems["vllm"].TPRanks)
	require.Contains(t, found.Systems["sglang"].Labels, "priority")
}

func TestTheModelMayHaveAnotherLabel(t *testing.T) {
	found := discover(t, discovery.Options{Labels: map[string][]string{"model": {"served", "model_name"}}},
		page{"a", []string{`vllm:num_requests_running{model_name="/weights/1",served="nice"} 1`}, now})
	require.Equal(t, []string{"nice"}, found.Models())
}

func TestTheScrapeIntervalIsThatOfTheSlowestEngine(t *testing.T) {
	for name, test := range map[string]struct {
		pages []page
		want  time.Duration
	}{
		"one second":      {[]page{{"a", vllm("m"), every(time.Second, 30)}}, time.Second},
		"fifteen seconds": {[]page{{"a", vllm("m"), every(15*time.Second, 10)}}, 15 * time.Second},
		"scrapes that are late by milliseconds": {
			[]page{{"a", vllm("m"), []time.Duration{20_012 * time.Millisecond, 14_997 * time.Millisecond, 10_003 * time.Millisecond, 5 * time.Second, 0}}}, 5 * time.Second},
		"a scrape that failed": {
			[]page{{"a", vllm("m"), []time.Duration{25 * time.Second, 20 * time.Second, 5 * time.Second, 0}}}, 5 * time.Second},
		"two systems": {
			[]page{{"a", vllm("m"), every(time.Second, 30)}, {"s", []string{sglang("unified", "")}, every(5*time.Second, 10)}}, 5 * time.Second},
		"a single sample tells nothing": {[]page{{"a", vllm("m"), now}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, discover(t, discovery.Options{}, test.pages...).ScrapeInterval)
		})
	}
}

func TestMetricsWithoutTheRoleLabelAreNamed(t *testing.T) {
	found := discover(t, discovery.Options{},
		page{"a", []string{
			sglang("prefill", ""), `sglang:num_requests_total{model_name="m"} 3`,
			`# TYPE sglang:e2e_request_latency_seconds histogram`,
			`sglang:e2e_request_latency_seconds_bucket{model_name="m",le="+Inf"} 3`, `sglang:e2e_request_latency_seconds_count{model_name="m"} 3`,
			`sglang:e2e_request_latency_seconds_sum{model_name="m"} 3`,
		}, now},
		page{"b", []string{sglang("decode", "")}, now})
	require.Equal(t, map[string]bool{"sglang:num_requests_total": true, "sglang:e2e_request_latency_seconds": true}, found.Systems["sglang"].RoleLess)
}

func TestHistogramsThatWereGaugesAreToldApart(t *testing.T) {
	found := discover(t, discovery.Options{}, page{"a", []string{sglang("prefill", ""), `sglang:kv_transfer_latency_ms{model_name="m"} 3`}, now})
	require.Equal(t, map[string]bool{"sglang:kv_transfer_latency_ms": true}, found.Gauges)

	renamed := discovery.Options{Prefixes: map[string][]string{"sglang": {"prod_"}}}
	found = discover(t, renamed, page{"a", []string{`prod_num_running_reqs{model_name="m"} 1`, `prod_kv_transfer_latency_ms{model_name="m"} 3`}, now})
	require.Equal(t, map[string]bool{"prod_kv_transfer_latency_ms": true}, found.Gauges)
}

func TestConnectorsAreFoundOnThePagesOfTheirEngines(t *testing.T) {
	found := discover(t, discovery.Options{},
		page{"prefill-0", append(vllm("m"), `vllm:flagcx_total_bytes_transferred_total{model_name="m",engine="0"} 3`), now})
	require.Contains(t, found.Systems, "flagcx")
	require.NotContains(t, found.Systems, "nixl")
	require.NotContains(t, found.Systems, "sglang")
}

func TestNamesOfThePastAreKnownAndEnginesOfThePastAreNot(t *testing.T) {
	long := []time.Duration{2 * time.Hour}
	found := discover(t, discovery.Options{}, page{"prefill-0", vllm("gone"), long}, page{"s", []string{sglang("unified", "")}, now})
	require.True(t, found.Metrics["vllm:num_requests_running"], "a graph of the past needs it")
	require.Equal(t, []string{"m"}, found.Models())
	require.Empty(t, found.Systems["vllm"].Instances)
}

func TestAServerWithoutEnginesHoldsNothing(t *testing.T) {
	found := discover(t, discovery.Options{}, page{"a", []string{"node_cpu_seconds_total 5", "vllmish 3"}, now})
	require.Empty(t, found.Systems)
	require.Empty(t, found.Metrics)
	require.Empty(t, found.Models())
}

func TestRanksThatTheCatalogDoesNotKnowAreNamed(t *testing.T) {
	found := discover(t, discovery.Options{}, page{"a", []string{sglang("unified", `,tp_rank="0",dp_rank="1",expert_rank="3"`)}, now})
	require.Equal(t, []string{"expert_rank"}, found.Systems["sglang"].UnknownRanks)
}

// A system that was switched off says nothing of how far the server is behind.
func TestHowFarTheServerIsBehind(t *testing.T) {
	found := discover(t, discovery.Options{},
		page{"vllm-0", vllm("m"), every(2*time.Second, 3)},
		page{"sglang-0", []string{sglang("decode", "")}, []time.Duration{41 * time.Minute, 40 * time.Minute}})
	require.Contains(t, found.Systems, "sglang")
	require.Zero(t, found.Behind)
	found = discover(t, discovery.Options{}, page{"vllm-0", vllm("m"), []time.Duration{4 * time.Minute, 3 * time.Minute}})
	require.Equal(t, 3*time.Minute, found.Behind)
	found = discover(t, discovery.Options{}, page{"vllm-0", vllm("m"), []time.Duration{40 * time.Minute}})
	require.Negative(t, found.Behind, "nobody can tell")
}
