package promql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

func TestExpressionsThatDependOnTheRange(t *testing.T) {
	for text, want := range map[string]bool{
		`sum(rate(x[1m]))`:                    true,
		`x offset 5m`:                         true,
		`max_over_time(rate(x[1m])[5m:10s])`:  true,
		`x offset -5m`:                        false,
		`x @ end()`:                           false,
		`x @ 1700000000`:                      false,
		`rate(x[5m] @ start())`:               false,
		`max_over_time(x[5m:10s] @ 5)`:        false,
		`sum_over_time(x[5m:10s] offset -1m)`: false,
		`limitk(3, x)`:                        false,
	} {
		tree, err := promql.Parse(text)
		require.NoError(t, err)
		require.Equal(t, want, promql.Lasting(tree), text)
	}
}
