package compile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func TestEveryStatisticOfTheCatalogsTableIsBuilt(t *testing.T) {
	for _, kind := range catalog.Kinds {
		signal := catalog.Signal{Kind: kind}
		for _, asked := range append(signal.Stats(), query.StatDefault) {
			meant := stat(signal, asked)
			if kind == catalog.KindDistribution {
				require.Contains(t, ofObservations, meant, "%s of a %s", asked, kind)
			} else {
				require.Contains(t, ofValues, meant, "%s of a %s", asked, kind)
			}
		}
	}
}
