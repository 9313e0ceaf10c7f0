package frames

import (
	"fmt"
	"math"
	"slices"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/notice"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// collector gathers the series of all answers and what is to be said of them.
type collector struct {
	plan      compile.Plan
	isCounter func(string) bool
	language  string

	series   []*series
	notices  []query.Notice
	warnings []query.Notice
}

func (c *collector) notice(kind notice.Kind, args ...any) {
	c.notices = append(c.notices, kind.Of(args...))
}

// add takes the series of one answer that have a finite value.
func (c *collector) add(answer Answer) error {
	var infinite, infiniteSeries, native int
	take := func(one prom.Series, ranged bool) {
		finite, infinities := count(one.Values)
		infinite += infinities
		if infinities > 0 {
			infiniteSeries++
		}
		if finite > 0 {
			c.series = append(c.series, newSeries(c.plan, answer.Expression, one, finite, ranged))
		}
	}
	switch value := answer.Value.(type) {
	case prom.Matrix:
		c.series = slices.Grow(c.series, len(value))
		for _, one := range value {
			if one.Native {
				native++
			}
			take(one, true)
		}
	case model.Vector:
		for _, sample := range value {
			if sample.Histogram != nil {
				native++
				continue
			}
			take(single(sample.Metric, sample.Timestamp, sample.Value), false)
		}
	case *model.Scalar:
		take(single(nil, value.Timestamp, value.Value), false)
	case *model.String:
		c.notice(notice.Text)
	default:
		return fmt.Errorf("an answer of type %T is not known", answer.Value)
	}
	if infinite > 0 {
		c.notice(notice.Infinite,
			counted(infinite, "value"), counted(infiniteSeries, "series"))
	}
	if native > 0 {
		c.notice(notice.NativeSeries, counted(native, "series"))
	}
	c.warnings = append(c.warnings, serverNotices(answer.Warnings, c.isCounter)...)
	return nil
}

// single is a series of one point.
func single(metric model.Metric, at model.Time, value model.SampleValue) prom.Series {
	return prom.Series{Metric: metric, Times: []int64{int64(at)}, Values: []float64{float64(value)}}
}

// limited cuts the sorted series to the limit and says so; 0 is no limit.
func (c *collector) limited(all []*series, limit int) []*series {
	if limit <= 0 || len(all) <= limit {
		return all
	}
	c.notice(notice.TooManySeries,
		counted(len(all), "series"), grouped(limit))
	return all[:limit]
}

// count tells how many values are numbers that can be drawn, and how many are
// infinite. NaN is neither: it means idle or undefined.
func count(values []float64) (finite, infinite int) {
	for _, v := range values {
		switch {
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
