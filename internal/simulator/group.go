package simulator

import (
	"math"
	"math/rand/v2"
	"time"
)

// group runs one model: it makes requests, routes them, and keeps them.
type group struct {
	Group
	clock     *clock
	gateway   *gateway
	rng       *rand.Rand
	instances map[Role][]*instance
	routed    map[Role]int
	nextID    int
	requests  []*Request // by ID, those not forgotten
}

// instance is one server: an endpoint with a page of its own.
type instance struct {
	group      *group
	target     Target
	index      int
	schedulers []*scheduler
	host       *host
	stores     []store
	page       *page
	started    time.Duration
	down       bool
}

// newGroup expects a group with its defaults filled in.
func newGroup(g Group, seed uint64, index int, c *clock, front *gateway, epoch time.Time) *group {
	made := &group{
		Group: g, clock: c, gateway: front,
		rng:       rand.New(rand.NewPCG(seed, uint64(index)+1)),
		instances: map[Role][]*instance{},
		routed:    map[Role]int{},
	}
	for _, leg := range []struct {
		role   Role
		limits Instances
	}{{Prefill, g.PrefillInstances}, {Decode, g.DecodeInstances}} {
		for i := range leg.limits.Count {
			inst := &instance{group: made, index: i, target: Target{
				Name: g.instanceName(leg.role, i), Job: g.Job, Role: leg.role, Model: g.Model, Engine: g.Engine,
			}}
			for dp := range leg.limits.DP {
				inst.schedulers = append(inst.schedulers, &scheduler{instance: inst, dp: dp, limits: leg.limits})
			}
			inst.boot(epoch)
			if g.Devices {
				inst.host = newHost(inst, epoch)
			}
			made.instances[leg.role] = append(made.instances[leg.role], inst)
		}
	}
	made.planArrival()
	if r := g.Restart; r != nil {
		made.planRestart(*r, epoch)
	}
	if g.Engine == SGLang {
		for _, inst := range made.instances[Decode] {
			made.planDecodeLog(inst)
		}
	}
	return made
}

// boot gives the instance a fresh page, as a new process has.
func (i *instance) boot(epoch time.Time) {
	i.started = i.group.clock.now
	i.page = newPage(epoch.Add(i.started))
	for _, s := range i.schedulers {
		s.kvCached = 0
		if i.group.Engine == VLLM {
			s.report = newVLLMReporter(s)
		} else {
			s.report = newSGLangReporter(s)
		}
	}
}

// planArrival plans the next request. Times between arrivals are gamma
// distributed; none arrives in the idle gap.
func (g *group) planArrival() {
	wait := 0.0
	for range g.ArrivalShape {
		wait -= math.Log(1 - g.rng.Float64())
	}
	wait /= float64(g.ArrivalShape) * g.RequestRate
	at := g.clock.now + time.Duration(wait*float64(time.Second))
	if gap := g.IdleGap; gap != nil && at >= gap.From && at < gap.To {
		at += gap.To - gap.From
	}
	g.clock.at(at, func() {
		g.arrive()
		g.planArrival()
	})
}

// arrive draws a request and sends it to its engines. All draws happen here, so
// that what one request meets does not change the next one.
func (g *group) arrive() {
	r := g.draw()
	prefill := g.route(Prefill)
	if prefill == nil {
		// Nobody is there to serve it: the client's connection is refused.
		return
	}
	r.prefill, r.PrefillInstance, r.PrefillDP = prefill, prefill.instance.target.Name, prefill.dp
	if g.Engine == SGLang && !g.sendToDecode(r) {
		return
	}
	g.nextID++
	g.requests = append(g.requests, r)
	g.gateway.arrived(r)
	if g.Engine == SGLang {
		g.startBootstrap(r)
		return
	}
	r.PrefillQueued = r.Arrival
	g.queueForPrefill(r)
}

func (g *group) draw() *Request {
	r := &Request{
		ID: g.nextID, Model: g.Model, Engine: g.Engine, Outcome: Open,
		InputTokens: g.between(g.InputTokens), OutputTokens: g.between(g.OutputTokens),
		Arrival: g.clock.now, step: g.InterTokenLatency,
		BootstrapDone: never, PrefillQueued: never, PrefillStart: never, PrefillEnd: never,
		TransferStart: never, TransferEnd: never, DecodeArrival: never, Preallocated: never,
		DecodeQueued: never, DecodeStart: never, FirstToken: never, LastToken: never,
		Ended: never,
	}
	// Whole blocks of 16 tokens are cached, and one token is always computed.
	hit := float64(r.InputTokens) * g.PrefixHitShare * g.around(0.1)
	r.CachedTokens = min(int(hit)/16*16, (r.InputTokens-1)/16*16)
	g.placeHits(r)
	r.Bytes = int64(float64(g.BytesPerRequest) * float64(r.InputTokens) / g.InputTokens.mean())
	if g.InputTokens.Min == g.InputTokens.Max {
		r.Bytes = g.BytesPerRequest
	}

	computed := float64(r.InputTokens - r.CachedTokens)
	r.compute = seconds(computed / g.PrefillTokensPerSecond * g.around(0.05))
	r.transfer = 500*time.Microsecond + seconds(float64(r.Bytes)/g.TransferBytesPerSecond*g.around(0.03))
	r.bootstrap = time.Duration(float64(g.BootstrapTime) * g.around(0.5))
	r.alloc = time.Duration(float64(500*time.Microsecond) * g.around(0.6))
	r.prefillRound = time.Duration(g.rng.Float64() * float64(5*time.Millisecond))
	r.decodeRound = time.Duration(g.rng.Float64() * float64(g.InterTokenLatency))
	r.pause = time.Duration(float64(g.PreemptionPause) * (1 + g.rng.Float64()))

	aborts, inQueue := g.rng.Float64() < g.AbortShare, g.rng.Float64() < 0.25
	abortAt, preempts, preemptAt := g.rng.Float64(), g.rng.Float64() < g.PreemptionShare, g.rng.Float64()
	r.failsBootstrap = g.rng.Float64() < g.BootstrapFailureShare
	priority := g.rng.IntN(priorities)
	if g.PriorityScheduling {
		r.Priority = priority
	}
	if g.Speculation != nil {
		r.acceptance = g.Speculation.Acceptance
	}
	// Neither takes the last token: it would have finished then.
	amid := func(share float64) int { return int(share*float64(r.OutputTokens-1)) + 1 }
	if aborts && inQueue {
		r.abortInQueue = true
	} else if aborts && r.OutputTokens > 1 {
		r.abortAfter = amid(abortAt)
	}
	if preempts && r.OutputTokens > 1 {
		r.preemptAfter = amid(preemptAt)
	}
	return r
}

// around is a random factor with mean 1 within the given share.
func (g *group) around(share float64) float64 { return 1 + share*(2*g.rng.Float64()-1) }

func (g *group) between(r Range) int { return r.Min + g.rng.IntN(r.Max-r.Min+1) }

// route picks the schedulers of a role in turn, passing over instances which are
// down; nil if all are.
func (g *group) route(role Role) *scheduler {
	instances := g.instances[role]
	for range instances {
		n := g.routed[role]
		g.routed[role]++
		inst := instances[n%len(instances)]
		if !inst.down {
			return inst.schedulers[n/len(instances)%len(inst.schedulers)]
		}
	}
	return nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
