package compile_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func TestWhatIsAskedForWronglyIsNamed(t *testing.T) {
	tests := map[string]struct {
		ask  compile.Request
		want []string
	}{
		"an unknown signal, with the nearest known one": {ask("prefil_request_rate"), []string{`signal: "prefil_request_rate" is not allowed`, "did you mean prefill_request_rate"}},
		"an unknown signal that is near to nothing":     {ask("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"), []string{"signal:", "pdmonitor catalog"}},
		"a quantile of a gauge":                         {ask("requests_running", quantile(0.5)), []string{`stat: "quantile" is not allowed`, "requests_running is a gauge", "leave stat empty"}},
		"a rate of a gauge":                             {ask("requests_running", statistic(query.StatRate)), []string{`stat: "rate" is not allowed`, "requests_running is a gauge"}},
		"a mean of a ratio":                             {ask("prefix_cache_hit_rate", statistic(query.StatMean)), []string{`stat: "mean" is not allowed`}},
		"a quantile of a rate":                          {ask("decode_request_rate", quantile(0.9)), []string{`stat: "quantile" is not allowed`}},
		"an unknown system":                             {ask("ttft", of("triton")), []string{`system: "triton" is not allowed`, "sglang", "vllm"}},
		"a window below two scrapes": {ask("ttft", over("9s"), func(r *compile.Request) { r.Options.ScrapeInterval = 5 * time.Second }),
			[]string{`window: "9s" is not allowed`, "10s"}},
		"a window of one scrape": {ask("decode_request_rate", over("1s")), []string{`window: "1s" is not allowed`, "2s"}},
		"PromQL that is none":    {compile.Request{Query: query.Query{Expr: "rate(x["}.WithDefaults()}, []string{"expr:", "not PromQL"}},
		"a role matcher that is none": {ask("ttft", of("vllm"), func(r *compile.Request) { r.Options.Roles = map[query.Role]string{query.RolePrefill: `instance=~"("`} }),
			[]string{"prefill"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := compiler(t).Compile(test.ask)
			require.Error(t, err)
			for _, want := range test.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestLabelsThatCannotBeAreRefused(t *testing.T) {
	for name, r := range map[string]compile.Request{
		"a filter on the metric name":   ask("ttft", where("__name__", query.OpEqual, "up")),
		"a match of the metric name":    ask("ttft", where("__name__", query.OpMatch, "up.*")),
		"a grouping by the metric name": ask("ttft", by("__name__")),
		"a grouping by nothing":         ask("ttft", by("")),
		"a filter on the bucket bound":  ask("ttft", where("le", query.OpEqual, "0.1")),
	} {
		t.Run(name, func(t *testing.T) {
			err := r.Query.Validate()
			if err == nil {
				_, err = compiler(t).Compile(r)
			}
			require.Error(t, err)
		})
	}
}

func TestNoticesSayWhatCouldNotBeDone(t *testing.T) {
	twoSources := server("sglang", deployment.RoleByLabel, "sglang:flagcx_total_bytes_transferred_total", "sglang:kv_transfer_total_mb_sum")
	tests := map[string]struct {
		ask  compile.Request
		want []string
		// expressions is how many are made nevertheless.
		expressions int
	}{
		"a system without the signal names those that have it": {ask("prefill_time", of("sglang")), []string{"error: SGLang does not export “Prefill time”", "vLLM"}, 0},
		"TTFT is none of SGLang's prefill":                     {ask("ttft", of("sglang"), on(query.RolePrefill)), []string{"error:", "TTFT", "decode", "prefill"}, 0},
		"a filter on a label that the metric lacks is not applied": {ask("ttft", of("sglang"), where("dp_rank", query.OpEqual, "3")),
			[]string{"warning: The filter on dp_rank was not applied", "time_to_first_token_seconds"}, 1},
		"a grouping by a label that the metric lacks": {ask("ttft", of("sglang"), by("tp_rank")), []string{"warning: TTFT is not split by tp_rank"}, 1},
		"KV req/s without sizes":                      {ask("kv_transfer_request_rate"), []string{"warning: KV transfer req/s has no number", "requestSizes", "bytesPerRequest"}, 0},
		"KV req/s of a model without a size": {ask("kv_transfer_request_rate", holding(twoSources), func(r *compile.Request) {
			r.Options.Sizes = kvcache.Sizes{{Model: "another", BytesPerRequest: 1}}
		}), []string{"warning: KV transfer req/s has no number for m", "requestSizes"}, 0},
		"KV req/s of a model whose size is incomplete": {ask("kv_transfer_request_rate", holding(twoSources), func(r *compile.Request) {
			r.Options.Sizes = kvcache.Sizes{{Model: "m", Layers: 3}}
		}), []string{"error: An entry of KV bytes per request in the data source settings is wrong, so that m gets no number of KV transfer req/s: ", "kvHeads"}, 0},
		"KV req/s with an entry that names no model": {ask("kv_transfer_request_rate", func(r *compile.Request) {
			r.Options.Sizes = kvcache.Sizes{{Fault: errors.New("requestSizes[0] is the number 1")}}
		}), []string{"warning: KV transfer req/s has no number: the KV bytes of one request are not configured"}, 0},
		"KV req/s with an incomplete size, where the models are not known": {ask("kv_transfer_request_rate", func(r *compile.Request) {
			r.Options.Sizes = kvcache.Sizes{{Model: "m", Layers: 3}, {Fault: errors.New("requestSizes[1] is the number 1")}}
		}), []string{"error: An entry of KV bytes per request", "so that m gets no number", "kvHeads"}, 0},
		"several sources of KV bytes":       {ask("kv_transfer_byte_rate", holding(twoSources)), []string{"info: KV transfer bytes/s: read from FlagCX", "count the same twice: SGLang"}, 1},
		"a source that the settings choose": {ask("kv_transfer_byte_rate", holding(twoSources), func(r *compile.Request) { r.Options.KVSource = "sglang" }), []string{"info: KV transfer bytes/s: read from SGLang"}, 1},
		"a chosen source that is absent":    {ask("kv_transfer_byte_rate", holding(twoSources), func(r *compile.Request) { r.Options.KVSource = "nixl" }), []string{"error:", "NIXL"}, 0},
		"a missing metric names its flag":   {ask("ttft", of("sglang"), holding(&deployment.Deployment{})), []string{"error: SGLang: TTFT is not on this server", "sglang:time_to_first_token_seconds", "--enable-metrics"}, 0},
		"an older name":                     {ask("itl", of("vllm"), holding(server("vllm", deployment.RoleByNothing, "vllm:time_per_output_token_seconds_bucket"))), []string{"info: The older name vllm:time_per_output_token_seconds is used", "inter_token_latency_seconds"}, 1},
		"a source in place of a better one": {ask("prefill_request_rate", of("sglang"), holding(server("sglang", deployment.RoleByLabel, "sglang:num_requests_total"))), []string{"info: num_requests_total counts aborted requests too"}, 1},
		"a role where none can be told":     {ask("ttft", of("vllm"), on(query.RoleDecode), holding(server("vllm", deployment.RoleByNothing, "vllm:time_to_first_token_seconds_bucket"))), []string{"warning: No decode engine of vLLM was recognised"}, 1},
		"a scrape interval that is not known": {ask("ttft", of("sglang"), func(r *compile.Request) {
			r.Options.ScrapeInterval = 0
			r.Deployment = server("sglang", deployment.RoleByLabel, "sglang:time_to_first_token_seconds_bucket")
			r.Deployment.ScrapeInterval = 0
		}), []string{"warning: The scrape interval could not be detected; 1s is assumed"}, 1},
		"rank0 under DP attention":                       {ask("requests_running", of("sglang"), on(query.RoleDecode), ranked(compile.RanksRank0), holding(dpServer())), []string{"warning: Rank strategy rank0", "dp_rank"}, 1},
		"a gauge is no throughput":                       {ask("requests_running", of("vllm"), on(query.RoleDecode), perRole), []string{"info: A gauge explains concurrency"}, 1},
		"a role-less metric":                             {ask("decode_request_rate", of("sglang"), perRole, holding(roleLess())), []string{"info: sglang:num_requests_total carries no engine_type label", `instance=~"decode.*"`}, 1},
		"a latency that is still a gauge":                {ask("kv_transfer_latency", holding(gaugeOfLatency())), []string{"warning:", "kv_transfer_latency_ms", "gauge"}, 1},
		"a latency that is still a gauge counts nothing": {ask("kv_transfer_latency", holding(gaugeOfLatency()), statistic(query.StatRate)), []string{"error:", "kv_transfer_latency_ms", "gauge"}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := planned(t, test.ask)
			require.Len(t, p.Expressions, test.expressions, "%v", promqls(p))
			for _, want := range test.want {
				require.Contains(t, texts(p), want)
			}
		})
	}
}

func dpServer() *deployment.Deployment {
	d := server("sglang", deployment.RoleByLabel, "sglang:num_running_reqs")
	found := d.Systems["sglang"]
	found.DPRanks = 8
	d.Systems["sglang"] = found
	return d
}

// roleLess is a server of SGLang 0.4, whose tokenizer metrics lack engine_type (D9).
func roleLess() *deployment.Deployment {
	d := server("sglang", deployment.RoleByLabel, "sglang:num_requests_total", "sglang:num_running_reqs")
	found := d.Systems["sglang"]
	found.RoleLess = map[string]bool{"sglang:num_requests_total": true}
	d.Systems["sglang"] = found
	return d
}

func TestAMetricWithoutTheRoleLabelIsToldByTheSettings(t *testing.T) {
	require.Equal(t, `sum(irate(sglang:num_requests_total{instance=~"decode.*"}[4s]))`,
		only(t, ask("decode_request_rate", of("sglang"), perRole, holding(roleLess()))))
}

func TestAFilterThatCannotApplyLeavesTheExpressionAsItWas(t *testing.T) {
	require.Equal(t, only(t, ask("ttft", of("sglang"))), only(t, ask("ttft", of("sglang"), where("dp_rank", query.OpEqual, "3"))))
}

// role and system are labels of the answer, so that ad hoc filters offer them.
func TestFiltersOnTheAnswersOwnLabelsChooseRolesAndSystems(t *testing.T) {
	p := planned(t, ask("ttft", perRole, where("role", query.OpEqual, "decode"), where("system", query.OpEqual, "vllm")))
	require.Equal(t, []string{`vllm/decode: histogram_quantile(0.99, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{instance=~"decode.*"}[4s]))) >= 0`}, promqls(p))

	p = planned(t, ask("ttft", of("vllm"), perRole, where("role", query.OpNotEqual, "decode")))
	require.Equal(t, []string{`vllm/prefill: histogram_quantile(0.99, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{instance=~"prefill.*"}[4s]))) >= 0`}, promqls(p))
}

// So is exporter, where one connector is exported by several engines.
func TestAFilterOnTheExporterChoosesIt(t *testing.T) {
	p := planned(t, ask("kv_transfer_byte_rate", by("engine"), where("exporter", query.OpEqual, "sglang")))
	require.Equal(t, []string{`flagcx: sum by (instance) (irate(sglang:flagcx_total_bytes_transferred_total{engine_type="prefill"}[4s]))`}, promqls(p))
}

// Aborts are watched on prefill as well.
func TestAbortsCanBeHadOfPrefill(t *testing.T) {
	require.Equal(t, `sum(irate(sglang:num_aborted_requests_total{engine_type="prefill"}[4s]))`,
		only(t, ask("abort_rate", of("sglang"), on(query.RolePrefill))))
}

// A server of P, D and unified engines: the unified ones do prefill and decode too.
func TestUnifiedEnginesBesideOthersAreNotForgotten(t *testing.T) {
	d := server("sglang", deployment.RoleByLabel, "sglang:num_requests_total", "sglang:time_to_first_token_seconds_bucket")
	d.Systems["sglang"].Instances[query.RoleUnified] = 1
	for _, signal := range []string{"prefill_request_rate", "decode_request_rate", "ttft"} {
		p := planned(t, ask(signal, of("sglang"), holding(d)))
		var seen string
		for _, x := range promqls(p) {
			seen += x + "\n"
		}
		require.Contains(t, seen, "unified", signal)
	}
}

// Engine u matches one of prefill's two matchers and is yet no prefill engine; p
// and d are what the matchers say and must not be shown again as unified.
func TestUnifiedEnginesAreThoseThatNoMatcherSelects(t *testing.T) {
	d := server("vllm", deployment.RoleByMatchers, "vllm:num_requests_running")
	d.Systems["vllm"].Instances[query.RoleUnified] = 1
	p := planned(t, ask("requests_running", of("vllm"), holding(d), func(r *compile.Request) {
		r.Options.Roles = map[query.Role]string{query.RolePrefill: `ns="x", part="p"`, query.RoleDecode: `ns="x", part="d"`}
	}))
	got := answers(t, loadedSeries(t, `
		vllm:num_requests_running{ns="x",part="p"} 3x60
		vllm:num_requests_running{ns="x",part="d"} 5x60
		vllm:num_requests_running{ns="x",part="u"} 7x60`), p, minute)
	require.InDelta(t, 3, got[`{role="prefill", system="vllm"}`], 0)
	require.InDelta(t, 5, got[`{role="decode", system="vllm"}`], 0)
	if unified, shown := got[`{role="unified", system="vllm"}`]; shown {
		require.InDelta(t, 7, unified, 0, "%v", promqls(p))
	} else {
		require.Contains(t, texts(p), "unified", "engines that are left out are named")
	}
}

// Whoever exports the bare counter moves the bytes that SGLang counts as well.
func TestABareCounterIsASourceLikeTheOthers(t *testing.T) {
	p := planned(t, ask("kv_transfer_byte_rate", holding(server("sglang", deployment.RoleByLabel, "flagcx_total_bytes_transferred_total", "sglang:kv_transfer_total_mb_sum"))))
	require.Equal(t, []string{`flagcx: sum(irate(flagcx_total_bytes_transferred_total[4s]))`}, promqls(p))
	require.Contains(t, texts(p), "count the same twice: SGLang")
}

func TestTheQuerysSystemWinsOverTheSettingsSource(t *testing.T) {
	p := planned(t, ask("kv_transfer_byte_rate", of("flagcx"), func(r *compile.Request) { r.Options.KVSource = "sglang" },
		holding(server("sglang", deployment.RoleByLabel, "sglang:flagcx_total_bytes_transferred_total", "sglang:kv_transfer_total_mb_sum"))))
	require.Equal(t, []string{`flagcx: sum(irate(sglang:flagcx_total_bytes_transferred_total{engine_type="prefill"}[4s]))`}, promqls(p))
}

// During a rolling upgrade the new engines may store native histograms under the
// new name while the old ones store classic ones under the old name.
func TestEnginesWithNativeHistogramsAreNotForgottenBesideClassicOnes(t *testing.T) {
	p := planned(t, ask("itl", of("vllm"), holding(server("vllm", deployment.RoleByNothing, "vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds_bucket"))))
	told := strings.Join(promqls(p), "\n") + texts(p)
	require.True(t, strings.Contains(told, "rate(vllm:inter_token_latency_seconds[4s])") || strings.Contains(told, "native"), told)
}

func TestTheWindowIsFourScrapesOrOneStepMore(t *testing.T) {
	for _, test := range []struct {
		name         string
		scrape, step time.Duration
		asked        string
		want         string
		window       time.Duration
	}{
		{"every sample is drawn", time.Second, time.Second, "", "irate", 4 * time.Second},
		{"steps finer than scrapes", 15 * time.Second, 5 * time.Second, "", "irate", time.Minute},
		{"zoomed out, no sample is lost", time.Second, 15 * time.Second, "", "rate", 16 * time.Second},
		{"zoomed out a little", 5 * time.Second, 10 * time.Second, "", "rate", 20 * time.Second},
		{"a single value", time.Second, 0, "", "rate", 4 * time.Second},
		{"a window of the user's", time.Second, 15 * time.Second, "5m", "rate", 5 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := planned(t, ask("decode_request_rate", of("vllm"), func(r *compile.Request) {
				r.Options.ScrapeInterval, r.Step, r.Query.Window = test.scrape, test.step, test.asked
			}))
			require.Equal(t, test.window, p.Window)
			require.Contains(t, p.Expressions[0].PromQL, "("+test.want+"(")
		})
	}
}

func TestUnitsAndTitlesFollowTheStatistic(t *testing.T) {
	for _, test := range []struct {
		ask         compile.Request
		unit, title string
	}{
		{ask("ttft"), "s", "TTFT P99"},
		{ask("ttft", quantile(0.999)), "s", "TTFT P99.9"},
		{ask("ttft", statistic(query.StatMean)), "s", "TTFT mean"},
		{ask("ttft", statistic(query.StatRate)), "suffix:requests/s", "TTFT count"},
		{ask("kv_transfer_byte_rate"), "Bps", "KV transfer bytes/s"},
		{ask("kv_transfer_request_rate", ofBytes(1)), "reqps", "KV transfer req/s"},
		{ask("prefix_cache_hit_rate"), "percentunit", "Prefix cache hit rate"},
	} {
		p := planned(t, test.ask)
		require.Equal(t, test.unit, p.Unit, test.title)
		require.Equal(t, test.title, p.Title)
	}
}

// Buckets are told in seconds although SGLang exports milliseconds.
func TestBoundsAreInTheUnitOfTheAnswer(t *testing.T) {
	p := planned(t, ask("kv_transfer_latency", of("sglang")))
	require.Equal(t, &compile.Bounds{First: 0.001, Last: 5}, p.Expressions[0].Quantile)
	require.Nil(t, planned(t, ask("kv_transfer_latency", of("sglang"), statistic(query.StatMean))).Expressions[0].Quantile)
}

func TestPromQLIsPassedThroughAsWritten(t *testing.T) {
	p, err := compiler(t).Compile(compile.Request{Query: query.Query{Expr: `sum(rate(x{model="a/b"}[1m]))/60`}.WithDefaults()})
	require.NoError(t, err)
	require.Equal(t, `sum(rate(x{model="a/b"}[1m])) / 60`, p.Expressions[0].PromQL)
	require.Equal(t, 16*time.Second, compile.RateInterval(ask("ttft", zoomed)))
}
