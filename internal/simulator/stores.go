package simulator

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// store keeps KV beyond the GPU for one prefill engine. What it brings back does not
// shorten a prefill: the times of a request are the same with it and without.
type store interface {
	// lookedUp: the prompt enters prefill's batch, and what the prefix cache lacks of
	// it is asked for.
	lookedUp(r *Request)
	// computed: the prompt's KV is there and what was not found is kept.
	computed(r *Request)
	// endpoints are the targets of the store's own.
	endpoints() []endpoint
}

// storeStream sets the draws of stores apart from those of requests, which are numbered
// by group: a store changes nothing else.
const storeStream = 1 << 32

// addStores gives every prefill engine the stores of its kind, and returns the targets
// that belong to no engine.
func (s *Simulation) addStores(c Cluster, epoch time.Time) []endpoint {
	var own []endpoint
	var master *mooncakeMaster
	if c.Mooncake != nil {
		master = newMooncakeMaster(*c.Mooncake, rand.New(rand.NewPCG(c.Seed, storeStream)), &s.clock, epoch)
	}
	for i, g := range s.groups {
		for _, inst := range g.instances[Prefill] {
			rng := rand.New(rand.NewPCG(c.Seed, storeStream+uint64(i+1)<<16+uint64(inst.index)))
			if c.LMCacheMP != nil && g.Engine == VLLM {
				inst.stores = append(inst.stores, newLMCacheServer(*c.LMCacheMP, inst, rng, epoch))
			}
			if master != nil && g.Engine == SGLang {
				inst.stores = append(inst.stores, newMooncakeClient(master, inst, rng, epoch))
			}
			for _, kept := range inst.stores {
				own = append(own, kept.endpoints()...)
			}
		}
	}
	if master != nil {
		master.fill()
		own = append(own, master.endpoint())
	}
	return own
}

// beside is a target on the host of an engine, under the engine's name and a port.
func (i *instance) beside(job string, port int, p *page, refresh func()) endpoint {
	return endpoint{
		target: Target{Name: fmt.Sprintf("%s:%d", i.target.Name, port), Job: job},
		page:   func() *page { return p }, refresh: refresh, down: neverDown,
	}
}

// tokenBytes is the KV cache of one token over all ranks.
func (g *Group) tokenBytes() float64 { return float64(g.BytesPerRequest) / g.InputTokens.mean() }

// due turns a share into whole pieces: what is not handed out yet is kept for the next
// time, so that the share holds over many requests.
type due struct{ tokens float64 }

// take adds tokens to what is due and hands out whole pieces of it, at most most of them.
func (d *due) take(tokens float64, piece, most int) int {
	d.tokens += tokens
	pieces := min(int(d.tokens)/piece, most)
	d.tokens -= float64(pieces * piece)
	return pieces
}

// around is a random factor with mean 1 within the given share.
func around(rng *rand.Rand, share float64) float64 { return 1 + share*(2*rng.Float64()-1) }

// checkStores refuses stores that cannot be simulated, and fills what was left out.
func (c Cluster) checkStores() (Cluster, error) {
	var err error
	if c.LMCacheMP != nil {
		if c.LMCacheMP, err = c.LMCacheMP.withDefaults(c.Groups); err != nil {
			return c, fmt.Errorf("lmcacheMP%w", err)
		}
	}
	if c.Mooncake != nil {
		if c.Mooncake, err = c.Mooncake.withDefaults(c.Groups); err != nil {
			return c, fmt.Errorf("mooncake%w", err)
		}
	}
	return c, nil
}

// served finds the groups of an engine; the error says that there is none.
func served(groups []Group, engine Engine) ([]Group, error) {
	var found []Group
	for _, g := range groups {
		if g.Engine == engine {
			found = append(found, g)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf(" is given, but no group is of %s: leave it out, or describe such a group", engine)
	}
	return found, nil
}
