package simulator

import "strconv"

// lmcacheCard is what one card moved in one direction, by phase.
type lmcacheCard struct{ kernelBytes, kernelTime, stagingBytes, stagingTime lazy }

// lmcacheMetrics are the series of one server, under the names that OpenTelemetry's
// exporter makes of its instruments: the unit, then _total. All but the gauges appear
// with their first event.
type lmcacheMetrics struct {
	requested, hit, hostHit, storageHit, storageHitKeys lazy
	read, written, evicted                              lazy
	storeSubmitted, storeSubmittedChunks                lazy
	stored, storedChunks, storeSpeed                    lazy
	prefetchLookups, prefetched, loaded, loadSpeed      lazy
	noRoom, evictedBeforeRead                           lazy
	prefetchNoRoom, prefetchNotFound                    lazy
	toHost, toDevice                                    []lmcacheCard // by card
	toHostSpeed, toDeviceSpeed                          []lazy
	used, usage, prefetchJobs, storesNow, loadsNow      *series
}

func newLMCacheMetrics(p *page, i *instance) lmcacheMetrics {
	named := func(kind metricKind, name, help string, bounds []float64, pairs ...string) lazy {
		return lazy{family: p.family(kind, "lmcache_mp_"+name, help, bounds), copies: []labelSet{labelSet{}.with(pairs...)}}
	}
	c := func(name, help string, pairs ...string) lazy { return named(counter, name, help, nil, pairs...) }
	speed := func(name, help string, pairs ...string) lazy {
		return named(histogram, name+"_throughput_GB_per_second", help, lmcacheThroughputBounds(), pairs...)
	}
	g := func(name, help string, pairs ...string) *series {
		l := named(gauge, name, help, nil, pairs...)
		return l.get()
	}
	model := []string{"model_name", i.target.Model}
	salted := append([]string{"cache_salt", ""}, model...)
	adapter := []string{"l2_name", "fs", "adapter_index", "0"}
	of := func(pairs []string, more ...string) []string { return append(append([]string{}, pairs...), more...) }
	m := lmcacheMetrics{
		requested:      c("lookup_requested_tokens_total", "Tokens that lookups asked for.", salted...),
		hit:            c("lookup_hit_tokens_total", "Tokens that lookups found.", salted...),
		hostHit:        c("lookup_hit_l1_tokens_total", "Tokens that lookups found in L1.", salted...),
		storageHit:     c("lookup_hit_l2_tokens_total", "Tokens that lookups found in L2.", salted...),
		storageHitKeys: c("lookup_hit_l2_keys_total", "Keys that lookups found in L2.", salted...),

		read:    c("l1_read_chunks_total", "Chunks read from L1."),
		written: c("l1_write_chunks_total", "Chunks written to L1."),
		evicted: c("l1_evicted_chunks_total", "Chunks evicted from L1.", "cache_salt", ""),

		storeSubmitted:       c("l2_store_submitted_requests_total", "Store requests submitted to L2."),
		storeSubmittedChunks: c("l2_store_submitted_objects_chunks_total", "Chunks of the store requests submitted to L2."),
		stored:               c("l2_store_completed_requests_total", "Store requests that L2 completed.", "l2_name", "fs"),
		storedChunks:         c("l2_store_completed_objects_chunks_total", "Chunks that L2 stored.", "l2_name", "fs"),
		storeSpeed:           speed("l2_store", "Throughput of stores to L2.", "l2_name", "fs"),
		prefetchLookups:      c("l2_prefetch_lookup_requests_total", "Lookups in L2 for a prefetch."),
		prefetched:           c("l2_prefetch_load_completed_chunks_total", "Chunks that prefetches loaded."),
		loaded:               c("l2_load_completed_requests_total", "Load requests that L2 completed.", "l2_name", "fs"),
		loadSpeed:            speed("l2_load", "Throughput of loads from L2.", "l2_name", "fs"),

		noRoom:            c("l1_allocation_failure_chunks_total", "Chunks for which L1 had no room.", of(model, "during", "l2_prefetch")...),
		evictedBeforeRead: c("l1_read_failure_chunks_total", "Chunks that could not be read after they had been found.", of(model, "during", "l1_retrieve", "reason", "not_found")...),
		prefetchNoRoom:    c("l2_prefetch_failure_chunks_total", "Chunks that a prefetch did not bring.", of(model, "reason", "l1_oom")...),
		prefetchNotFound:  c("l2_prefetch_failure_chunks_total", "Chunks that a prefetch did not bring.", of(model, "reason", "not_found")...),

		used:         g("l1_memory_usage_bytes", "Bytes of L1 in use."),
		usage:        g("l1_usage_ratio", "Share of L1 in use."),
		prefetchJobs: g("active_prefetch_jobs", "Prefetch jobs under way.", adapter...),
		storesNow:    g("num_inflight_l2_stores", "Stores to L2 under way.", adapter...),
		loadsNow:     g("num_inflight_l2_loads", "Loads from L2 under way.", adapter...),
	}
	for n := range i.schedulers[0].limits.TP {
		index := strconv.Itoa(n)
		card := func(direction string) lmcacheCard {
			phase := func(unit, what, phase string) lazy {
				return c("transfer_phase_"+unit+"_total", what, "device_index", index, "direction", direction, "phase", phase)
			}
			const moved, took = "Bytes moved between GPU and host, by phase.", "Seconds spent on it, by phase."
			return lmcacheCard{
				kernelBytes: phase("bytes", moved, "kernel"), kernelTime: phase("elapsed_seconds", took, "kernel"),
				stagingBytes: phase("bytes", moved, "staging"), stagingTime: phase("elapsed_seconds", took, "staging"),
			}
		}
		m.toHost, m.toDevice = append(m.toHost, card("d2h")), append(m.toDevice, card("h2d"))
		device := of(model, "engine_id", i.target.Name, "device", "cuda:"+index)
		m.toHostSpeed = append(m.toHostSpeed, speed("l0_l1_store", "Throughput of stores to L1.", device...))
		m.toDeviceSpeed = append(m.toDeviceSpeed, speed("l0_l1_load", "Throughput of loads from L1.", device...))
	}
	return m
}

// lmcacheThroughputBounds are gigabytes per second.
func lmcacheThroughputBounds() []float64 {
	return []float64{.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 40, 50, 60, 80, 100}
}
