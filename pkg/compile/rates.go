package compile

import (
	"fmt"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// rates is how every counter of a plan becomes a rate, so that its curves can
// be compared.
type rates struct {
	window   time.Duration
	adjacent bool
	notices  []query.Notice
}

// chooseRates picks mode and window. A single value (step 0), as an alert wants it,
// takes the calmer window. A window of max(4 × scrape, step + scrape)
// holds at least two samples even when scrapes are late, and leaves no sample of
// a zoomed-out graph unused. A signal that means something over a longer window
// alone has that.
func chooseRates(r Request, ofSystems, ofSignal time.Duration) (rates, error) {
	scrape, notices := scrapeInterval(r)
	scrape = max(scrape, ofSystems)
	window := max(4*scrape, r.Step+scrape, ofSignal)
	asked, err := r.Query.WindowDuration()
	if err != nil {
		return rates{}, err
	}
	if asked != 0 {
		if asked < 2*scrape {
			return rates{}, &query.FieldError{
				Field: "window", Value: r.Query.Window,
				Remedy: fmt.Sprintf("a rate needs two samples: take at least twice the scrape interval, %s", model.Duration(2*scrape)),
			}
		}
		window = asked
	}
	if asked == 0 && r.Query.RateMode != query.RateAdjacent {
		window = max(window, recordedWindow(r, window))
	}
	adjacent := r.Query.RateMode == query.RateAdjacent ||
		r.Query.RateMode == query.RateAuto && r.Step > 0 && r.Step <= scrape
	return rates{window: window, adjacent: adjacent, notices: notices}, nil
}

// scrapeInterval is the longest that was found of the systems that answer: device
// exporters are often scraped less often than engines.
func (b *builder) scrapeInterval(bindings []scope) time.Duration {
	if b.request.Deployment == nil {
		return 0
	}
	longest := time.Duration(0)
	for _, binding := range bindings {
		for _, s := range binding.AllSources() {
			longest = max(longest, b.request.Deployment.Systems[s.Exporter].ScrapeInterval)
		}
	}
	return longest
}

func scrapeInterval(r Request) (time.Duration, []query.Notice) {
	if r.Options.ScrapeInterval > 0 {
		return r.Options.ScrapeInterval, nil
	}
	if r.Deployment == nil {
		return DefaultScrapeInterval, nil
	}
	if r.Deployment.ScrapeInterval > 0 {
		return r.Deployment.ScrapeInterval, nil
	}
	return DefaultScrapeInterval, []notice.Notice{notice.ScrapeAssumed.Of(model.Duration(DefaultScrapeInterval))}
}

// counter is the rate of a counter that is drawn as such.
func (b *builder) counter(selector promql.Expr) promql.Expr {
	b.plan.Window = b.rates.window
	if b.rates.adjacent {
		b.explain("rate between neighbouring samples (irate), looked for within %s", model.Duration(b.rates.window))
		return promql.Irate(selector, b.rates.window)
	}
	b.explain("mean rate over a window of %s", model.Duration(b.rates.window))
	return promql.Rate(selector, b.rates.window)
}

// part is the rate of a numerator, denominator or bucket. It is always taken over
// the window: two neighbouring samples of a quiet counter would give 0 ÷ 0.
func (b *builder) part(selector promql.Expr) promql.Expr {
	b.plan.Window = b.rates.window
	return promql.Rate(selector, b.rates.window)
}

// longestOutage is how long an engine may be away for its return to count as a
// restart: loading a large model takes minutes.
const longestOutage = 15 * time.Minute

// restarted is 1 where a counter is lower than it was before the window, else 0. A
// count of resets within the window would miss an engine that was away for longer.
func (b *builder) restarted(selector promql.Expr) promql.Expr {
	b.plan.Window = b.rates.window
	b.explain("1 where a counter is lower than before the last %s: its engine began anew, after at most %s", model.Duration(b.rates.window), model.Duration(longestOutage))
	return promql.Fell(selector, b.rates.window, longestOutage)
}
