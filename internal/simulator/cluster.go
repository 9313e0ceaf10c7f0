package simulator

import "time"

// defaultInstanceName is the pattern of an instance's name.
const defaultInstanceName = "{role}-{index}.{group}"

// Engine is the inference engine whose metrics a group exports.
type Engine string

// The engines which can be simulated.
const (
	VLLM   Engine = "vllm"
	SGLang Engine = "sglang"
)

// Role is a leg of a disaggregated request.
type Role string

// The two roles; the values are those of SGLang's label engine_type.
const (
	Prefill Role = "prefill"
	Decode  Role = "decode"
)

// Connector is the KV transfer library whose metrics are exported.
type Connector string

// The connectors.
const (
	FlagCX      Connector = "flagcx"
	NIXL        Connector = "nixl"
	NoConnector Connector = "none"
)

// Cluster describes what is simulated: groups of prefill and decode instances.
type Cluster struct {
	// Seed of all random draws; equal clusters give equal pages.
	Seed uint64 `yaml:"seed"`
	// Groups are independent of each other: one model, one engine each.
	Groups []Group `yaml:"groups"`
	// Gateway, if given, is a Dynamo frontend with its router before all groups.
	Gateway *Gateway `yaml:"gateway,omitempty"`
	// LMCacheMP, if given, is a server of LMCache beside each prefill engine of vLLM.
	LMCacheMP *LMCacheMP `yaml:"lmcacheMP,omitempty"`
	// Mooncake, if given, is a store that the prefill engines of SGLang share.
	Mooncake *Mooncake `yaml:"mooncake,omitempty"`
}

// Group is one model served by one engine in disaggregated fashion. Rates and
// times are those of the virtual clock. A field left out takes the default named
// with it.
type Group struct {
	// Name is short and part of the instance names; required.
	Name string `yaml:"name"`
	// Model is the value of the label model_name; required.
	Model string `yaml:"model"`
	// Engine is vllm or sglang; required.
	Engine Engine `yaml:"engine"`
	// Job is the scrape label job; default: the engine.
	Job string `yaml:"job,omitempty"`
	// InstanceName is the scrape label instance as a pattern of {role}, {index}
	// and {group}; default "{role}-{index}.{group}".
	InstanceName string `yaml:"instanceName,omitempty"`

	// PrefillInstances and DecodeInstances are the servers of each role.
	PrefillInstances Instances `yaml:"prefill"`
	DecodeInstances  Instances `yaml:"decode"`

	// RequestRate is the mean number of arrivals per second.
	RequestRate float64 `yaml:"requestRate"`
	// ArrivalShape is the shape of the gamma distribution of the times between
	// arrivals: 1 is a Poisson process, larger is more regular; default 16.
	ArrivalShape int `yaml:"arrivalShape,omitempty"`
	// IdleGap, if given, is a stretch of time without arrivals.
	IdleGap *Gap `yaml:"idleGap,omitempty"`

	// InputTokens and OutputTokens are a number or {min, max}, drawn evenly.
	InputTokens  Range `yaml:"inputTokens"`
	OutputTokens Range `yaml:"outputTokens"`
	// PrefillTokensPerSecond is the speed at which one prompt is computed, in
	// uncached tokens; required.
	PrefillTokensPerSecond float64 `yaml:"prefillTokensPerSecond"`
	// InterTokenLatency is the mean duration of a decode step; required. Steps
	// vary by 15 percent to either side.
	InterTokenLatency time.Duration `yaml:"interTokenLatency"`
	// BytesPerRequest is the KV cache of a request of the mean input length, over
	// all ranks; other lengths scale it. Required.
	BytesPerRequest int64 `yaml:"bytesPerRequest"`
	// TransferBytesPerSecond is the bandwidth of one transfer over all ranks;
	// required.
	TransferBytesPerSecond float64 `yaml:"transferBytesPerSecond"`
	// Connector is what moves the KV cache and counts it: flagcx; nixl (vLLM only,
	// counted on decode, which reads); or none, for a connector without metrics of
	// its own (SGLang's kv_transfer_* are there all the same). Default flagcx.
	Connector Connector `yaml:"connector,omitempty"`
	// BootstrapTime is the mean duration of the handshake between the legs;
	// default 4ms.
	BootstrapTime time.Duration `yaml:"bootstrapTime,omitempty"`

	// PrefixHitShare is the mean share of prompt tokens found in the prefix cache
	// of the prefill instance, 0 to 0.9.
	PrefixHitShare float64 `yaml:"prefixHitShare,omitempty"`
	// HostCache, if given, keeps KV caches in host memory and storage too; prefill then
	// finds a part of PrefixHitShare there.
	HostCache *HostCache `yaml:"hostCache,omitempty"`
	// AbortShare is the share of requests whose client leaves: one in four while
	// it waits for prefill, the others amid their output.
	AbortShare float64 `yaml:"abortShare,omitempty"`
	// BootstrapFailureShare is the share of requests whose handshake fails; only
	// sglang has one before prefill.
	BootstrapFailureShare float64 `yaml:"bootstrapFailureShare,omitempty"`
	// PreemptionShare is the share of requests which lose their place on decode
	// once (vLLM: preemption, SGLang: retraction).
	PreemptionShare float64 `yaml:"preemptionShare,omitempty"`
	// PreemptionPause is how long such a request waits at least; default 60ms.
	PreemptionPause time.Duration `yaml:"preemptionPause,omitempty"`
	// Restart, if given, restarts one instance.
	Restart *Restart `yaml:"restart,omitempty"`
	// Straggler, if given, slows one prefill instance down.
	Straggler *Straggler `yaml:"straggler,omitempty"`
	// LinkFault, if given, slows transfers down.
	LinkFault *LinkFault `yaml:"linkFault,omitempty"`
	// KVLease is how long prefill keeps a KV cache that decode does not begin to
	// fetch; left out, it waits for ever.
	KVLease time.Duration `yaml:"kvLease,omitempty"`
	// Devices adds to each instance the exporters of its host: DCGM's of its GPUs, and
	// node_exporter's of its RDMA ports, one for each rank.
	Devices bool `yaml:"devices,omitempty"`
	// LinkFields adds to DCGM's exporter the bandwidth of NVLink and PCIe, as a counters
	// file of its own does; it shows with devices.
	LinkFields bool `yaml:"linkFields,omitempty"`
	// Speculation, if given, is speculative decoding on decode.
	Speculation *Speculation `yaml:"speculation,omitempty"`

	// PriorityScheduling gives half of the requests priority 1 and serves them
	// first; SGLang then exports queue gauges per priority beside the total.
	PriorityScheduling bool `yaml:"priorityScheduling,omitempty"`
	// AllSchedulers is SGLang's --enable-metrics-for-all-schedulers: every TP rank
	// exports a copy of the gated gauges too.
	AllSchedulers bool `yaml:"allSchedulers,omitempty"`
	// EngineTypeOnTokenizer is false for old SGLang versions, whose request
	// counters have no label engine_type; default true.
	EngineTypeOnTokenizer *bool `yaml:"engineTypeOnTokenizer,omitempty"`
	// FinishedByOutcome adds sglang:finished_requests_by_outcome_total, which only
	// newer versions have.
	FinishedByOutcome bool `yaml:"finishedByOutcome,omitempty"`
	// CUDAGraphBatch is the largest decode batch for which SGLang has captured a CUDA
	// graph; left out, forward passes are not counted.
	CUDAGraphBatch int `yaml:"cudaGraphBatch,omitempty"`
	// RefreshedGauges makes SGLang's gauges stairs, as in reality: they are set
	// when a prefill batch starts and every 40 decode steps. Without it they are
	// exact at every scrape.
	RefreshedGauges bool `yaml:"refreshedGauges,omitempty"`
}

// Instances are the servers of one role of a group.
type Instances struct {
	// Count of servers; required.
	Count int `yaml:"count"`
	// TP is the tensor-parallel size; default 1.
	TP int `yaml:"tp,omitempty"`
	// DP is the number of data-parallel schedulers in a server; default 1.
	DP int `yaml:"dp,omitempty"`
	// DPAttention shares the TP ranks among the DP schedulers (SGLang
	// --enable-dp-attention): tp must be a multiple of dp, the engine has tp ranks
	// and not tp × dp.
	DPAttention bool `yaml:"dpAttention,omitempty"`
	// Slots is how many requests one scheduler computes at a time; default 8 on
	// prefill, 64 on decode.
	Slots int `yaml:"slots,omitempty"`
	// TransferSlots is how many transfers one prefill scheduler sends at a time;
	// default 4.
	TransferSlots int `yaml:"transferSlots,omitempty"`
	// KVTokens is the KV cache of one scheduler in tokens; default 400,000.
	KVTokens int `yaml:"kvTokens,omitempty"`
	// KVGrows lets decode take memory for each token as it comes, in place of
	// reserving it all at the start. When there is none, a request is preempted.
	KVGrows bool `yaml:"kvGrows,omitempty"`
}

// Range is a number drawn evenly from Min to Max, both included. In YAML it is a
// number or a mapping of min and max.
type Range struct {
	Min int `yaml:"min"`
	Max int `yaml:"max"`
}

// Fixed is the range of one value.
func Fixed(n int) Range { return Range{n, n} }

func (r Range) mean() float64 { return float64(r.Min+r.Max) / 2 }

// Gap is a stretch of virtual time, [From, To).
type Gap struct {
	From time.Duration `yaml:"from"`
	To   time.Duration `yaml:"to"`
}

// attentionTP is the number of TP ranks of one DP scheduler.
func (i Instances) attentionTP() int {
	if i.DPAttention {
		return i.TP / i.DP
	}
	return i.TP
}

// DefaultCluster is the demo: three models on the two engines, in the layouts
// whose ranks differ. Every group has room to spare and is in its steady state
// three seconds after the start.
func DefaultCluster() Cluster {
	yes := true
	return Cluster{Seed: 1, Groups: []Group{
		{
			// vLLM, two prefill and three decode servers: TP is invisible.
			Name: "llama", Model: "meta-llama/Llama-3.1-70B-Instruct", Engine: VLLM,
			PrefillInstances: Instances{Count: 2, TP: 4, Slots: 3, TransferSlots: 2},
			DecodeInstances:  Instances{Count: 3, TP: 4},
			RequestRate:      24,
			InputTokens:      Fixed(8192), OutputTokens: Range{60, 140},
			PrefillTokensPerSecond: 45_000, InterTokenLatency: 12 * time.Millisecond,
			// 80 layers × 8 KV heads × 2 × 128 × 8192 tokens × 2 bytes.
			BytesPerRequest: 2_684_354_560, TransferBytesPerSecond: 55e9,
			PrefixHitShare: 0.25, AbortShare: 0.01, PreemptionShare: 0.02,
		},
		{
			// SGLang with plain TP: what is not gated appears once per TP rank.
			Name: "qwen", Model: "Qwen/Qwen2.5-32B-Instruct", Engine: SGLang,
			PrefillInstances: Instances{Count: 1, TP: 4, Slots: 4, TransferSlots: 2},
			DecodeInstances:  Instances{Count: 1, TP: 4, KVTokens: 800_000},
			RequestRate:      20,
			InputTokens:      Fixed(8192), OutputTokens: Range{80, 120},
			PrefillTokensPerSecond: 50_000, InterTokenLatency: 10 * time.Millisecond,
			// 64 layers × 8 KV heads × 2 × 128 × 8192 tokens × 2 bytes.
			BytesPerRequest: 2_147_483_648, TransferBytesPerSecond: 45e9,
			PrefixHitShare: 0.15, AbortShare: 0.01, BootstrapFailureShare: 0.005, PreemptionShare: 0.02,
			EngineTypeOnTokenizer: &yes,
		},
		{
			// SGLang with DP attention: every DP rank is a TP rank of its own.
			Name: "deepseek", Model: "deepseek-ai/DeepSeek-V3", Engine: SGLang,
			PrefillInstances: Instances{Count: 1, TP: 4, DP: 4, DPAttention: true, Slots: 2, TransferSlots: 1},
			DecodeInstances:  Instances{Count: 1, TP: 4, DP: 4, DPAttention: true},
			RequestRate:      28,
			InputTokens:      Fixed(8192), OutputTokens: Range{60, 100},
			PrefillTokensPerSecond: 40_000, InterTokenLatency: 11 * time.Millisecond,
			// 61 layers × (512 + 64) × 8192 tokens × 2 bytes: one latent, no copies.
			BytesPerRequest: 575_668_224, TransferBytesPerSecond: 12e9,
			PrefixHitShare: 0.3, AbortShare: 0.01, BootstrapFailureShare: 0.005, PreemptionShare: 0.02,
			EngineTypeOnTokenizer: &yes,
		},
	}}
}
