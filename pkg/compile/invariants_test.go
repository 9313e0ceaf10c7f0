package compile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// everything is a server that exports every metric of the catalog.
func everything(c *catalog.Catalog, told deployment.RoleBy) *deployment.Deployment {
	d := &deployment.Deployment{Metrics: map[string]bool{}, Gauges: map[string]bool{}, Systems: map[string]deployment.Found{}, ScrapeInterval: time.Second}
	for _, name := range c.MetricNames() {
		d.Metrics[name] = true
		d.Metrics[name+"_bucket"] = true
	}
	instances := map[query.Role]int{query.RolePrefill: 2, query.RoleDecode: 3, query.RoleUnified: 1}
	if told == deployment.RoleByNothing {
		instances = map[query.Role]int{query.RoleUnified: 6}
	}
	for _, s := range c.Systems() {
		told := told
		if told == deployment.RoleByLabel && (s.Roles == nil || s.Roles.Label == "") {
			told = deployment.RoleByMatchers // discovery finds no label where there is none
		}
		d.Systems[s.Name] = deployment.Found{RoleBy: told, Instances: instances, Models: []string{"a/b-1.5", "c"}, DPRanks: 2, TPRanks: 4}
	}
	return d
}

// types maps every series name that the catalog can ask for to its type.
func types(c *catalog.Catalog) map[string]catalog.Type {
	known, parts := map[string]catalog.Type{}, map[string]catalog.Type{}
	for _, s := range c.Systems() {
		for _, b := range s.Bindings {
			for _, source := range b.AllSources() {
				for _, prefix := range c.Prefixes(source) {
					for _, name := range source.Names {
						known[prefix+name] = source.Type
						if source.Type == catalog.TypeHistogram {
							for _, part := range []string{"_bucket", "_sum", "_count"} {
								parts[prefix+name+part] = catalog.TypeHistogram
							}
						}
					}
				}
			}
		}
	}
	for name, kind := range parts {
		if _, exact := known[name]; !exact { // a histogram's _sum may be bound as a counter
			known[name] = kind
		}
	}
	return known
}

// sound checks what must hold of every expression, whatever was asked.
func sound(t testing.TB, known map[string]catalog.Type, text string) {
	t.Helper()
	require.NotContains(t, text, "clamp_min")
	expr, err := promql.Parse(text)
	require.NoError(t, err, text)
	require.Equal(t, text, expr.String(), "it prints the same again")
	require.Equal(t, parser.ValueTypeVector, expr.Type(), text)
	parser.Inspect(expr, func(node parser.Node, path []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			soundSelector(t, known, text, n, path)
		case *parser.AggregateExpr:
			if n.Without {
				require.NotContains(t, n.Grouping, "dp_rank", "every data-parallel rank has its own requests: %s", text)
				require.NotContains(t, n.Grouping, "le", text)
			} else {
				// Only the last aggregation may name what it keeps: an inner one would
				// forget a label and merge different events.
				for _, outer := range path {
					a, ok := outer.(*parser.AggregateExpr)
					require.False(t, ok && a.Without, "by inside without: %s", text)
				}
			}
		case *parser.Call:
			if n.Func.Name == "histogram_quantile" {
				merged, ok := n.Args[1].(*parser.AggregateExpr)
				require.True(t, ok && merged.Op == parser.SUM && !merged.Without, "buckets are merged before the quantile: %s", text)
				if strings.Contains(merged.String(), "_bucket") {
					require.Contains(t, merged.Grouping, "le", text)
				}
			}
		}
		return nil
	})
}

func soundSelector(t testing.TB, known map[string]catalog.Type, text string, n *parser.VectorSelector, path []parser.Node) {
	t.Helper()
	var name string
	for _, m := range n.LabelMatchers {
		if m.Name == model.MetricNameLabel {
			require.Equal(t, labels.MatchEqual, m.Type, "a metric is named, not matched: %s", text)
			require.Empty(t, name, text)
			name = m.Value
		}
	}
	require.NotEmpty(t, name, text)
	kind, ok := known[name]
	require.True(t, ok, "%s is no metric of the catalog: %s", name, text)
	rated := slices.ContainsFunc(path, func(p parser.Node) bool {
		call, ok := p.(*parser.Call)
		return ok && slices.Contains([]string{"rate", "irate", "increase", "deriv", "delta", "idelta"}, call.Func.Name)
	})
	if kind == catalog.TypeGauge {
		require.False(t, rated, "%s is a gauge: %s", name, text)
	}
	if kind == catalog.TypeHistogram && !onlyTold(n, path) {
		require.True(t, rated, "%s is cumulative: %s", name, text)
	}
}

// onlyTold reports whether a selector is there for its labels alone: which engines
// to leave out.
func onlyTold(n *parser.VectorSelector, path []parser.Node) bool {
	return slices.ContainsFunc(path, func(p parser.Node) bool {
		b, ok := p.(*parser.BinaryExpr)
		return ok && b.Op == parser.LUNLESS && b.RHS == parser.Expr(n)
	})
}

// checker checks plans; one that was found right is not parsed again.
type checker struct {
	compiler *compile.Compiler
	known    map[string]catalog.Type
	checked  map[string]bool
}

// signature is equal for plans that are alike in all that is checked.
func signature(p compile.Plan) string { return strings.Join(promqls(p), "\n") + texts(p) }

func (c checker) check(t testing.TB, r compile.Request) {
	t.Helper()
	p, err := c.compiler.Compile(r)
	require.NoError(t, err)
	if c.checked[signature(p)] {
		return
	}
	c.checked[signature(p)] = true
	again, err := c.compiler.Compile(r)
	require.NoError(t, err)
	// Trees hold compiled regular expressions, which nothing equals; their text is compared.
	for _, plan := range []compile.Plan{p, again} {
		for i := range plan.Expressions {
			plan.Expressions[i].Tree = nil
		}
	}
	require.Equal(t, p, again, "the same question gives the same bytes")
	if len(p.Expressions) == 0 {
		require.True(t, slices.ContainsFunc(p.Notices, func(n query.Notice) bool { return n.Severity != query.SeverityInfo }),
			"a plan without expressions says why: %v", p.Notices)
	}
	seen := map[string]bool{}
	for _, e := range p.Expressions {
		sound(t, c.known, e.PromQL)
		constant := fmt.Sprint(e.Labels)
		require.False(t, seen[constant], "two expressions whose series cannot be told apart (%s):\n%s", constant, strings.Join(promqls(p), "\n"))
		seen[constant] = true
	}
}

func TestWhatHoldsOfEveryPlan(t *testing.T) {
	c, err := catalog.Load()
	require.NoError(t, err)
	byMatchers := everything(c, deployment.RoleByMatchers)
	engineGroup := func(r *compile.Request) { r.Options.Labels = map[string][]string{"engineGroup": {"engine_group"}} }
	deployments := map[string]func(*compile.Request){
		"a server that is not known": func(*compile.Request) {},
		"role matchers alone":        perRole,
		"P and D by label":           holding(everything(c, deployment.RoleByLabel)),
		"P and D by matchers":        func(r *compile.Request) { perRole(r); r.Deployment = byMatchers },
		"unified":                    holding(everything(c, deployment.RoleByNothing)),
		"engines over several nodes": func(r *compile.Request) { engineGroup(r); perRole(r) },
		"an empty server":            holding(&deployment.Deployment{}),
	}
	groups := [][]string{nil, {"model"}, {"model", "instance", "role"}, {"engine", "dp_rank", "tp_rank"}, {"reason", "node"}}
	filters := [][]query.Filter{
		nil,
		{{Label: "model", Op: query.OpEqual, Values: []string{"a/b-1.5"}}, {Label: "dp_rank", Op: query.OpNotEqual, Values: []string{"0", "1"}}},
		{{Label: "model", Op: query.OpMatch, Values: []string{"a.*", "c"}}, {Label: "tp_rank", Op: query.OpNotMatch, Values: []string{"[0-3]"}}},
	}
	sizes := func(r *compile.Request) {
		r.Options.Sizes = kvcache.Sizes{{Model: "c", BytesPerRequest: 7}, {Model: "/b/", BytesPerRequest: 9}}
	}
	for name, held := range deployments {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plans := checker{compiler: compile.New(c), known: types(c), checked: map[string]bool{}}
			for number, signal := range c.Signals() {
				stats := append([]query.Stat{query.StatDefault}, signal.Stats()...)
				for _, system := range systemsOf(c, signal) {
					t.Run(signal.ID+" of "+system, func(t *testing.T) {
						for i, stat := range stats {
							// Roles, rate modes, strategies, groups and filters take turns, five for
							// each signal, system, statistic and deployment; neighbouring signals
							// take others, so that every value meets every kind of signal.
							for step := range 5 {
								role := []query.Role{query.RoleAny, query.RolePrefill, query.RoleDecode, query.RoleUnified}[(step+number)%4]
								turn := (4*step + number + i) % 9
								mode := []query.RateMode{query.RateAuto, query.RateAdjacent, query.RateWindow}[turn%3]
								strategy := []compile.RankStrategy{compile.RanksAuto, compile.RanksCollapse, compile.RanksRank0, compile.RanksSum}[(turn+i)%4]
								plans.check(t, ask(signal.ID, of(system), on(role), statistic(stat), sizes, held, ranked(strategy),
									by(groups[turn%len(groups)]...), func(r *compile.Request) {
										r.Query.RateMode, r.Query.Filters = mode, filters[turn/3]
									}))
							}
						}
					})
				}
			}
		})
	}
}

func systemsOf(c *catalog.Catalog, signal catalog.Signal) []string {
	all := []string{query.SystemAuto}
	for _, b := range c.Bindings(signal) {
		all = append(all, b.System)
	}
	return all
}
