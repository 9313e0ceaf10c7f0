package prom

import (
	"fmt"

	"github.com/prometheus/common/model"
)

// Matrix is what a range query brought back, as columns: a point costs a number, and
// the times of series with the same points are kept once. It is shared between
// callers and must not be changed.
type Matrix []Series

// Series are the points of one series, in order of time.
type Series struct {
	Metric model.Metric
	// Times are in milliseconds since 1970. Series of one answer share the array
	// where their times are equal.
	Times []int64
	// Values belong to Times, one each.
	Values []float64
	// Native says that the series also has native histograms, which are not kept.
	Native bool
}

// SameTimes reports whether two columns of times are one array, so that what was made
// of one serves the other.
func SameTimes(a, b []int64) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// Type implements model.Value.
func (Matrix) Type() model.ValueType { return model.ValMatrix }

// String implements model.Value.
func (m Matrix) String() string {
	points := 0
	for _, s := range m {
		points += len(s.Values)
	}
	return fmt.Sprintf("%d series with %d points", len(m), points)
}
