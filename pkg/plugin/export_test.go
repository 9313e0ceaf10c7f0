package plugin

import (
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/pointcache"
)

// KeepPointsAt makes a data source keep points in a time of the test's own, so that
// minutes of refreshes take seconds.
func (d *Datasource) KeepPointsAt(now func() time.Time) {
	d.points = pointcache.New(d.client, pointcache.Options{Now: now, Figures: d.figures})
}

// LookAt makes a data source forget what it discovered, and take times of the test's own for
// the age of what it discovers from now on.
func (d *Datasource) LookAt(now func() time.Time) { d.cache = d.cache.At(now) }
