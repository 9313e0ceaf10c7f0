package simulator

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

var instancePlaceholder = regexp.MustCompile(`\{[^}]*\}`)

// withDefaults fills what was left out and refuses what cannot be simulated;
// the error names field, value and remedy.
func (c Cluster) withDefaults() (Cluster, error) {
	if len(c.Groups) == 0 {
		return c, fmt.Errorf("groups is empty: describe at least one group")
	}
	if g := c.Gateway; g != nil && !(g.PredictedHitShare >= 0 && g.PredictedHitShare <= 1) {
		return c, fmt.Errorf("gateway.predictedHitShare is %v: give a share from 0 to 1", g.PredictedHitShare)
	}
	groups := make([]Group, len(c.Groups))
	seen := map[string]string{}
	for i, g := range c.Groups {
		field := fmt.Sprintf("groups[%d]", i)
		g, err := g.withDefaults(field)
		if err != nil {
			return c, err
		}
		for _, name := range g.instanceNames() {
			if other, ok := seen[name]; ok {
				return c, fmt.Errorf("%s: instance name %q is also used by %s: give the groups different names, or {group}, {role} and {index} in instanceName", field, name, other)
			}
			seen[name] = field
		}
		groups[i] = g
	}
	c.Groups = groups
	return c.checkStores()
}

func (g Group) withDefaults(field string) (Group, error) {
	bad := func(name string, value any, remedy string) error {
		return fmt.Errorf("%s.%s is %v: %s", field, name, value, remedy)
	}
	if g.Name == "" {
		return g, bad("name", `""`, "give the group a short name")
	}
	if g.Model == "" {
		return g, bad("model", `""`, "give the served model's name")
	}
	if g.Engine != VLLM && g.Engine != SGLang {
		return g, bad("engine", fmt.Sprintf("%q", g.Engine), "use vllm or sglang")
	}
	setDefault(&g.Job, string(g.Engine))
	setDefault(&g.InstanceName, defaultInstanceName)
	setDefault(&g.Connector, FlagCX)
	if g.Connector != FlagCX && g.Connector != NoConnector && (g.Connector != NIXL || g.Engine != VLLM) {
		return g, bad("connector", fmt.Sprintf("%q", g.Connector), "use flagcx, none or, with vllm, nixl")
	}
	setDefault(&g.ArrivalShape, 16)
	setDefault(&g.BootstrapTime, 4*time.Millisecond)
	setDefault(&g.PreemptionPause, 60*time.Millisecond)
	for _, p := range instancePlaceholder.FindAllString(g.InstanceName, -1) {
		if p != "{role}" && p != "{index}" && p != "{group}" {
			return g, bad("instanceName", fmt.Sprintf("%q", g.InstanceName), "only {role}, {index} and {group} are replaced, not "+p)
		}
	}
	for _, p := range []struct {
		name  string
		value float64
	}{
		{"requestRate", g.RequestRate},
		{"prefillTokensPerSecond", g.PrefillTokensPerSecond},
		{"transferBytesPerSecond", g.TransferBytesPerSecond},
		{"bytesPerRequest", float64(g.BytesPerRequest)},
		{"arrivalShape", float64(g.ArrivalShape)},
	} {
		if !(p.value > 0) || p.value > 1e18 {
			return g, bad(p.name, p.value, "give a positive number")
		}
	}
	for _, p := range []struct {
		name  string
		value time.Duration
	}{
		{"interTokenLatency", g.InterTokenLatency},
		{"bootstrapTime", g.BootstrapTime},
		{"preemptionPause", g.PreemptionPause},
	} {
		if p.value <= 0 {
			return g, bad(p.name, p.value, "give a positive duration such as 10ms")
		}
	}
	for _, p := range []struct {
		name  string
		value Range
	}{{"inputTokens", g.InputTokens}, {"outputTokens", g.OutputTokens}} {
		if p.value.Min < 1 || p.value.Max < p.value.Min {
			return g, bad(p.name, fmt.Sprintf("{min: %d, max: %d}", p.value.Min, p.value.Max), "give a positive number, or min and max with min ≤ max")
		}
	}
	for _, p := range []struct {
		name  string
		value float64
		most  float64
	}{
		{"prefixHitShare", g.PrefixHitShare, 0.9},
		{"abortShare", g.AbortShare, 1},
		{"bootstrapFailureShare", g.BootstrapFailureShare, 1},
		{"preemptionShare", g.PreemptionShare, 1},
	} {
		if !(p.value >= 0 && p.value <= p.most) {
			return g, bad(p.name, p.value, fmt.Sprintf("give a share from 0 to %g", p.most))
		}
	}
	if g.BootstrapFailureShare > 0 && g.Engine == VLLM {
		return g, bad("bootstrapFailureShare", g.BootstrapFailureShare, "leave it out: only sglang has a bootstrap before prefill")
	}
	if (g.AllSchedulers || g.FinishedByOutcome || g.RefreshedGauges || g.EngineTypeOnTokenizer != nil) && g.Engine == VLLM {
		return g, fmt.Errorf("%s: allSchedulers, finishedByOutcome, refreshedGauges and engineTypeOnTokenizer are options of sglang: leave them out for vllm", field)
	}
	if g.CUDAGraphBatch < 0 || g.CUDAGraphBatch > 0 && g.Engine == VLLM {
		return g, bad("cudaGraphBatch", g.CUDAGraphBatch, "give a positive number, and for sglang only")
	}
	if err := g.Speculation.check(bad); err != nil {
		return g, err
	}
	if g.IdleGap != nil && (g.IdleGap.From < 0 || g.IdleGap.To <= g.IdleGap.From) {
		return g, bad("idleGap", fmt.Sprintf("{from: %s, to: %s}", g.IdleGap.From, g.IdleGap.To), "give from < to")
	}
	if g.PriorityScheduling && g.Engine == VLLM {
		return g, bad("priorityScheduling", true, "leave it out: it is simulated for sglang only")
	}
	var err error
	if g.PrefillInstances, err = g.PrefillInstances.withDefaults(field+".prefill", g, 8); err != nil {
		return g, err
	}
	if g.DecodeInstances, err = g.DecodeInstances.withDefaults(field+".decode", g, 64); err != nil {
		return g, err
	}
	if g.HostCache != nil {
		if g.HostCache, err = g.HostCache.withDefaults(g, bad); err != nil {
			return g, err
		}
	}
	return g, g.checkFaults(bad)
}

func (i Instances) withDefaults(field string, g Group, slots int) (Instances, error) {
	setDefault(&i.TP, 1)
	setDefault(&i.DP, 1)
	setDefault(&i.Slots, slots)
	setDefault(&i.TransferSlots, 4)
	setDefault(&i.KVTokens, 400_000)
	for _, p := range []struct {
		name  string
		value int
		most  int
	}{
		{"count", i.Count, 1000},
		{"tp", i.TP, 1024},
		{"dp", i.DP, 1024},
		{"slots", i.Slots, 1 << 20},
		{"transferSlots", i.TransferSlots, 1 << 20},
		{"kvTokens", i.KVTokens, 1 << 40},
	} {
		if p.value < 1 || p.value > p.most {
			return i, fmt.Errorf("%s.%s is %d: give a number from 1 to %d", field, p.name, p.value, p.most)
		}
	}
	if i.DPAttention && i.TP%i.DP != 0 {
		return i, fmt.Errorf("%s.tp is %d: with dpAttention it must be a multiple of dp, which is %d", field, i.TP, i.DP)
	}
	if i.DPAttention && g.Engine == VLLM {
		return i, fmt.Errorf("%s.dpAttention is true: leave it out, only sglang shows it in its labels", field)
	}
	if need := g.InputTokens.Max + g.OutputTokens.Max; i.KVTokens < need {
		return i, fmt.Errorf("%s.kvTokens is %d: the largest request needs %d", field, i.KVTokens, need)
	}
	return i, nil
}

// instanceNames lists the instances of the group, prefill first.
func (g Group) instanceNames() []string {
	var names []string
	for i := range g.PrefillInstances.Count {
		names = append(names, g.instanceName(Prefill, i))
	}
	for i := range g.DecodeInstances.Count {
		names = append(names, g.instanceName(Decode, i))
	}
	return names
}

func (g Group) instanceName(role Role, index int) string {
	return strings.NewReplacer("{role}", string(role), "{index}", fmt.Sprint(index), "{group}", g.Name).Replace(g.InstanceName)
}

// setDefault replaces the zero value, which in a description means "left out".
func setDefault[T comparable](value *T, fallback T) {
	var zero T
	if *value == zero {
		*value = fallback
	}
}
