package simulator

import (
	"slices"
	"time"
)

// Interruption is the time that a request spent out of decode's batch.
type Interruption struct {
	// After is the number of output tokens that were there.
	After int
	// At is when it lost its place and its KV cache, Back when it had memory again,
	// Resumed when it was in the batch again; [never] for what has not happened.
	At, Back, Resumed time.Duration
}

// interrupt takes a running request out of decode's batch and its memory away.
func (g *group) interrupt(r *Request) {
	r.Interruptions = append(r.Interruptions, Interruption{After: r.Produced, At: g.clock.now, Back: never, Resumed: never})
	r.turn++ // the token that was planned does not come
	placeDecode(r, preempted)
	drop(&r.decode.batch, r)
	r.decode.report.preempted(r)
}

// latest is the interruption that a request is in or was in last.
func (r *Request) latest() *Interruption {
	if len(r.Interruptions) == 0 {
		return nil
	}
	return &r.Interruptions[len(r.Interruptions)-1]
}

// grow finds the memory of one more token where it was not reserved from the start.
// While there is none, the youngest request of the batch loses its own.
func (g *group) grow(r *Request) {
	d := r.decode
	if !d.limits.KVGrows {
		return
	}
	d.kvUsed++
	for d.kvUsed > d.limits.KVTokens {
		youngest := slices.MaxFunc(d.batch, func(a, b *Request) int { return a.ID - b.ID })
		g.interrupt(youngest)
		d.evicted = append(d.evicted, youngest)
	}
}

// readmit gives those who lost their memory a place before newcomers, as soon as
// there is one: what was lost is computed anew.
func (g *group) readmit(d *scheduler) {
	for len(d.evicted) > 0 && d.kvFits(d.evicted[0]) {
		r := d.evicted[0]
		d.evicted = d.evicted[1:]
		r.latest().Back = g.clock.now
		placeDecode(r, decodeQueued)
		again := seconds(float64(r.InputTokens+r.Produced) / g.PrefillTokensPerSecond)
		g.later(r, again, func() {
			d.queue = append(d.queue, r)
			g.decodeNext(d)
		})
	}
}

// decodeKV is the number of KV tokens that a request occupies on decode at a time.
func (r *Request) decodeKV(at time.Duration) int {
	if r.decode == nil || !r.decode.limits.KVGrows {
		return r.InputTokens + r.OutputTokens
	}
	need := r.InputTokens
	for _, t := range r.TokenTimes() {
		if t <= at {
			need++
		}
	}
	return need
}
