package promserver

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/scrape"
)

// loadedPool is the scrape pool under which the API lists loaded pages.
const loadedPool = "loaded"

// targetsWithLoaded lists the scraped targets and, beside them, those whose
// pages were appended: /api/v1/metadata reads types and help from targets.
type targetsWithLoaded struct {
	*scrape.Manager
	loader *loader
}

// TargetsActive lists all targets by scrape pool.
func (t targetsWithLoaded) TargetsActive() map[string][]*scrape.Target {
	active := t.Manager.TargetsActive()
	t.loader.mu.Lock()
	defer t.loader.mu.Unlock()
	if len(t.loader.targets) == 0 {
		return active
	}
	active = maps.Clone(active)
	if active == nil {
		active = map[string][]*scrape.Target{}
	}
	for _, key := range slices.Sorted(maps.Keys(t.loader.targets)) {
		active[loadedPool] = append(active[loadedPool], t.loader.targets[key].target)
	}
	return active
}

// loadedScrapeTarget stands for a page's origin in the list of targets.
func loadedScrapeTarget(lset labels.Labels) *scrape.Target {
	b := labels.NewBuilder(lset)
	b.Set(model.AddressLabel, "loaded")
	b.Set(model.SchemeLabel, "http")
	b.Set(model.MetricsPathLabel, "/metrics")
	scrapeConfig := config.DefaultScrapeConfig
	scrapeConfig.JobName = loadedPool
	return scrape.NewTarget(b.Labels(), &scrapeConfig, model.LabelSet{}, model.LabelSet{})
}

// metadataStore holds type and help of the families of one target.
type metadataStore struct {
	mu      sync.Mutex
	entries map[string]scrape.MetricMetadata
}

func (m *metadataStore) setType(name []byte, kind model.MetricType) {
	m.set(name, func(e *scrape.MetricMetadata) { e.Type = kind })
}

func (m *metadataStore) setHelp(name, help []byte) {
	m.set(name, func(e *scrape.MetricMetadata) {
		if e.Help != string(help) {
			e.Help = string(help)
		}
	})
}

func (m *metadataStore) set(name []byte, change func(*scrape.MetricMetadata)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[string(name)]
	if !ok {
		e = scrape.MetricMetadata{MetricFamily: string(name), Type: model.MetricTypeUnknown}
	}
	change(&e)
	m.entries[e.MetricFamily] = e
}

// ListMetadata lists the families by name.
func (m *metadataStore) ListMetadata() []scrape.MetricMetadata {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Values(m.entries), func(a, b scrape.MetricMetadata) int {
		return strings.Compare(a.MetricFamily, b.MetricFamily)
	})
}

// GetMetadata finds one family.
func (m *metadataStore) GetMetadata(family string) (scrape.MetricMetadata, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[family]
	return e, ok
}

// SizeMetadata is the size of the texts held, in bytes.
func (m *metadataStore) SizeMetadata() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := 0
	for _, e := range m.entries {
		size += len(e.MetricFamily) + len(e.Help) + len(e.Unit) + len(e.Type)
	}
	return size
}

// LengthMetadata is the number of families held.
func (m *metadataStore) LengthMetadata() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.entries)
}
