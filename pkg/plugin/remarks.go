package plugin

import (
	"context"
	"strconv"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/common/model"
	"golang.org/x/sync/errgroup"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// withLayouts compiles anew with the bucket bounds that the engines really have. A
// server that cannot tell leaves the plan as it is.
func (d *Datasource) withLayouts(ctx context.Context, r compile.Request, plan compile.Plan) (compile.Plan, error) {
	if d.cache == nil || len(plan.Histograms) == 0 {
		return plan, nil
	}
	layouts, err := d.cache.Layouts(ctx, plan.Histograms)
	if err != nil {
		backend.Logger.FromContext(ctx).Debug("Bucket bounds could not be looked at", "error", explain(err).message)
		return plan, nil
	}
	r.Layouts = layouts
	return d.compiler.Compile(r)
}

// remark adds what only the answers tell: counters that stand still or were reset,
// quantiles that the buckets cut off.
func (d *Datasource) remark(ctx context.Context, p *prepared, results []prom.Result, errs []error, beside beside) {
	if p.plan.Kind == catalog.KindRate && standsStill(results, errs) {
		p.notice(notice.StandsStill)
	}
	if p.query.Stat == query.StatHeatmap && standsStill(results, errs) {
		p.notice(notice.NothingObserved)
	}
	d.compareSizes(p, results, errs)
	var g errgroup.Group
	beyond := make([]float64, len(results))
	for i := range results {
		g.Go(func() error {
			beyond[i] = beside.beyond[i](results[i], errs[i])
			return nil
		})
	}
	_ = g.Wait()
	if n := <-beside.resets; n > 0 {
		kind := notice.CounterResets
		if n == 1 {
			kind = notice.CounterReset
		}
		p.notice(kind, n)
	}
	for i, share := range beyond {
		if share > 0 {
			p.notice(notice.BeyondBuckets,
				strconv.FormatFloat(share*100, 'g', 3, 64), strconv.FormatFloat(p.plan.Expressions[i].Quantile.Last, 'g', 4, 64), p.plan.Unit)
		}
	}
}

func (p *prepared) notice(kind notice.Kind, args ...any) {
	p.plan.Notices = append(p.plan.Notices, kind.Of(args...))
}

// longestResets is the longest range in which resets are looked for: over months
// the search would cost more than the graph.
const longestResets = 7 * 24 * time.Hour

// beside is what is asked for while a query runs, for its remarks.
type beside struct {
	resets <-chan int
	beyond []func(prom.Result, error) float64 // of each expression
}

func (d *Datasource) asideOf(ctx context.Context, p *prepared) beside {
	b := beside{resets: d.resetting(ctx, p)}
	for _, e := range p.plan.Expressions {
		b.beyond = append(b.beyond, d.beyond(ctx, *p, e))
	}
	return b
}

// resetting counts the counter resets of a query while it runs.
func (d *Datasource) resetting(ctx context.Context, p *prepared) <-chan int {
	counts := p.plan.Kind == catalog.KindRate || p.plan.Kind == catalog.KindTotal
	if !counts || p.instant || len(p.plan.Expressions) == 0 {
		return aside(ctx, func() int { return 0 })
	}
	counters, timing := p.plan.Counters, p.timing
	return aside(ctx, func() int { return d.resets(ctx, counters, timing) })
}

// resets counts the counter resets in a range that ends now; an older range is not
// looked at, its cost is not worth a remark.
func (d *Datasource) resets(ctx context.Context, counters []string, t query.Timing) int {
	span := t.End.Sub(t.Start)
	if span > longestResets || time.Since(t.End) > time.Minute {
		return 0
	}
	n, err := d.cache.Resets(ctx, counters, span, t.End)
	if err != nil {
		backend.Logger.FromContext(ctx).Debug("Counter resets could not be counted", "error", explain(err).message)
	}
	return n
}

// largest is the largest value of an expression at the end of a query, 0 when it
// has none. The end of a range is on the grid, the same for all viewers.
func (d *Datasource) largest(ctx context.Context, p prepared, promql string) float64 {
	at := p.timing.End
	if p.instant {
		at = p.at
	}
	result, err := d.ask(ctx, p, promql, at)
	if err != nil {
		return 0
	}
	vector, _ := result.Value.(model.Vector)
	most := 0.0
	for _, one := range vector {
		most = max(most, float64(one.Value))
	}
	return most
}

// standsStill reports whether there are values and all are zero.
func standsStill(results []prom.Result, errs []error) bool {
	any := false
	for i, result := range results {
		if errs[i] != nil {
			return false
		}
		for value := range values(result.Value) {
			any = true
			if value != 0 {
				return false
			}
		}
	}
	return any
}

// reaches reports whether a quantile sits on the last finite bucket.
func reaches(value model.Value, bounds *compile.Bounds) bool {
	if bounds == nil {
		return false
	}
	for v := range values(value) {
		if v >= bounds.Last*(1-1e-9) {
			return true
		}
	}
	return false
}

// values yields every number of an answer.
func values(value model.Value) func(yield func(float64) bool) {
	return func(yield func(float64) bool) {
		switch v := value.(type) {
		case model.Vector:
			for _, one := range v {
				if !yield(float64(one.Value)) {
					return
				}
			}
		case prom.Matrix:
			for _, one := range v {
				for _, value := range one.Values {
					if !yield(value) {
						return
					}
				}
			}
		}
	}
}
