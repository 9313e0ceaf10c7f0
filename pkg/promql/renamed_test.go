package promql_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

func TestLabelsAreRenamedAndTheOldOnesGo(t *testing.T) {
	e := promql.SumBy(promql.Sel("x"), "model_name", "gpu")
	require.Equal(t, `sum by (gpu, model_name) (x)`, promql.Renamed(e, nil).String())
	require.Equal(t,
		`max without (Hostname, model_name) (label_replace(label_replace(sum by (gpu, model_name) (x), "gpu_host", "$1", "Hostname", "(.*)"), "model", "$1", "model_name", "(.*)"))`,
		promql.Renamed(e, map[string]string{"model_name": "model", "Hostname": "gpu_host"}).String())
}

func TestComparisonsBindLooserThanSums(t *testing.T) {
	x, y := promql.Sel("x"), promql.Sel("y")
	require.Equal(t, `x > y + 0.2`, promql.Greater(x, promql.Add(y, promql.Number(0.2))).String())
	require.Equal(t, `(x > y) < 3`, promql.Less(promql.Greater(x, y), promql.Number(3)).String())
	require.Equal(t, `absent(x or y)`, promql.Absent(promql.Or(x, y)).String())
}
