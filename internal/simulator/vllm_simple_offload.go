package simulator

import (
	"strconv"
	"time"
)

// simpleOffload is vLLM's simple CPU offload, counted in blocks by the scheduler. Stores
// go one after the other, beside the computation: a block is stored when its turn is over.
type simpleOffload struct {
	noDecode
	s                        *scheduler
	issued, completed        *series
	stored, skipped, dropped *series
	pendingNow, usedNow      *series

	stores  []pendingStore // not yet completed
	loading int            // blocks of prompts that are being computed
}

// pendingStore is the blocks of one request on their way to the host.
type pendingStore struct {
	done   time.Duration
	blocks int
}

func newSimpleOffload(s *scheduler, g makeGauge, c makeCounter) *simpleOffload {
	const loads, saves = "Blocks loaded from the host, by phase.", "Blocks offered to the host, by outcome."
	pool := newHostPool(s)
	g("simple_kv_offload_info", "The configuration of the simple CPU offload.", "backend", "cpu", "page_cache", "false",
		"lazy_offload", "false", "capacity_blocks", strconv.Itoa(pool.capacity/block)).set(1)
	return &simpleOffload{
		s:          s,
		issued:     c("simple_kv_offload_load_blocks_total", loads, "phase", "issued"),
		completed:  c("simple_kv_offload_load_blocks_total", loads, "phase", "completed"),
		stored:     c("simple_kv_offload_save_outcomes_total", saves, "outcome", "stored"),
		skipped:    c("simple_kv_offload_save_outcomes_total", saves, "outcome", "skipped_already_cached"),
		dropped:    c("simple_kv_offload_save_outcomes_total", saves, "outcome", "dropped_cpu_full"),
		pendingNow: g("simple_kv_offload_pending_store_blocks", "Blocks on their way to the host."),
		usedNow:    g("simple_kv_offload_used_blocks", "Host blocks held by transfers and hits."),
	}
}

func (o *simpleOffload) prefillStarted(r *Request) {
	blocks := r.loadedTokens() / block
	o.issued.add(float64(blocks))
	o.completed.add(float64(blocks))
	o.loading += blocks
}

func (o *simpleOffload) prefillEnded(r *Request) {
	now := o.s.instance.group.clock.now
	o.settle(now)
	o.loading -= r.loadedTokens() / block
	o.skipped.add(float64(r.CachedTokens / block))
	o.dropped.add(float64(r.DroppedTokens / block))
	begins := now
	if n := len(o.stores); n > 0 {
		begins = o.stores[n-1].done
	}
	took := copyTime(shard(r.bytesOf(r.savedTokens()), 0, o.s.limits.TP), deviceToHost)
	o.stores = append(o.stores, pendingStore{begins + took, r.savedTokens() / block})
}

// settle counts the stores that have ended by now.
func (o *simpleOffload) settle(now time.Duration) {
	for len(o.stores) > 0 && o.stores[0].done <= now {
		o.stored.add(float64(o.stores[0].blocks))
		o.stores = o.stores[1:]
	}
}

func (o *simpleOffload) refresh() {
	o.settle(o.s.instance.group.clock.now)
	pending := 0
	for _, s := range o.stores {
		pending += s.blocks
	}
	o.pendingNow.set(float64(pending))
	o.usedNow.set(float64(pending + o.loading))
}
