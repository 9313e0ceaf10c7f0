package engines_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// rounding is what floats of another order of additions may differ by.
const rounding = 1e-9

// by asks for a signal split by model.
func by(signal string, stat query.Stat, window string) query.Query {
	q := query.Query{Signal: signal, Stat: stat, GroupBy: []string{"model"}, Window: window}
	switch stat {
	case query.StatQuantile:
		q.Quantile = 0.5
	case query.StatUnder:
		q.Limit = 1
	}
	return q
}

// requireSame holds the series, points and notices of an answer against those of
// the embedded Prometheus, values within a share of the value.
func requireSame(t *testing.T, want, got answer, within float64) {
	t.Helper()
	require.NotEmpty(t, want.curves)
	require.Equal(t, slices.Sorted(maps.Keys(want.curves)), slices.Sorted(maps.Keys(got.curves)))
	for labels, points := range want.curves {
		require.Equal(t, slices.Sorted(maps.Keys(points)), slices.Sorted(maps.Keys(got.curves[labels])), labels)
		for at, v := range points {
			require.InDelta(t, v, got.curves[labels][at], within*v+rounding, "%s at %s", labels, at)
		}
	}
	require.ElementsMatch(t, want.notices, got.notices)
}

// Through the restart and the idle time too.
func TestRatesBetweenNeighbouringSamplesAndGaugesAreTheSame(t *testing.T) {
	others(t, func(t *testing.T, s *source) {
		for _, signal := range []string{
			"prefill_request_rate", "kv_transfer_request_rate", "decode_request_rate", "prefill_token_rate", "decode_token_rate",
			"kv_transfer_byte_rate", "kv_transfer_bytes", "abort_rate", "preemption_rate", "retraction_rate", "requests_running", "requests_waiting",
			"prefill_bootstrap_queue", "decode_transfer_queue", "kv_cache_usage", "kv_cache_active", "kv_cache_occupied",
		} {
			t.Run(signal, func(t *testing.T) {
				q := by(signal, "", "")
				requireSame(t, reference(t).ask(t, q), s.ask(t, q), rounding)
			})
		}
	})
}

// A window of a minute is 59 or 60 seconds of increase, so the two differ a little.
func TestDistributionsOverAMinuteAreTheSame(t *testing.T) {
	const within = 0.02
	others(t, func(t *testing.T, s *source) {
		for _, signal := range []string{"ttft", "itl", "e2e_latency", "queue_time", "kv_transfer_latency"} {
			for _, stat := range []query.Stat{query.StatDefault, query.StatQuantile, query.StatMean, query.StatRate} {
				t.Run(signal+" "+string(stat), func(t *testing.T) {
					q := by(signal, stat, "60s")
					requireSame(t, reference(t).ask(t, q), s.ask(t, q), within)
				})
			}
		}
		for _, signal := range []string{"prefix_cache_hit_rate", "kv_bytes_per_request_measured"} {
			t.Run(signal, func(t *testing.T) {
				q := by(signal, "", "60s")
				requireSame(t, reference(t).ask(t, q), s.ask(t, q), within)
			})
		}
		// The bounds of buckets are spelt 1 or 1.0; what lies under one is found.
		t.Run("ttft under a limit", func(t *testing.T) {
			q := by("ttft", query.StatUnder, "60s")
			requireSame(t, reference(t).ask(t, q), s.ask(t, q), within)
		})
	})
}

func TestOneServerHoldsWhatTheOtherHolds(t *testing.T) {
	others(t, func(t *testing.T, s *source) {
		require.Equal(t, reference(t).List(t.Context()), s.List(t.Context()))
	})
}

// A table shows the newest values. VictoriaMetrics holds back what is younger than
// half a minute, unless it is asked not to; the others take no notice.
func TestTheNewestValuesAreTheSame(t *testing.T) {
	others(t, func(t *testing.T, s *source) {
		at := s.with(t, map[string]any{"customQueryParameters": "nocache=1"})
		for _, signal := range []string{"kv_transfer_bytes", "requests_running"} {
			q := by(signal, "", "")
			want := reference(t).table(t, q, length)
			require.NotEmpty(t, want)
			require.Equal(t, want, at.table(t, q, length), signal)
			require.Equal(t, reference(t).table(t, q, to), s.table(t, q, to), signal)
		}
	})
}

func TestHealthFindsTheSameOnEveryServer(t *testing.T) {
	found := func(s *source) string {
		result, err := s.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
		require.NoError(t, err)
		require.Equal(t, backend.HealthStatusOk, result.Status, result.Message)
		name, rest, ok := strings.Cut(result.Message, " answers. ")
		require.True(t, ok, result.Message)
		require.Equal(t, s.server.known, strings.Fields(name)[0], "a server that does not tell its name is given none")
		return rest
	}
	others(t, func(t *testing.T, s *source) {
		require.Equal(t, found(reference(t)), found(s))
	})
}

// No function or operator that is compiled is unknown to a server.
func TestEverySignalAndStatisticIsAnsweredAlike(t *testing.T) {
	others(t, func(t *testing.T, s *source) {
		for _, signal := range reference(t).List(t.Context()).Signals {
			if !*signal.Available {
				continue
			}
			for _, stat := range append([]query.Stat{""}, signal.Stats...) {
				q := by(signal.ID, stat, "60s")
				want, got := reference(t).ask(t, q), s.ask(t, q)
				require.Equal(t, slices.Sorted(maps.Keys(want.curves)), slices.Sorted(maps.Keys(got.curves)), "%s %s", signal.ID, stat)
				require.ElementsMatch(t, want.notices, got.notices, "%s %s", signal.ID, stat)
			}
		}
	})
}
