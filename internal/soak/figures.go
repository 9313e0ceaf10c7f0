package soak

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Figures are what the plugin's process used at one moment.
type Figures struct {
	// Live is the heap that was in use after the last collection, in bytes: what the
	// process has allocated since is no sign of a leak.
	Live float64
	// Resident is the memory of the process, in bytes; 0 where the system does not tell.
	Resident float64
	// Goroutines and Files are how many there were.
	Goroutines, Files float64
}

// collect reads the figures again and again until the end.
func (b *board) collect(ctx context.Context) ([]Figures, error) {
	var all []Figures
	for pause(ctx, figuresEvery); ctx.Err() == nil; pause(ctx, figuresEvery) {
		one, err := b.atRest(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// atRest reads the figures while nobody asks for anything: what is at work comes and
// goes, what stays behind is what may grow.
func (b *board) atRest(ctx context.Context) (Figures, error) {
	b.rest.Lock()
	defer b.rest.Unlock()
	const givenUp = 50 * time.Millisecond // for questions that nobody waits for any more to end
	time.Sleep(givenUp)
	page, err := b.plugin.Figures(ctx)
	if err != nil {
		return Figures{}, fmt.Errorf("soak: %w", err)
	}
	return read(page)
}

// read takes the figures out of the plugin's page of metrics.
func read(page string) (Figures, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		return Figures{}, fmt.Errorf("soak: the plugin's figures: %w", err)
	}
	gauge := func(name string) float64 {
		for _, m := range families[name].GetMetric() {
			return m.GetGauge().GetValue()
		}
		return 0
	}
	return Figures{
		// The collector aims at as much again as was left by it.
		Live:       gauge("go_memstats_next_gc_bytes") / 2,
		Resident:   gauge("process_resident_memory_bytes"),
		Goroutines: gauge("go_goroutines"),
		Files:      gauge("process_open_fds"),
	}, nil
}
