package simulator

import (
	"fmt"
	"strings"
	"time"
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
		{Healthy, "three models with room to spare", DefaultCluster()},
		{"idle", "the requests stop after a minute", small(func(g *Group) {
			g.IdleGap = &Gap{From: time.Minute, To: 1000 * time.Hour}
		})},
		{"prealloc-back-pressure", "decode has little KV memory, so prefill cannot hand over", small(func(g *Group) {
			g.DecodeInstances.KVTokens = 3 * (g.InputTokens.Max + g.OutputTokens.Max)
		})},
	}
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
		change(g)
	}
	return Cluster{Seed: 1, Groups: groups}
}
