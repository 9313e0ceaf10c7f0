package simulator

import (
	"strconv"
	"time"
)

const (
	mebibyte = 1 << 20
	gibibyte = 1 << 30

	// idleRefresh is how often SGLang sets its gauges without work.
	idleRefresh = 30 * time.Second
)

// lazy is a series which appears at its first use, as SGLang's do.
type lazy struct {
	family *family
	copies []labelSet
	made   *series
}

func (l *lazy) get() *series {
	if l.made == nil {
		l.made = l.family.with(l.copies...)
	}
	return l.made
}

// tokenizerMetrics are those of the tokenizer manager: one copy per server, no
// rank labels. With priority scheduling each priority has its own.
type tokenizerMetrics struct {
	requests, prompt, generation, cached, aborted lazy
	succeeded, failed, aborts                     lazy
	ttft, itl, e2e                                lazy
}

// sglangReporter counts as SGLang's tokenizer manager and one scheduler (one DP
// rank) do. Gauges and token counters come from attention TP rank 0 alone,
// per-request histograms and failure counters from every TP rank of the
// scheduler, FlagCX's families from every rank its share.
type sglangReporter struct {
	silent
	s *scheduler

	gauges    map[string]*series
	tokenizer [priorities]tokenizerMetrics
	perClass  []sglangClass

	computed, reused, decoded                   lazy
	effectiveHit, effectiveInput                *series
	queueTime, retracted, bootstrapFailures     lazy
	transferFailures                            lazy
	latency, bootstrap, alloc, speed            lazy
	volume                                      []lazy // per rank
	flagcxBytes, flagcxTime, flagcxTransfers    []lazy
	flagcxDescriptors, flagcxXferTime           []lazy
	flagcxXferBytes, flagcxXferDescs, flagcxFRs []lazy
	stages                                      map[string]*lazy

	logAt         time.Duration
	busyAt        time.Duration
	sinceLog      int // tokens
	retractedNow  int
	lastHit       float64
	lastPerSecond float64
	lastRetracted int
}

// sglangClass are the queue gauges of one value of the label priority.
type sglangClass struct {
	priority                                            int // -1: all together
	running, queued, bootstrap, inflight, pre, transfer *series
}

func newSGLangReporter(s *scheduler) *sglangReporter {
	g, role := s.instance.group, s.instance.target.Role
	v := &sglangReporter{s: s, gauges: map[string]*series{}, stages: map[string]*lazy{}, logAt: g.clock.now, busyAt: g.clock.now}
	p := s.instance.page

	base := labelSet{}.with("model_name", g.Model, "engine_type", string(role), "pp_rank", "0")
	var all []labelSet // one per TP rank of this scheduler
	ranks := s.limits.attentionTP()
	for rank := range ranks {
		global := rank
		if s.limits.DPAttention {
			global = s.dp*ranks + rank
		}
		l := base.with("moe_ep_rank", "0", "tp_rank", strconv.Itoa(global))
		if s.limits.DP > 1 {
			l = l.with("dp_rank", strconv.Itoa(s.dp))
		}
		if g.PriorityScheduling {
			l = l.with("priority", "")
		}
		all = append(all, l)
	}
	gated := all[:1]
	if g.AllSchedulers {
		gated = all
	}

	v.addGauges(p, gated)
	v.addTokenizer(p)
	families := func(kind metricKind, name, help string, bounds []float64) *family {
		return p.family(kind, "sglang:"+name, help, bounds)
	}
	once := func(name, help string, pairs ...string) lazy {
		return lazy{family: families(counter, name, help, nil), copies: extend(gated, pairs...)}
	}
	copied := func(kind metricKind, name, help string, bounds []float64) lazy {
		return lazy{family: families(kind, name, help, bounds), copies: all}
	}

	const realtime = "Total number of tokens processed, by mode."
	v.computed = once("realtime_tokens_total", realtime, "mode", "prefill_compute")
	v.reused = once("realtime_tokens_total", realtime, "mode", "prefill_cache")
	v.decoded = once("realtime_tokens_total", realtime, "mode", "decode")
	const effective = "Total number of prefill tokens, by where they came from."
	for _, mode := range []string{"device_hit", "host_hit", "storage_hit", "input"} {
		l := once("prefill_effective_tokens_total", effective, "mode", mode)
		switch series := l.get(); mode {
		case "device_hit":
			v.effectiveHit = series
		case "input":
			v.effectiveInput = series
		}
	}
	v.queueTime = copied(histogram, "queue_time_seconds", "Histogram of queueing time in seconds.", sglangQueueBounds())
	v.retracted = copied(counter, "num_retracted_requests_total", "Total number of retracted requests.", nil)
	v.bootstrapFailures = copied(counter, "num_bootstrap_failed_reqs_total", "The number of bootstrap failed requests.", nil)
	v.transferFailures = copied(counter, "num_transfer_failed_reqs_total", "The number of transfer failed requests.", nil)
	v.latency = copied(histogram, "kv_transfer_latency_ms", "Histogram of KV cache transfer latency in ms.", sglangTransferLatencyBounds())
	v.bootstrap = copied(histogram, "kv_transfer_bootstrap_ms", "Histogram of KV transfer bootstrap time in ms.", sglangBootstrapBounds())
	v.alloc = copied(histogram, "kv_transfer_alloc_ms", "Histogram of KV transfer allocation waiting time in ms.", sglangBootstrapBounds())
	v.speed = copied(histogram, "kv_transfer_speed_gb_s", "Histogram of KV cache transfer speed in GB/s.", sglangSpeedBounds())
	stages := families(histogram, "per_stage_req_latency_seconds", "The latency of each stage of requests.", sglangStageBounds())
	for _, stage := range []string{
		"prefill_bootstrap", "prefill_forward", "prefill_transfer_kv_cache",
		"decode_prepare", "decode_bootstrap", "decode_transferred", "decode_waiting",
	} {
		v.stages[stage] = &lazy{family: stages, copies: extend(all, "stage", stage)}
	}

	for rank := range ranks {
		// FlagCX knows the attention TP rank and no DP rank: the DP ranks of a
		// server share their series.
		flagcx := []labelSet{base.with("tp_rank", strconv.Itoa(rank))}
		own := func(kind metricKind, name, help string, bounds []float64) lazy {
			return lazy{family: families(kind, "flagcx_"+name, help, bounds), copies: flagcx}
		}
		v.volume = append(v.volume, lazy{
			family: families(histogram, "kv_transfer_total_mb", "Histogram of KV cache transfer volume in MB.", sglangVolumeBounds()),
			copies: all[rank : rank+1],
		})
		v.flagcxBytes = append(v.flagcxBytes, own(counter, "total_bytes_transferred_total", "Total bytes transferred by FlagCX.", nil))
		v.flagcxTime = append(v.flagcxTime, own(counter, "total_xfer_time_seconds_total", "Total FlagCX transfer time.", nil))
		v.flagcxTransfers = append(v.flagcxTransfers, own(counter, "transfers_total", "Number of FlagCX batch transfers.", nil))
		v.flagcxDescriptors = append(v.flagcxDescriptors, own(counter, "total_descriptors_total", "Total FlagCX descriptors.", nil))
		v.flagcxXferTime = append(v.flagcxXferTime, own(histogram, "xfer_time_seconds", "Histogram of FlagCX transfer duration.", flagcxTimeBounds()))
		v.flagcxXferBytes = append(v.flagcxXferBytes, own(histogram, "bytes_transferred", "Histogram of bytes per FlagCX transfer.", flagcxBytesBounds()))
		v.flagcxXferDescs = append(v.flagcxXferDescs, own(histogram, "num_descriptors", "Histogram of descriptors per FlagCX transfer.", flagcxDescriptorBounds()))
		v.flagcxFRs = append(v.flagcxFRs, own(counter, "num_failed_recvs_total", "Number of failed FlagCX receives.", nil))
	}
	v.set()
	return v
}

// extend adds labels to each of the copies.
func extend(copies []labelSet, pairs ...string) []labelSet {
	made := make([]labelSet, len(copies))
	for i, l := range copies {
		made[i] = l.with(pairs...)
	}
	return made
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

// without leaves a label out.
func (l labelSet) without(name string) labelSet {
	var made labelSet
	for _, pair := range l {
		if pair.name != name {
			made = append(made, pair)
		}
	}
	return made
}

func (v *sglangReporter) addTokenizer(p *page) {
	g := v.s.instance.group
	base := labelSet{}.with("model_name", g.Model)
	if g.EngineTypeOnTokenizer == nil || *g.EngineTypeOnTokenizer {
		base = base.with("engine_type", string(v.s.instance.target.Role))
	}
	for priority := range priorities {
		l := base
		if g.PriorityScheduling {
			l = l.with("priority", strconv.Itoa(priority))
		}
		made := func(kind metricKind, name, help string, bounds []float64, pairs ...string) lazy {
			return lazy{family: p.family(kind, "sglang:"+name, help, bounds), copies: []labelSet{l.with(pairs...)}}
		}
		const outcomes = "Number of finished requests by outcome."
		v.tokenizer[priority] = tokenizerMetrics{
			prompt:     made(counter, "prompt_tokens_total", "Number of prefill tokens processed.", nil),
			generation: made(counter, "generation_tokens_total", "Number of generation tokens processed.", nil),
			cached:     made(counter, "cached_tokens_total", "Number of cached prompt tokens.", nil, "cache_source", "device"),
			requests:   made(counter, "num_requests_total", "Number of requests processed.", nil),
			aborted:    made(counter, "num_aborted_requests_total", "Number of requests aborted.", nil),
			succeeded:  made(counter, "finished_requests_by_outcome_total", outcomes, nil, "outcome", "success"),
			aborts:     made(counter, "finished_requests_by_outcome_total", outcomes, nil, "outcome", "abort"),
			failed:     made(counter, "finished_requests_by_outcome_total", outcomes, nil, "outcome", "other"),
			ttft:       made(histogram, "time_to_first_token_seconds", "Histogram of time to first token in seconds.", sglangTTFTBounds()),
			itl:        made(histogram, "inter_token_latency_seconds", "Histogram of inter-token latency in seconds.", sglangITLBounds()),
			e2e:        made(histogram, "e2e_request_latency_seconds", "Histogram of End-to-end request latency in seconds.", sglangE2EBounds()),
		}
	}
}

// collect is the tokenizer manager's collect_metrics at the end of a leg: the
// token counters move here, in one step.
func (v *sglangReporter) collect(r *Request, generated int, arrival, end time.Duration, outcome Outcome) {
	t := &v.tokenizer[r.Priority]
	t.requests.get().add(1)
	t.prompt.get().add(float64(r.InputTokens))
	t.generation.get().add(float64(generated))
	if v.s.instance.target.Role == Prefill && generated > 0 && r.CachedTokens > 0 {
		t.cached.get().add(float64(r.CachedTokens))
	}
	t.e2e.get().observe((end - arrival).Seconds())
	if !v.s.instance.group.FinishedByOutcome {
		return
	}
	switch outcome {
	case Finished:
		t.succeeded.get().add(1)
	case Aborted:
		t.aborts.get().add(1)
	default:
		t.failed.get().add(1)
	}
}

func (v *sglangReporter) stage(name string, took time.Duration) {
	v.stages[name].get().observe(took.Seconds())
}

func (v *sglangReporter) bootstrapped(r *Request) {
	v.stage("prefill_bootstrap", r.BootstrapDone-r.Arrival)
	v.bootstrap.get().observe(milliseconds(r.BootstrapDone - r.Arrival))
	v.alloc.get().observe(milliseconds(r.PrefillQueued - r.BootstrapDone))
}

func (v *sglangReporter) bootstrapFailed(r *Request) {
	v.bootstrapFailures.get().add(1)
	v.collect(r, 0, r.Arrival, v.s.instance.group.clock.now, BootstrapFailed)
}

func (v *sglangReporter) transferFailed(r *Request) {
	v.transferFailures.get().add(1)
	if v.s.instance.target.Role == Decode {
		for rank := range v.flagcxFRs {
			v.flagcxFRs[rank].get().add(1)
		}
	}
	v.collect(r, 0, r.Arrival, v.s.instance.group.clock.now, Lost)
}

// prefillStarted is the forming of a prefill batch, where the scheduler counts
// its tokens and logs.
func (v *sglangReporter) prefillStarted(r *Request) {
	computed, cached := float64(r.InputTokens-r.CachedTokens), float64(r.CachedTokens)
	v.queueTime.get().observe((r.PrefillStart - r.PrefillQueued).Seconds())
	v.computed.get().add(computed)
	v.reused.get().add(cached)
	v.effectiveInput.add(computed)
	v.effectiveHit.add(cached)
	v.lastHit = cached / float64(r.InputTokens)
	v.busyAt = r.PrefillStart
	v.set()
}

func (v *sglangReporter) prefillEnded(r *Request) {
	v.stage("prefill_forward", r.PrefillEnd-r.PrefillStart)
}

func (v *sglangReporter) transferred(r *Request) {
	took := r.TransferEnd - r.TransferStart
	v.latency.get().observe(milliseconds(took))
	v.stage("prefill_transfer_kv_cache", r.TransferEnd-r.PrefillEnd)
	ranks := len(v.volume)
	for rank := range ranks {
		bytes := float64(shard(r.Bytes, rank, ranks))
		v.volume[rank].get().observe(bytes / mebibyte)
		v.flagcxBytes[rank].get().add(bytes)
		v.flagcxTime[rank].get().add(took.Seconds())
		v.flagcxTransfers[rank].get().add(1)
		v.flagcxDescriptors[rank].get().add(descriptors(r))
		v.flagcxXferTime[rank].get().observe(took.Seconds())
		v.flagcxXferBytes[rank].get().observe(bytes)
		v.flagcxXferDescs[rank].get().observe(descriptors(r))
	}
	v.speed.get().observe(float64(shard(r.Bytes, 0, ranks)) / gibibyte / took.Seconds())
	v.collect(r, 1, r.Arrival, r.TransferEnd, Finished)
}

func (v *sglangReporter) decodeStarted(r *Request) {
	v.queueTime.get().observe((r.DecodeStart - r.DecodeQueued).Seconds())
	v.stage("decode_prepare", r.Preallocated-r.DecodeArrival)
	v.stage("decode_bootstrap", r.BootstrapDone-r.Preallocated)
	v.stage("decode_transferred", r.TransferEnd-r.BootstrapDone)
	v.stage("decode_waiting", r.DecodeStart-r.DecodeQueued)
}

func (v *sglangReporter) token(r *Request, interval time.Duration) {
	v.decoded.get().add(1)
	v.sinceLog++
	v.busyAt = r.LastToken
	if r.Produced == 1 {
		v.tokenizer[r.Priority].ttft.get().observe((r.FirstToken - r.DecodeArrival).Seconds())
	} else {
		v.tokenizer[r.Priority].itl.get().observe(interval.Seconds())
	}
}

func (v *sglangReporter) preempted(*Request) {
	v.retracted.get().add(1)
	v.retractedNow++
}

func (v *sglangReporter) finished(r *Request) {
	v.collect(r, r.Produced, r.DecodeArrival, r.LastToken, Finished)
}

// aborted: every abort is counted where it is asked for; only a running request
// reaches collect_metrics as well.
func (v *sglangReporter) aborted(r *Request, running bool) {
	v.tokenizer[r.Priority].aborted.get().add(1)
	if running {
		v.collect(r, r.Produced, r.DecodeArrival, r.LastToken, Aborted)
	}
}

// logged is the line after every 40 decode steps: the window gauges are of the
// time since the one before. Without work nothing is logged, and the last value
// stays until the idle refresh.
func (v *sglangReporter) logged(now time.Duration) {
	switch {
	case v.sinceLog > 0:
		v.lastPerSecond = float64(v.sinceLog) / (now - v.logAt).Seconds()
		v.lastRetracted = v.retractedNow
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
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

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
