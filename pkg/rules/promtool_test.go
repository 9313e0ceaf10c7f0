package rules_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/rules"
)

func defaultCluster() simulator.Cluster { return simulator.DefaultCluster() }

// promtool runs the installed promtool in a directory with the rules in rules.yaml.
func promtool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed")
	}
	command := exec.CommandContext(t.Context(), path, args...)
	command.Dir = dir
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func ruleFile(t *testing.T, text []byte) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rules.yaml"), text, 0o600))
	return dir
}

func TestPromtoolTakesTheRules(t *testing.T) {
	made, err := rules.Prometheus(rules.All(rules.DefaultTargets()), source(t, defaultCluster()))
	require.NoError(t, err)
	require.Empty(t, made.LeftOut)
	require.Empty(t, made.Unsized)
	require.Contains(t, promtool(t, ruleFile(t, made.YAML), "check", "rules", "--lint=all", "--lint-fatal", "rules.yaml"), "SUCCESS")
}

// A number by hand: 40 requests wait for memory at 2 req/s, which is 20 s of work, and
// 12 run; with 15 of the 40 waiting for KV that prefill owes them nothing fires.
func TestPromtoolTestsBackPressureByHand(t *testing.T) {
	made, err := rules.Prometheus(rules.All(rules.DefaultTargets()), source(t, defaultCluster()))
	require.NoError(t, err)
	for name, test := range map[string]struct {
		usage    string
		transfer int
		prealloc int
		fires    bool
	}{
		"memory is full of running requests": {"0.97", 2, 40, true},
		"there is memory":                    {"0.85", 2, 40, false},
		"prefill owes what was reserved":     {"0.97", 15, 40, false},
		"four seconds of work":               {"0.97", 2, 8, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ruleFile(t, made.YAML)
			labels := `engine_type="decode", model_name="m", instance="d0", job="j", tp_rank="0"`
			series := func(metric, more string, values string) string {
				return fmt.Sprintf("      - series: 'sglang:%s{%s%s}'\n        values: '%s'\n", metric, labels, more, values)
			}
			expected := ""
			if test.fires {
				expected = `
          - exp_labels: {severity: critical, case: SGLang, system: sglang, role: decode, model: m}
            exp_annotations:
              summary: Decode has no KV memory for what prefill hands over
              description: '40 requests of m wait for KV memory on decode, whose pool is full of running requests. Prefill keeps the KV of what it cannot hand over until it stops too. Relieve decode first; more prefill makes it worse.'
              runbook_url: ` + rules.Runbook + "#pddecodepreallocbackpressure\n"
			}
			text := "rule_files: [rules.yaml]\nevaluation_interval: 30s\ntests:\n  - interval: 15s\n    input_series:\n" +
				series("num_decode_prealloc_queue_reqs", `, priority=""`, fmt.Sprintf("%d+0x60", test.prealloc)) +
				series("num_decode_transfer_queue_reqs", `, priority=""`, fmt.Sprintf("%d+0x60", test.transfer)) +
				series("num_running_reqs", `, priority=""`, "12+0x60") +
				series("token_usage", "", test.usage+"+0x60") +
				series("num_requests_total", "", "0+30x60") +
				"    alert_rule_test:\n      - eval_time: 2m\n        alertname: PDDecodePreallocBackPressure\n        exp_alerts: []\n" +
				"      - eval_time: 10m\n        alertname: PDDecodePreallocBackPressure\n        exp_alerts: " + map[bool]string{true: expected, false: "[]\n"}[test.fires]
			require.NoError(t, os.WriteFile(filepath.Join(dir, "test.yaml"), []byte(text), 0o600))
			require.Contains(t, promtool(t, dir, "test", "rules", "test.yaml"), "SUCCESS")
		})
	}
}
