package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func TestTheTableHasEveryStatisticOnce(t *testing.T) {
	var named []query.Stat
	for _, s := range catalog.Statistics {
		named = append(named, s.Stat)
		require.NotEmpty(t, s.Kinds, s.Stat)
		require.False(t, s.PerSecond && s.Unit != "", "%s has one unit", s.Stat)
	}
	require.ElementsMatch(t, query.Stats, named)
}

func TestASignalHasTheStatisticsOfItsKind(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal catalog.Signal
		has    []query.Stat
		meant  query.Stat
	}{
		{"of a histogram a quantile comes first", catalog.Signal{Kind: catalog.KindDistribution}, []query.Stat{"quantile", "mean", "rate", "under", "heatmap"}, "quantile"},
		{"of a rate there is a skew", catalog.Signal{Kind: catalog.KindRate}, []query.Stat{"", "skew"}, ""},
		{"of a gauge there is a skew", catalog.Signal{Kind: catalog.KindGauge}, []query.Stat{"", "skew"}, ""},
		{"of a rate by the size of requests there is none", catalog.Signal{Kind: catalog.KindRate, PerRequestSize: true}, nil, ""},
		{"of a ratio there is none", catalog.Signal{Kind: catalog.KindRatio}, nil, ""},
		{"of a total there is none", catalog.Signal{Kind: catalog.KindTotal}, nil, ""},
		{"of a restart there is none", catalog.Signal{Kind: catalog.KindRestart}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.has, c.signal.Stats())
			require.Equal(t, c.meant, c.signal.Statistic(query.StatDefault).Stat)
			for _, stat := range c.has {
				if stat != query.StatDefault {
					require.Equal(t, stat, c.signal.Statistic(stat).Stat)
				}
			}
		})
	}
}

func TestTheUnitOfAStatistic(t *testing.T) {
	took := catalog.Signal{Kind: catalog.KindDistribution, Unit: "s", Sample: "request"}
	load := catalog.Signal{Kind: catalog.KindGauge, Unit: "short", Sample: "request"}
	for _, c := range []struct {
		name   string
		signal catalog.Signal
		stat   query.Stat
		unit   string
	}{
		{"a quantile is in the signal's", took, query.StatQuantile, "s"},
		{"so is what is meant by none", took, query.StatDefault, "s"},
		{"so is the mean", took, query.StatMean, "s"},
		{"a share is one", took, query.StatUnder, "percentunit"},
		{"a heatmap counts samples", took, query.StatHeatmap, "suffix:requests/s"},
		{"a rate counts samples", took, query.StatRate, "suffix:requests/s"},
		{"a skew has none", load, query.StatSkew, "none"},
		{"a number is in the signal's", load, query.StatDefault, "short"},
		{"a rate of a rate is the rate", catalog.Signal{Kind: catalog.KindRate, Unit: "reqps"}, query.StatRate, "reqps"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.unit, c.signal.Statistic(c.stat).UnitOf(c.signal))
		})
	}
}

func TestARateNamesMoreThanOneSample(t *testing.T) {
	for sample, unit := range map[string]string{
		"access": "accesses/s", "pass": "passes/s", "prefetch": "prefetches/s", "retry": "retries/s", "key": "keys/s", "token": "tokens/s",
	} {
		s := catalog.Signal{Kind: catalog.KindDistribution, Sample: sample}
		require.Equal(t, "suffix:"+unit, s.Statistic(query.StatRate).UnitOf(s))
	}
}
