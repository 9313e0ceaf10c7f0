package promql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

func TestSelectorsAreAllThatReadSeries(t *testing.T) {
	e, err := promql.Parse(`sum(rate(a[5m] offset 1m)) / on (x) max_over_time((-b)[1h:1m]) and info({__name__="c"}, {version="1"}) or {__name__=~"d.*"} > 1`)
	require.NoError(t, err)
	var names []string
	for _, s := range promql.Selectors(e) {
		names = append(names, promql.Metric(s))
	}
	require.Equal(t, []string{"a", "b", "c", ""}, names)
}
