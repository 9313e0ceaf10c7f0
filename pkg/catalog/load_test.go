package catalog

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// A small catalog without fault, in which each test plants one.
var good = map[string]string{
	"groups.yaml": `- {group: Queues, filters: [{label: model, variable: model}]}
- {group: Throughput, filters: []}
`,
	"labels.yaml":     "- [model, dp_rank, tp_rank, reason]\n",
	"exceptions.yaml": "[]\n",
	"signals/a.yaml": `- {id: running, title: Running, titleZh: 运行, meaning: Now., group: Queues, level: server, sample: request, kind: gauge, unit: short}
- id: done_rate
  title: Done
  titleZh: 完成
  meaning: Per second.
  group: Throughput
  level: request
  sample: request
  kind: rate
  unit: reqps
  window: 1m
- {id: done, title: Done, titleZh: 总数, meaning: In all., group: Throughput, level: request, sample: request, kind: total, unit: short, reads: done_rate}
- {id: failed, title: Failed, titleZh: 失败, meaning: Share., group: Throughput, level: request, sample: request, kind: ratio, unit: percentunit}
- {id: delay, title: Delay, titleZh: 延迟, meaning: Time., group: Throughput, level: request, sample: request, kind: distribution, unit: s, oneSystem: [engine], pdOnly: true}
`,
	"systems/engine.yaml": `system: engine
title: Engine
prefixes: ["e:", "e_"]
labels: {model: [model_name], tp_rank: [tp_rank], dp_rank: [dp_rank]}
carries: {server: [model, tp_rank]}
copies: [tp_rank]
ranks: {tensor: tp_rank, data: dp_rank}
identity: [dp_rank]
roles:
  label: kind
  values: {prefill: P, decode: D}
  lacking: [server]
reexport: [worker]
probe: running
bindings:
  - {signal: running, shape: gmax, names: [running], type: gauge, from: server}
  - signal: done_rate
    role: prefill
    shape: sum
    covers: {prefill: all of it}
    since: v0.1
    sources:
      - names: [requests_total, reqs_total]
        type: counter
        from: server
        match: code="200"
        has: [reason]
        versions: {reqs_total: 0.1 and older}
    always: [reason]
  - signal: failed
    shape: sum
    ratios:
      - num: [{names: [requests_total], type: counter, from: server, has: [reason]}]
        den: [{names: [requests_total], type: counter, from: server}]
        split: [reason]
  - {signal: delay, shape: sum, unit: ms, names: [delay_ms], type: histogram, from: server, buckets: [1, 10]}
`,
	"systems/router.yaml": `system: router
title: Router
prefixes: [r_]
carries: {server: []}
bindings:
  - {signal: running, shape: sum, names: [running], type: gauge, from: server}
`,
}

// written is the small catalog as files; edits replace the text of some.
func written(edits map[string]string) fs.FS {
	files := fstest.MapFS{}
	for name, text := range good {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range edits {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// replaced changes the first of the places where a text is and insists that it is there.
func replaced(t *testing.T, text, old, with string) string {
	t.Helper()
	require.Contains(t, text, old)
	return strings.Replace(text, old, with, 1)
}

func TestASmallCatalogIsRead(t *testing.T) {
	c, err := read(written(nil))
	require.NoError(t, err)
	require.Equal(t, []string{
		"e:delay_ms", "e:reqs_total", "e:requests_total", "e:running", "e_delay_ms", "e_reqs_total", "e_requests_total", "e_running", "r_running",
	}, c.MetricNames())
	require.True(t, c.IsCounter("e:requests_total"))
	require.False(t, c.IsCounter("e:running"))
	require.False(t, c.IsCounter("requests_total"))
	signal, ok := c.Signal("running")
	require.True(t, ok)
	require.Len(t, c.Bindings(signal), 2)
	require.Equal(t, "engine", c.Bindings(signal)[0].Sources[0].Exporter)
	require.Equal(t, []string{"engine"}, c.KVSources())
	group, ok := c.Group("Queues")
	require.True(t, ok)
	require.Equal(t, []GroupFilter{{Label: "model", Variable: "model"}}, group.Filters)
}

const (
	sig = "signals/a.yaml"
	sys = "systems/engine.yaml"
)

// A slip in the data must not wait for the query that meets it: it is named with file,
// line and remedy, and nothing else is said.
func TestEveryFaultIsNamedWithItsFileLineAndRemedy(t *testing.T) {
	tests := map[string]struct{ file, old, with, want string }{
		// Roles, shapes, types, kinds, levels, groups, units.
		"a role that there is not":          {sys, "role: prefill", "role: prefil", `:18: bindings[1].role "prefil" is no role: did you mean prefill?`},
		"a shape that there is not":         {sys, "shape: gmax", "shape: gmin", `:16: bindings[0].shape "gmin" is no shape: did you mean min, gmax?`},
		"no shape":                          {sys, "shape: gmax, ", "", `:16: bindings[0].shape is missing: use one of sum, gmax, ravg, shard, max, min, avg, gavg`},
		"a shape for another type":          {sys, "shape: gmax", "shape: ravg", `:16: bindings[0].type "gauge" does not go with shape ravg: for a gauge take gmax where ranks repeat it, sum where each has its part, max, min, avg or gavg of shares`},
		"a type that there is not":          {sys, "names: [delay_ms], type: histogram", "names: [delay_ms], type: histogramm", `:36: bindings[3].type "histogramm" is no type: did you mean histogram?`},
		"a type that reads otherwise":       {sys, "names: [running], type: gauge", "names: [running], type: counter", `:16: bindings[0].type "counter" cannot be read as gauge: running is made of a gauge`},
		"a metric of two types":             {sys, "has: [reason]}]", "has: [reason]}, {names: [running], type: counter, from: server}]", `:33: bindings[2].ratios[0].num[1].type "counter" is not what another binding says: running is a gauge there: one of the two is wrong`},
		"a kind that there is not":          {sig, "kind: gauge", "kind: gage", `:1: [0].kind "gage" is no kind: did you mean gauge, rate?`},
		"a level that there is not":         {sig, "  level: request", "  level: requests", `:7: [1].level "requests" is no level: did you mean request?`},
		"a group that there is not":         {sig, "  group: Throughput", "  group: Thruput", `:6: [1].group "Thruput" is no group: did you mean Throughput?`},
		"a unit that Grafana has not":       {sig, "unit: reqps", "unit: rekps", `:10: [1].unit "rekps" is no unit of Grafana: did you mean recps, reqps, eps?`},
		"no unit":                           {sig, ", unit: short}", "}", `:1: [0].unit is missing: write a unit of Grafana, such as s, Bps, reqps or suffix:tok/s; none for a plain number`},
		"an exported unit without a factor": {sys, "unit: ms", "unit: mss", `:36: bindings[3].unit "mss" is no exported unit: did you mean ms?`},
		// Logical labels and those of metrics.
		"a label that nothing means":      {sys, "labels: {model:", "labels: {modell:", `:4: labels.modell "modell" is no logical label: did you mean model?`},
		"a process with an unknown label": {sys, "carries: {server: [model,", "carries: {server: [modell,", `:5: carries.server[0] "modell" is no logical label: did you mean model?`},
		"a metric with an unknown label":  {sys, "has: [reason]}]", "has: [reason, raeson]}]", `:33: bindings[2].ratios[0].num[0].has[1] "raeson" is no logical label: did you mean reason?`},
		"a split that is not carried":     {sys, "split: [reason]", "split: [reasons]", `:35: bindings[2].ratios[0].split[0] "reasons" is no label of the numerator: did you mean reason?`},
		"an always that is not carried":   {sys, "always: [reason]", "always: [dp_rank]", `:29: bindings[1].always[0] "dp_rank" is no label of its metrics: did you mean tp_rank?`},
		"an identity that nothing means":  {sys, "identity: [dp_rank]", "identity: [dprank]", `:8: identity[0] "dprank" is no logical label: did you mean dp_rank, tp_rank?`},
		"ranks by a label it has not":     {sys, "tensor: tp_rank", "tensor: rank", `:7: ranks.tensor "rank" is no label of the system: did you mean dp_rank, tp_rank?`},
		"a label without a candidate":     {sys, "model: [model_name]", "model: []", `:4: labels.model has no candidate: name the system's label, such as [model_name]`},
		"a copy that is no label":         {sys, "copies: [tp_rank]", "copies: [tp-rank]", `:6: copies[0] "tp-rank" is no name of a label: write one such as model_name`},
		"copies of data-parallel ranks":   {sys, "copies: [tp_rank]", "copies: [dp_rank]", `:6: copies[0] "dp_rank" is no copy: leave it out: each data-parallel rank has its own requests`},
		"a re-export by the metric name":  {sys, "reexport: [worker]", "reexport: [__name__]", `:13: reexport[0] "__name__" is no name of a label: write one such as model_name`},
		// How a system tells its role.
		"a role label without values":   {sys, "  values: {prefill: P, decode: D}\n", "", `:9: roles.values is missing: say which value of kind is which role, such as {prefill: prefill, decode: decode}`},
		"values without a label":        {sys, "  label: kind\n", "", `:9: roles.label is missing: name the label that carries the role`},
		"a value of an unknown role":    {sys, "decode: D", "decod: D", `:11: roles.values.decod "decod" is no role: did you mean decode?`},
		"two roles of one value":        {sys, "decode: D", "decode: P", `:11: roles.values.prefill "P" tells no role: give each role a value of its own, other than that of decode`},
		"a lacking that is no process":  {sys, "lacking: [server]", "lacking: [servers]", `:12: roles.lacking[0] "servers" is no process of the system: did you mean server?`},
		"a coverage of an unknown role": {sys, "covers: {prefill:", "covers: {prefil:", `:20: bindings[1].covers.prefil "prefil" is no role: did you mean prefill?`},
		"a role that PD has not":        {sys, "{signal: delay, ", "{signal: delay, role: unified, ", `:36: bindings[3].role "unified" has no such signal: bind it to prefill or decode: it exists between the two alone`},
		// References.
		"a probe that is not bound":       {sys, "probe: running", "probe: runing", `:14: probe "runing" is no metric that a binding reads: did you mean running?`},
		"a binding of no signal":          {"systems/router.yaml", "signal: running", "signal: runing", `:6: bindings[0].signal "runing" is no signal: did you mean running?`},
		"a binding of what reads another": {"systems/router.yaml", "{signal: running, shape: sum, names: [running], type: gauge", "{signal: done, shape: sum, names: [done_total], type: counter", `:6: bindings[0].signal "done" has no metrics of its own: bind done_rate, which it reads`},
		"a binding without a signal":      {"systems/router.yaml", "{signal: running, ", "{", `:6: bindings[0].signal is missing: say which signal the metric is read for`},
		"a signal bound twice":            {"systems/router.yaml", "bindings:\n", "bindings:\n  - {signal: running, shape: sum, names: [alive], type: gauge, from: server}\n", `:7: bindings[1].signal "running" is bound twice: make one binding of the two, with a list of sources; the other is at line 6`},
		"an exporter that is no system":   {sys, "- names: [requests_total, reqs_total]", "- exporter: rooter\n        names: [requests_total, reqs_total]", `:23: bindings[1].sources[0].exporter "rooter" is no system: did you mean router?`},
		"a process that is not described": {"systems/router.yaml", "from: server", "from: serve", `:6: bindings[0].from "serve" is no process of router: did you mean server?`},
		"a signal that reads no signal":   {sig, "reads: done_rate", "reads: done_rates", `:12: [2].reads "done_rates" is no signal: did you mean done_rate?`},
		"a signal that reads itself":      {sig, "reads: done_rate", "reads: done", `:12: [2].reads "done" has no metrics of its own: name done, which it reads`},
		"a signal that nobody exports":    {sig, "- id: done_rate", "- {id: idle, title: Idle, titleZh: 空闲, meaning: Now., group: Queues, level: server, sample: request, kind: gauge, unit: short}\n- id: done_rate", `:2: [1].id "idle" is exported by no system: bind it in a system, or remove it`},
		"one of systems that are none":    {sig, "oneSystem: [engine]", "oneSystem: [engine, enginee]", `:14: [4].oneSystem[1] "enginee" is no system: did you mean engine?`},
		"one of systems that has it not":  {sig, "oneSystem: [engine]", "oneSystem: [engine, router]", `:14: [4].oneSystem[1] "router" does not export it: bind the signal there, or name one of engine`},
		// What is there twice, missing or written in the wrong way.
		"a signal twice":                  {sig, "- id: done_rate", "- {id: running, title: Again, titleZh: 再, meaning: Now., group: Queues, level: server, sample: request, kind: gauge, unit: short}\n- id: done_rate", `:2: [1].id "running" is defined twice: choose another id, it is also in signals/a.yaml:1`},
		"a prefix of two systems":         {"systems/router.yaml", "prefixes: [r_]", "prefixes: [r_, e_]", `:3: prefixes[1] "e_" is a prefix of engine too: give each system its own`},
		"a prefix twice":                  {"systems/router.yaml", "prefixes: [r_]", "prefixes: [r_, r_]", `:3: prefixes[1] "r_" is written twice: keep the first`},
		"a prefix that begins no metric":  {"systems/router.yaml", "prefixes: [r_]", "prefixes: [r-]", `:3: prefixes[0] "r-" is no prefix of metric names: write one such as sglang: or "" for none`},
		"a name that is no metric's":      {"systems/router.yaml", "names: [running]", "names: [run ning]", `:6: bindings[0].names[0] "run ning" is no name of a metric: write letters, digits, underscores and colons`},
		"a name that is empty":            {"systems/router.yaml", "names: [running]", `names: [""]`, `:6: bindings[0].names[0] is no name of a metric: write letters, digits, underscores and colons`},
		"a time of creation":              {"systems/router.yaml", "names: [running]", `names: [running_created]`, `:6: bindings[0].names[0] "running_created" is a time of creation: name the metric itself`},
		"a part of a histogram":           {sys, "names: [delay_ms]", "names: [delay_ms_sum]", `:36: bindings[3].names[0] "delay_ms_sum" is a part of a histogram: write its name without suffix, or type: counter to read that part alone`},
		"a binding without a metric":      {"systems/router.yaml", "names: [running], ", "", `:6: bindings[0] needs either sources or ratios: write names and type, a list of sources, or a list of ratios`},
		"a ratio of a gauge":              {"systems/router.yaml", "signal: running, shape: sum", "signal: failed, shape: sum", `:6: bindings[0] does not fit signal failed of kind ratio: ratios belong to signals of kind ratio, and only to them`},
		"a ratio without a denominator":   {sys, "        den: [{names: [requests_total], type: counter, from: server}]\n", "", `:33: bindings[2].ratios[0].den is missing: write the metrics of the numerator (num) and of the denominator (den)`},
		"a version of another name":       {sys, "versions: {reqs_total:", "versions: {reqs:", `:28: bindings[1].sources[0].versions.reqs "reqs" is no name of the metric: did you mean reqs_total?`},
		"a version that is none":          {sys, "since: v0.1", "since: v0.x", `:21: bindings[1].since "v0.x" is no version: write one such as v0.30, or in words which builds have it`},
		"matchers that do not parse":      {sys, `match: code="200"`, `match: code=200`, `:26: bindings[1].sources[0].match "code=200" cannot be read: write label matchers such as mode="decode",priority=""; label matchers {code=200}: 1:7: parse error: unexpected character inside braces: '2'`},
		"matchers that name a metric":     {sys, `match: code="200"`, `match: __name__="up"`, `:26: bindings[1].sources[0].match "__name__=\"up\"" cannot be read: write label matchers such as mode="decode",priority=""; label matchers {__name__="up"}: a metric name is not allowed here`},
		"buckets that do not rise":        {sys, "buckets: [1, 10]", "buckets: [10, 1]", `:36: bindings[3].buckets does not rise: write the first and the last finite bound, the smaller first`},
		"three bucket bounds":             {sys, "buckets: [1, 10]", "buckets: [1, 2, 3]", `:36: bindings[3].buckets has other than two numbers: write the first and the last finite bound`},
		"buckets of a gauge":              {"systems/router.yaml", "from: server}", "from: server, buckets: [1, 2]}", `:6: bindings[0].buckets has no histogram: leave it out, or read a metric of type histogram`},
		"a window that is no duration":    {sig, "window: 1m", "window: a minute", `:11: [1].window "a minute" is no duration: write one such as 30s or 5m`},
		"a signal without a title":        {sig, "title: Running, ", "", `:1: [0].title is missing: write what a picker shows`},
		"a signal without Chinese":        {sig, "  titleZh: 完成\n", "", `:2: [1].titleZh is missing: write the title in Chinese`},
		"a system without a title":        {sys, "title: Engine\n", "", `:1: title is missing: write what people call it`},
		"a system without bindings":       {"systems/router.yaml", "bindings:\n  - {signal: running, shape: sum, names: [running], type: gauge, from: server}\n", "", `:1: bindings is missing: bind a signal, such as {signal: requests_running, shape: sum, names: [running], type: gauge, from: server}`},
		"distrust without a reason":       {sig, "unit: short}", "unit: short, distrusted: true}", `:1: [0].distrusted has no reason: say in caution why, and which signal is to be believed`},
		"an id that is none":              {sig, "- id: done_rate", "- {id: Idle, title: Idle, titleZh: 空闲, meaning: Now., group: Queues, level: server, sample: request, kind: total, unit: short, reads: done_rate}\n- id: done_rate", `:2: [1].id "Idle" is no id: write small letters, digits and single underscores, such as decode_token_rate`},
		"a file that is called otherwise": {sys, "system: engine", "system: motor", `:1: system "motor" is not what the file is called: write engine or rename the file`},
		"a misspelt field":                {sys, "reexport: [worker]", "rexport: [worker]", `:13: rexport is no field: did you mean reexport?`},
		"a field twice":                   {sys, "probe: running", "probe: running\nprobe: running", `:15: "probe" is written twice here: keep one of the two`},
		"a text in place of a list":       {sys, "reexport: [worker]", "reexport: worker", `:13: reexport "worker" is a single value: write a list, such as [a, b]`},
		"a text in place of a number":     {sys, "buckets: [1, 10]", "buckets: [1, ten]", `:36: bindings[3].buckets[1] "ten" is no number: write a number`},
		"a list in place of a text":       {sys, "title: Engine", "title: [Engine]", `:2: title is a list: write one value`},
		"text that is no YAML":            {sys, "title: Engine", "title: [Engine", `:2: is no YAML: did not find expected ',' or ']'`},
		"a second document":               {sys, "bindings:", "---\nbindings:", `:15: begins a second document: write one, without a line of ---`},
		"a group twice":                   {"groups.yaml", "- {group: Throughput", "- {group: Queues}\n- {group: Throughput", `:2: [1].group "Queues" is a group already: keep one of the two`},
		"a filter by no label":            {"groups.yaml", "label: model", "label: models", `:1: [0].filters[0].label "models" is no logical label: did you mean model?`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := read(written(map[string]string{test.file: replaced(t, good[test.file], test.old, test.with)}))
			require.Error(t, err)
			require.Equal(t, test.file+test.want, err.Error())
			var fault *Fault
			require.True(t, errors.As(err, &fault))
			require.Equal(t, test.file, fault.File)
			require.Positive(t, fault.Line)
			require.NotEmpty(t, fault.Remedy)
		})
	}
}

func TestAllFaultsAreNamedTogetherByFileAndLine(t *testing.T) {
	system := replaced(t, good[sys], "role: prefill", "role: prefil")
	system = replaced(t, system, "probe: running", "probe: runing")
	_, err := read(written(map[string]string{sys: system, sig: replaced(t, good[sig], "unit: reqps", "unit: rekps")}))
	require.EqualError(t, err, strings.Join([]string{
		`signals/a.yaml:10: [1].unit "rekps" is no unit of Grafana: did you mean recps, reqps, eps?`,
		`systems/engine.yaml:14: probe "runing" is no metric that a binding reads: did you mean running?`,
		`systems/engine.yaml:18: bindings[1].role "prefil" is no role: did you mean prefill?`,
	}, "\n"))
}

func TestASystemThatIsLeftOutOfThoseToChooseFromIsNamed(t *testing.T) {
	router := replaced(t, good["systems/router.yaml"], "bindings:\n", "bindings:\n  - {signal: delay, shape: sum, names: [delay_seconds], type: histogram, from: server}\n")
	_, err := read(written(map[string]string{"systems/router.yaml": router}))
	require.EqualError(t, err, "signals/a.yaml:14: [4].oneSystem lacks router, which exports it too: add it, the best first: none is read that is not in the list")
}

// The slip that made a selector which matches nothing.
func TestASlipInTheEmbeddedCatalogIsFoundOnItsLine(t *testing.T) {
	changed := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		changed[name] = &fstest.MapFile{Data: text}
		return err
	}))
	const file = "systems/sglang.yaml"
	text := string(changed[file].Data)
	before, _, _ := strings.Cut(text, "role: decode")
	changed[file].Data = []byte(replaced(t, text, "role: decode", "role: decod"))
	_, err := read(changed)
	var fault *Fault
	require.True(t, errors.As(err, &fault))
	require.Equal(t, Fault{
		File: file, Line: strings.Count(before, "\n") + 1, Field: "bindings[1].role", Value: "decod",
		Problem: "is no role", Remedy: "did you mean decode?",
	}, *fault)
}

func TestAliasesOfAliasesEndSomewhere(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("system: router\ntitle: &a [x, x, x, x, x, x, x, x, x, x]\nprefixes: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n")
	bomb.WriteString("bindings:\n")
	bomb.WriteString("  - &e {signal: running, ratios: &r [{num: &n [" + strings.Repeat("{names: [a]}, ", 200) + "{names: [a]}], den: *n}" + strings.Repeat(", {num: *n, den: *n}", 200) + "]}\n")
	bomb.WriteString(strings.Repeat("  - *e\n", 200))
	_, err := read(written(map[string]string{"systems/router.yaml": bomb.String()}))
	require.ErrorContains(t, err, "grows beyond bounds")
}

func TestRolesOfBindingsAreThoseOfQueries(t *testing.T) {
	require.Equal(t, []string{string(query.RolePrefill), string(query.RoleDecode), string(query.RoleUnified)}, engineRoles)
}
