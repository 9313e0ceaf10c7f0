package simulator

import (
	"fmt"
	"time"
)

// host is the machine of an instance: as many GPUs as the instance has ranks, each
// with an RDMA port of its own. Its exporters outlive the engine.
type host struct {
	instance *instance
	gpus     []gpu
	ports    []port
	dcgm     *page
	node     *page
	looked   time.Duration // when the GPUs were looked at last
	links    links
}

func newHost(i *instance, epoch time.Time) *host {
	h := &host{instance: i, dcgm: newPage(epoch), node: newPage(epoch)}
	limits := i.schedulers[0].limits
	ranks := limits.TP
	if !limits.DPAttention {
		ranks *= limits.DP
	}
	for n := range ranks {
		h.gpus = append(h.gpus, newGPU(h.dcgm, i.target.Name, n))
		if i.group.LinkFields {
			h.gpus[n].addLinks()
		}
		h.ports = append(h.ports, newPort(h.node, n))
	}
	return h
}

// endpoints are the host's exporters, under the engine's name and their usual ports.
func (h *host) endpoints() []endpoint {
	if h == nil {
		return nil
	}
	named := func(job string, port int, p *page, refresh func()) endpoint {
		return endpoint{
			target: Target{Name: fmt.Sprintf("%s:%d", h.instance.target.Name, port), Job: job},
			page:   func() *page { return p }, refresh: refresh, down: neverDown,
		}
	}
	return []endpoint{
		named("dcgm", 9400, h.dcgm, h.look),
		named("node", 9100, h.node, func() {}),
	}
}

// load is the share of the instance's batch places that are taken.
func (h *host) load() float64 {
	if h.instance.down {
		return 0
	}
	running, places := 0, 0
	for _, s := range h.instance.schedulers {
		running += s.in(prefillRunning, decodeRunning)
		places += s.limits.Slots
	}
	return float64(running) / float64(places)
}

// look brings the GPUs' values to the present.
func (h *host) look() {
	now := h.instance.group.clock.now
	since := now - h.looked
	h.looked = now
	load, hot := h.load(), h.instance.straggling()
	for n := range h.gpus {
		slow := 1.0
		if hot != nil && hot.GPU == n {
			slow = hot.Slowdown
		}
		waits := hot != nil && hot.GPU != n
		h.gpus[n].look(h.instance.target.Role, load, slow, waits, since)
		h.gpus[n].lookAtLinks(h.links, since)
	}
	if since > 0 {
		h.links = links{}
	}
}

// xid makes the first GPU report an error, if there is one to report.
func (h *host) xid(code int) {
	if h != nil && code != 0 {
		h.gpus[0].xid(code)
	}
}

// carried counts a request's KV cache on the ports of both its hosts.
func (g *group) carried(r *Request) {
	from, to := r.prefill.instance.host, r.decode.instance.host
	if from == nil || to == nil {
		return
	}
	fault := g.congestion()
	from.moved(float64(r.Bytes), 0)
	to.moved(0, float64(r.Bytes))
	for n := range from.ports {
		from.ports[n].sent(float64(shard(r.Bytes, n, len(from.ports))), r.TransferEnd-r.TransferStart, fault)
	}
	for n := range to.ports {
		to.ports[n].received(float64(shard(r.Bytes, n, len(to.ports))), fault)
	}
}
