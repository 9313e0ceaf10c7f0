package discovery

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
)

// keepLayouts is how long bucket bounds are taken for unchanged: they change with a
// restart of an engine.
const keepLayouts = 2 * time.Minute

// Layouts finds how the bucket bounds of the selectors' series agree. Each selector
// costs two requests in two minutes. What is older is returned while
// it is looked up anew.
func (c *Cache) Layouts(ctx context.Context, selectors []string) (map[string]deployment.Layout, error) {
	return each(ctx, selectors, func(ctx context.Context, selector string) (deployment.Layout, error) {
		return c.layouts.latest(ctx, mine(ctx, selector), keepLayouts, func(ctx context.Context) (deployment.Layout, error) {
			return c.discoverer.layout(ctx, selector, time.Now())
		})
	})
}

// layout asks for the bounds and for how many sets of them there are side by side, so that a
// panel waits for one answer where they differ too.
func (d *Discoverer) layout(ctx context.Context, selector string, now time.Time) (deployment.Layout, error) {
	var series model.Vector
	var sets int
	work, ctx := together(ctx)
	work.Go(func() (err error) {
		series, err = d.vector(ctx, "count by (le) ("+selector+")", now)
		return err
	})
	work.Go(func() (err error) {
		sets, err = d.different(ctx, selector, now)
		return err
	})
	if err := work.Wait(); err != nil || len(series) == 0 {
		return deployment.Layout{}, err
	}
	var most model.SampleValue
	for _, one := range series {
		most = max(most, one.Value)
	}
	layout := deployment.Layout{Different: 1}
	for _, one := range series {
		if one.Value == most { // a bound that an engine lacks is counted less often
			layout.Common = append(layout.Common, string(one.Metric[model.BucketLabel]))
		}
	}
	slices.Sort(layout.Common)
	if len(layout.Common) < len(series) {
		layout.Different = max(2, sets)
	}
	return layout, nil
}

// different counts the sets of bounds among the engines.
func (d *Discoverer) different(ctx context.Context, selector string, now time.Time) (int, error) {
	engine := deployment.AnyEngineLabels(d.engineGroup())
	series, err := d.vector(ctx, "group by ("+strings.Join(engine, ", ")+", le) ("+selector+")", now)
	if err != nil {
		return 0, err
	}
	bounds := map[string][]string{}
	for _, one := range series {
		bound := string(one.Metric[model.BucketLabel])
		delete(one.Metric, model.BucketLabel)
		of := one.Metric.String()
		bounds[of] = append(bounds[of], bound)
	}
	sets := map[string]bool{}
	for _, of := range bounds {
		slices.Sort(of)
		sets[strings.Join(of, " ")] = true
	}
	return len(sets), nil
}
