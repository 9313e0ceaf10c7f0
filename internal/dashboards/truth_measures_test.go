package dashboards_test

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// over is the window in which a distribution is held against its samples; n samples a
// second apart span n-1 seconds.
const over = time.Minute

// measures are the distributions that the truth has, and the only role that reports
// each, "" where both do.
var measures = map[string]struct {
	measure simulator.Measure
	role    simulator.Role
}{
	"ttft":                       {simulator.TTFT, simulator.Decode},
	"itl":                        {simulator.ITL, simulator.Decode},
	"tpot":                       {simulator.TPOT, simulator.Decode},
	"e2e_latency":                {simulator.E2E, ""},
	"queue_time":                 {simulator.QueueTime, ""},
	"decode_time":                {simulator.DecodeTime, simulator.Decode},
	"kv_transfer_latency":        {simulator.KVTransferLatency, simulator.Prefill},
	"kv_transfer_bootstrap_time": {simulator.Bootstrap, simulator.Prefill},
}

// holdsMeasure holds a mean within the tolerance, and a quantile within the bucket in
// which the sample of its rank lies: a histogram cannot tell more.
func (p *played) holdsMeasure(t *testing.T, q target, m struct {
	measure simulator.Measure
	role    simulator.Role
}) bool {
	t.Helper()
	q.Window = over.String()
	any := false
	for _, one := range p.lines(p.ask(t, q, lasts-time.Second, lasts)) {
		s, _, ok := p.selector(q, one)
		if !ok {
			continue
		}
		if s.Role == "" {
			s.Role = m.role
		}
		samples := p.truth.Samples(m.measure, s, lasts-over+time.Second+1, lasts+1)
		require.NotEmpty(t, samples, "%s %v", q.Signal, one.labels)
		v, ok := one.points[lasts]
		require.True(t, ok)
		any = true
		if q.Stat == query.StatMean {
			require.InEpsilon(t, mean(samples), v, tolerance, "%s %v", q.Signal, one.labels)
			continue
		}
		low, high := p.bucket(t, q, one, samples)
		require.GreaterOrEqual(t, v, low-1e-9, "%s %v", q.Signal, one.labels)
		require.LessOrEqual(t, v, high+1e-9, "%s %v", q.Signal, one.labels)
	}
	return any
}

func mean(samples []float64) float64 {
	total := 0.0
	for _, s := range samples {
		total += s
	}
	return total / float64(len(samples))
}

// bucket is where a quantile of the samples may lie. The bounds are those of the
// engine, as the heatmap of the same signal shows them. A bucket that gained its
// first observations is extrapolated less than the others, which moves the rank by
// up to two.
func (p *played) bucket(t *testing.T, q target, one line, samples []float64) (low, high float64) {
	t.Helper()
	asked := q
	asked.Stat, asked.Quantile, asked.Legend = query.StatHeatmap, 0, ""
	asked.Filters = []query.Filter{{Label: "model", Op: query.OpEqual, Values: []string{one.labels["model"]}}}
	asked.Role = query.Role(one.labels["role"])
	if asked.Role == "" {
		asked.Role = q.Role
	}
	var bounds []float64
	for _, f := range p.ask(t, asked, lasts-time.Second, lasts) {
		for _, field := range f.Fields[1:] {
			if bound, err := strconv.ParseFloat(field.Name, 64); err == nil && !math.IsInf(bound, 0) {
				bounds = append(bounds, bound)
			}
		}
	}
	slices.Sort(bounds)
	require.NotEmpty(t, bounds, "%s %v", q.Signal, one.labels)
	rank := q.Quantile * float64(len(samples))
	at := func(position float64) int {
		i, _ := slices.BinarySearch(bounds, samples[int(min(max(position, 0), float64(len(samples)-1)))])
		return i
	}
	if first := at(math.Floor(rank) - 2); first > 0 {
		low = bounds[first-1]
	}
	return low, bounds[min(at(math.Ceil(rank)), len(bounds)-1)]
}
