package frames

import (
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// axis turns columns into those of frames. Series of one answer mostly share their
// times, so the last ones are kept; data.NewField copies what it is given.
type axis struct {
	from   []int64
	times  []time.Time
	values []float64
}

// of gives the finite points of a series. They are valid until the next call.
func (a *axis) of(s *series) ([]time.Time, []float64) {
	p := s.points
	if s.finite == len(p.Values) {
		if !prom.SameTimes(a.from, p.Times) {
			a.times = a.times[:0]
			for _, at := range p.Times {
				a.times = append(a.times, time.UnixMilli(at).UTC())
			}
			a.from = p.Times
		}
		return a.times, p.Values
	}
	a.from, a.times, a.values = nil, a.times[:0], a.values[:0]
	for i, v := range p.Values {
		if isFinite(v) {
			a.times = append(a.times, time.UnixMilli(p.Times[i]).UTC())
			a.values = append(a.values, v)
		}
	}
	return a.times, a.values
}
