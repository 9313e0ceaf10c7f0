package frames

import (
	"fmt"
	"math"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// collector gathers the series of all answers and what is to be said of them.
type collector struct {
	plan      compile.Plan
	isCounter func(string) bool

	series   []*series
	notices  []query.Notice
	warnings []query.Notice
}

func (c *collector) notice(severity query.Severity, format string, args ...any) {
	c.notices = append(c.notices, query.Notice{Severity: severity, Text: fmt.Sprintf(format, args...)})
}

// add takes the series of one answer that have a finite value.
func (c *collector) add(answer Answer) error {
	var infinite, infiniteSeries, native int
	take := func(metric model.Metric, points []model.SamplePair, ranged bool) {
		finite, infinities := count(points)
		infinite += infinities
		if infinities > 0 {
			infiniteSeries++
		}
		if finite > 0 {
			c.series = append(c.series, newSeries(c.plan, answer.Expression, metric, points, finite, ranged))
		}
	}
	switch value := answer.Value.(type) {
	case model.Matrix:
		for _, stream := range value {
			if len(stream.Histograms) > 0 {
				native++
			}
			take(stream.Metric, stream.Values, true)
		}
	case model.Vector:
		for _, sample := range value {
			if sample.Histogram != nil {
				native++
				continue
			}
			take(sample.Metric, []model.SamplePair{{Timestamp: sample.Timestamp, Value: sample.Value}}, false)
		}
	case *model.Scalar:
		take(nil, []model.SamplePair{{Timestamp: value.Timestamp, Value: value.Value}}, false)
	case *model.String:
		c.notice(query.SeverityWarning, "The query gives a text instead of numbers: there is nothing to draw.")
	default:
		return fmt.Errorf("an answer of type %T is not known", answer.Value)
	}
	if infinite > 0 {
		c.notice(query.SeverityWarning, "%s in %s left out as infinite: something was divided by zero.",
			counted(infinite, "value"), counted(infiniteSeries, "series"))
	}
	if native > 0 {
		c.notice(query.SeverityWarning, "Native histograms in %s are left out: ask for a quantile or a mean of them.", counted(native, "series"))
	}
	c.warnings = append(c.warnings, serverNotices(answer.Warnings, c.isCounter)...)
	return nil
}

// limited cuts the sorted series to the limit and says so; 0 is no limit.
func (c *collector) limited(all []*series, limit int) []*series {
	if limit <= 0 || len(all) <= limit {
		return all
	}
	c.notice(query.SeverityWarning, "%s, the first %s shown: narrow the query by a filter or group it by fewer labels.",
		counted(len(all), "series"), grouped(limit))
	return all[:limit]
}

// count tells how many points are numbers that can be drawn, and how many are
// infinite. NaN is neither: it means idle or undefined.
func count(points []model.SamplePair) (finite, infinite int) {
	for _, p := range points {
		switch v := float64(p.Value); {
		case isFinite(v):
			finite++
		case !math.IsNaN(v):
			infinite++
		}
	}
	return finite, infinite
}

// isFinite reports whether v is neither NaN nor infinite: of those, v−v is NaN.
func isFinite(v float64) bool {
	return v-v == 0
}
