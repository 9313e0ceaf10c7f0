package engines_test

import (
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// windows are from twice to sixty times the scrape interval; the default is 4s.
var windows = []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second, time.Minute}

// undisturbed is the model of which no engine restarts and that is never idle.
func undisturbed(t *testing.T) simulator.Selector {
	t.Helper()
	groups := theReplay(t).cluster.Groups
	return simulator.Selector{Model: groups[len(groups)-1].Model}
}

// of is the one series of a model.
func (a answer) of(t *testing.T, model string) map[time.Duration]float64 {
	t.Helper()
	require.Contains(t, a.curves, "model="+model+", system=sglang")
	return a.curves["model="+model+", system=sglang"]
}

// What differs between servers is how much of the past a window takes in, and
// nothing else: over its own span each gives the truth to the last digit.
func TestAWindowIsTheTruthOfTheSpanThatTheServerTakes(t *testing.T) {
	each(t, func(t *testing.T, s *source) {
		truth, models := theReplay(t).truth, undisturbed(t)
		for _, window := range windows {
			t.Run(window.String(), func(t *testing.T) {
				span := s.server.span(window)
				over := model.Duration(window).String()
				q := by("decode_token_rate", "", over)
				q.RateMode = query.RateWindow
				rates := s.ask(t, q).of(t, models.Model)
				hits := s.ask(t, by("prefix_cache_hit_rate", "", over)).of(t, models.Model)
				means := s.ask(t, by("ttft", query.StatMean, over)).of(t, models.Model)
				for at := from + time.Second; at <= to; at += time.Second {
					began := at - span + 1
					require.InEpsilon(t, truth.Count(simulator.OutputTokens, models, began, at+1)/span.Seconds(), rates[at], rounding, "at %s", at)
					require.InDelta(t, truth.PrefixHitRatio(models, began, at+1), hits[at], rounding, "at %s", at)
					decode := simulator.Selector{Model: models.Model, Role: simulator.Decode}
					require.InEpsilon(t, mean(truth.Samples(simulator.TTFT, decode, began, at+1)), means[at], rounding, "at %s", at)
				}
			})
		}
	})
}

func mean(samples []float64) float64 {
	total := 0.0
	for _, s := range samples {
		total += s
	}
	return total / float64(len(samples))
}

// Idle is empty for latencies, 0 for rates, on every server.
func TestIdleIsEmptyForLatenciesAndZeroForRates(t *testing.T) {
	each(t, func(t *testing.T, s *source) {
		group := theReplay(t).cluster.Groups[1]
		for _, signal := range []string{"ttft", "itl", "prefix_cache_hit_rate"} {
			points := s.ask(t, by(signal, "", "")).of(t, group.Model)
			require.Contains(t, points, to)
			for at := range points {
				require.False(t, at > group.IdleGap.From+12*time.Second && at < group.IdleGap.To, "%s has a value at %s", signal, at)
			}
		}
		points := s.ask(t, by("decode_request_rate", "", "")).of(t, group.Model)
		require.Len(t, points, int((to-from)/time.Second))
		require.Zero(t, points[group.IdleGap.To-time.Second])
		require.Positive(t, points[to])
	})
}
