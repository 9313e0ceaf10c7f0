package simulator

// endpoint is what serves the page of one target.
type endpoint struct {
	target Target
	// page is asked anew each time: an engine that restarts has a new one.
	page func() *page
	// refresh sets the gauges to the present state.
	refresh func()
	// down says whether nobody answers now.
	down func() bool
}

func (i *instance) endpoint() endpoint {
	return endpoint{
		target: i.target,
		page:   func() *page { return i.page },
		refresh: func() {
			for _, s := range i.schedulers {
				s.report.refresh()
			}
		},
		down: func() bool { return i.down },
	}
}

// endpoints are the group's engines, prefill first, and the exporters of their hosts.
func (g *group) endpoints() []endpoint {
	var engines, devices []endpoint
	for _, role := range []Role{Prefill, Decode} {
		for _, inst := range g.instances[role] {
			engines = append(engines, inst.endpoint())
			devices = append(devices, inst.host.endpoints()...)
		}
	}
	return append(engines, devices...)
}

func neverDown() bool { return false }
