package dashboards

import "github.com/ptd-monitor/pdmonitor/pkg/query"

// tiers follow KV from the GPU's memory to the host's and beyond. Every framework
// numbers the tiers in its own way, so the dashboard speaks of places.
func tiers() board {
	return board{
		name: toTiers, title: titleOf(toTiers),
		about:     "Where KV is kept: GPU memory, host memory, external storage. Hits by tier with one denominator, moves with bytes and time, and what is dropped.",
		variables: []string{models, instances, roles},
		rows:      []row{tierNames(), hicache(), hicacheStorage(), offloads(), lmcache(), lmcacheServer(), lmcacheMoves(), mooncakeClients(), mooncakeMaster()},
	}
}

const namesOfTiers = `| place | SGLang HiCache | LMCache MP | vLLM offload | Mooncake |
|---|---|---|---|---|
| **GPU memory (HBM)** | L1 | L0 | GPU KV cache | source and target of transfers |
| **Host memory (DRAM)** | L2 | L1 | simple CPU offload, HiSparse host cache | client buffers |
| **Disk or remote store** | L3 | L2 | external KV connector | store cluster and SSD |
| **Other node** | PD hand-over: no tier | NIXL or P2P connector | NIXL or P2P connector | transfer engine |

"L1 hit rate" means the GPU in one framework and the host in another: never compare by that name. A row below is folded; open those of the frameworks that you run. Folded rows ask for nothing.`

func tierNames() row {
	return row{title: "GPU memory, and all tiers by one denominator", height: 9, panels: []drawn{
		panel{
			title: "Share of prompt tokens found, by tier", width: 8, next: []string{toPrefill},
			reads: "Tokens found in each tier over all prompt tokens of prefill: with one denominator the tiers of a model add up to its hit rate. " +
				"device is GPU memory, host is DRAM, storage lies beyond.",
			silent: "tiers of vLLM, which has one hit rate for GPU memory alone. A hit in a far tier still costs its way back. It is empty while no prompt arrives.",
			curves: []curve{{"", by("prefix_cache_hit_rate", "", "model", "source")}},
		},
		panel{
			title: "GPU memory: KV pool in use", width: 8, byRole: true, next: []string{toDecode, toPrefill},
			reads:  "The fullest engine of each role. The other tiers only matter where this one is full.",
			silent: "a fault by itself: a full pool without preemptions is well used.",
			curves: []curve{{"", everyRole(byModel("kv_cache_usage", ""))}},
		},
		panel{
			title: "GPU memory: kept for reuse and in use", width: 8, byRole: true,
			reads:  "Occupied less active is what could be evicted at once. Little of it under load: prefixes are lost before they are used again.",
			silent: "anything on engines that export usage alone, such as vLLM.",
			curves: []curve{
				{transferColour, everyRole(byModel("kv_cache_occupied", "Occupied"))},
				{"purple", everyRole(byModel("kv_cache_active", "Active"))},
			},
		},
		panel{
			title: "vLLM: found by an external connector", width: 8, next: []string{toPrefill},
			reads:  "Share of the tokens that GPU memory lacked and the connector had, on prefill.",
			silent: "a share of all prompt tokens: its denominator is what the GPU lacked, so it does not add up with the graph beside.",
			curves: []curve{{transferColour, byModel("external_prefix_cache_hit_rate", "")}},
		},
		text{title: "The same place has other names", width: 16, content: namesOfTiers},
	}}
}

func hicache() row {
	return row{title: "Host memory: HiCache (SGLang's L2)", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "HiCache: host pool in use", width: 8,
			reads:  "Share of the host pool that holds tokens. Full is normal; full with drops beside means that host memory is too small or its copies too slow.",
			silent: "which tokens: those that nobody will ask for again count too.",
			curves: []curve{{transferColour, by("hicache_host_usage", "", "model", "instance")}},
		},
		panel{
			title: "HiCache: evicted, saved, brought back and dropped", width: 8,
			reads: "Tokens/s. Evicted from the GPU should be saved to the host; dropped are those that were not saved in time. " +
				"Brought back are hits of the host.",
			silent: "requests. Builds without rank labels add up what each rank repeats; bytes are right in every build.",
			curves: []curve{
				{"yellow", by("evicted_token_rate", "Evicted", "instance")},
				{decodeColour, by("hicache_backup_token_rate", "Saved", "instance")},
				{prefillColour, by("hicache_load_back_token_rate", "Brought back", "instance")},
				{"red", by("hicache_dropped_token_rate", "Dropped", "instance")},
			},
		},
		panel{
			title: "HiCache: bytes/s between GPU and host", width: 8, next: []string{toDevices},
			reads:  "Bytes of all ranks. Hold it against PCIe: copies take bandwidth and memory time from the engine's own work.",
			silent: "how busy the link is. Time without copies is in it.",
			curves: []curve{
				{decodeColour, by("hicache_backup_byte_rate", "Saved", "instance")},
				{prefillColour, by("hicache_load_back_byte_rate", "Brought back", "instance")},
			},
		},
		panel{
			title: "HiCache: time of one copy, mean", width: 12,
			reads:  "Of one merged copy. A load back that grows at the same bytes competes for PCIe or waits for its stream.",
			silent: "the wait before a copy. Bringing back measures the copy on its stream alone.",
			curves: []curve{
				{decodeColour, averaged(by("hicache_backup_time", "Saved", "instance"))},
				{prefillColour, averaged(by("hicache_load_back_time", "Brought back", "instance"))},
				{"yellow", averaged(by("eviction_time", "Evicted", "instance"))},
			},
		},
		panel{
			title: "HiCache: speed while copying", width: 12, next: []string{toDevices},
			reads:  "Bytes over the time spent copying, mean of the ranks. Well below PCIe's rate: pieces too small, or the bus is contended.",
			silent: "throughput: take the bytes/s above for that.",
			curves: []curve{
				{decodeColour, by("hicache_backup_bandwidth", "Saved", "instance")},
				{prefillColour, by("hicache_load_back_bandwidth", "Brought back", "instance")},
			},
		},
	}}
}

func hicacheStorage() row {
	return row{title: "Storage: HiCache (SGLang's L3)", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "HiCache: look-up and retrieval from storage", width: 8,
			reads:  "Found by a look-up, read into host memory, and asked for but not delivered. Found far above read: prefetches run out of time or room.",
			silent: "attempts and tokens may be counted more than once for one request. Not delivered is split by reason.",
			curves: []curve{
				{decodeColour, by("hicache_storage_hit_token_rate", "Found", "instance")},
				{prefillColour, by("hicache_prefetched_token_rate", "Read", "instance")},
				{"red", by("hicache_storage_unfulfilled_token_rate", "Not delivered", "reason")},
			},
		},
		panel{
			title: "HiCache: written to storage", width: 8,
			reads:  "Tokens written from host to storage. Far below what the host evicts: a prefix is gone once host memory lets go of it.",
			silent: "bytes: a token's size depends on the model.",
			curves: []curve{{transferColour, by("hicache_storage_backup_token_rate", "", "instance")}},
		},
		panel{
			title: "HiCache: speed of one batch of pages, mean", width: 8,
			reads:  "Bandwidth of one batch that a rank reads or writes. Low with few pages in a batch: the requests are too small for the store.",
			silent: "throughput: batches that run side by side are each measured for themselves.",
			curves: []curve{
				{prefillColour, averaged(by("hicache_prefetch_bandwidth", "Read", "instance"))},
				{transferColour, averaged(by("hicache_storage_backup_bandwidth", "Written", "instance"))},
			},
		},
	}}
}

func offloads() row {
	return row{title: "Host memory: vLLM's offloads", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "Offload: bytes/s to and from the GPU", width: 6, next: []string{toDevices},
			reads:  "Loaded is what hits bring back, stored is what is saved. Much stored and little loaded is a pool that nobody profits from.",
			silent: "hits in GPU memory. It is exported by vLLM's KV offloading connector alone.",
			curves: []curve{
				{prefillColour, byModel("offload_load_byte_rate", "Loaded")},
				{decodeColour, byModel("offload_store_byte_rate", "Stored")},
			},
		},
		panel{
			title: "Simple CPU offload: blocks/s", width: 6,
			reads:  "Blocks brought back, and blocks offered by outcome: stored, skipped because they are there, or dropped because the pool was full.",
			silent: "bytes: a block's size depends on the model.",
			curves: []curve{
				{prefillColour, byModel("offload_load_block_rate", "Loaded")},
				{"", by("offload_save_block_rate", "Save", "outcome")},
			},
		},
		panel{
			title: "Simple CPU offload: dropped share", width: 6,
			reads:  "Share of offered blocks that were dropped, a full pool included. Anything steady: the pool is too small for the traffic.",
			silent: "whether a dropped block would have been used again.",
			curves: []curve{{"red", byModel("offload_save_drop_ratio", "")}},
		},
		panel{
			title: "Simple CPU offload: blocks on their way and held", width: 6,
			reads:  "Pending stores that only grow are a stuck transfer. Held are those of transfers and hits.",
			silent: "how full the pool is: stored blocks that may be evicted are not counted.",
			curves: []curve{
				{"yellow", byModel("offload_pending_store_blocks", "Pending")},
				{"purple", byModel("offload_used_blocks", "Held")},
			},
		},
		panel{
			title: "HiSparse: hits of the hot buffer", width: 8,
			reads:  "Share of look-ups that the buffer on the GPU answered. A fall shows as loads from the host and slower steps.",
			silent: "hits of prompts: these are look-ups of sparse attention within a step.",
			curves: []curve{{decodeColour, byModel("hisparse_hit_rate", "")}},
		},
		panel{
			title: "HiSparse: host pool in use", width: 8,
			reads:  "The fullest engine's host KV pool; blocks that may be evicted count as free.",
			silent: "how fast it fills: see the loads from the host beside.",
			curves: []curve{{transferColour, byModel("hisparse_host_cache_usage", "")}},
		},
		panel{
			title: "HiSparse: bytes/s from the host", width: 8, next: []string{toDevices},
			reads:  "KV copied from host memory to the hot buffers. Hold it against PCIe and the inter-token latency.",
			silent: "copies in the other direction, and hits that needed no copy.",
			curves: []curve{{prefillColour, byModel("hisparse_load_byte_rate", "")}},
		},
	}}
}

// everyRole lets the role variable narrow a query that reports both roles.
func everyRole(q query.Query) query.Query {
	q.Role = "$" + roles
	return q
}
