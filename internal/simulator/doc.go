// Package simulator is a prefill/decode-disaggregated inference cluster that
// knows the truth about every request and exports it as the real engines do.
//
// A [Cluster] is described in YAML (see [Parse]) or by [DefaultCluster]. [New]
// makes a [Simulation] of it, a discrete-event model with a virtual clock: every
// request arrives, waits, is computed on prefill, sends its KV cache over a link,
// and produces tokens on decode. Batches, links and KV space are limited, so
// queues and running requests are consequences and not inventions. All random
// draws come from one seed: the same description gives the same pages.
//
// From the events vLLM and SGLang count what they count in reality: which
// process exports, with which labels, how often a tensor-parallel rank repeats a
// value and when it has its own share, which series appear late, what a prefill
// leg adds to the counters of a request. [Simulation.Write] gives the text a
// scrape of one instance would see, [Simulation.Serve] does it live over HTTP,
// [Simulation.Replay] fills a database with minutes in a moment.
//
// A fault is a limit or a plan of the description, such as little KV memory, a hot GPU or
// a congested link; what it does to queues, rates and latencies follows from the model.
// [Scenarios] are such descriptions. Beside the engines, hosts have the exporters of
// their GPUs and RDMA ports (Group.Devices), a Dynamo frontend may stand before all
// (Cluster.Gateway), and stores of KV behind prefill (Cluster.LMCacheMP, Cluster.Mooncake).
//
// [Simulation.Truth] is computed from the requests, never from what was
// exported, so that a test can hold a query's answer against it.
//
// What is simplified: a scheduler computes Slots requests independently of each
// other instead of sharing its speed among them; a request whose scheduler was
// lost is not retried; devices follow the load of their engine at the time of a scrape;
// prefix-cache hits are drawn, not looked up, and their parts in host memory and storage
// (Group.HostCache) are fixed shares, as is what a store beside the engine finds; the way
// of both to the GPU costs or saves prefill no time; a decode server runs without a prefix
// cache of its own.
package simulator
