package catalog

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const goodSignals = `
- {id: running, title: Running, titleZh: 运行, meaning: Now., group: Queues, level: server, kind: gauge, unit: short}
- {id: rate, title: Rate, titleZh: 速率, meaning: Per second., group: Throughput, level: request, kind: rate, unit: reqps}
`

const goodSystem = `
system: engine
title: Engine
prefixes: ["e:"]
labels: {model: [model_name]}
carries: {server: [model]}
copies: [tp_rank]
bindings:
  - {signal: running, shape: gmax, names: [running], type: gauge, from: server}
  - {signal: rate, shape: sum, names: [requests_total], type: counter, from: server}
`

func written(signals, system string) fs.FS {
	return fstest.MapFS{
		"signals/a.yaml":      {Data: []byte(signals)},
		"exceptions.yaml":     {Data: []byte("[]")},
		"systems/engine.yaml": {Data: []byte(system)},
	}
}

// replaced changes one place of a text and insists that it was there.
func replaced(t *testing.T, text, old, with string) string {
	t.Helper()
	require.Contains(t, text, old)
	return string([]byte(text[:indexOf(text, old)])) + with + text[indexOf(text, old)+len(old):]
}

func indexOf(text, part string) int {
	for i := range text {
		if len(text)-i >= len(part) && text[i:i+len(part)] == part {
			return i
		}
	}
	return -1
}

func TestASmallCatalogIsRead(t *testing.T) {
	c, err := read(written(goodSignals, goodSystem))
	require.NoError(t, err)
	require.Equal(t, []string{"e:requests_total", "e:running"}, c.MetricNames())
	require.True(t, c.IsCounter("e:requests_total"))
	require.False(t, c.IsCounter("e:running"))
	require.False(t, c.IsCounter("requests_total"))
	signal, ok := c.Signal("running")
	require.True(t, ok)
	require.Len(t, c.Bindings(signal), 1)
	require.Equal(t, "engine", c.Bindings(signal)[0].Sources[0].Exporter)
}

// A slip in the data must not wait for the query that meets it.
func TestEverySlipInTheDataIsNamed(t *testing.T) {
	tests := map[string]struct{ inSignals, inSystem, with, want string }{
		"a misspelt key of a signal":      {inSignals: "meaning:", with: "meanning:", want: "meanning"},
		"a misspelt key of a binding":     {inSystem: "shape: sum", with: "shap: sum", want: "shap"},
		"a signal without a title":        {inSignals: "title: Running, ", with: "", want: "title is missing"},
		"a signal without a unit":         {inSignals: ", unit: short", with: "", want: "unit is missing"},
		"a signal of an unknown kind":     {inSignals: "kind: gauge", with: "kind: meter", want: `kind "meter"`},
		"a signal twice":                  {inSignals: "id: rate", with: "id: running", want: "defined twice"},
		"a signal that nobody exports":    {inSystem: "signal: rate", with: "signal: running", want: "no system exports it"},
		"a binding of an unknown signal":  {inSystem: "signal: rate", with: "signal: rat", want: "no such signal"},
		"an unknown shape":                {inSystem: "shape: gmax", with: "shape: gmin", want: `shape "gmin" is unknown`},
		"an unknown type":                 {inSystem: "type: counter", with: "type: count", want: `type "count" is unknown`},
		"a process that is not described": {inSystem: "type: gauge, from: server", with: "type: gauge, from: worker", want: `"worker" is no process`},
		"an unknown unit":                 {inSystem: "shape: sum", with: "shape: sum, unit: furlong", want: `unit "furlong" is unknown`},
		"a binding without names":         {inSystem: "names: [running], ", with: "", want: "sources or ratios"},
		"matchers that do not parse":      {inSystem: "from: server}\n  - {signal: rate", with: "from: server, match: 'a='}\n  - {signal: rate", want: "label matchers"},
		"three bucket bounds":             {inSystem: "shape: sum", with: "shape: sum, buckets: [1, 2, 3]", want: "buckets"},
		"a file that is called otherwise": {inSystem: "system: engine", with: "system: motor", want: "motor"},
		"text that is no YAML":            {inSystem: "title: Engine", with: "title: [", want: "systems/engine.yaml"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			signals, system := goodSignals, goodSystem
			if test.inSignals != "" {
				signals = replaced(t, signals, test.inSignals, test.with)
			} else {
				system = replaced(t, system, test.inSystem, test.with)
			}
			_, err := read(written(signals, system))
			require.ErrorContains(t, err, test.want)
		})
	}
}
