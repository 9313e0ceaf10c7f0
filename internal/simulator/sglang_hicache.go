package simulator

import "strconv"

// pageTokens is the size of HiCache's pages.
const pageTokens = 64

// hicache counts as SGLang's hierarchical cache does for one scheduler, in its newest
// form: the tree and the storage controller have the ranks in their labels and neither
// model nor role. Every attention TP rank counts all tokens, and of bytes its own shard.
// New prompts are written through to the host, and a part of them to storage; what finds
// no room there counts as dropped at once, in reality when the GPU evicts it.
type hicache struct {
	pool           hostPool
	used, capacity *series

	evicted, saved, loaded, dropped, evictTime lazy
	found, read, undelivered, written          lazy
	ranks                                      []hicacheRank
}

// hicacheRank is what a rank counts for itself.
type hicacheRank struct {
	savedBytes, loadedBytes, saveTime, loadTime lazy
	readSpeed, readPages                        lazy
	writeSpeed, writePages                      lazy
}

// newHiCache is nil where the scheduler has none. Gated are the labels of its gauges.
func newHiCache(s *scheduler, gated []labelSet) *hicache {
	if s.instance.group.HostCache == nil || s.instance.target.Role == Decode {
		return nil
	}
	p := s.instance.page
	h := &hicache{pool: newHostPool(s)}
	h.used = p.family(gauge, "sglang:hicache_host_used_tokens", "Tokens held by the host pool.", nil).with(gated...)
	h.capacity = p.family(gauge, "sglang:hicache_host_total_tokens", "Tokens that the host pool can hold.", nil).with(gated...)

	var tree, storage []labelSet // one per TP rank
	for rank := range s.limits.attentionTP() {
		l := labelSet{}.with("tp_rank", strconv.Itoa(rank), "pp_rank", "0", "dp_rank", strconv.Itoa(s.dp))
		tree = append(tree, l.with("cache_type", "hiradix"))
		storage = append(storage, l.with("storage_backend", "mooncake"))
	}
	made := func(kind metricKind, name, help string, bounds []float64, copies []labelSet, pairs ...string) lazy {
		return lazy{family: p.family(kind, "sglang:"+name, help, bounds), copies: extend(copies, pairs...)}
	}
	h.evicted = made(counter, "evicted_tokens_total", "Tokens evicted from GPU memory.", nil, tree)
	h.evictTime = made(histogram, "eviction_duration_seconds", "Time of one eviction from GPU memory.", hicacheTimeBounds(), tree)
	h.saved = made(counter, "hicache_backup_tokens_total", "Tokens copied from GPU to host.", nil, tree, "pool", "kv")
	h.loaded = made(counter, "load_back_tokens_total", "Tokens copied from host to GPU.", nil, tree, "pool", "kv")
	h.dropped = made(counter, "hicache_dropped_tokens_total", "Tokens lost without a copy on the host.", nil, tree, "pool", "kv", "reason", "host_capacity")
	h.found = made(counter, "storage_prefetch_hit_tokens_total", "Tokens that a look-up found in storage.", nil, storage)
	h.read = made(counter, "prefetched_tokens_total", "Tokens read from storage.", nil, storage)
	h.undelivered = made(counter, "storage_prefetch_unfulfilled_tokens_total", "Tokens asked of storage that did not come.", nil, storage, "reason", "storage_transfer")
	h.written = made(counter, "backuped_tokens_total", "Tokens written to storage.", nil, storage)
	for rank := range tree {
		tree, storage := tree[rank:rank+1], storage[rank:rank+1]
		h.ranks = append(h.ranks, hicacheRank{
			savedBytes:  made(counter, "hicache_backup_bytes_total", "Bytes copied from GPU to host.", nil, tree),
			saveTime:    made(histogram, "hicache_backup_duration_seconds", "Time of one copy from GPU to host.", hicacheTimeBounds(), tree),
			loadedBytes: made(counter, "load_back_bytes_total", "Bytes copied from host to GPU.", nil, tree),
			loadTime:    made(histogram, "load_back_duration_seconds", "Time of one copy from host to GPU.", hicacheLoadBounds(), tree),
			readSpeed:   made(histogram, "prefetch_bandwidth", "Bandwidth of one read from storage in GB/s.", hicacheSpeedBounds(), storage),
			readPages:   made(histogram, "prefetch_pgs", "Pages of one read from storage.", hicachePageBounds(), storage),
			writeSpeed:  made(histogram, "backup_bandwidth", "Bandwidth of one write to storage in GB/s.", hicacheSpeedBounds(), storage),
			writePages:  made(histogram, "backup_pgs", "Pages of one write to storage.", hicachePageBounds(), storage),
		})
	}
	return h
}

// prefillStarted: what storage had was read to the host while the request waited, and
// with what the host had goes to the GPU now.
func (h *hicache) prefillStarted(r *Request) {
	if h == nil {
		return
	}
	if found := r.StorageTokens + r.UndeliveredTokens; found > 0 {
		h.found.get().add(float64(found))
	}
	if r.UndeliveredTokens > 0 {
		h.undelivered.get().add(float64(r.UndeliveredTokens))
	}
	if r.StorageTokens > 0 {
		h.read.get().add(float64(r.StorageTokens))
		h.pool.keep(r.StorageTokens)
	}
	if r.loadedTokens() > 0 {
		h.loaded.get().add(float64(r.loadedTokens()))
	}
	for rank := range h.ranks {
		m := &h.ranks[rank]
		if r.StorageTokens > 0 {
			bytes := shard(r.bytesOf(r.StorageTokens), rank, len(h.ranks))
			m.readSpeed.get().observe(float64(bytes) / gibibyte / copyTime(bytes, storageToHost).Seconds())
			m.readPages.get().observe(pagesOf(r.StorageTokens))
		}
		if r.loadedTokens() > 0 {
			bytes := shard(r.bytesOf(r.loadedTokens()), rank, len(h.ranks))
			m.loadedBytes.get().add(float64(bytes))
			m.loadTime.get().observe(copyTime(bytes, hostToDevice).Seconds())
		}
	}
}

// prefillEnded: what was computed is copied to the host, and a part of it to storage.
func (h *hicache) prefillEnded(r *Request) {
	if h == nil {
		return
	}
	if r.DroppedTokens > 0 {
		h.dropped.get().add(float64(r.DroppedTokens))
	}
	if r.savedTokens() > 0 {
		h.saved.get().add(float64(r.savedTokens()))
		h.pool.keep(r.savedTokens())
	}
	if r.storedTokens() > 0 {
		h.written.get().add(float64(r.storedTokens()))
	}
	for rank := range h.ranks {
		m := &h.ranks[rank]
		if r.savedTokens() > 0 {
			bytes := shard(r.bytesOf(r.savedTokens()), rank, len(h.ranks))
			m.savedBytes.get().add(float64(bytes))
			m.saveTime.get().observe(copyTime(bytes, deviceToHost).Seconds())
		}
		if r.storedTokens() > 0 {
			bytes := shard(r.bytesOf(r.storedTokens()), rank, len(h.ranks))
			m.writeSpeed.get().observe(float64(bytes) / gibibyte / copyTime(bytes, hostToStorage).Seconds())
			m.writePages.get().observe(pagesOf(r.storedTokens()))
		}
	}
}

// evict counts tokens that lost their GPU memory. They have a copy on the host, so that
// it is a matter of the pages' lists: two microseconds each.
func (h *hicache) evict(tokens int) {
	if h == nil {
		return
	}
	h.evicted.get().add(float64(tokens))
	h.evictTime.get().observe(2e-6 * pagesOf(tokens))
}

// set puts the gauges of the host pool.
func (h *hicache) set() {
	if h == nil {
		return
	}
	h.used.set(float64(h.pool.used))
	h.capacity.set(float64(h.pool.capacity))
}

// pagesOf is the number of pages that hold so many tokens.
func pagesOf(tokens int) float64 { return float64((tokens + pageTokens - 1) / pageTokens) }
