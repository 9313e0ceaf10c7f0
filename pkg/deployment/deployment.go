// Package deployment is what one server holds of the catalog: names, systems, roles, bucket
// layouts, recorded series. Discovery fills it and the compiler reads it.
package deployment

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Deployment is what one Prometheus server holds, in the catalog's words. The
// compiler works without one, but then has to allow for every name at once.
type Deployment struct {
	// Metrics are the series names found, of those the catalog could ask for.
	Metrics map[string]bool
	// Alive are those of Metrics that have series in the time that was looked at; nil
	// means that it is not known.
	Alive map[string]bool
	// Alone are those of Alive that some engine has without a better source of the
	// same (Signal.OneSystem).
	Alone map[string]bool
	// Gauges are names of the catalog's histograms that the server knows as gauges.
	Gauges map[string]bool
	// Systems found, by name.
	Systems map[string]Found
	// Recorded is what recording rules hold over all of the time that was looked at.
	Recorded map[Recorded]bool
	// ScrapeInterval of the engines; 0 when it could not be told.
	ScrapeInterval time.Duration
	// Behind is how old the newest sample of the engine was that is furthest behind, of those
	// that were looked at; negative where none was.
	Behind time.Duration
}

// Found is what is known of one system.
type Found struct {
	// Prefixes under which its metrics were found, in the order of preference.
	Prefixes []string
	// RoleBy says how its roles can be told.
	RoleBy RoleBy
	// RoleLess names metrics that lack the role label although the system has one.
	RoleLess map[string]bool
	// RoleMixed names metrics that some engines export with the role label and others
	// without.
	RoleMixed map[string]bool
	// Present counts the engines of each role at the end of the time looked at.
	Present map[query.Role]int
	// Instances counts the engines of each role; all are under "unified" when
	// no role can be told.
	Instances map[query.Role]int
	Models    []string
	// ScrapeInterval of this system's targets; 0 when it could not be told.
	ScrapeInterval time.Duration
	// DPRanks and TPRanks are the numbers of different ranks seen, 0 for none.
	DPRanks, TPRanks int
	// Labels are the physical label names seen on the probe's series.
	Labels []string
	// ShownAgain says that a router shows the engines' metrics under another prefix,
	// which is left out.
	ShownAgain bool
	// Ungrouped says that some engines lack the label that is to identify one.
	Ungrouped bool
	// UnknownRanks are labels that look like ranks and that the catalog does not know.
	UnknownRanks []string
	// ScrapedTwice are instances or pods that several jobs scrape.
	ScrapedTwice []string
}

// Layout is how the bucket bounds of a histogram's series agree.
type Layout struct {
	// Common are the values of le that every engine has, +Inf included.
	Common []string
	// Different is the number of different sets of bounds, 1 when all agree.
	Different int
}

// Ends are the finite common bounds, rising.
func (l Layout) Ends() []float64 {
	var ends []float64
	for _, text := range l.Common {
		if end, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(end, 0) {
			ends = append(ends, end)
		}
	}
	slices.Sort(ends)
	return ends
}

// Bounds are the first and the last finite one of the common bounds; ok is false
// when there is none.
func (l Layout) Bounds() (first, last float64, ok bool) {
	ends := l.Ends()
	if len(ends) == 0 {
		return 0, 0, false
	}
	return ends[0], ends[len(ends)-1], true
}

// RoleBy is how the roles of a system can be told.
type RoleBy string

const (
	// RoleByLabel means that the system's own label tells it.
	RoleByLabel RoleBy = "label"
	// RoleByMatchers means that the settings' label matchers tell it.
	RoleByMatchers RoleBy = "matchers"
	// RoleByNothing means that no role can be told: every engine is unified.
	RoleByNothing RoleBy = "nothing"
)

// RoleBys are all ways to tell them.
var RoleBys = []RoleBy{RoleByLabel, RoleByMatchers, RoleByNothing}

// Has reports whether a source's metric was found under the given full name,
// histograms in either form.
func (d *Deployment) Has(name string, kind catalog.Type) bool {
	if d.Metrics[name] {
		return true
	}
	return kind == catalog.TypeHistogram && d.Metrics[name+"_bucket"]
}

// Models lists the models of all systems, sorted.
func (d *Deployment) Models() []string {
	var all []string
	for _, f := range d.Systems {
		all = append(all, f.Models...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
