package simulator

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/model"
)

// Scenario is a cluster with one fault, or with none.
type Scenario struct {
	Name string
	// About says what is wrong and what that does, in one line.
	About   string
	Cluster Cluster
}

// Healthy is the scenario that the demo shows unless it is asked for another.
const Healthy = "healthy"

// Scenarios lists all scenarios, the healthy ones first.
func Scenarios() []Scenario {
	return []Scenario{
		{Healthy, "three models with room to spare", healthy()},
		{"healthy-full-cache", "decode's KV cache is full and nothing is lost for it", small(fullCache)},
		{"idle", "no more requests arrive", small(func(g *Group) {
			g.IdleGap = &Gap{From: time.Minute, To: forGood}
		})},
		{"restart", "one prefill server of two restarts once", small(func(g *Group) {
			g.PrefillInstances.Count = 2
			g.Restart = &Restart{Instance: g.instance(Prefill), At: 5 * time.Minute, Down: 20 * time.Second}
		})},
		{"prefill-bound", "prefill computes fewer prompts than arrive", small(func(g *Group) {
			g.PrefillInstances.Slots, g.PrefillTokensPerSecond = 1, 16_000
		})},
		{"transfer-bound", "the link carries less KV than prefill computes", small(func(g *Group) {
			g.PrefillInstances.TransferSlots, g.TransferBytesPerSecond = 1, 2.5*float64(g.BytesPerRequest)
			g.PrefillInstances.KVTokens = roomy
		})},
		{"decode-bound", "decode finishes fewer requests than prefill hands over", small(func(g *Group) {
			g.DecodeInstances.Slots = 3
			g.PrefillInstances.KVTokens, g.DecodeInstances.KVTokens = roomy, roomy
		})},
		{"prealloc-back-pressure", "decode has little KV memory, so prefill cannot hand over", small(littleMemory)},
		{"slow-decode", "a decode step takes longer than users expect between tokens", small(func(g *Group) {
			g.InterTokenLatency = 130 * time.Millisecond
		})},
		{"thrash", "decode admits more requests than it has KV memory for their output", small(thrash)},
		{"kv-expiry", "decode fetches KV caches too late, so prefill gives them up", small(func(g *Group) {
			littleMemory(g)
			g.KVLease = 10 * time.Second
			if g.Engine == VLLM {
				g.Connector = NIXL
			}
		})},
		{"bootstrap-failures", "one handshake in five between prefill and decode fails", small(func(g *Group) {
			if g.Engine == SGLang {
				g.BootstrapFailureShare = 0.2
			}
		})},
		{"router-drift", "the router believes prefixes cached that prefill does not find", drift()},
		{"nic-congestion", "the network between prefill and decode is congested and loses packets", small(func(g *Group) {
			g.LinkFault = &LinkFault{From: time.Minute, Slowdown: 3, LossShare: 0.001}
		})},
		{"straggler-gpu", "one GPU of prefill is too hot and holds up its group", small(func(g *Group) {
			g.Straggler = &Straggler{Instance: g.instance(Prefill), GPU: 2, From: time.Minute, Slowdown: 1.8}
		})},
		{"restart-storm", "a GPU fails again and again, and its decode server with it", small(func(g *Group) {
			g.Restart = &Restart{Instance: g.instance(Decode), At: time.Minute, Down: 3 * time.Second, Every: 10 * time.Second, Times: 10_000, XID: 79}
		})},
		{"prefill-down", "no prefill server answers any more", small(func(g *Group) {
			g.Restart = &Restart{Instance: g.instance(Prefill), At: 2 * time.Minute, Down: forGood}
		})},
	}
}

// forGood is longer than any run.
const forGood = 1000 * time.Hour

// When says at which times of a run, counted from its start, what is wrong is so; "" if it
// is so all the time.
func (s Scenario) When() string {
	g := s.Cluster.Groups[0] // the groups of a scenario are changed alike
	switch {
	case g.IdleGap != nil:
		return span(g.IdleGap.From, g.IdleGap.To)
	case g.LinkFault != nil:
		return span(g.LinkFault.From, cmp.Or(g.LinkFault.To, forGood))
	case g.Straggler != nil:
		return fmt.Sprintf("GPU %d of %s, %s", g.Straggler.GPU, ofEach(g.Straggler.Instance), span(g.Straggler.From, forGood))
	case g.Restart != nil && g.Restart.Times > 1:
		r := g.Restart
		return fmt.Sprintf("%s is away for %s at %s and again every %s, %d times in all",
			ofEach(r.Instance), model.Duration(r.Down), model.Duration(r.At), model.Duration(r.Every), r.Times)
	case g.Restart != nil:
		return fmt.Sprintf("%s is away %s", ofEach(g.Restart.Instance), span(g.Restart.At, g.Restart.At+g.Restart.Down))
	case g.KVLease != 0:
		return fmt.Sprintf("all the time, %s after a prompt is computed", model.Duration(g.KVLease))
	}
	return ""
}

func span(from, to time.Duration) string {
	if to >= forGood {
		return fmt.Sprintf("from %s on", model.Duration(from))
	}
	return fmt.Sprintf("from %s to %s", model.Duration(from), model.Duration(to))
}

// ofEach names an instance without its group: every group has one of that name.
func ofEach(instance string) string {
	name, _, _ := strings.Cut(instance, ".")
	return name + " of each model"
}

// roomy is KV memory that a backlog does not fill for half an hour, in tokens.
const roomy = 10_000_000

// instance is the first server of a role.
func (g *Group) instance(role Role) string {
	named := *g
	setDefault(&named.InstanceName, defaultInstanceName)
	return named.instanceName(role, 0)
}

// healthy is the default cluster with its hosts, their caches, a gateway, stores and
// whatever else a panel asks for.
func healthy() Cluster {
	c := DefaultCluster()
	c.Gateway = &Gateway{Queue: true}
	c.LMCacheMP = &LMCacheMP{HostHitShare: 0.35, StorageHitShare: 0.15, LossShare: 0.02}
	c.Mooncake = &Mooncake{HitShare: 0.25, LossShare: 0.02}
	for i := range c.Groups {
		g := &c.Groups[i]
		g.Devices, g.LinkFields = true, true
		g.HostCache = &HostCache{}
		if g.Engine == SGLang {
			// Most batches fit into a graph, some do not.
			g.CUDAGraphBatch = 24
			if g.DecodeInstances.DP > 1 {
				g.CUDAGraphBatch = 8
			}
		}
	}
	c.Groups[0].Speculation = &Speculation{Acceptance: []float64{0.8, 0.6, 0.42}}
	c.Groups[2].Speculation = &Speculation{Acceptance: []float64{0.85}}
	return c
}

// fullCache is decode at work on as many long answers as its memory holds: equal
// requests at an even pace keep their number.
func fullCache(g *Group) {
	g.RequestRate, g.ArrivalShape = 2, 4000
	g.OutputTokens = Fixed(1000)
	g.AbortShare, g.PreemptionShare, g.BootstrapFailureShare = 0, 0, 0
	at := g.RequestRate * 1000 * g.InterTokenLatency.Seconds() // requests at a time
	g.DecodeInstances.KVTokens = int((at + 1.5) * float64(g.InputTokens.Max+g.OutputTokens.Max))
}

// littleMemory is decode whose memory holds fewer requests than arrive.
func littleMemory(g *Group) {
	g.OutputTokens = Range{150, 250}
	g.DecodeInstances.KVTokens = 5 * (g.InputTokens.Max + g.OutputTokens.Max)
}

// thrash is short prompts with long answers: what decode needs comes after it has
// admitted them.
func thrash(g *Group) {
	g.InputTokens, g.OutputTokens = Fixed(2048), Range{1500, 2500}
	g.BytesPerRequest /= 4
	g.RequestRate, g.PreemptionShare = 2, 0
	g.DecodeInstances.KVGrows, g.DecodeInstances.KVTokens = true, 120_000
}

// drift is a router whose view of the caches is old.
func drift() Cluster {
	c := small(func(g *Group) { g.PrefixHitShare = 0.05 })
	c.Gateway.PredictedHitShare = 0.6
	return c
}

// ScenarioNamed finds a scenario; the error lists them.
func ScenarioNamed(name string) (Scenario, error) {
	var names []string
	for _, s := range Scenarios() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Scenario{}, fmt.Errorf("no scenario is named %q: choose one of %s", name, strings.Join(names, ", "))
}

// small is a model on each engine, one prefill and one decode server each, with room
// to spare, each changed alike. The models and their sizes are those of the default
// cluster, so that the same settings fit.
func small(change func(*Group)) Cluster {
	groups := []Group{
		{
			Name: "llama", Model: "meta-llama/Llama-3.1-70B-Instruct", Engine: VLLM,
			PrefillTokensPerSecond: 45_000, InterTokenLatency: 12 * time.Millisecond,
			BytesPerRequest: 2_684_354_560, TransferBytesPerSecond: 55e9,
		},
		{
			Name: "qwen", Model: "Qwen/Qwen2.5-32B-Instruct", Engine: SGLang,
			PrefillTokensPerSecond: 45_000, InterTokenLatency: 12 * time.Millisecond,
			BytesPerRequest: 2_147_483_648, TransferBytesPerSecond: 45e9,
			BootstrapFailureShare: 0.005,
		},
	}
	for i := range groups {
		g := &groups[i]
		g.RequestRate, g.InputTokens, g.OutputTokens = 3, Fixed(8192), Range{60, 140}
		g.PrefixHitShare, g.AbortShare, g.PreemptionShare = 0.25, 0.01, 0.02
		g.PrefillInstances = Instances{Count: 1, TP: 4, Slots: 3, TransferSlots: 2}
		g.DecodeInstances = Instances{Count: 1, TP: 4}
		g.Devices = true
		change(g)
	}
	return Cluster{Seed: 1, Groups: groups, Gateway: &Gateway{}}
}
