package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

const ownEngine = `signals:
  - id: acme_plans
    title: Plans
    meaning: Plans that wait.
    group: Queues
    level: server
    kind: gauge
    unit: short
systems:
  - system: acme
    title: Acme engine
    prefixes: ["acme:"]
    labels: {model: [llm], dp_rank: [lane], colour: [colour]}
    carries: {server: [model, dp_rank, colour]}
    copies: [slice]
    identity: [dp_rank]
    roles: {label: kind, values: {prefill: P, decode: D}}
    probe: running
    bindings:
      - {signal: requests_running, shape: gmax, names: [running], type: gauge, from: server}
      - {signal: acme_plans, shape: gmax, names: [plans], type: gauge, from: server}
      - {signal: kv_transfer_byte_rate, role: prefill, shape: shard, unit: MiB, names: [moved_mib_total], type: counter, from: server}
  - system: sglang
    prefixes: ["fork:"]
    carries: {sidecar: [model]}
    bindings:
      - {signal: decode_token_rate, role: decode, shape: sum, names: [words_total], type: counter, from: sidecar}
`

func TestAnOwnCatalogIsAddedToTheEmbeddedOne(t *testing.T) {
	c, err := WithText("catalog", ownEngine)
	require.NoError(t, err)
	before := embedded(t)
	require.Len(t, c.Systems(), len(before.Systems())+1)
	acme, ok := c.System("acme")
	require.True(t, ok)
	require.Len(t, acme.Bindings, 3)
	plans, ok := c.Signal("acme_plans")
	require.True(t, ok)
	require.Equal(t, "Plans", plans.TitleZH, "a title of its own in Chinese is not asked of anybody")
	require.Len(t, c.Bindings(plans), 1)
	require.Contains(t, c.LabelsOf(plans), "colour")

	sglang, _ := c.System("sglang")
	require.Equal(t, []string{"sglang:", "sglang_", "fork:"}, sglang.Prefixes)
	tokens, _ := c.Signal("decode_token_rate")
	for _, b := range c.Bindings(tokens) {
		if b.System == "sglang" {
			require.Equal(t, []string{"words_total"}, b.Sources[0].Names, "an own binding stands in place of the built-in one")
		}
	}
	require.Equal(t, append(before.KVSources(), "acme"), c.KVSources(), "the built-in sources come first")

	again, _ := embedded(t).System("sglang")
	require.Equal(t, []string{"sglang:", "sglang_"}, again.Prefixes, "other data sources do not see it")
	_, ok = embedded(t).System("acme")
	require.False(t, ok)
}

func TestAnObjectIsAsGoodAsAText(t *testing.T) {
	object := decoded(t, `{"systems": [{"system": "acme", "title": "Acme", "prefixes": ["acme:"], "carries": {"server": ["model"]}, "connector": true, "bindings": [
		{"signal": "ttft", "role": "decode", "shape": "sum", "unit": "ms", "names": ["ttft_ms"], "type": "histogram", "from": "server", "buckets": [0.5, 1e3]}]}]}`)
	c, err := WithObject("catalog", object)
	require.NoError(t, err)
	acme, _ := c.System("acme")
	require.Equal(t, query.RoleDecode, acme.Bindings[0].Role)
	require.Equal(t, []float64{0.5, 1000}, acme.Bindings[0].Buckets)

	_, err = WithObject("catalog", decoded(t, `{"systems": [{"system": "acme", "title": "Acme", "bindings": [{"signal": "ttft", "role": "decod", "shape": 3}]}]}`))
	require.ErrorContains(t, err, `catalog: systems[0].bindings[0].role "decod" is no role: did you mean decode?`)
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	require.NoError(t, decoder.Decode(&object))
	return object
}

func TestFaultsOfAnOwnCatalogHaveTheirLines(t *testing.T) {
	for name, test := range map[string]struct{ old, with, want string }{
		"a role":                        {"{signal: kv_transfer_byte_rate, role: prefill", "{signal: kv_transfer_byte_rate, role: prefil", `catalog:22: systems[0].bindings[2].role "prefil" is no role: did you mean prefill?`},
		"a signal that is built in":     {"id: acme_plans", "id: ttft", `catalog:2: signals[0].id "ttft" is defined twice: choose another id, it is also in signals/20-latency.yaml:3`},
		"a field of a built-in system":  {"prefixes: [\"fork:\"]", "prefixes: [\"fork:\"]\n    copies: []", `catalog:25: systems[1].copies is the built-in system's: leave it out, or describe a system of another name`},
		"a label of a built-in system":  {"carries: {sidecar: [model]}", "carries: {sidecar: [model], http: []}", `catalog:25: systems[1].carries.http is the built-in system's: leave it out, or describe a system of another name`},
		"a prefix of a built-in one":    {`prefixes: ["acme:"]`, `prefixes: ["acme:", "vllm:"]`, `catalog:12: systems[0].prefixes[1] "vllm:" is a prefix of vllm too: give each system its own`},
		"a prefix that is there":        {`prefixes: ["fork:"]`, `prefixes: ["sglang:"]`, `catalog:24: systems[1].prefixes[0] "sglang:" is written twice: keep the first`},
		"a metric by its name":          {"names: [plans]", `names: ['plans{a="b"} or up']`, `catalog:21: systems[0].bindings[1].names[0] "plans{a=\"b\"} or up" is no name of a metric: write letters, digits, underscores and colons`},
		"a label that is an expression": {"model: [llm]", `model: ["llm) (up"]`, `catalog:13: systems[0].labels.model[0] "llm) (up" is no name of a label: write one such as model_name`},
		"a text without end":            {"title: Acme engine", "title: " + strings.Repeat("a", longest+1), `catalog:11: systems[0].title has 1001 bytes: write at most 1000`},
		"a list without end":            {"names: [plans]", "names: [p" + strings.Repeat(", p", mostNames) + "]", `catalog:21: systems[0].bindings[1].names has 101 entries: write at most 100`},
		"a name of every system":        {"system: acme", "system: auto", `catalog:10: systems[0].system "auto" is no name of a system: write small letters, digits and single underscores, such as sglang`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := WithText("catalog", replaced(t, ownEngine, test.old, test.with))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestAnOwnCatalogIsBounded(t *testing.T) {
	_, err := WithText("catalog", strings.Repeat("#", mostText+1))
	require.EqualError(t, err, "catalog: has 262145 bytes: write at most 262144: leave out what is built in")
	_, err = WithObject("catalog", map[string]any{"systems": strings.Repeat("#", mostText)})
	require.ErrorContains(t, err, "write at most 262144")
	var many strings.Builder
	many.WriteString("signals:\n")
	for i := range mostSignals + 1 {
		fmt.Fprintf(&many, "  - {id: s%d}\n", i)
	}
	_, err = WithText("catalog", many.String())
	require.EqualError(t, err, "catalog:1: signals has 501 entries: write at most 500")
	_, err = WithText("catalog", "systems:\n"+strings.Repeat("  - {system: a}\n", mostSystems+1))
	require.EqualError(t, err, "catalog:1: systems has 51 entries: write at most 50")
	_, err = WithText("catalog", "systems:\n  - system: a\n    bindings:\n"+strings.Repeat("      - {signal: ttft}\n", mostBindings+1))
	require.EqualError(t, err, "catalog:1: systems has 1001 entries: write at most 1000")
}

// Saving settings must not take a Grafana's time, whatever is in them.
func TestTheWorstThatFitsIsAnsweredSoon(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("%s%03d", strings.Repeat("a", 150), i) }
	var text strings.Builder
	text.WriteString("signals:\n")
	for i := range mostSignals {
		fmt.Fprintf(&text, "  - {id: %s}\n", name(i))
	}
	text.WriteString("systems:\n  - system: acme\n    bindings:\n")
	for i := range mostBindings {
		fmt.Fprintf(&text, "      - {signal: %s}\n", name(i)[60:])
	}
	start := time.Now()
	_, err := WithText("catalog", text.String())
	require.ErrorContains(t, err, "faults more")
	require.Less(t, len(err.Error()), 64<<10)
	require.Less(t, time.Since(start), 5*time.Second)
}

func TestAnEmptyOwnCatalogAddsNothing(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "{}", "signals: []"} {
		c, err := WithText("catalog", text)
		require.NoError(t, err, text)
		require.Equal(t, embedded(t).Signals(), c.Signals())
	}
}

// Whatever somebody writes is refused in words or makes a catalog.
func BenchmarkAnOwnCatalog(b *testing.B) {
	for b.Loop() {
		if _, err := WithText("catalog", ownEngine); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzAnOwnCatalogIsReadOrRefused(f *testing.F) {
	f.Add(ownEngine)
	f.Add("a: &a [*a]")
	f.Add("systems: [{bindings: [{ratios: [{num: [{}], den: [{}]}]}]}]")
	f.Add("systems: &s [{system: a, bindings: *s}]")
	f.Add("? [a]\n: b")
	f.Add("<<: {signals: []}")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := WithText("catalog", text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			require.NotContains(t, err.Error(), "\n\n")
			return
		}
		require.NotEmpty(t, c.Signals())
	})
}
