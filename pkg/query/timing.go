package query

import "time"

// MaxPoints is the most points of one series that a Prometheus answers with.
const MaxPoints = 11000

// Timing is the grid on which a range query is evaluated.
type Timing struct {
	Start, End time.Time
	Step       time.Duration
	// Raised is the step that was asked for when it had to be raised, else 0.
	Raised time.Duration
}

// Align lays a grid over the range: the step is at least one millisecond and
// large enough for MaxPoints, start and end lie on multiples of it, so that two
// refreshes share their points and caches hit. For steps of an hour and more
// the grid follows the wall clock at the UTC offset, so that days start at midnight.
func Align(from, to time.Time, step, utcOffset time.Duration) Timing {
	t := Timing{Step: max(step, time.Millisecond)}
	if span := to.Sub(from); span > 0 {
		least := span / MaxPoints
		if least >= t.Step {
			t.Raised = t.Step
			unit := time.Millisecond
			if least > time.Second {
				unit = time.Second
			}
			t.Step = (least/unit + 1) * unit
		}
	}
	shift := time.Duration(0)
	if t.Step >= time.Hour {
		shift = utcOffset
	}
	t.Start, t.End = floor(from, t.Step, shift), floor(to, t.Step, shift)
	return t
}

func floor(at time.Time, step, shift time.Duration) time.Time {
	ms, width, by := at.UnixMilli(), step.Milliseconds(), shift.Milliseconds()
	return time.UnixMilli((ms+by)/width*width - by).UTC()
}
