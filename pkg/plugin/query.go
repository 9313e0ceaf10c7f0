package plugin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
	"github.com/grafana/grafana-plugin-sdk-go/config"
	"github.com/grafana/grafana-plugin-sdk-go/experimental/concurrent"
	"github.com/prometheus/common/model"
	"golang.org/x/sync/errgroup"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/pointcache"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// defaultConcurrency is taken where Grafana does not say how many queries of one
// request may run at once; expressionConcurrency bounds those of one query.
const (
	defaultConcurrency    = 10
	expressionConcurrency = 16
)

// QueryData runs the queries of one request side by side. Each has its own
// answer or error; one that fails does not fail the others. A request that was given up
// has no answers but that error, which is no failure to anybody's log.
func (d *Datasource) QueryData(ctx context.Context, req *backend.QueryDataRequest) (*backend.QueryDataResponse, error) {
	limit := defaultConcurrency
	if n, err := config.GrafanaConfigFromContext(ctx).ConcurrentQueryCount(); err == nil && n > 0 {
		limit = min(n, defaultConcurrency)
	}
	ctx = d.called(ctx, req.GetHTTPHeaders())
	direct, rule := asksDirectly(req), ofRule(req)
	response, err := concurrent.QueryData(ctx, req, func(ctx context.Context, q concurrent.Query) backend.DataResponse {
		if rule {
			if err := forRule(q.DataQuery.JSON); err != nil {
				return explain(err).response()
			}
		}
		return d.answer(ctx, q.DataQuery, direct)
	}, limit)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, backend.DownstreamError(&givenUp{explain(ctx.Err()).message})
	}
	return response, err
}

// asksDirectly reports whether a request wants the server's own answer: alerts are
// asked rarely and have to be right at once, and a user may skip Grafana's caches.
func asksDirectly(req *backend.QueryDataRequest) bool {
	return ofRule(req) || req.GetHTTPHeaders().Get("X-Cache-Skip") == "true"
}

// answer runs one query.
func (d *Datasource) answer(ctx context.Context, dq backend.DataQuery, direct bool) backend.DataResponse {
	if err := d.reachable(); err != nil {
		return explain(err).response()
	}
	q, err := query.Parse(dq.JSON)
	if err != nil {
		return explain(err).response()
	}
	if q.QueryType == query.TypeInventory {
		return d.inventory(ctx, dq, q)
	}
	look := d.cache.Latest
	if direct {
		look = d.cache.Get
	}
	p, err := d.planned(ctx, dq, q, look)
	if err != nil {
		return explain(err).response()
	}
	p.direct = direct
	beside := d.asideOf(ctx, &p)
	results, errs := d.runAll(ctx, p)
	d.remark(ctx, &p, results, errs, beside)
	answered, err := d.frames(p, results, errs)
	if err != nil {
		return explain(err).response()
	}
	response := backend.DataResponse{Status: backend.StatusOK, Frames: answered}
	if err := errors.Join(errs...); err != nil {
		failed := explain(err).response()
		failed.Frames = answered
		return failed
	}
	return response
}

// runAll runs the expressions of a plan side by side. One that fails leaves the others
// standing.
func (d *Datasource) runAll(ctx context.Context, p prepared) ([]prom.Result, []error) {
	results := make([]prom.Result, len(p.plan.Expressions))
	errs := make([]error, len(results))
	var g errgroup.Group
	g.SetLimit(expressionConcurrency)
	for i, e := range p.plan.Expressions {
		g.Go(func() error {
			// A panic of a goroutine ends the process, and with it every other panel.
			defer func() {
				if fault := recover(); fault != nil {
					stack := debug.Stack()
					if crash, ok := fault.(*pointcache.Crash); ok {
						stack = crash.Stack
					}
					backend.Logger.FromContext(ctx).Error("Query panicked", "fault", fault, "stack", string(stack))
					errs[i] = fmt.Errorf("PD Monitor failed on this query, please report it: %v", fault)
				}
			}()
			results[i], errs[i] = d.run(ctx, p, e)
			return nil
		})
	}
	_ = g.Wait() // errors are those of the parts
	return results, errs
}

// prepared is a query that is ready to run.
type prepared struct {
	plan   compile.Plan
	query  query.Query
	timing query.Timing
	// instant asks for the newest values alone, as of at.
	instant bool
	at      time.Time
	// language is the reader's.
	language string
	// arrival is how samples come to the server; direct asks it whatever is kept.
	arrival pointcache.Arrival
	direct  bool
}

// extras are fields that Grafana adds to a stored query.
type extras struct {
	UTCOffsetSec int64 `json:"utcOffsetSec"`
}

// languageOf is the language of a query's reader, such as zh-Hans, as the front end sends it; ""
// where nobody says.
func languageOf(stored []byte) string {
	var more struct {
		Language string `json:"language"`
	}
	_ = json.Unmarshal(stored, &more) // what is wrong with it is told elsewhere
	return more.Language
}

func (d *Datasource) prepare(ctx context.Context, dq backend.DataQuery) (prepared, error) {
	if d.broken != nil {
		return prepared{}, &brokenSettings{d.broken}
	}
	q, err := query.Parse(dq.JSON)
	if err != nil {
		return prepared{}, err
	}
	if q.QueryType == query.TypeInventory {
		return prepared{query: q, plan: compile.Plan{Explanation: []string{"an inventory is read from the names and labels that the server lists"}}}, nil
	}
	return d.planned(ctx, dq, q, d.cache.Get)
}

// look finds what the server holds, no older than it says or, for those who must not wait,
// what was seen last.
type look func(ctx context.Context, maxAge time.Duration, w discovery.Window) (*deployment.Deployment, error)

func (d *Datasource) planned(ctx context.Context, dq backend.DataQuery, q query.Query, look look) (prepared, error) {
	if dq.TimeRange.From.After(dq.TimeRange.To) {
		return prepared{}, &query.FieldError{Field: "time range", Value: dq.TimeRange.From.UTC().Format(time.RFC3339) + " to " + dq.TimeRange.To.UTC().Format(time.RFC3339), Remedy: "it must not end before it begins"}
	}
	var more extras
	if err := json.Unmarshal(dq.JSON, &more); err != nil {
		return prepared{}, &query.FieldError{Field: "utcOffsetSec", Value: "this query's", Remedy: "it must be a whole number of seconds"}
	}
	window := discovery.Window{From: dq.TimeRange.From, To: dq.TimeRange.To}
	found, unknown, err := d.deployment(ctx, look, discovery.Fresh, window)
	if err != nil {
		return prepared{}, err
	}
	p := prepared{query: q, language: languageOf(dq.JSON), instant: q.Format == query.FormatTable, at: dq.TimeRange.To}
	p.timing = d.timing(dq, found, time.Duration(more.UTCOffsetSec)*time.Second)
	if p.plan, err = d.compile(ctx, q, p.timing, p.instant, found); err != nil {
		return prepared{}, err
	}
	p.arrival = d.arrival(found, p.plan.Window)
	if len(p.plan.Expressions) == 0 && found != nil {
		// What is missing may just have appeared; who must not wait sees it with the next refresh.
		if again, _, err := d.deployment(ctx, look, discovery.Retry, window); err == nil && again != nil && again != found {
			if p.plan, err = d.compile(ctx, q, p.timing, p.instant, again); err != nil {
				return prepared{}, err
			}
		}
	}
	if unknown != nil {
		p.plan.Notices = append(p.plan.Notices, *unknown)
	}
	if p.timing.Raised > 0 && !p.instant {
		p.notice(notice.StepRaised, model.Duration(p.timing.Raised), model.Duration(p.timing.Step), query.MaxPoints)
	}
	return p, nil
}

// deployment is what the server holds. A server that answers queries but not
// discovery is asked for every known name, which the notice says; one that
// answers nothing is an error.
func (d *Datasource) deployment(ctx context.Context, look look, maxAge time.Duration, w discovery.Window) (*deployment.Deployment, *query.Notice, error) {
	if d.cache == nil {
		return nil, nil, nil
	}
	found, err := look(ctx, maxAge, w)
	if err == nil {
		return found, nil, nil
	}
	f := explain(err)
	var server *prom.Error
	if !errors.As(err, &server) || f.status >= 500 || f.status == 401 || f.status == prom.StatusCancelled {
		return nil, nil, err
	}
	unknown := notice.NotLookedAt.Of(f.message)
	return nil, &unknown, nil
}

func (d *Datasource) compile(ctx context.Context, q query.Query, t query.Timing, instant bool, found *deployment.Deployment) (compile.Plan, error) {
	r := compile.Request{Query: q, Options: d.settings.Compile(), Deployment: found, Step: t.Step}
	if instant {
		r.Step = 0
	}
	if q.QueryType == query.TypePromQL {
		r.Query.Expr = query.Macros{
			Interval: t.Step, RateInterval: compile.RateInterval(r), Range: t.End.Sub(t.Start),
		}.Expand(q.Expr)
	}
	plan, err := d.compiler.Compile(r)
	if err != nil {
		return compile.Plan{}, err
	}
	return d.withLayouts(ctx, r, plan)
}

// timing lays the grid. A step below the scrape interval would only draw every
// sample several times.
func (d *Datasource) timing(dq backend.DataQuery, found *deployment.Deployment, utcOffset time.Duration) query.Timing {
	step := dq.Interval
	if step <= 0 && dq.MaxDataPoints > 0 {
		step = gtime.RoundInterval(dq.TimeRange.Duration() / time.Duration(dq.MaxDataPoints))
	}
	return query.Align(dq.TimeRange.From, dq.TimeRange.To, max(step, d.scrapeInterval(found)), utcOffset)
}

// arrival is how samples come to the server: points overlap by one window, that of the rates
// or what it would be.
func (d *Datasource) arrival(found *deployment.Deployment, window time.Duration) pointcache.Arrival {
	a := pointcache.Arrival{Late: max(window, 4*d.scrapeInterval(found)), Behind: pointcache.Unknown}
	if found != nil && found.Behind >= 0 {
		a.Behind = found.Behind
	}
	return a
}

func (d *Datasource) scrapeInterval(found *deployment.Deployment) time.Duration {
	detected := time.Duration(0)
	if found != nil {
		detected = found.ScrapeInterval
	}
	return cmp.Or(d.settings.ScrapeInterval, detected, compile.DefaultScrapeInterval)
}

func (d *Datasource) run(ctx context.Context, p prepared, e compile.Expression) (prom.Result, error) {
	if p.instant {
		return d.ask(ctx, p, e.PromQL, p.at)
	}
	r := prom.Range{Start: p.timing.Start, End: p.timing.End, Step: p.timing.Step}
	if d.points == nil || p.direct {
		return d.client.QueryRange(ctx, e.PromQL, r)
	}
	return d.points.QueryRange(ctx, pointcache.Expression{PromQL: e.PromQL, Lasting: e.Lasting}, r, p.arrival)
}

// ask runs an instant query.
func (d *Datasource) ask(ctx context.Context, p prepared, promql string, at time.Time) (prom.Result, error) {
	if d.points == nil || p.direct {
		return d.client.Query(ctx, promql, at)
	}
	return d.points.Query(ctx, promql, at)
}
