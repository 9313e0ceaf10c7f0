package simulator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

const minimal = `
seed: 3
groups:
  - name: a
    model: org/m
    engine: vllm
    prefill: {count: 1, tp: 4}
    decode: {count: 2}
    requestRate: 10
    inputTokens: 8192
    outputTokens: {min: 10, max: 20}
    prefillTokensPerSecond: 1e5
    interTokenLatency: 10ms
    bytesPerRequest: 1000000
    transferBytesPerSecond: 1e9
`

func TestADescriptionIsRead(t *testing.T) {
	c, err := simulator.Parse([]byte(minimal))
	require.NoError(t, err)
	require.Equal(t, uint64(3), c.Seed)
	g := c.Groups[0]
	require.Equal(t, simulator.Fixed(8192), g.InputTokens)
	require.Equal(t, simulator.Range{Min: 10, Max: 20}, g.OutputTokens)
	require.Equal(t, 10*time.Millisecond, g.InterTokenLatency)
	require.Equal(t, 4, g.PrefillInstances.TP)
	s, err := simulator.New(c, epoch)
	require.NoError(t, err)
	require.Len(t, s.Targets(), 3)
	require.Equal(t, simulator.Target{
		Name: "decode-1.a", Job: "vllm", Role: simulator.Decode, Model: "org/m", Engine: simulator.VLLM,
	}, s.Targets()[2])
}

func TestTheDefaultClusterSurvivesYAML(t *testing.T) {
	text, err := yaml.Marshal(simulator.DefaultCluster())
	require.NoError(t, err)
	c, err := simulator.Parse(text)
	require.NoError(t, err)
	require.Equal(t, simulator.DefaultCluster(), c)
}

func TestAWrongDescriptionIsRefusedWithFieldValueAndRemedy(t *testing.T) {
	for name, test := range map[string]struct{ old, new, want string }{
		"an unknown field":                  {"seed: 3", "sead: 3", `line 2: unknown field sead: use one of seed, groups`},
		"an unknown field of a group":       {"engine: vllm", "engin: vllm", "unknown field groups[0].engin: use one of name, model"},
		"an unknown field of the instances": {"tp: 4", "tensor: 4", "unknown field groups[0].prefill.tensor: use one of count, tp"},
		"a text for a number":               {"count: 2", "count: two", `groups[0].decode.count is "two": give a whole number`},
		"a number for a duration":           {"10ms", "10", `groups[0].interTokenLatency is "10": give a duration such as 10ms`},
		"a text for a range":                {"8192", "8K", `groups[0].inputTokens is "8K": give a whole number, or min and max`},
		"a list for a mapping":              {"{count: 2}", "[2]", "groups[0].decode is not a mapping"},
		"a field given twice":               {"seed: 3", "seed: 3\nseed: 4", "seed is given twice"},
		"an engine nobody knows":            {"vllm", "trt", `groups[0].engine is "trt": use vllm or sglang`},
		"a missing model":                   {"org/m", `""`, `groups[0].model is "": give the served model's name`},
		"no requests":                       {"requestRate: 10", "requestRate: 0", "groups[0].requestRate is 0: give a positive number"},
		"a range upside down":               {"max: 20", "max: 2", "groups[0].outputTokens is {min: 10, max: 2}"},
		"a share above one":                 {"requestRate: 10", "requestRate: 10\n    abortShare: 1.5", "groups[0].abortShare is 1.5: give a share from 0 to 1"},
		"ranks that do not divide":          {"{count: 2}", "{count: 2, tp: 4, dp: 3, dpAttention: true}", "groups[0].decode.tp is 4: with dpAttention it must be a multiple of dp, which is 3"},
		"too little KV cache":               {"{count: 2}", "{count: 2, kvTokens: 100}", "groups[0].decode.kvTokens is 100: the largest request needs 8212"},
		"a restart of nobody":               {"requestRate: 10", "requestRate: 10\n    restart: {instance: x, at: 1s}", `groups[0].restart.instance is "x": use one of prefill-0.a, decode-0.a, decode-1.a`},
		"an empty gap":                      {"requestRate: 10", "requestRate: 10\n    idleGap: {from: 2s, to: 1s}", "groups[0].idleGap is {from: 2s, to: 1s}: give from < to"},
		"an option of the other engine":     {"requestRate: 10", "requestRate: 10\n    allSchedulers: true", "options of sglang"},
		"a connector of the other engine":   {"engine: vllm", "engine: sglang\n    connector: nixl", `groups[0].connector is "nixl": use flagcx, none or, with vllm, nixl`},
		"an unknown placeholder":            {"requestRate: 10", "requestRate: 10\n    instanceName: \"{rank}\"", "only {role}, {index} and {group} are replaced"},
		"instance names that meet":          {"requestRate: 10", "requestRate: 10\n    instanceName: same", `instance name "same" is also used by`},
	} {
		t.Run(name, func(t *testing.T) {
			text := replaceOnce(t, minimal, test.old, test.new)
			c, err := simulator.Parse([]byte(text))
			if err == nil {
				_, err = simulator.New(c, epoch)
			}
			require.ErrorContains(t, err, test.want)
		})
	}
	_, err := simulator.Parse(nil)
	require.ErrorContains(t, err, "empty")
	_, err = simulator.Parse([]byte("a: ["))
	require.ErrorContains(t, err, "not valid YAML")
	_, err = simulator.New(simulator.Cluster{}, epoch)
	require.ErrorContains(t, err, "groups is empty")
}
