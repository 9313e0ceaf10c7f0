package discovery

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// recorded finds what recording rules hold, at the beginning of the window and at its
// end: rules that were loaded in between do not answer for all of it. It costs nothing
// where no such name is there.
func (d *Discoverer) recorded(ctx context.Context, names map[string]bool, w Window) (map[deployment.Recorded]bool, error) {
	pattern := regexp.MustCompile("^(?:" + deployment.RecordedPattern + ")$")
	if !slices.ContainsFunc(slices.Collect(maps.Keys(names)), pattern.MatchString) {
		return nil, nil
	}
	var ends [2]map[deployment.Recorded]bool
	work, ctx := together(ctx)
	for i, at := range []time.Time{w.From, w.To} {
		work.Go(func() error {
			series, err := d.vector(ctx, `group by (__name__, system, exporter, role) ({__name__=~"`+deployment.RecordedPattern+`"})`, at)
			ends[i] = map[deployment.Recorded]bool{}
			for _, one := range series {
				ends[i][deployment.Recorded{
					Name:   string(one.Metric[model.MetricNameLabel]),
					System: string(one.Metric["system"]), Exporter: string(one.Metric["exporter"]), Role: query.Role(one.Metric["role"]),
				}] = true
			}
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	maps.DeleteFunc(ends[0], func(r deployment.Recorded, _ bool) bool { return !ends[1][r] })
	return ends[0], nil
}
