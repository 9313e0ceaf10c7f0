package simulator

import (
	"strconv"
	"time"
)

// tokenizerMetrics are those of the tokenizer manager: one copy per server, no
// rank labels. With priority scheduling each priority has its own.
type tokenizerMetrics struct {
	requests, prompt, generation, aborted   lazy
	cachedDevice, cachedHost, cachedStorage lazy
	succeeded, failed, aborts               lazy
	ttft, itl, e2e                          lazy
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
		const outcomes, cached = "Number of finished requests by outcome.", "Number of cached prompt tokens."
		v.tokenizer[priority] = tokenizerMetrics{
			prompt:        made(counter, "prompt_tokens_total", "Number of prefill tokens processed.", nil),
			generation:    made(counter, "generation_tokens_total", "Number of generation tokens processed.", nil),
			cachedDevice:  made(counter, "cached_tokens_total", cached, nil, "cache_source", "device"),
			cachedHost:    made(counter, "cached_tokens_total", cached, nil, "cache_source", "host"),
			cachedStorage: made(counter, "cached_tokens_total", cached, nil, "cache_source", "storage"),
			requests:      made(counter, "num_requests_total", "Number of requests processed.", nil),
			aborted:       made(counter, "num_aborted_requests_total", "Number of requests aborted.", nil),
			succeeded:     made(counter, "finished_requests_by_outcome_total", outcomes, nil, "outcome", "success"),
			aborts:        made(counter, "finished_requests_by_outcome_total", outcomes, nil, "outcome", "abort"),
			failed:        made(counter, "finished_requests_by_outcome_total", outcomes, nil, "outcome", "other"),
			ttft:          made(histogram, "time_to_first_token_seconds", "Histogram of time to first token in seconds.", sglangTTFTBounds()),
			itl:           made(histogram, "inter_token_latency_seconds", "Histogram of inter-token latency in seconds.", sglangITLBounds()),
			e2e:           made(histogram, "e2e_request_latency_seconds", "Histogram of End-to-end request latency in seconds.", sglangE2EBounds()),
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
	if v.s.instance.target.Role == Prefill && generated > 0 {
		for _, found := range []struct {
			in     *lazy
			tokens int
		}{{&t.cachedDevice, r.deviceTokens()}, {&t.cachedHost, r.HostTokens}, {&t.cachedStorage, r.StorageTokens}} {
			if found.tokens > 0 {
				found.in.get().add(float64(found.tokens))
			}
		}
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
