package soak

import "slices"

// trend is how a figure went.
type trend struct {
	name string
	// early and late are the lower quartiles of the second and of the last quarter: the
	// first fills caches, and what is at work comes on top of what stays.
	early, late float64
	most        float64
	// share and more bound the growth from early to late: a part of early, and what
	// even a small process may add.
	share, more float64
}

func newTrend(name string, values []float64, share, more float64) trend {
	t := trend{name: name, share: share, more: more}
	if len(values) == 0 {
		return t
	}
	quarter := len(values) / 4
	t.early = floor(values[quarter : 2*quarter+1])
	t.late = floor(values[3*quarter:])
	t.most = slices.Max(values)
	return t
}

// grew reports whether there is more at the end than chance explains.
func (t trend) grew() bool { return t.late > t.early*(1+t.share)+t.more }

// floor is the lower quartile.
func floor(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/4]
}
