package promserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/scrape"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
)

// Sample is one value of one series.
type Sample struct {
	// Labels of the series; the metric name is the label __name__.
	Labels map[string]string
	// Time of the sample, kept to the millisecond.
	Time time.Time
	// Value in the unit of the metric.
	Value float64
}

// loader stores samples without a scrape. It remembers, as Prometheus' scrape
// cache does, which line of a page is which series, so that only the first page
// of a target pays for its labels.
type loader struct {
	db      *tsdb.DB
	symbols *labels.SymbolTable

	mu      sync.Mutex
	targets map[string]*loadedTarget
}

// loadedTarget is what is known of the pages appended under one set of labels.
type loadedTarget struct {
	labels labels.Labels
	series map[string]loadedSeries
	target *scrape.Target
	meta   metadataStore
}

type loadedSeries struct {
	ref    storage.SeriesRef
	labels labels.Labels
}

func newLoader(db *tsdb.DB) *loader {
	return &loader{db: db, symbols: labels.NewSymbolTable(), targets: map[string]*loadedTarget{}}
}

// Append stores single samples. Samples of one series must come in the order of
// their time. On an error nothing of the call is stored.
func (s *Server) Append(ctx context.Context, samples ...Sample) error {
	app := s.db.Appender(ctx)
	for _, sample := range samples {
		lset := labels.FromMap(sample.Labels)
		if lset.Get(model.MetricNameLabel) == "" {
			return errors.Join(fmt.Errorf("promserver: sample %s has no metric name: set the label __name__", lset), app.Rollback())
		}
		if _, err := app.Append(0, lset, sample.Time.UnixMilli(), sample.Value); err != nil {
			return errors.Join(fmt.Errorf("promserver: appending %s at %s: %w", lset, sample.Time, err), app.Rollback())
		}
	}
	if err := app.Commit(); err != nil {
		return fmt.Errorf("promserver: committing samples: %w", err)
	}
	return nil
}

// AppendText stores an exposition page (text format 0.0.4) as if it had been
// scraped at t from a target with these labels: target labels win over equal
// ones of the page, which are kept as exported_<name>, and "le" is normalised.
// A sample that brings its own timestamp keeps it. The synthetic series "up" is
// written too; no staleness markers are. On an error nothing of the page is
// stored.
func (s *Server) AppendText(ctx context.Context, exposition []byte, target map[string]string, t time.Time) error {
	s.loader.mu.Lock()
	defer s.loader.mu.Unlock()
	app := s.db.Appender(ctx)
	if err := s.loader.appendPage(app, exposition, target, t.UnixMilli()); err != nil {
		return errors.Join(fmt.Errorf("promserver: appending a page of %v: %w", target, err), app.Rollback())
	}
	if err := app.Commit(); err != nil {
		return fmt.Errorf("promserver: committing a page of %v: %w", target, err)
	}
	return nil
}

func (l *loader) appendPage(app storage.Appender, page []byte, target map[string]string, at int64) error {
	known := l.target(target)
	parser, err := textparse.New(page, "text/plain; version=0.0.4", l.symbols, textparse.ParserOptions{})
	if err != nil {
		return fmt.Errorf("choosing a parser: %w", err)
	}
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("parsing: %w", err)
		}
		switch entry {
		case textparse.EntryType:
			name, kind := parser.Type()
			known.meta.setType(name, kind)
		case textparse.EntryHelp:
			known.meta.setHelp(parser.Help())
		case textparse.EntrySeries:
			line, own, value := parser.Series()
			when := at
			if own != nil {
				when = *own
			}
			series, ok := known.series[string(line)]
			if !ok {
				var lset labels.Labels
				parser.Labels(&lset)
				series.labels = withTargetLabels(lset, known.labels)
			}
			ref, err := app.Append(series.ref, series.labels, when, value)
			if err != nil {
				return fmt.Errorf("series %s: %w", series.labels, err)
			}
			if !ok || ref != series.ref {
				series.ref = ref
				known.series[string(line)] = series
			}
		}
	}
	up := known.series["up"]
	if up.labels.IsEmpty() {
		up.labels = withTargetLabels(labels.FromStrings(model.MetricNameLabel, "up"), known.labels)
	}
	if up.ref, err = app.Append(up.ref, up.labels, at, 1); err != nil {
		return fmt.Errorf("series up: %w", err)
	}
	known.series["up"] = up
	return nil
}

// target finds what is known of a set of target labels.
func (l *loader) target(target map[string]string) *loadedTarget {
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(target)) {
		fmt.Fprintf(&key, "%q=%q,", name, target[name])
	}
	known, ok := l.targets[key.String()]
	if !ok {
		lset := labels.FromMap(target)
		known = &loadedTarget{
			labels: lset,
			series: map[string]loadedSeries{},
			target: loadedScrapeTarget(lset),
			meta:   metadataStore{entries: map[string]scrape.MetricMetadata{}},
		}
		known.target.SetMetadataStore(&known.meta)
		l.targets[key.String()] = known
	}
	return known
}

// withTargetLabels joins the labels of a page's series with those of its target
// the way a scrape without honor_labels does.
func withTargetLabels(series, target labels.Labels) labels.Labels {
	b := labels.NewBuilder(series)
	target.Range(func(l labels.Label) {
		if own := series.Get(l.Name); own != "" {
			b.Set(model.ExportedLabelPrefix+l.Name, own)
		}
		b.Set(l.Name, l.Value)
	})
	return b.Labels()
}
