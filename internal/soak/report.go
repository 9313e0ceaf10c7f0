package soak

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Report is what a soak found.
type Report struct {
	config Config
	took   time.Duration
	trends []trend

	refreshes, late, leaves int
	// provoked are refreshes that met a restart and said so.
	restarts, provoked int
	// unprovoked counts failures that no restart explains, by their text.
	unprovoked map[string]int
	// points were compared with what the server holds.
	points, different int
}

const (
	mebibyte = 1 << 20
	// cacheMiB bounds the plugin's cache, as by default.
	cacheMiB = 64
	// settles is how long a process may still fill its cache, and has seen too few
	// collections for a trend of its memory.
	settles = 10 * time.Minute
	// warms is how long it has seen hardly any: all that can be told of its memory is
	// that it is not far above what caches and viewers may hold.
	warms = time.Minute / 2
)

func (l *log) report(c Config, took time.Duration, figures []Figures, restarts, points, different int) Report {
	of := func(value func(Figures) float64) []float64 {
		var values []float64
		for _, f := range figures {
			values = append(values, value(f))
		}
		return values
	}
	heap, resident := 4.0, 16.0 // MiB that even a small process may add
	switch {
	case took < warms:
		heap, resident = 4*cacheMiB, 4*cacheMiB
	case took < settles:
		heap, resident = cacheMiB, 2*cacheMiB
	}
	r := Report{
		config: c, took: took, refreshes: len(l.refreshes), leaves: l.leaves, restarts: restarts,
		unprovoked: map[string]int{}, points: points, different: different,
		trends: []trend{
			newTrend("heap after a collection, MiB", of(func(f Figures) float64 { return f.Live / mebibyte }), 0.2, heap),
			newTrend("resident memory, MiB", of(func(f Figures) float64 { return f.Resident / mebibyte }), 0.2, resident),
			newTrend("goroutines", of(func(f Figures) float64 { return f.Goroutines }), 0.2, 20),
			newTrend("open files", of(func(f Figures) float64 { return f.Files }), 0.2, 10),
		},
	}
	for _, one := range l.refreshes {
		if one.to.Sub(one.from) > refresh {
			r.late++
		}
		explained := len(one.failed) > 0
		for _, f := range one.failed {
			if !l.explains(one, f) {
				explained = false
				r.unprovoked[f.text]++
			}
		}
		if explained {
			r.provoked++
		}
	}
	return r
}

// Err says what is wrong, nil when nothing is.
func (r Report) Err() error {
	var errs []error
	for _, t := range r.trends {
		if t.grew() {
			errs = append(errs, fmt.Errorf("%s grew from %.1f to %.1f", t.name, t.early, t.late))
		}
	}
	for _, text := range slices.Sorted(maps.Keys(r.unprovoked)) {
		errs = append(errs, fmt.Errorf("%d times, and no restart explains it: %s", r.unprovoked[text], text))
	}
	if r.different > 0 {
		errs = append(errs, fmt.Errorf("%d of %d points are not what the server holds", r.different, r.points))
	}
	if r.refreshes == 0 || r.restarts == 0 || r.points == 0 {
		errs = append(errs, fmt.Errorf("%d refreshes, %d restarts and %d points are too few to tell anything: soak for longer", r.refreshes, r.restarts, r.points))
	}
	return errors.Join(errs...)
}

// String is the report as Markdown.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s with %d viewers:\n\n", r.took.Round(time.Minute/4), r.config.Viewers)
	b.WriteString("| of the plugin's process | second quarter | last quarter | most |\n|---|---|---|---|\n")
	for _, t := range r.trends {
		fmt.Fprintf(&b, "| %s | %.1f | %.1f | %.1f |\n", t.name, t.early, t.late, t.most)
	}
	b.WriteString("\n| | |\n|---|---|\n")
	failures := 0
	for _, n := range r.unprovoked {
		failures += n
	}
	for _, line := range []struct {
		name  string
		value int
	}{
		{"refreshes of all panels", r.refreshes},
		{"refreshes that took longer than a second", r.late},
		{"refreshes that were given up by their viewer", r.leaves},
		{"restarts of the server", r.restarts},
		{"refreshes that met a restart and said so", r.provoked},
		{"failures that no restart explains", failures},
		{"points compared with the server's own", r.points},
		{"of these different", r.different},
	} {
		fmt.Fprintf(&b, "| %s | %d |\n", line.name, line.value)
	}
	return b.String()
}
