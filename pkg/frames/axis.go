package frames

import (
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/ptd-monitor/pdmonitor/pkg/prom"
)

// axis makes the columns of frames. Series of one answer mostly share their times, and
// then share the field of them too, which nobody changes. data.NewField copies what it
// is given.
type axis struct {
	step   time.Duration
	from   []int64
	shared *data.Field // of from
	// times and values are used again for each series with gaps.
	times  []time.Time
	values []float64
}

// of gives the finite points of a series. The values are valid until the next call.
func (a *axis) of(s *series) (*data.Field, []float64) {
	p := s.points
	if s.finite == len(p.Values) {
		if !prom.SameTimes(a.from, p.Times) {
			a.times = a.times[:0]
			for _, at := range p.Times {
				a.times = append(a.times, time.UnixMilli(at).UTC())
			}
			a.from, a.shared = p.Times, a.field(s.ranged)
		}
		return a.shared, p.Values
	}
	a.times, a.values = a.times[:0], a.values[:0]
	for i, v := range p.Values {
		if isFinite(v) {
			a.times = append(a.times, time.UnixMilli(p.Times[i]).UTC())
			a.values = append(a.values, v)
		}
	}
	return a.field(s.ranged), a.values
}

func (a *axis) field(ranged bool) *data.Field {
	field := data.NewField(data.TimeSeriesTimeFieldName, nil, a.times)
	if ranged {
		field.Config = &data.FieldConfig{Interval: float64(a.step.Milliseconds())}
	}
	return field
}
