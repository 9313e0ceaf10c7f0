package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

// printed are the alerts of a rule file, by name and system.
func printed(t *testing.T, text string) map[string][]string {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert  string            `yaml:"alert"`
				Expr   string            `yaml:"expr"`
				Labels map[string]string `yaml:"labels"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &file))
	alerts := map[string][]string{}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			require.NotEmpty(t, r.Expr)
			alerts[r.Alert] = append(alerts[r.Alert], r.Labels["system"])
		}
	}
	return alerts
}

func TestRulesWithoutAServerAllowForEverySystem(t *testing.T) {
	got := pdmonitor(t.Context(), "rules")
	require.Zero(t, got.status, got.err)
	require.ElementsMatch(t, []string{"vllm", "sglang"}, printed(t, got.out)["PDKVCacheThrash"])
	require.Equal(t, "Left out, because the settings give no KV bytes of one request for any model: PDRequestSizeDrift. Set requestSizes in a file for --settings.\n", got.err)

	sized := pdmonitor(t.Context(), "rules", "--settings", written(t, "s.yaml", `jsonData: {requestSizes: [{model: m, bytesPerRequest: 1000}]}`))
	require.Zero(t, sized.status, sized.err)
	require.Empty(t, sized.err)
	require.NotEmpty(t, printed(t, sized.out)["PDRequestSizeDrift"])
}

func TestRulesTellASizeThatIsWrong(t *testing.T) {
	settings := written(t, "s.yaml", `jsonData: {requestSizes: [{model: m, bytesPerRequest: 1000}, {model: n, preset: llama-3.1-8b}]}`)
	for _, args := range [][]string{{"rules"}, {"rules", "--record"}} {
		got := pdmonitor(t.Context(), append(args, "--settings", settings)...)
		require.Zero(t, got.status, got.err)
		require.Contains(t, got.err, "error: requestSizes[1].inputTokens is 0 or missing")
	}
}

func TestRulesOfAServerAreOfWhatItHolds(t *testing.T) {
	url, _, _ := past(t)
	got := pdmonitor(t.Context(), "rules", "--url", url)
	require.Zero(t, got.status, got.err)
	host := strings.TrimPrefix(url, "http://")
	require.Equal(t, "Left out, because the server at "+host+" does not hold what they need: PDRouterDrift, PDGPUThrottled, PDGPUXIDErrors, PDRDMARetransmits. `pdmonitor catalog --check` says what brings it.\n"+
		"Left out, because the settings give no KV bytes of one request for the models of the server at "+host+": PDRequestSizeDrift. Set requestSizes in a file for --settings.\n",
		got.err, "the server scrapes engines alone")
	require.NotContains(t, got.out, "num_prefill_prealloc_queue_reqs", "an older name that is not there")
	require.ElementsMatch(t, []string{"vllm", "sglang"}, printed(t, got.out)["PDStageImbalance"])
}

func TestWhatIsLeftOutNamesItsReason(t *testing.T) {
	made := rules.Rendered{LeftOut: []string{"PDA", "PDB"}}
	require.Equal(t, "Left out, because no system of the catalog exports what they need: PDA, PDB.\n", leftOut(made, ""))
	require.Contains(t, leftOut(made, "prometheus:9090"), "the server at prometheus:9090 does not hold what they need: PDA, PDB.")
	require.Empty(t, leftOut(rules.Rendered{}, "prometheus:9090"))
}

func TestThePasswordOfAServerIsNotAmongTheReasons(t *testing.T) {
	url, _, _ := past(t)
	got := pdmonitor(t.Context(), "rules", "--url", strings.Replace(url, "://", "://reader:very-secret@", 1))
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.err, "the server at "+strings.TrimPrefix(url, "http://"))
	require.NotContains(t, got.err, "very-secret")
}

func TestTheTargetsOfLatencyRulesAreFlags(t *testing.T) {
	got := pdmonitor(t.Context(), "rules", "--format", "grafana", "--ttft-target", "2s", "--objective", "0.95")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.out, "limit: 2\n")
	require.Contains(t, got.out, "within the target of 2s for the time to the first token (objective 95%)")
	require.Contains(t, got.out, "< 0.28)", "1 − 14.4 × 5 %")
	for _, wrong := range [][]string{
		{"--format", "xml"}, {"--ttft-target", "0s"}, {"--objective", "1"}, {"--objective", "0.5"}, {"more"},
	} {
		got := pdmonitor(t.Context(), append([]string{"rules"}, wrong...)...)
		require.Equal(t, exitWrongUse, got.status, wrong)
		require.Contains(t, got.err, strings.TrimPrefix(wrong[len(wrong)-1], "--"))
		require.Empty(t, got.out)
	}
}

func TestGrafanasRulesAskTheDataSourceOfTheUID(t *testing.T) {
	got := pdmonitor(t.Context(), "rules", "--format", "grafana", "--datasource-uid", "bf1x2_A-9")
	require.Zero(t, got.status, got.err)
	require.NotRegexp(t, `(?m)^\s*(datasourceUid|uid): pdmonitor$`, got.out)
	require.Contains(t, got.out, "datasourceUid: bf1x2_A-9\n")
	for _, wrong := range []string{"", "a b", "$HOME"} {
		got := pdmonitor(t.Context(), "rules", "--format", "grafana", "--datasource-uid", wrong)
		require.Equal(t, exitWrongUse, got.status)
		require.Contains(t, got.err, "--datasource-uid")
	}
}

func TestAnUnknownScenarioListsTheKnown(t *testing.T) {
	for _, command := range []string{"demo", "simulate"} {
		got := pdmonitor(t.Context(), command, "--scenario", "chaos")
		require.Equal(t, exitWrongUse, got.status)
		require.Contains(t, got.err, `no scenario is named "chaos": choose one of healthy, `)
	}
}

func TestRecordingRulesAreOfWhatTheServerHolds(t *testing.T) {
	url, _, _ := past(t)
	got := pdmonitor(t.Context(), "rules", "--record", "--url", url, "--window", "10s,1m")
	require.Zero(t, got.status, got.err)
	for _, name := range []string{"decode_request_rate:rate10s", "decode_request_rate:rate1m", "ttft_bucket:rate1m", "requests_running:sum"} {
		require.Contains(t, got.out, "record: model_instance:"+name+"\n")
	}
	require.NotContains(t, got.out, "nixl")
	for _, wrong := range [][]string{{"--window", "soon"}, {"--format", "grafana"}} {
		got := pdmonitor(t.Context(), append([]string{"rules", "--record"}, wrong...)...)
		require.Equal(t, exitWrongUse, got.status)
		require.Contains(t, got.err, wrong[1])
	}
	short := pdmonitor(t.Context(), "rules", "--record", "--url", url, "--window", "1s")
	require.Equal(t, exitWrongUse, short.status)
	require.Contains(t, short.err, `--window: "1s" is not allowed: a rate needs two samples`)
}
