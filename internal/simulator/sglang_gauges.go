package simulator

import (
	"strconv"
	"time"
)

// idleRefresh is how often SGLang sets its gauges without work.
const idleRefresh = 30 * time.Second

// sglangClass are the queue gauges of one value of the label priority.
type sglangClass struct {
	priority                                            int // -1: all together
	running, queued, bootstrap, inflight, pre, transfer *series
}

func (v *sglangReporter) addGauges(p *page, gated []labelSet) {
	add := func(name, help string, copies []labelSet) *series {
		return p.family(gauge, "sglang:"+name, help, nil).with(copies...)
	}
	classes := []int{-1}
	if v.s.instance.group.PriorityScheduling {
		for priority := range priorities {
			classes = append(classes, priority)
		}
	}
	role := v.s.instance.target.Role
	for _, priority := range classes {
		copies := gated
		if priority >= 0 {
			copies = nil
			for _, l := range gated {
				copies = append(copies, l.without("priority").with("priority", strconv.Itoa(priority)))
			}
		}
		class := sglangClass{
			priority: priority,
			running:  add("num_running_reqs", "The number of running requests.", copies),
			queued:   add("num_queue_reqs", "The number of requests in the waiting queue.", copies),
		}
		if role == Prefill {
			class.bootstrap = add("num_prefill_bootstrap_queue_reqs", "The number of requests in the prefill bootstrap queue.", copies)
			class.inflight = add("num_prefill_inflight_queue_reqs", "The number of requests in the prefill inflight queue.", copies)
		} else {
			class.pre = add("num_decode_prealloc_queue_reqs", "The number of requests in the decode prealloc queue.", copies)
			class.transfer = add("num_decode_transfer_queue_reqs", "The number of requests in the decode transfer queue.", copies)
		}
		v.perClass = append(v.perClass, class)
	}
	for _, m := range []struct{ name, help string }{
		{"num_used_tokens", "The number of used tokens."},
		{"kv_used_tokens", "The number of KV tokens in use."},
		{"kv_available_tokens", "The number of free KV tokens."},
		{"kv_evictable_tokens", "The number of cached KV tokens that can be evicted."},
		{"max_total_num_tokens", "Maximum total number of tokens in the KV cache pool."},
		{"token_usage", "The token usage."},
		{"cache_hit_rate", "The prefix cache hit rate."},
		{"gen_throughput", "The generation throughput (token/s)."},
	} {
		v.gauges[m.name] = add(m.name, m.help, gated)
	}
	// A gauge without multiprocess mode: one series per process.
	var pids []labelSet
	for i, l := range gated {
		pids = append(pids, l.with("pid", strconv.Itoa(1000+100*v.s.instance.index+10*v.s.dp+i)))
	}
	v.gauges["num_retracted_reqs"] = add("num_retracted_reqs", "The number of retracted requests.", pids)
}

// logged is the line after every 40 decode steps: the window gauges are of the
// time since the one before. Without work nothing is logged, and the last value
// stays until the idle refresh.
func (v *sglangReporter) logged(now time.Duration) {
	switch {
	case v.sinceLog > 0:
		v.lastPerSecond = float64(v.sinceLog) / (now - v.logAt).Seconds()
		v.lastRetracted = v.retractedNow
		v.drafts.logged()
	case now-v.busyAt >= idleRefresh:
		v.lastPerSecond, v.lastRetracted = 0, 0
	default:
		v.logAt = now
		return
	}
	v.logAt, v.sinceLog, v.retractedNow = now, 0, 0
	v.set()
}

func (v *sglangReporter) refresh() {
	if !v.s.instance.group.RefreshedGauges {
		v.set()
	}
}

// set puts the gauges to the scheduler's present state.
func (v *sglangReporter) set() {
	s := v.s
	for _, c := range v.perClass {
		in := func(stages ...stage) float64 {
			if c.priority < 0 {
				return float64(s.in(stages...))
			}
			n := 0
			for _, st := range stages {
				n += s.count[st][c.priority]
			}
			return float64(n)
		}
		c.running.set(in(prefillRunning, decodeRunning))
		c.queued.set(in(prefillQueued, decodeQueued, preempted))
		if c.bootstrap != nil {
			c.bootstrap.set(in(bootstrapping, allocating))
			c.inflight.set(in(held))
		} else {
			c.pre.set(in(preallocating))
			c.transfer.set(in(receiving))
		}
	}
	total := float64(s.limits.KVTokens)
	used, cached := float64(s.kvUsed), float64(s.kvCached)
	v.gauges["num_used_tokens"].set(used)
	v.gauges["kv_used_tokens"].set(used)
	v.gauges["kv_evictable_tokens"].set(cached)
	v.gauges["kv_available_tokens"].set(max(0, total-used-cached))
	v.gauges["max_total_num_tokens"].set(total)
	v.gauges["token_usage"].set(used / total)
	v.gauges["cache_hit_rate"].set(v.lastHit)
	v.gauges["gen_throughput"].set(v.lastPerSecond)
	v.gauges["num_retracted_reqs"].set(float64(v.lastRetracted))
	v.hicache.set()
}

// planDecodeLog makes an instance's schedulers log as long as the simulation
// runs.
func (g *group) planDecodeLog(inst *instance) {
	g.clock.after(max(40*g.InterTokenLatency, 100*time.Millisecond), func() {
		for _, s := range inst.schedulers {
			s.report.logged(g.clock.now)
		}
		g.planDecodeLog(inst)
	})
}
