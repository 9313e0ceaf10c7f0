package discovery

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// mostTargets bounds the targets whose samples are looked at for their distance.
const mostTargets = 5

// scrapes is the longest of the medians of the distances of some targets' samples, one of
// each job and more: a window has to hold two samples of the slowest. It also tells when the
// newest sample was taken of the target that is furthest behind, of those that are there now.
func (d *Discoverer) scrapes(ctx context.Context, present, series []model.Metric, w Window) (longest time.Duration, newest time.Time, err error) {
	const span = 5 * time.Minute
	if len(present) == 0 {
		// All ended before; how long before is not known.
		const longest = 6 * time.Hour
		ended, span := series[:min(1, len(series))], min(w.To.Sub(w.From), longest)
		for _, target := range ended {
			interval, _, err := d.distance(ctx, target, span, w.To)
			return interval, time.Time{}, err
		}
	}
	targets := differentTargets(present)
	intervals, last := make([]time.Duration, len(targets)), make([]time.Time, len(targets))
	work, ctx := together(ctx)
	for i, target := range targets {
		work.Go(func() (err error) {
			intervals[i], last[i], err = d.distance(ctx, target, span, w.To)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return 0, time.Time{}, err
	}
	for i := range targets {
		longest = max(longest, intervals[i])
		if newest.IsZero() || !last[i].IsZero() && last[i].Before(newest) {
			newest = last[i]
		}
	}
	return longest, newest, nil
}

// differentTargets picks one series for each job, then of further instances.
func differentTargets(series []model.Metric) []model.Metric {
	var picked []model.Metric
	jobs, engines := map[model.LabelValue]bool{}, map[deployment.Engine]bool{}
	for _, wanted := range []bool{true, false} {
		for _, m := range series {
			if len(picked) == mostTargets {
				return picked
			}
			if engines[deployment.EngineOf(m, "")] || wanted && jobs[m[model.JobLabel]] {
				continue
			}
			jobs[m[model.JobLabel]], engines[deployment.EngineOf(m, "")] = true, true
			picked = append(picked, m)
		}
	}
	return picked
}

// distance is the median distance of one series' samples, and when the last was taken.
func (d *Discoverer) distance(ctx context.Context, series model.Metric, span time.Duration, now time.Time) (time.Duration, time.Time, error) {
	var matchers []*labels.Matcher
	for label, value := range series {
		if label == model.MetricNameLabel {
			continue
		}
		m, err := promql.OneOf(string(label), string(value))
		if err != nil {
			return 0, time.Time{}, err
		}
		matchers = append(matchers, m)
	}
	name := string(series[model.MetricNameLabel])
	result, err := d.api.Query(ctx, fmt.Sprintf("%s[%s]", promql.Sel(name, matchers...), model.Duration(span)), now)
	if err != nil {
		return 0, time.Time{}, err
	}
	matrix, _ := result.Value.(prom.Matrix)
	var gaps []time.Duration
	var last time.Time
	for _, one := range matrix {
		if n := len(one.Times); n > 0 && time.UnixMilli(one.Times[n-1]).After(last) {
			last = time.UnixMilli(one.Times[n-1])
		}
		for i := 1; i < len(one.Times); i++ {
			gaps = append(gaps, time.Duration(one.Times[i]-one.Times[i-1])*time.Millisecond)
		}
	}
	if len(gaps) == 0 {
		return 0, last, nil
	}
	slices.Sort(gaps)
	// Scrapes jitter by milliseconds; intervals are written in tenths at the finest.
	return max(gaps[len(gaps)/2].Round(100*time.Millisecond), 100*time.Millisecond), last, nil
}
