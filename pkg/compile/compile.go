package compile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Options are the settings that bear on the PromQL.
type Options struct {
	// ScrapeInterval of the targets; 0 means as detected.
	ScrapeInterval time.Duration
	RankStrategy   RankStrategy
	// Prefixes of metric names by system, in order of preference.
	Prefixes map[string][]string
	// Roles are PromQL label matchers that tell a role where no label does.
	Roles map[query.Role]string
	// Labels maps logical labels to physical candidates for every system.
	// "engineGroup" is the label that identifies one engine.
	Labels map[string][]string
	Sizes  kvcache.Sizes
	// KVSource names the system to read KV bytes from, "auto" or "" for the best.
	KVSource string
}

// RankStrategy says how copies of ranks are dropped.
type RankStrategy string

const (
	// RanksAuto does what each binding's shape asks for.
	RanksAuto RankStrategy = "auto"
	// RanksCollapse collapses copies in every series but sharded ones.
	RanksCollapse RankStrategy = "collapse"
	// RanksRank0 reads tp_rank 0 alone in place of collapsing.
	RanksRank0 RankStrategy = "rank0"
	// RanksSum adds up all series as they are.
	RanksSum RankStrategy = "sum"
)

// RankStrategies are all strategies, the default first.
var RankStrategies = []RankStrategy{RanksAuto, RanksCollapse, RanksRank0, RanksSum}

// DefaultScrapeInterval is assumed where it is neither set nor detected.
const DefaultScrapeInterval = time.Second

// Request is everything a plan depends on.
type Request struct {
	// Query has its defaults and is valid (query.Parse).
	Query   query.Query
	Options Options
	// Deployment is what the server holds, nil when that is not known.
	Deployment *deployment.Deployment
	// Step is the distance of the points to be drawn; 0 for a single value.
	Step time.Duration
	// Layouts say how bucket bounds agree, by the selectors of Plan.Histograms of an
	// earlier plan of this request; without them the catalog's bounds are taken.
	Layouts map[string]deployment.Layout
}

// Compiler turns requests into plans.
type Compiler struct {
	catalog *catalog.Catalog
}

// New makes a compiler for a catalog.
func New(c *catalog.Catalog) *Compiler { return &Compiler{catalog: c} }

// Compile plans a query. What the user asked for wrongly is a *query.FieldError;
// what cannot be had is a plan without expressions and with a notice that says why.
func (c *Compiler) Compile(r Request) (Plan, error) {
	if r.Query.QueryType == query.TypePromQL {
		return c.raw(r)
	}
	signal, ok := c.catalog.Signal(r.Query.Signal)
	if !ok {
		remedy := "GET /catalog or `pdmonitor catalog` lists the signals"
		if near := c.catalog.Suggest(r.Query.Signal); len(near) > 0 {
			remedy = "did you mean " + strings.Join(near, ", ") + "?"
		}
		return Plan{}, &query.FieldError{Field: "signal", Value: r.Query.Signal, Remedy: remedy}
	}
	if err := c.checkStat(signal, r.Query); err != nil {
		return Plan{}, err
	}
	if r.Query.System != query.SystemAuto {
		if _, ok := c.catalog.System(r.Query.System); !ok {
			var known []string
			for _, s := range c.catalog.Systems() {
				known = append(known, s.Name)
			}
			return Plan{}, &query.FieldError{Field: "system", Value: r.Query.System, Remedy: "choose auto or one of " + strings.Join(known, ", ")}
		}
	}
	b := &builder{
		catalog: c.catalog, request: r, signal: signal,
		plan: Plan{Kind: signal.Kind, Title: signal.Title, Unit: signal.Statistic(r.Query.Stat).UnitOf(signal), Legend: r.Query.Legend, GroupBy: r.Query.GroupBy},
	}
	if err := b.build(); err != nil {
		return Plan{}, err
	}
	b.plan.print()
	return b.plan, nil
}

func (c *Compiler) checkStat(signal catalog.Signal, q query.Query) error {
	if q.Stat == query.StatDefault || slices.Contains(signal.Stats(), q.Stat) {
		return nil
	}
	if q.Stat == query.StatRate && signal.Kind == catalog.KindRate {
		return nil // the only statistic it has
	}
	return &query.FieldError{
		Field: "stat", Value: string(q.Stat),
		Remedy: fmt.Sprintf("%s is a %s and has no such statistic: %s", signal.ID, signal.Kind, statsOf(signal)),
	}
}

func statsOf(signal catalog.Signal) string {
	var named []string
	for _, s := range signal.Stats() {
		if s != query.StatDefault {
			named = append(named, string(s))
		}
	}
	if len(named) == 0 {
		return "leave stat empty"
	}
	return "leave stat empty or take " + strings.Join(named, ", ")
}
