package simulator

import "fmt"

// HostCache keeps KV caches in host memory and in storage beyond, so that prefill finds
// a part of its hits there. SGLang exports it as HiCache. vLLM exports it as its KV
// offloading connector, its simple CPU offload and LMCache, each as if it were alone,
// and has HiSparse on decode: no real engine runs them all, but each shows its metrics.
type HostCache struct {
	// HostShare and StorageShare are the parts of the prompt tokens found by prefill
	// that lie in host memory and in storage, together at most 1; the others are in GPU
	// memory. Default 0.3 and 0.2.
	HostShare    float64 `yaml:"hostShare,omitempty"`
	StorageShare float64 `yaml:"storageShare,omitempty"`
	// Tokens is the host pool of one scheduler in tokens; default twice its KV cache.
	Tokens int `yaml:"tokens,omitempty"`
}

// withDefaults fills what was left out of a cache and refuses what cannot be; bad words
// the error.
func (h HostCache) withDefaults(g Group, bad func(name string, value any, remedy string) error) (*HostCache, error) {
	setDefault(&h.HostShare, 0.3)
	setDefault(&h.StorageShare, 0.2)
	if !(h.HostShare >= 0 && h.StorageShare >= 0 && h.HostShare+h.StorageShare <= 1) {
		return nil, bad("hostCache", fmt.Sprintf("{hostShare: %v, storageShare: %v}", h.HostShare, h.StorageShare), "give shares from 0 to 1 whose sum is at most 1")
	}
	if need := g.InputTokens.Max + g.OutputTokens.Max; h.Tokens != 0 && h.Tokens < need {
		return nil, bad("hostCache.tokens", h.Tokens, fmt.Sprintf("the largest request needs %d", need))
	}
	return &h, nil
}

// hostPool is the host memory of a scheduler in tokens. When it is full, the oldest
// twentieth makes room for what comes next.
type hostPool struct{ capacity, used int }

func newHostPool(s *scheduler) hostPool {
	capacity := s.instance.group.HostCache.Tokens
	setDefault(&capacity, 2*s.limits.KVTokens)
	return hostPool{capacity: capacity}
}

// keep adds tokens and returns how many had to go for them.
func (p *hostPool) keep(tokens int) (evicted int) {
	p.used += tokens
	if p.used <= p.capacity {
		return 0
	}
	evicted = p.used - (p.capacity - p.capacity/20)
	p.used -= evicted
	return evicted
}
