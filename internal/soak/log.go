package soak

import (
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/ptd-monitor/pdmonitor/pkg/discovery"
)

// log gathers what the viewers saw and when the server was away.
type log struct {
	mu        sync.Mutex
	refreshes []refreshed
	leaves    int
	outages   []interval
}

type interval struct{ from, to time.Time }

// refreshed is one refresh of all panels.
type refreshed struct {
	interval
	failed []failure
}

// failure is what a panel shows in place of values.
type failure struct {
	text   string
	status int32
	source backend.ErrorSource
}

func (l *log) refreshed(began time.Time, failed []failure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refreshes = append(l.refreshes, refreshed{interval{began, time.Now()}, failed})
}

func (l *log) left() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaves++
}

// outage notes that the server was away from a time until now.
func (l *log) outage(from time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outages = append(l.outages, interval{from, time.Now()})
}

// explains reports whether an outage makes a refresh fail in this way: the server's
// fault, told as such, while it was away or as long as that is remembered after.
func (l *log) explains(r refreshed, f failure) bool {
	if f.source != backend.ErrorSourceDownstream || f.status < 502 || f.status > 504 {
		return false
	}
	for _, o := range l.outages {
		if r.to.After(o.from) && r.from.Before(o.to.Add(discovery.Retry)) {
			return true
		}
	}
	return false
}
