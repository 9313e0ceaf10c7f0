package simulator

import (
	"math"
	"time"
)

// Gateway is a Dynamo frontend with a KV-aware router.
type Gateway struct {
	// PredictedHitShare is the share of each prompt that the router believes cached.
	// Left out, it knows what prefill will find.
	PredictedHitShare float64 `yaml:"predictedHitShare,omitempty"`
	// Queue gives the router a queue of its own, as Dynamo's --router-queue-threshold
	// does. There is always a worker with room, so that a request is in it only while
	// its worker is chosen.
	Queue bool `yaml:"queue,omitempty"`
}

// gateway is the frontend at work. A nil one counts nothing: there is none.
type gateway struct {
	Gateway
	clock  *clock
	page   *page
	models map[string]*gatewayModel

	requests, hits                           lazy
	overhead, hashing, index, sequence, pick lazy
	gone                                     *series
	pending                                  *series // nil without a queue
	pendingNow                               int
}

// gatewayModel is what the frontend shows of one model, from its first request on.
type gatewayModel struct {
	succeeded, failed, tokens      lazy
	ttft, itl, duration            lazy
	input, output, cached          lazy
	inflight, queued               lazy
	inflightNow, withoutFirstToken int
}

func newGateway(g *Gateway, c *clock, epoch time.Time) *gateway {
	if g == nil {
		return nil
	}
	made := &gateway{Gateway: *g, clock: c, page: newPage(epoch), models: map[string]*gatewayModel{}}
	router := labelSet{}.with("router_id", "0")
	component := router.with("dynamo_namespace", "dynamo", "dynamo_component", "router", "dynamo_endpoint", "generate")
	step := func(name, help string) lazy {
		return made.lazy(histogram, "dynamo_router_overhead_"+name+"_ms", help, routerBounds(), router)
	}
	made.requests = made.lazy(counter, "dynamo_component_router_requests_total", "Total number of requests processed by the router", nil, component)
	made.hits = made.lazy(histogram, "dynamo_component_router_kv_hit_rate", "Predicted KV cache hit rate at routing time (0.0-1.0)", hitRateBounds(), component)
	made.overhead = step("total", "Total routing overhead per request in milliseconds")
	made.hashing = step("block_hashing", "Time spent computing block hashes in milliseconds")
	made.index = step("indexer_find_matches", "Time spent in indexer find_matches in milliseconds")
	made.sequence = step("seq_hashing", "Time spent computing sequence hashes in milliseconds")
	made.pick = step("scheduling", "Time spent in scheduling in milliseconds")
	made.gone = made.page.family(gauge, "dynamo_frontend_disconnected_clients", "Number of disconnected clients", nil).with(labelSet{})
	if g.Queue {
		queue := made.page.family(gauge, "dynamo_frontend_router_queue_pending_requests", "Requests pending in the router's queue", nil)
		made.pending = queue.with(labelSet{}.with("worker_type", "prefill"))
		queue.with(labelSet{}.with("worker_type", "decode"))
	}
	return made
}

func (g *gateway) lazy(kind metricKind, name, help string, bounds []float64, labels labelSet) lazy {
	return lazy{family: g.page.family(kind, name, help, bounds), copies: []labelSet{labels}}
}

func (g *gateway) model(name string) *gatewayModel {
	if m, ok := g.models[name]; ok {
		return m
	}
	labels := labelSet{}.with("model", name)
	of := func(kind metricKind, name, help string, bounds []float64, pairs ...string) lazy {
		return g.lazy(kind, "dynamo_frontend_"+name, help, bounds, labels.with(pairs...))
	}
	ended := func(status, fault string) lazy {
		return of(counter, "requests_total", "Total number of LLM requests processed", nil,
			"endpoint", "chat_completions", "request_type", "stream", "status", status, "error_type", fault)
	}
	m := &gatewayModel{
		succeeded: ended("success", ""), failed: ended("error", "internal"),
		tokens:   of(counter, "output_tokens_total", "Total number of output tokens generated (updates in real-time)", nil),
		ttft:     of(histogram, "time_to_first_token_seconds", "Time to first token in seconds", gatewayBounds()),
		itl:      of(histogram, "inter_token_latency_seconds", "Inter-token latency in seconds", gatewayBounds()),
		duration: of(histogram, "request_duration_seconds", "Duration of LLM requests", gatewayBounds()),
		input:    of(histogram, "input_sequence_tokens", "Input sequence length in tokens", vllmTokenBounds()),
		output:   of(histogram, "output_sequence_tokens", "Output sequence length in tokens", vllmTokenBounds()),
		cached:   of(histogram, "cached_tokens", "Number of cached tokens (prefix cache hits) per request", vllmTokenBounds()),
		inflight: of(gauge, "inflight_requests", "Number of inflight requests", nil),
		queued:   of(gauge, "queued_requests", "Number of requests waiting for their first token", nil),
	}
	m.inflight.get()
	m.queued.get()
	g.models[name] = m
	return m
}

// arrived is the choice of a worker for a request.
func (g *gateway) arrived(r *Request) {
	if g == nil {
		return
	}
	m := g.model(r.Model)
	m.inflightNow++
	m.withoutFirstToken++
	predicted := g.PredictedHitShare
	if predicted == 0 {
		predicted = float64(r.CachedTokens) / float64(r.InputTokens)
	}
	blocks := float64(r.InputTokens) / 16 // of tokens
	hashing, index, sequence, pick := blocks/4000, blocks/9000, blocks/20000, 0.02
	g.requests.get().add(1)
	g.hits.get().observe(predicted)
	g.hashing.get().observe(hashing)
	g.index.get().observe(index)
	g.sequence.get().observe(sequence)
	g.pick.get().observe(pick)
	overhead := hashing + index + sequence + pick
	g.overhead.get().observe(overhead)
	if g.pending != nil {
		g.pendingNow++
		g.clock.after(seconds(overhead/1000), func() { g.pendingNow-- })
	}
}

// token is one piece of output that passes the gateway.
func (g *gateway) token(r *Request, interval time.Duration) {
	if g == nil {
		return
	}
	m := g.model(r.Model)
	m.tokens.get().add(1)
	if r.Produced == 1 {
		m.withoutFirstToken--
		m.ttft.get().observe((r.FirstToken - r.Arrival).Seconds())
		return
	}
	m.itl.get().observe(interval.Seconds())
}

// ended is the end of a response.
func (g *gateway) ended(r *Request) {
	if g == nil {
		return
	}
	m := g.model(r.Model)
	m.inflightNow--
	if r.Produced == 0 {
		m.withoutFirstToken--
	}
	switch r.Outcome {
	case Finished:
		m.succeeded.get().add(1)
		m.cached.get().observe(float64(r.CachedTokens))
	case Aborted:
		g.gone.add(1)
		m.succeeded.get().add(1) // the client left, the gateway did its part
	default:
		m.failed.get().add(1)
	}
	m.input.get().observe(float64(r.InputTokens))
	m.output.get().observe(float64(r.Produced))
	m.duration.get().observe((r.Ended - r.Arrival).Seconds())
}

func (g *gateway) refresh() {
	if g.pending != nil {
		g.pending.set(float64(g.pendingNow))
	}
	for _, m := range g.models {
		m.inflight.get().set(float64(m.inflightNow))
		m.queued.get().set(float64(m.withoutFirstToken))
	}
}

// endpoints is the frontend's own, none without a gateway.
func (g *gateway) endpoints() []endpoint {
	if g == nil {
		return nil
	}
	return []endpoint{{
		target: Target{Name: "frontend:8000", Job: "dynamo"},
		page:   func() *page { return g.page }, refresh: g.refresh, down: neverDown,
	}}
}

func gatewayBounds() []float64 {
	return []float64{.001, .0022, .0047, .01, .022, .047, .1, .22, .47, 1, 2.2, 4.7, 10, 22, 48, 100, 220, 480}
}

func hitRateBounds() []float64 {
	var bounds []float64
	for n := range 21 {
		bounds = append(bounds, math.Round(float64(n)*5)/100)
	}
	return bounds
}

func routerBounds() []float64 {
	var bounds []float64
	for n := range 17 {
		bounds = append(bounds, 0.01*math.Pow(3, float64(n)))
	}
	return bounds
}
