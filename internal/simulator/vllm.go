package simulator

import (
	"strconv"
	"time"
)

// vllmReporter counts as vLLM V1's API server does for one engine core: labels
// model_name and engine, no ranks, all series there from the start, _created
// beside counters and histograms. A prefill leg is to it a whole request with one
// output token.
type vllmReporter struct {
	noHandshake
	noLog
	s *scheduler

	running, waiting, waitingCapacity, waitingDeferred, kvUsage *series

	promptTokens, generationTokens, promptCached    *series
	fromCompute, fromCache, fromTransfer            *series
	cacheQueries, cacheHits                         *series
	externalQueries, externalHits, preemptions      *series
	success                                         map[string]*series
	ttft, itl, tpot, e2e                            *series
	queueTime, prefillTime, decodeTime, inference   *series
	promptLength, generationLength, iterationTokens *series

	connector vllmConnector
	tiers     []vllmTier
	drafts    vllmDrafts

	stepBegan  time.Duration
	stepTokens int
}

func newVLLMReporter(s *scheduler) *vllmReporter {
	v := &vllmReporter{s: s, success: map[string]*series{}}
	p := s.instance.page
	base := labelSet{}.with("engine", strconv.Itoa(s.dp), "model_name", s.instance.target.Model)
	made := func(kind metricKind, name, help string, bounds []float64, pairs ...string) *series {
		f := p.family(kind, "vllm:"+name, help, bounds)
		f.createdSeries = true
		return f.with(base.with(pairs...))
	}
	g := func(name, help string, pairs ...string) *series { return made(gauge, name, help, nil, pairs...) }
	c := func(name, help string, pairs ...string) *series { return made(counter, name, help, nil, pairs...) }
	h := func(name, help string, bounds []float64) *series { return made(histogram, name, help, bounds) }

	v.running = g("num_requests_running", "Number of requests in model execution batches.")
	v.waiting = g("num_requests_waiting", "Number of requests waiting to be processed.")
	const byReason = "Number of requests waiting to be processed, by reason."
	v.waitingCapacity = g("num_requests_waiting_by_reason", byReason, "reason", "capacity")
	v.waitingDeferred = g("num_requests_waiting_by_reason", byReason, "reason", "deferred")
	v.kvUsage = g("kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.")

	v.cacheQueries = c("prefix_cache_queries_total", "Prefix cache queries, in terms of number of queried tokens.")
	v.cacheHits = c("prefix_cache_hits_total", "Prefix cache hits, in terms of number of cached tokens.")
	v.externalQueries = c("external_prefix_cache_queries_total", "External prefix cache queries from KV connector cross-instance cache sharing, in terms of number of queried tokens.")
	v.externalHits = c("external_prefix_cache_hits_total", "External prefix cache hits from KV connector cross-instance cache sharing, in terms of number of cached tokens.")
	v.preemptions = c("num_preemptions_total", "Cumulative number of preemption from the engine.")
	v.promptTokens = c("prompt_tokens_total", "Number of prefill tokens processed.")
	const bySource = "Number of prompt tokens by source."
	v.fromCompute = c("prompt_tokens_by_source_total", bySource, "source", "local_compute")
	v.fromCache = c("prompt_tokens_by_source_total", bySource, "source", "local_cache_hit")
	v.fromTransfer = c("prompt_tokens_by_source_total", bySource, "source", "external_kv_transfer")
	v.promptCached = c("prompt_tokens_cached_total", "Number of cached prompt tokens (local + external).")
	v.generationTokens = c("generation_tokens_total", "Number of generation tokens processed.")
	for _, reason := range []string{"stop", "length", "abort", "error", "repetition"} {
		v.success[reason] = c("request_success_total", "Count of successfully processed requests.", "finished_reason", reason)
	}

	v.iterationTokens = h("iteration_tokens_total", "Histogram of number of tokens per engine_step.", vllmIterationBounds())
	v.promptLength = h("request_prompt_tokens", "Number of prefill tokens processed.", vllmTokenBounds())
	v.generationLength = h("request_generation_tokens", "Number of generation tokens processed.", vllmTokenBounds())
	v.ttft = h("time_to_first_token_seconds", "Histogram of time to first token in seconds.", vllmTTFTBounds())
	v.itl = h("inter_token_latency_seconds", "Histogram of inter-token latency in seconds.", vllmITLBounds())
	v.tpot = h("request_time_per_output_token_seconds", "Histogram of time_per_output_token_seconds per request.", vllmITLBounds())
	v.e2e = h("e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.", vllmRequestBounds())
	v.queueTime = h("request_queue_time_seconds", "Histogram of time spent in WAITING phase for request.", vllmRequestBounds())
	v.inference = h("request_inference_time_seconds", "Histogram of time spent in RUNNING phase for request.", vllmRequestBounds())
	v.prefillTime = h("request_prefill_time_seconds", "Histogram of time spent in PREFILL phase for request.", vllmRequestBounds())
	v.decodeTime = h("request_decode_time_seconds", "Histogram of time spent in DECODE phase for request.", vllmRequestBounds())

	v.connector = newVLLMConnector(s, c, h)
	v.tiers = newVLLMTiers(s, g, c)
	v.drafts = newVLLMDrafts(s, c)
	return v
}

func (v *vllmReporter) prefillStarted(r *Request) {
	v.cacheQueries.add(float64(r.InputTokens))
	v.cacheHits.add(float64(r.deviceTokens()))
	v.externalQueries.add(float64(r.InputTokens - r.deviceTokens()))
	v.externalHits.add(float64(r.loadedTokens()))
	for _, t := range v.tiers {
		t.prefillStarted(r)
	}
}

// prefillEnded is for vLLM the end of a request: max_tokens=1 is reached.
func (v *vllmReporter) prefillEnded(r *Request) {
	computed := float64(r.InputTokens - r.CachedTokens)
	v.iterationTokens.observe(computed)
	v.promptTokens.add(float64(r.InputTokens))
	v.fromCompute.add(computed)
	v.fromCache.add(float64(r.deviceTokens()))
	v.fromTransfer.add(float64(r.loadedTokens()))
	v.promptCached.add(float64(r.CachedTokens))
	v.generationTokens.add(1)
	v.ttft.observe((r.PrefillEnd - r.Arrival).Seconds())
	v.done("length", r, 1, r.Arrival, r.PrefillStart, r.PrefillEnd, r.PrefillEnd)
	for _, t := range v.tiers {
		t.prefillEnded(r)
	}
}

// done observes what vLLM observes once per finished request.
func (v *vllmReporter) done(reason string, r *Request, output int, arrival, scheduled, first, last time.Duration) {
	v.success[reason].add(1)
	v.e2e.observe((last - arrival).Seconds())
	v.queueTime.observe((scheduled - arrival).Seconds())
	v.prefillTime.observe((first - scheduled).Seconds())
	v.inference.observe((last - scheduled).Seconds())
	v.decodeTime.observe((last - first).Seconds())
	tpot := 0.0
	if output > 1 {
		tpot = (last - first).Seconds() / float64(output-1)
	}
	v.tpot.observe(tpot)
	v.promptLength.observe(float64(r.InputTokens))
	v.generationLength.observe(float64(output))
}

func (v *vllmReporter) transferred(r *Request)    { v.connector.transferred(r) }
func (v *vllmReporter) transferFailed(r *Request) { v.connector.failed(r) }

func (v *vllmReporter) expired(*Request) { v.connector.expired() }

func (v *vllmReporter) decodeStarted(r *Request) {
	v.cacheQueries.add(float64(r.InputTokens))
	v.externalQueries.add(float64(r.InputTokens))
	v.externalHits.add(float64(r.InputTokens))
}

func (v *vllmReporter) token(r *Request, interval time.Duration) {
	v.generationTokens.add(1)
	if r.Produced == 1 {
		v.promptTokens.add(float64(r.InputTokens))
		v.fromTransfer.add(float64(r.InputTokens))
		v.promptCached.add(float64(r.InputTokens))
		v.ttft.observe((r.FirstToken - r.DecodeArrival).Seconds())
	} else {
		v.itl.observe(interval.Seconds())
	}
	for _, t := range v.tiers {
		t.token(r)
	}
	v.stepTokens++
	if now := r.LastToken; now-v.stepBegan >= r.step {
		v.iterationTokens.observe(float64(v.stepTokens))
		v.stepBegan, v.stepTokens = now, 0
	}
}

// evicted: vLLM does not count what its prefix cache loses.
func (v *vllmReporter) evicted(int) {}

func (v *vllmReporter) drafted(r *Request, accepted int) {
	v.drafts.verified(len(r.acceptance), accepted)
}

func (v *vllmReporter) preempted(*Request) { v.preemptions.add(1) }

func (v *vllmReporter) finished(r *Request) {
	v.done("stop", r, r.Produced, r.DecodeArrival, r.DecodeStart, r.FirstToken, r.LastToken)
}

func (v *vllmReporter) aborted(r *Request, running bool) {
	if running {
		v.done("abort", r, r.Produced, r.DecodeArrival, r.DecodeStart, r.FirstToken, r.LastToken)
		return
	}
	// It never ran: there is a total time, and no time of a phase.
	v.success["abort"].add(1)
	v.e2e.observe((v.s.instance.group.clock.now - r.Arrival).Seconds())
}

func (v *vllmReporter) refresh() {
	s := v.s
	capacity := s.in(prefillQueued, preallocating, decodeQueued, preempted)
	deferred := s.in(receiving)
	v.running.set(float64(s.in(prefillRunning, decodeRunning)))
	v.waiting.set(float64(capacity + deferred))
	v.waitingCapacity.set(float64(capacity))
	v.waitingDeferred.set(float64(deferred))
	v.kvUsage.set(float64(s.kvUsed) / float64(s.limits.KVTokens))
	for _, t := range v.tiers {
		t.refresh()
	}
}
