package simulator

import "time"

// hop is the way of a response from prefill over the proxy to decode (vLLM).
const hop = time.Millisecond

// later plans a step of a request's life; it does not happen if the request has
// ended by then.
func (g *group) later(r *Request, d time.Duration, do func()) {
	g.clock.after(d, func() {
		if r.Outcome == Open {
			do()
		}
	})
}

// sendToDecode gives the request a decode scheduler; false if none is up.
func (g *group) sendToDecode(r *Request) bool {
	d := g.route(Decode)
	if d == nil {
		return false
	}
	r.decode, r.DecodeInstance, r.DecodeDP = d, d.instance.target.Name, d.dp
	r.DecodeArrival = g.clock.now
	return true
}

// startBootstrap is SGLang's beginning: both legs have the request, decode
// reserves KV space, then the two shake hands.
func (g *group) startBootstrap(r *Request) {
	placePrefill(r, bootstrapping)
	g.startPreallocation(r)
}

func (g *group) startPreallocation(r *Request) {
	placeDecode(r, preallocating)
	r.decode.prealloc = append(r.decode.prealloc, r)
	g.preallocNext(r.decode)
}

// preallocNext reserves KV space for those who wait for it, in their order.
func (g *group) preallocNext(d *scheduler) {
	g.readmit(d)
	for len(d.prealloc) > 0 && d.kvFits(d.prealloc[0]) {
		r := d.prealloc[0]
		d.prealloc = d.prealloc[1:]
		r.Preallocated = g.clock.now
		placeDecode(r, receiving)
		g.later(r, r.bootstrap, func() { g.bootstrapped(r) })
	}
}

// bootstrapped is the end of the handshake. SGLang now lets prefill compute;
// vLLM, which has computed, sends.
func (g *group) bootstrapped(r *Request) {
	if g.Engine == VLLM {
		g.requestTransfer(r)
		return
	}
	if r.failsBootstrap {
		r.prefill.report.bootstrapFailed(r)
		r.decode.report.bootstrapFailed(r)
		g.end(r, BootstrapFailed)
		return
	}
	r.BootstrapDone = g.clock.now
	placePrefill(r, allocating)
	g.later(r, r.alloc, func() {
		r.PrefillQueued = g.clock.now
		r.prefill.report.bootstrapped(r)
		g.queueForPrefill(r)
	})
}

// queueForPrefill puts the request into prefill's waiting queue, where the
// scheduler sees it in its next round.
func (g *group) queueForPrefill(r *Request) {
	placePrefill(r, prefillQueued)
	g.later(r, r.prefillRound, func() {
		r.prefill.queue = append(r.prefill.queue, r)
		g.prefillNext(r.prefill)
	})
}

// prefillNext fills prefill's batch from its queue.
func (g *group) prefillNext(p *scheduler) {
	for len(p.queue) > 0 && p.in(prefillRunning) < p.limits.Slots && p.kvFits(p.queue[0]) {
		r := pop(&p.queue)
		if r.abortInQueue {
			p.report.aborted(r, false)
			if r.decode != nil {
				r.decode.report.aborted(r, false)
			}
			g.end(r, Aborted)
			continue
		}
		r.PrefillStart = g.clock.now
		placePrefill(r, prefillRunning)
		p.report.prefillStarted(r)
		for _, kept := range p.instance.stores {
			kept.lookedUp(r)
		}
		g.later(r, g.computeTime(r), func() { g.prefilled(r) })
	}
}

// prefilled is the end of the computation on prefill: the first token exists.
func (g *group) prefilled(r *Request) {
	p := r.prefill
	r.PrefillEnd = g.clock.now
	placePrefill(r, held)
	p.report.prefillEnded(r)
	for _, kept := range p.instance.stores {
		kept.computed(r)
	}
	p.instance.host.computed(r.InputTokens - r.CachedTokens)
	g.planExpiry(r)
	if g.Engine == SGLang {
		g.requestTransfer(r)
	} else {
		// The proxy has the response of prefill and now asks decode.
		g.later(r, hop, func() {
			if !g.sendToDecode(r) {
				g.end(r, Lost)
				return
			}
			g.startPreallocation(r)
		})
	}
	g.prefillNext(p)
}

func (g *group) requestTransfer(r *Request) {
	r.prefill.link = append(r.prefill.link, r)
	g.sendNext(r.prefill)
}

// sendNext starts transfers while the link has room.
func (g *group) sendNext(p *scheduler) {
	for len(p.link) > 0 && p.sending < p.limits.TransferSlots {
		r := p.link[0]
		p.link = p.link[1:]
		p.sending++
		r.onLink = true
		r.TransferStart = g.clock.now
		g.later(r, g.transferTime(r), func() { g.transferred(r) })
	}
}

// transferred is the end of the KV transfer: prefill is done with the request,
// decode may run it.
func (g *group) transferred(r *Request) {
	p := r.prefill
	r.TransferEnd = g.clock.now
	g.leaveLink(r)
	placePrefill(r, absent)
	p.report.transferred(r)
	r.decode.report.transferred(r)
	g.carried(r)
	r.DecodeQueued = g.clock.now
	g.queueForDecode(r)
	g.prefillNext(p)
}

func (g *group) leaveLink(r *Request) {
	if r.onLink {
		r.onLink = false
		r.prefill.sending--
		g.sendNext(r.prefill)
	}
}

// queueForDecode puts the request into decode's waiting queue; it can join the
// batch when the present step ends.
func (g *group) queueForDecode(r *Request) {
	placeDecode(r, decodeQueued)
	g.later(r, r.decodeRound, func() {
		r.decode.queue = append(r.decode.queue, r)
		g.decodeNext(r.decode)
	})
}

// decodeNext fills decode's batch from its queue.
func (g *group) decodeNext(d *scheduler) {
	for len(d.queue) > 0 && d.in(decodeRunning) < d.limits.Slots {
		r := pop(&d.queue)
		placeDecode(r, decodeRunning)
		d.batch = append(d.batch, r)
		if out := r.latest(); out != nil {
			out.Resumed = g.clock.now
		} else {
			r.DecodeStart = g.clock.now
			d.report.decodeStarted(r)
		}
		g.planToken(r)
	}
}

func (g *group) planToken(r *Request) {
	turn := r.turn
	g.later(r, r.stepTime(r.Produced+1), func() {
		if r.turn == turn {
			g.token(r)
		}
	})
}

// token is one decode step of one request.
func (g *group) token(r *Request) {
	d, now := r.decode, g.clock.now
	r.Produced++
	previous := r.LastToken
	r.LastToken = now
	if r.Produced == 1 {
		r.FirstToken = now
	}
	d.report.token(r, now-previous)
	if accepted, begins := r.verify(); begins {
		d.report.drafted(r, accepted)
	}
	d.instance.host.computed(1)
	g.gateway.token(r, now-previous)
	g.grow(r)
	switch {
	case r.Produced == r.OutputTokens:
		d.report.finished(r)
		g.end(r, Finished)
	case r.Produced == r.abortAfter:
		d.report.aborted(r, true)
		g.end(r, Aborted)
	case r.atDecode == preempted: // it lost its memory to this very token
		g.decodeNext(d)
	case r.Produced == r.preemptAfter && len(r.Interruptions) == 0:
		g.interrupt(r)
		g.later(r, r.pause, func() {
			r.latest().Back = g.clock.now
			g.queueForDecode(r)
		})
		g.decodeNext(d)
	default:
		g.planToken(r)
	}
}

// end decides a request's outcome and gives back whatever it holds. Reporters
// have been told before, as their engines do it while the request is there.
func (g *group) end(r *Request, o Outcome) {
	r.Outcome, r.Ended = o, g.clock.now
	placePrefill(r, absent)
	placeDecode(r, absent)
	drop(&r.prefill.queue, r)
	drop(&r.prefill.link, r)
	g.leaveLink(r)
	g.prefillNext(r.prefill)
	g.gateway.ended(r)
	if d := r.decode; d != nil {
		drop(&d.batch, r)
		drop(&d.evicted, r)
		drop(&d.queue, r)
		drop(&d.prealloc, r)
		g.preallocNext(d)
		g.decodeNext(d)
	}
}

func (g *group) find(name string) *instance {
	for _, instances := range g.instances {
		for _, inst := range instances {
			if inst.target.Name == name {
				return inst
			}
		}
	}
	return nil
}
