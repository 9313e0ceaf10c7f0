package discovery

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// mostTargets bounds the targets whose samples are looked at for their distance.
const mostTargets = 5

// scrapeInterval is the longest of the medians of the distances of some targets'
// samples, one of each job and more: a window has to hold two samples of the slowest.
func (d *Discoverer) scrapeInterval(ctx context.Context, present, series []model.Metric, w Window) (time.Duration, error) {
	span := 5 * time.Minute
	if len(present) == 0 {
		// All ended before; how long before is not known.
		const longest = 6 * time.Hour
		present, span = series[:min(1, len(series))], min(w.To.Sub(w.From), longest)
	}
	longest := time.Duration(0)
	for _, target := range differentTargets(present) {
		interval, err := d.distance(ctx, target, span, w.To)
		if err != nil {
			return 0, err
		}
		longest = max(longest, interval)
	}
	return longest, nil
}

// differentTargets picks one series for each job, then of further instances.
func differentTargets(series []model.Metric) []model.Metric {
	var picked []model.Metric
	jobs, instances := map[model.LabelValue]bool{}, map[model.LabelValue]bool{}
	for _, wanted := range []bool{true, false} {
		for _, m := range series {
			if len(picked) == mostTargets {
				return picked
			}
			if instances[m[model.InstanceLabel]] || wanted && jobs[m[model.JobLabel]] {
				continue
			}
			jobs[m[model.JobLabel]], instances[m[model.InstanceLabel]] = true, true
			picked = append(picked, m)
		}
	}
	return picked
}

// distance is the median distance of one series' samples.
func (d *Discoverer) distance(ctx context.Context, series model.Metric, span time.Duration, now time.Time) (time.Duration, error) {
	var matchers []*labels.Matcher
	for label, value := range series {
		if label == model.MetricNameLabel {
			continue
		}
		m, err := promql.OneOf(string(label), string(value))
		if err != nil {
			return 0, err
		}
		matchers = append(matchers, m)
	}
	name := string(series[model.MetricNameLabel])
	result, err := d.api.Query(ctx, fmt.Sprintf("%s[%s]", promql.Sel(name, matchers...), model.Duration(span)), now)
	if err != nil {
		return 0, err
	}
	matrix, _ := result.Value.(prom.Matrix)
	var gaps []time.Duration
	for _, one := range matrix {
		for i := 1; i < len(one.Times); i++ {
			gaps = append(gaps, time.Duration(one.Times[i]-one.Times[i-1])*time.Millisecond)
		}
	}
	if len(gaps) == 0 {
		return 0, nil
	}
	slices.Sort(gaps)
	// Scrapes jitter by milliseconds; intervals are written in tenths at the finest.
	return max(gaps[len(gaps)/2].Round(100*time.Millisecond), 100*time.Millisecond), nil
}
