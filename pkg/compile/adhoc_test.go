package compile_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// ownQuery is a request for an expression of one's own.
func ownQuery(expr string, edits ...func(*compile.Request)) compile.Request {
	return ask("", append([]func(*compile.Request){func(r *compile.Request) {
		r.Query = query.Query{Expr: expr}.WithDefaults()
	}}, edits...)...)
}

func TestTheDashboardsFiltersReachEverySelector(t *testing.T) {
	model := where("model", query.OpEqual, "m")
	zone := where("zone", query.OpEqual, "a")
	called := func(own ...string) func(*compile.Request) {
		return func(r *compile.Request) { r.Options.Labels = map[string][]string{"model": own} }
	}
	for name, test := range map[string]struct {
		ask  compile.Request
		want string
		said string
	}{
		"a logical label is the one of the metric": {
			ownQuery(`vllm:num_requests_running`, model), `vllm:num_requests_running{model_name="m"}`,
			`info: Filters of the dashboard: model_name="m" was added to each selector.`,
		},
		"what the editor keeps of a signal is no filter of the dashboard": {
			ownQuery(`vllm:num_requests_running`, model, func(r *compile.Request) { r.Query.Signal = "ttft" }), `vllm:num_requests_running`,
			"info: The filters of the signal that this query asked for before were not applied: write them into the expression.",
		},
		"a label that the catalog does not know stays as it is": {
			ownQuery(`vllm:num_requests_running{job="x"}`, zone), `vllm:num_requests_running{job="x",zone="a"}`,
			`info: Filters of the dashboard: zone="a" was added to each selector.`,
		},
		"so does a label of a metric that it does not know": {
			ownQuery(`up`, model), `up{model="m"}`, `info: Filters of the dashboard: model="m" was added to each selector.`,
		},
		"a physical label of a known metric too": {
			ownQuery(`vllm:num_requests_running`, where("model_name", query.OpEqual, "m")), `vllm:num_requests_running{model_name="m"}`,
			`info: Filters of the dashboard: model_name="m" was added to each selector.`,
		},
		"the settings' label comes first": {
			ownQuery(`vllm:num_requests_running`, model, called("served_model")), `vllm:num_requests_running{served_model="m"}`,
			`info: Filters of the dashboard: served_model="m" was added to each selector.`,
		},
		"unless the server has another of theirs": {
			ownQuery(`vllm:num_requests_running`, model, called("served_model", "model_name"), holding(func() *deployment.Deployment {
				d := server("vllm", deployment.RoleByNothing, "vllm:num_requests_running")
				found := d.Systems["vllm"]
				found.Labels = []string{"model_name"}
				d.Systems["vllm"] = found
				return d
			}())), `vllm:num_requests_running{model_name="m"}`, `info: Filters of the dashboard: model_name="m" was added to each selector.`,
		},
		"a prefix of the settings is known": {
			ownQuery(`own_num_requests_running`, model, func(r *compile.Request) {
				r.Options.Prefixes = map[string][]string{"vllm": {"own_"}}
			}), `own_num_requests_running{model_name="m"}`, `info: Filters of the dashboard: model_name="m" was added to each selector.`,
		},
		"each selector has the label of its own metric": {
			ownQuery(`sum(rate(sglang:num_requests_total[1m])) / sum(rate(my_requests_total[1m]))`, model),
			`sum(rate(sglang:num_requests_total{model_name="m"}[1m])) / sum(rate(my_requests_total{model="m"}[1m]))`,
			`info: Filters of the dashboard: model_name="m" was added to sglang:num_requests_total; model="m" was added to my_requests_total.`,
		},
		"buckets, ranges, subqueries, offsets, at, unary and set operators": {
			ownQuery(`histogram_quantile(0.9, sum by (le) (rate(vllm:e2e_request_latency_seconds_bucket[5m] offset 1h))) or max_over_time((-up @ 10)[1h:1m]) unless on (job) (absent(up))`, zone),
			`histogram_quantile(0.9, sum by (le) (rate(vllm:e2e_request_latency_seconds_bucket{zone="a"}[5m] offset 1h))) or max_over_time((-up{zone="a"} @ 10.000)[1h:1m]) unless on (job) (absent(up{zone="a"}))`,
			`info: Filters of the dashboard: zone="a" was added to each selector.`,
		},
		"each operator": {
			ownQuery(`up`, where("a", query.OpNotEqual, "x"), where("b", query.OpMatch, "x.*", "y"), where("c", query.OpNotMatch, "z|")),
			`up{a!="x",b=~"x.*|y",c!~"z|"}`,
			`info: Filters of the dashboard: a!="x", b=~"x.*|y", c!~"z|" were added to each selector.`,
		},
		"several values, escaped": {
			ownQuery(`up`, where("model", query.OpEqual, "b/3.1", "a+\"q\""), where("x", query.OpNotEqual, "1", "2")),
			`up{model=~"a\\+\"q\"|b/3\\.1",x!~"1|2"}`,
			`info: Filters of the dashboard: model=~"a\\+\"q\"|b/3\\.1", x!~"1|2" were added to each selector.`,
		},
		"no value is that of series without the label, as in Prometheus": {
			ownQuery(`up`, where("zone", query.OpEqual, ""), where("zone", query.OpNotEqual, "a")), `up{zone!="a",zone=""}`,
			`info: Filters of the dashboard: zone="", zone!="a" were added to each selector.`,
		},
		"an equal matcher is not given twice": {
			ownQuery(`up{zone="a"} + down`, zone, zone), `up{zone="a"} + down{zone="a"}`,
			`info: Filters of the dashboard: zone="a" was added to down.`,
		},
		"nothing to add is nothing to say": {ownQuery(`up{zone="a"}`, zone), `up{zone="a"}`, ""},
		"another matcher of the label stays": {
			ownQuery(`up{zone=~"a|b"}`, zone), `up{zone="a",zone=~"a|b"}`, `info: Filters of the dashboard: zone="a" was added to each selector.`,
		},
		"names in braces": {
			ownQuery(`{__name__="vllm:num_requests_running"} + {__name__=~"vllm:.*", job="x"}`, model),
			`{__name__="vllm:num_requests_running",model_name="m"} + {__name__=~"vllm:.*",job="x",model="m"}`,
			`info: Filters of the dashboard: model_name="m" was added to vllm:num_requests_running; model="m" was added to {__name__=~"vllm:.*",job="x"}.`,
		},
		"names and labels outside the classic alphabet": {
			ownQuery(`{"my.metric"}`, where("my.label", query.OpEqual, "a")), `{"my.label"="a",__name__="my.metric"}`,
			`info: Filters of the dashboard: "my.label"="a" was added to each selector.`,
		},
		"a bucket's bound": {
			ownQuery(`x_bucket`, where("le", query.OpEqual, "+Inf")), `x_bucket{le="+Inf"}`, `info: Filters of the dashboard: le="+Inf" was added to each selector.`,
		},
		"the labels that info() adds are no selector": {
			ownQuery(`info(up, {version=~".+"})`, zone), `info(up{zone="a"}, {version=~".+"})`,
			`info: Filters of the dashboard: zone="a" was added to each selector.`,
		},
		"a constant": {
			ownQuery(`vector(1) + time()`, zone), `vector(1) + time()`,
			`warning: The filters of the dashboard were not applied: the expression selects no series.`,
		},
		"a label that the metric lacks": {
			ownQuery(`DCGM_FI_DEV_SM_CLOCK`, where("dp_rank", query.OpEqual, "1")), `DCGM_FI_DEV_SM_CLOCK{dp_rank="1"}`,
			"warning: The dashboard filters by dp_rank, and there is no such label on DCGM_FI_DEV_SM_CLOCK.\n" +
				`info: Filters of the dashboard: dp_rank="1" was added to each selector.`,
		},
		"a role": {
			ownQuery(`vllm:num_requests_running`, where("role", query.OpEqual, "decode"), model), `vllm:num_requests_running{model_name="m"}`,
			"warning: The filter on role was not applied: in PromQL no label says it. Ask for a signal, or select by a label that tells it, such as instance.\n" +
				`info: Filters of the dashboard: model_name="m" was added to each selector.`,
		},
		"a role of what is recorded": {
			ownQuery(`model_instance:ttft_bucket:rate2m`, where("role", query.OpEqual, "decode"), model), `model_instance:ttft_bucket:rate2m{model="m",role="decode"}`,
			`info: Filters of the dashboard: role="decode", model="m" were added to each selector.`,
		},
		"no filter": {ownQuery(`up`), `up`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, test.ask)
			require.Len(t, p.Expressions, 1)
			require.Equal(t, test.want, p.Expressions[0].PromQL)
			require.Equal(t, p.Expressions[0].PromQL, p.Title, "the title of one's own PromQL is the expression")
			require.Equal(t, test.said, texts(p))
		})
	}
}

func TestManySelectorsAreNotAllToldOneByOne(t *testing.T) {
	p := planned(t, ownQuery(`a + b + c + d + e + f + g + up{zone="a"}`, where("zone", query.OpEqual, "a")))
	require.Equal(t, `info: Filters of the dashboard: zone="a" was added to a, b, c, d, e and others.`, texts(p))
	p = planned(t, ownQuery(`up`, where("zone", query.OpEqual, strings.Repeat("z", 500))))
	require.Less(t, len(texts(p)), 200)
}

func TestFiltersDoNotMakeAnExpressionTooLongForAServer(t *testing.T) {
	r := ownQuery("up"+strings.Repeat("+up", 10000), where("zone", query.OpEqual, strings.Repeat("z", 200)))
	require.NoError(t, r.Query.Validate())
	_, err := compiler(t).Compile(r)
	require.ErrorContains(t, err, "choose fewer values, or write fewer selectors")
}

// Counters of two models, of which the other has a name that is a pattern of the first.
const plainAndPattern = `
	vllm:prompt_tokens_total{model_name="a.b", instance="i", job="x"} 0+10x60
	vllm:prompt_tokens_total{model_name="acb", instance="i", job="x"} 0+1x60
	vllm:prompt_tokens_total{instance="j", job="x"} 0+100x60
	ours_total{model="a.b", job="x"} 0+5x60
	ours_total{model="acb", job="x"} 0+7x60`

func TestTheNumbersOfFilteredExpressions(t *testing.T) {
	prompts := `sum by (job) (rate(vllm:prompt_tokens_total[30s]))`
	for name, test := range map[string]struct {
		ask  compile.Request
		want float64
	}{
		"no filter":                            {ownQuery(prompts), 111},
		"a model, exactly":                     {ownQuery(prompts, where("model", query.OpEqual, "a.b")), 10},
		"both":                                 {ownQuery(prompts, where("model", query.OpEqual, "acb", "a.b")), 11},
		"all but one, as well those without":   {ownQuery(prompts, where("model", query.OpNotEqual, "a.b")), 101},
		"a pattern":                            {ownQuery(prompts, where("model", query.OpMatch, "a.b")), 11},
		"patterns":                             {ownQuery(prompts, where("model", query.OpNotMatch, "ac.*", "x")), 110},
		"two filters":                          {ownQuery(prompts, where("model", query.OpMatch, ".*b"), where("instance", query.OpEqual, "j")), nothing},
		"each metric by its own label":         {ownQuery(prompts+` / sum by (job) (rate(ours_total[30s]))`, where("model", query.OpEqual, "a.b")), 2},
		"a subquery":                           {ownQuery(`sum by (job) (max_over_time(rate(ours_total[10s])[20s:1s]))`, where("model", query.OpEqual, "acb")), 7},
		"what already was selected is smaller": {ownQuery(`sum by (job) (rate(vllm:prompt_tokens_total{instance="i"}[30s]))`, where("model", query.OpNotEqual, "a.b")), 1},
	} {
		t.Run(name, func(t *testing.T) {
			want := map[string]float64{`{job="x"}`: test.want}
			if test.want == nothing {
				want = nil
			}
			values(t, plainAndPattern, test.ask, 50*time.Second, want)
		})
	}
}

// nothing stands for no series.
const nothing = -1

func TestWhatIsNoNumberAtATimeIsRefused(t *testing.T) {
	refused := func(r compile.Request) error {
		_, err := compiler(t).Compile(r)
		return err
	}
	require.EqualError(t, refused(ownQuery(`"up"`)), `expr: "\"up\"" is not allowed: it gives a text: write an expression that gives numbers`)
	require.ErrorContains(t, refused(ownQuery(`up[5m]`)), "it gives a range of samples for each series and not one number")
	require.NoError(t, refused(ownQuery(`up[5m]`, func(r *compile.Request) { r.Step = 0 })), "a table has the newest of them")
	require.NoError(t, refused(ownQuery(`1 + 1`)))
}

// FuzzFilteredPromQL filters expressions of any kind by anything: the result parses, says
// the same again, and is the expression as written but for the matchers added, which
// every selector has.
func FuzzFilteredPromQL(f *testing.F) {
	for _, expr := range []string{
		`up`, `sum(rate(x[5m])) by (a) / on (b) group_left (c) y offset -1m`, `{__name__=~"a.*"}`, `a{b="c"}[1h:1m]`, `count_over_time((x > bool 1)[1h:])`,
		`vllm:num_requests_running{model_name!=""}`, `{"my.metric", x="y"} @ end()`, `info(up, {version="1"})`, `1`, `quantile_over_time(0.5, x[1m]) ^ -y`,
		`x unless y or z and -w`, `histogram_quantile(0.9, sglang:time_to_first_token_seconds_bucket)`, `absent(x{a="b",a!="c"})`, `up{up="up"}`,
	} {
		f.Add(expr, "model", "m", "other", uint8(0))
		f.Add(expr, "a b", `"\`, "$", uint8(1))
		f.Add(expr, "instance", "x.*", "", uint8(2))
	}
	c, err := catalog.Load()
	require.NoError(f, err)
	ops := []query.Op{query.OpEqual, query.OpNotEqual, query.OpMatch, query.OpNotMatch}
	f.Fuzz(func(t *testing.T, expr, label, one, two string, choice uint8) {
		for _, text := range []string{expr, label, one, two} {
			if !utf8.ValidString(text) {
				return // no JSON text holds it
			}
		}
		r := ownQuery(expr, where(label, ops[choice%4], one, two))
		if r.Query.QueryType != query.TypePromQL || r.Query.Validate() != nil {
			return
		}
		p, err := compile.New(c).Compile(r)
		if err != nil {
			return // refused, which is an answer
		}
		got, err := promql.Parse(p.Expressions[0].PromQL)
		require.NoError(t, err, p.Expressions[0].PromQL)
		require.Equal(t, p.Expressions[0].PromQL, got.String())
		was, err := promql.Parse(expr)
		require.NoError(t, err)
		before, after := promql.Selectors(was), promql.Selectors(got)
		require.Len(t, after, len(before))
		for i, s := range after {
			if label != "role" && label != "system" && label != "exporter" {
				require.True(t, restricted(s, before[i], r.Query.Filters[0]), "%s of %s", s, p.Expressions[0].PromQL)
			}
			// Without what was added it is the expression as it was written.
			s.LabelMatchers = before[i].LabelMatchers
		}
		require.Equal(t, was.String(), got.String())
	})
}

// restricted reports whether a selector has all matchers that it had and the filter's.
func restricted(s, before *parser.VectorSelector, f query.Filter) bool {
	has := func(want *labels.Matcher) bool {
		return slices.ContainsFunc(s.LabelMatchers, func(m *labels.Matcher) bool { return m.String() == want.String() })
	}
	for _, m := range before.LabelMatchers {
		if !has(m) {
			return false
		}
	}
	keeps := f.Op == query.OpEqual || f.Op == query.OpMatch
	exact := f.Op == query.OpEqual || f.Op == query.OpNotEqual
	return len(s.LabelMatchers)-len(before.LabelMatchers) <= 1 && slices.ContainsFunc(s.LabelMatchers, func(m *labels.Matcher) bool {
		return !exact || m.Matches(f.Values[0]) == keeps && m.Matches(f.Values[1]) == keeps
	})
}
