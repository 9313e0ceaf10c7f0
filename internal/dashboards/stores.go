package dashboards

func lmcache() row {
	return row{title: "Host memory and beyond: LMCache in the engine's process", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "LMCache: look-up and retrieve, hit rates", width: 8,
			reads: "Look-up: share of looked-up tokens that the cache holds. Retrieve: share of what was then asked for that came back. " +
				"A retrieve rate below 100 % is chunks evicted between the two.",
			silent: "a common scale: the two have different denominators. Tokens found in GPU memory may never be looked up, so neither is a total hit rate.",
			curves: []curve{
				{decodeColour, byModel("lmcache_lookup_hit_rate", "Look-up")},
				{prefillColour, byModel("lmcache_retrieve_hit_rate", "Retrieve")},
			},
		},
		panel{
			title: "LMCache: tokens/s", width: 8,
			reads:  "Looked up, found, brought back and stored. Stored far above brought back is a cache that nobody profits from.",
			silent: "requests, nor hits in GPU memory, which come first.",
			curves: []curve{
				{"purple", byModel("lmcache_lookup_token_rate", "Looked up")},
				{decodeColour, byModel("lmcache_lookup_hit_token_rate", "Found")},
				{prefillColour, byModel("lmcache_retrieved_token_rate", "Brought back")},
				{transferColour, byModel("lmcache_stored_token_rate", "Stored")},
			},
		},
		panel{
			title: "LMCache: time of one operation, mean", width: 8,
			reads:  "A retrieve holds up the prefill that needs it: it should be far below the time to compute the same tokens.",
			silent: "the parts of an operation, such as the copy to the GPU, which lie within it.",
			curves: []curve{
				{"purple", mean("lmcache_lookup_time", "Look-up")},
				{prefillColour, mean("lmcache_retrieve_time", "Retrieve")},
				{transferColour, mean("lmcache_store_time", "Store")},
			},
		},
		panel{
			title: "LMCache: bytes held by tier", width: 8,
			reads:  "Host memory, local disk and the remote back end. A flat top is the configured size.",
			silent: "how useful the bytes are: see the hit rates.",
			curves: []curve{
				{prefillColour, byModel("lmcache_cpu_used_bytes", "Host")},
				{"yellow", byModel("lmcache_disk_used_bytes", "Disk")},
				{transferColour, byModel("lmcache_remote_used_bytes", "Remote")},
			},
		},
		panel{
			title: "LMCache: remote back end, time of one operation, mean", width: 8,
			reads:  "Get and put of the remote back end. Blocking gets hold up the engine's main path.",
			silent: "the tail, which a mean hides, nor how many bytes one operation moves.",
			curves: []curve{
				{prefillColour, mean("lmcache_remote_get_time", "Get")},
				{transferColour, mean("lmcache_remote_put_time", "Put")},
				{"red", mean("lmcache_remote_batched_get_blocking_time", "Get, blocking")},
			},
		},
		panel{
			title: "LMCache: evictions", width: 8,
			reads:  "Evictions, and those that could free nothing because everything is pinned, which points to a leak or a deadlock.",
			silent: "tokens: an eviction frees chunks. Forced unpins are in chunks and listed in the catalog.",
			curves: []curve{
				{"yellow", byModel("lmcache_cpu_eviction_rate", "Evictions")},
				{"red", byModel("lmcache_cpu_eviction_failure_rate", "Freed nothing")},
			},
		},
	}}
}

func lmcacheServer() row {
	return row{title: "Host memory (L1) and storage (L2): LMCache MP", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "LMCache MP: found by tier, share of all look-ups", width: 8,
			reads:  "Both tiers over the same look-ups: host (its L1), and storage (its L2) for what the host lacked. They add up to all.",
			silent: "tokens found in GPU memory, which are never looked up, so the sum is no total hit rate.",
			curves: []curve{
				{prefillColour, byModel("lmcache_mp_l1_hit_rate", "Host (L1)")},
				{transferColour, byModel("lmcache_mp_l2_hit_rate", "Storage (L2)")},
				{decodeColour, byModel("lmcache_mp_lookup_hit_rate", "All")},
			},
		},
		panel{
			title: "LMCache MP: lost between look-up and retrieve", width: 8,
			reads: "Chunks for which the host had no room, that were evicted after they had been found, or that storage failed to bring. " +
				"This is why a look-up hit is no retrieve hit.",
			silent: "tokens: a chunk holds many. A retry may count again.",
			curves: []curve{
				{"yellow", of("lmcache_mp_l1_allocation_failure_rate", "No room {{instance}}", "instance")},
				{"red", of("lmcache_mp_l1_read_failure_rate", "Evicted before read {{instance}}", "instance")},
				{"purple", of("lmcache_mp_l2_prefetch_failure_rate", "Storage {{reason}} {{instance}}", "instance", "reason")},
			},
		},
		panel{
			title: "LMCache MP: host pool in use", width: 8,
			reads:  "The fullest server's L1 pool. Full with chunks asked for again soon after their eviction is too small.",
			silent: "who holds it: all engines of the server share the pool.",
			curves: []curve{{transferColour, of("lmcache_mp_l1_usage", "{{instance}}", "instance")}},
		},
	}}
}

func lmcacheMoves() row {
	return row{title: "Moves of LMCache MP", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "LMCache MP: chunks/s of the host pool", width: 8,
			reads:  "Read, written and evicted. Evicted near written: chunks stay for a short time only.",
			silent: "bytes: see the phases beside, which move them.",
			curves: []curve{
				{prefillColour, of("lmcache_mp_l1_read_rate", "Read {{instance}}", "instance")},
				{decodeColour, of("lmcache_mp_l1_write_rate", "Written {{instance}}", "instance")},
				{"yellow", of("lmcache_mp_l1_eviction_rate", "Evicted {{instance}}", "instance")},
			},
		},
		panel{
			title: "LMCache MP: bytes/s by phase", width: 8, next: []string{toDevices},
			reads:  "Between GPU and host, by direction and phase. The phase with the least is not the slowest: each phase moves the same bytes.",
			silent: "a sum: the same bytes pass through every phase, so phases must not be added.",
			curves: []curve{{"", of("lmcache_mp_transfer_byte_rate", "{{direction}} {{phase}} {{instance}}", "instance", "direction", "phase")}},
		},
		panel{
			title: "LMCache MP: jobs under way", width: 8,
			reads:  "Prefetches, stores to and loads from storage that run now. Steady growth is a back end that does not keep up.",
			silent: "how long they take. A gauge sampled now and then misses short ones.",
			curves: []curve{
				{prefillColour, of("lmcache_mp_prefetch_jobs", "Prefetches {{instance}}", "instance")},
				{transferColour, of("lmcache_mp_l2_stores_inflight", "Stores {{instance}}", "instance")},
				{decodeColour, of("lmcache_mp_l2_loads_inflight", "Loads {{instance}}", "instance")},
			},
		},
	}}
}

func mooncakeClients() row {
	return row{title: "Storage: Mooncake's clients, the path of the data", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "Mooncake: bytes/s of the clients", width: 8, next: []string{toDevices},
			reads:  "Read and written by the clients of the store, all engines that use it.",
			silent: "PD hand-over, which does not go through the store. The clients' metrics are off by default.",
			curves: []curve{
				{prefillColour, of("mooncake_read_byte_rate", "Read {{instance}}", "instance")},
				{decodeColour, of("mooncake_write_byte_rate", "Written {{instance}}", "instance")},
			},
		},
		panel{
			title: "Mooncake: time of one key, mean", width: 8,
			reads:  "Get and put of a single key with its data, in seconds although it is exported in microseconds.",
			silent: "batches, which move far more data and are drawn apart.",
			curves: []curve{
				{prefillColour, averaged(of("mooncake_get_latency", "Get {{instance}}", "instance"))},
				{decodeColour, averaged(of("mooncake_put_latency", "Put {{instance}}", "instance"))},
			},
		},
		panel{
			title: "Mooncake: time of one batch, mean", width: 8,
			reads:  "Get and put of many keys. Compare batches with batches only: they are much larger than single keys.",
			silent: "the size of a batch. Reads from SSD may lie inside a get.",
			curves: []curve{
				{prefillColour, averaged(of("mooncake_batch_get_latency", "Get {{instance}}", "instance"))},
				{decodeColour, averaged(of("mooncake_batch_put_latency", "Put {{instance}}", "instance"))},
			},
		},
	}}
}

func mooncakeMaster() row {
	return row{title: "Storage: Mooncake's master, the path of control", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "Mooncake: store in use", width: 6,
			reads:  "Share of memory and of file storage that is allocated. At the top every put needs an eviction first.",
			silent: "the sum of several stores: it is the fullest master's.",
			curves: []curve{
				{prefillColour, of("mooncake_capacity_usage", "Memory")},
				{"yellow", of("mooncake_file_capacity_usage", "Files")},
			},
		},
		panel{
			title: "Mooncake: evictions that freed space", width: 6,
			reads:  "Of those that were tried. Well below 100 %: leases hold every copy, and puts begin to fail.",
			silent: "what was evicted. It is empty while nothing is tried.",
			curves: []curve{{"yellow", of("mooncake_eviction_success_ratio", "")}},
		},
		panel{
			title: "Mooncake: time of one call to the master, mean", width: 6,
			reads:  "Metadata alone, by call. Growth of all calls together points to the master's host, or to a snapshot under way.",
			silent: "the time that data takes: a slow call and a slow transfer are different faults.",
			curves: []curve{{"purple", averaged(of("mooncake_rpc_latency", "{{rpc}}", "rpc"))}},
		},
		panel{
			title: "Mooncake: swapped out", width: 6,
			reads:  "Memory of Mooncake's processes that is swapped out. Anything above 0 turns microseconds into milliseconds.",
			silent: "swap of other processes, which slow the host down as well.",
			curves: []curve{{"red", of("mooncake_process_swap", "{{instance}}", "instance")}},
		},
	}}
}
