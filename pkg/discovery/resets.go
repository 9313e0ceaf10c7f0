package discovery

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/model"
)

// keepResets is how long a number of resets is taken for unchanged.
const keepResets = time.Minute

// Resets counts the counter resets of the selectors' series in the span before end.
// A span costs one request a minute, for ends within it the same.
func (c *Cache) Resets(ctx context.Context, selectors []string, span time.Duration, end time.Time) (int, error) {
	if len(selectors) == 0 {
		return 0, nil
	}
	span = max(span.Round(time.Second), time.Second)
	parts := make([]string, len(selectors))
	for i, s := range selectors {
		parts[i] = fmt.Sprintf("resets(%s[%s])", s, model.Duration(span))
	}
	expr := "sum(" + strings.Join(parts, " or ") + ")"
	return c.resets.get(ctx, expr, func(ctx context.Context) (int, error) {
		series, err := c.discoverer.vector(ctx, expr, end)
		if err != nil || len(series) == 0 {
			return 0, err
		}
		return int(series[0].Value), nil
	})
}
