package pointcache

import "github.com/prometheus/client_golang/prometheus"

// Figures count what caches do, over all data sources of a process. It is a
// prometheus.Collector.
type Figures struct {
	kept, joined, tails, whole prometheus.Counter
	evicted                    prometheus.Counter
	bytes                      prometheus.Gauge
}

// NewFigures makes figures that start at 0 and are registered nowhere.
func NewFigures() *Figures {
	answers := func(from, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pdmonitor_cache_answers_total", Help: "Answers of the cache of points, by how they were found: " + help,
			ConstLabels: prometheus.Labels{"from": from},
		})
	}
	const help = "kept (nothing asked), joined (another's question in flight), tail (the newest points asked), whole (all points asked)."
	return &Figures{
		kept: answers("kept", help), joined: answers("joined", help), tails: answers("tail", help), whole: answers("whole", help),
		evicted: prometheus.NewCounter(prometheus.CounterOpts{Name: "pdmonitor_cache_evicted_total", Help: "Expressions whose points were dropped to make room or because nobody asked for them."}),
		bytes:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "pdmonitor_cache_bytes", Help: "Memory that kept points take, about."}),
	}
}

func (f *Figures) all() []prometheus.Collector {
	return []prometheus.Collector{f.kept, f.joined, f.tails, f.whole, f.evicted, f.bytes}
}

// Describe implements prometheus.Collector.
func (f *Figures) Describe(to chan<- *prometheus.Desc) {
	for _, one := range f.all() {
		one.Describe(to)
	}
}

// Collect implements prometheus.Collector.
func (f *Figures) Collect(to chan<- prometheus.Metric) {
	for _, one := range f.all() {
		one.Collect(to)
	}
}
