package simulator

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// metricKind is the type of a family, as the TYPE line names it.
type metricKind string

const (
	counter   metricKind = "counter"
	gauge     metricKind = "gauge"
	histogram metricKind = "histogram"
)

// page is what one process exposes, in the manner of Python's prometheus_client.
type page struct {
	created  time.Time
	families []*family
	byName   map[string]*family
}

func newPage(created time.Time) *page {
	return &page{created: created, byName: map[string]*family{}}
}

// family is one metric; series appear in it at their first use.
type family struct {
	page *page
	name string // as exposed: a counter's ends in _total
	help string
	kind metricKind
	// bounds are the upper bounds of a histogram, without +Inf.
	bounds []float64
	// createdSeries: prometheus_client adds <name>_created, but not in its
	// multiprocess mode.
	createdSeries bool
	series        []*series
	byKey         map[string]*series
}

// series is one child of a family, or several equal ones: copies which ranks
// repeat are counted once and written many times.
type series struct {
	key    string
	value  float64
	bounds []float64
	counts []uint64 // per bucket, the last is +Inf
	sum    float64
	lines  [][]byte // everything of the series' lines but the values
	copies int
	labels []string // rendered, one per copy
}

// lazy is a series which appears at its first use, as SGLang's do.
type lazy struct {
	family *family
	copies []labelSet
	made   *series
}

func (l *lazy) get() *series {
	if l.made == nil {
		l.made = l.family.with(l.copies...)
	}
	return l.made
}

// family finds or makes a family. The first call decides type and help.
func (p *page) family(kind metricKind, name, help string, bounds []float64) *family {
	f, ok := p.byName[name]
	if !ok {
		f = &family{page: p, name: name, help: help, kind: kind, bounds: bounds, byKey: map[string]*series{}}
		p.byName[name] = f
		p.families = append(p.families, f)
	}
	return f
}

// with finds or makes the series of these labels; more label sets are copies of
// it. Making it makes it visible.
func (f *family) with(copies ...labelSet) *series {
	key := copies[0].String()
	if s, ok := f.byKey[key]; ok {
		return s
	}
	s := &series{key: key, copies: len(copies)}
	if f.kind == histogram {
		s.bounds = f.bounds
		s.counts = make([]uint64, len(f.bounds)+1)
	}
	for _, l := range copies {
		s.labels = append(s.labels, l.String())
		if f.kind != histogram {
			s.lines = append(s.lines, []byte(f.name+l.String()+" "))
			continue
		}
		for _, bound := range f.bounds {
			s.lines = append(s.lines, []byte(f.name+"_bucket"+l.with("le", formatValue(bound)).String()+" "))
		}
		s.lines = append(s.lines,
			[]byte(f.name+"_bucket"+l.with("le", "+Inf").String()+" "),
			[]byte(f.name+"_count"+l.String()+" "),
			[]byte(f.name+"_sum"+l.String()+" "))
	}
	f.byKey[key] = s
	f.series = append(f.series, s)
	return s
}

// add increases a counter.
func (s *series) add(v float64) { s.value += v }

// set puts a gauge to a value.
func (s *series) set(v float64) { s.value = v }

// observe puts one sample into a histogram.
func (s *series) observe(v float64) { s.observeTimes(v, 1) }

func (s *series) observeTimes(v float64, n int) {
	i, _ := slices.BinarySearch(s.bounds, v)
	s.counts[i] += uint64(n)
	s.sum += v * float64(n)
}

// append writes the page in text format 0.0.4. Families without series are left
// out, as prometheus_client does in multiprocess mode.
func (p *page) append(b []byte) []byte {
	for _, f := range p.families {
		if len(f.series) == 0 {
			continue
		}
		b = f.appendHeader(b, f.name, string(f.kind))
		for _, s := range f.series {
			b = s.append(b)
		}
		if !f.createdSeries || f.kind == gauge {
			continue
		}
		name := strings.TrimSuffix(f.name, "_total") + "_created"
		if f.kind == histogram {
			name = f.name + "_created"
		}
		b = f.appendHeader(b, name, "gauge")
		created := float64(p.created.UnixMicro()) / 1e6
		for _, s := range f.series {
			for _, l := range s.labels {
				b = append(append(append(b, name...), l...), ' ')
				b = append(appendValue(b, created), '\n')
			}
		}
	}
	return b
}

func (f *family) appendHeader(b []byte, name, kind string) []byte {
	b = append(append(append(append(append(b, "# HELP "...), name...), ' '), f.help...), '\n')
	return append(append(append(append(append(b, "# TYPE "...), name...), ' '), kind...), '\n')
}

func (s *series) append(b []byte) []byte {
	if s.counts == nil {
		for _, line := range s.lines {
			b = append(appendValue(append(b, line...), s.value), '\n')
		}
		return b
	}
	lines := s.lines
	for range s.copies {
		total := uint64(0)
		for i, n := range s.counts {
			total += n
			b = append(appendValue(append(b, lines[i]...), float64(total)), '\n')
		}
		lines = lines[len(s.counts):]
		b = append(appendValue(append(b, lines[0]...), float64(total)), '\n')
		b = append(appendValue(append(b, lines[1]...), s.sum), '\n')
		lines = lines[2:]
	}
	return b
}

// appendValue writes a number as Python's client does: 3.0, 1.5e+09.
func appendValue(b []byte, v float64) []byte {
	switch {
	case v >= 0 && v < 1e6 && v == math.Trunc(v):
		return append(strconv.AppendInt(b, int64(v), 10), ".0"...)
	case math.Abs(v) >= 1e6:
		return strconv.AppendFloat(b, v, 'e', -1, 64)
	default:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	}
}

func formatValue(v float64) string { return string(appendValue(nil, v)) }
