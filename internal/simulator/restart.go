package simulator

import "time"

// planRestart plans the loss of an instance and its return, as often as it is lost.
func (g *group) planRestart(plan Restart, epoch time.Time) {
	for n := range max(plan.Times, 1) {
		g.clock.at(plan.At+time.Duration(n)*plan.Every, func() { g.restart(plan, epoch) })
	}
}

func (g *group) restart(plan Restart, epoch time.Time) {
	inst := g.find(plan.Instance)
	inst.down = true
	inst.host.xid(plan.XID)
	for _, r := range g.requests {
		if r.Outcome == Open {
			g.lose(r, inst)
		}
	}
	inst.boot(epoch)
	g.clock.after(plan.Down, func() {
		// A new process begins to count when it is up.
		inst.boot(epoch)
		inst.down = false
	})
}

// lose ends a request which is on an instance that goes away; the leg that
// stays sees a failed transfer.
func (g *group) lose(r *Request, inst *instance) {
	onPrefill := r.prefill.instance == inst && r.atPrefill != absent
	onDecode := r.decode != nil && r.decode.instance == inst && r.atDecode != absent
	switch {
	case onPrefill && r.decode != nil && r.atDecode != absent:
		r.FailedOn = Decode
		r.decode.report.transferFailed(r)
	case onDecode && r.atPrefill != absent:
		r.FailedOn = Prefill
		r.prefill.report.transferFailed(r)
	case !onPrefill && !onDecode:
		return
	}
	g.end(r, Lost)
}
