package discovery

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
)

// keepResets is how long a number of resets is taken for unchanged.
const keepResets = time.Minute

// Resets counts the counter resets of the selectors' series in the span before end.
// A span costs one request a minute, for ends within it the same.
func (c *Cache) Resets(ctx context.Context, selectors []string, span time.Duration, end time.Time) (int, error) {
	if len(selectors) == 0 {
		return 0, nil
	}
	parts := make([]string, len(selectors))
	for i, s := range selectors {
		parts[i] = resetsOf(s, span)
	}
	return c.count(ctx, "sum("+strings.Join(parts, " or ")+")", end)
}

// Restarts counts the counter resets of a metric in the span before end, once for each
// target, whatever series it has. Its cost is that of Resets.
func (c *Cache) Restarts(ctx context.Context, metric string, span time.Duration, end time.Time) (int, error) {
	return c.count(ctx, "sum(max by ("+strings.Join(deployment.AnyEngineLabels(""), ", ")+") ("+resetsOf(selector(metric), span)+"))", end)
}

func resetsOf(selector string, span time.Duration) string {
	return fmt.Sprintf("resets(%s[%s])", selector, model.Duration(max(span.Round(time.Second), time.Second)))
}

// count asks for a single whole number.
func (c *Cache) count(ctx context.Context, expr string, end time.Time) (int, error) {
	return c.resets.latest(ctx, mine(ctx, expr), keepResets, func(ctx context.Context) (int, error) {
		series, err := c.discoverer.vector(ctx, expr, end)
		if err != nil || len(series) == 0 {
			return 0, err
		}
		return int(series[0].Value), nil
	})
}
