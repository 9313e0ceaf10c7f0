package simulator

import (
	"math"
	"strconv"
	"time"
)

// chunkTokens is the size of LMCache's chunks.
const chunkTokens = 256

// lmcache counts as LMCache in vLLM's process does: the scheduler's instance looks up,
// and the instance of every TP worker retrieves and stores, so that tokens repeat and
// bytes are each worker's share. Host memory gets all that is stored, the disk and the
// remote back end a part of it, and they hold more.
type lmcache struct {
	noDecode
	s                  *scheduler
	host, disk, remote hostPool

	lookups, lookedUp, foundTokens, lookupTime *series

	retrieves, requested, retrieved      *series
	retrieveTime, retrieveSpeed, toGPU   *series
	stores, stored                       *series
	storeTime, storeSpeed, fromGPU, put  *series
	remoteGet, remotePut                 *series
	remoteSync, remoteBlocking           *series
	engineHits, prompts                  *series
	hostUsed, diskUsed, remoteUsed       *series
	evictions, evictedKeys, nothingFreed *series
	lookupHitRateNow, retrieveHitRateNow *series
}

func newLMCache(s *scheduler) *lmcache {
	p, model := s.instance.page, s.instance.target.Model
	pool := newHostPool(s)
	m := &lmcache{
		s: s, host: pool,
		disk: hostPool{capacity: 2 * pool.capacity}, remote: hostPool{capacity: 4 * pool.capacity},
	}
	base := labelSet{}.with("model_name", "/models/"+model, "served_model_name", model)
	scheduler := []labelSet{base.with("role", "scheduler", "worker_id", strconv.Itoa(s.dp*s.limits.TP))}
	var workers []labelSet
	for rank := range s.limits.TP {
		workers = append(workers, base.with("role", "worker", "worker_id", strconv.Itoa(s.dp*s.limits.TP+rank)))
	}
	made := func(kind metricKind, name, help string, bounds []float64, copies []labelSet) *series {
		f := p.family(kind, "lmcache:"+name, help, bounds)
		f.createdSeries = true
		return f.with(copies...)
	}
	count := func(name, help string) *series { return made(counter, name, help, nil, workers) }
	show := func(name, help string) *series { return made(gauge, name, help, nil, workers) }
	times := func(name, help string, bounds []float64) *series {
		return made(histogram, name, help, bounds, workers)
	}

	m.lookups = made(counter, "num_lookup_requests_total", "Look-ups.", nil, scheduler)
	m.lookedUp = made(counter, "num_lookup_tokens_total", "Tokens looked up.", nil, scheduler)
	m.foundTokens = made(counter, "num_lookup_hits_total", "Tokens that look-ups found.", nil, scheduler)
	m.lookupTime = made(histogram, "time_to_lookup", "Time of one look-up in seconds.", lmcacheLookupBounds(), scheduler)
	m.lookupHitRateNow = made(gauge, "lookup_hit_rate", "Hit rate of look-ups since the last log line.", nil, scheduler)

	m.retrieves = count("num_retrieve_requests_total", "Retrieves.")
	m.requested = count("num_requested_tokens_total", "Tokens that retrieves asked for.")
	m.retrieved = count("num_hit_tokens_total", "Tokens that retrieves brought back.")
	m.retrieveTime = times("time_to_retrieve", "Time of one retrieve in seconds.", lmcacheTimeBounds())
	m.retrieveSpeed = times("retrieve_speed", "Tokens per second of one retrieve.", lmcacheSpeedBounds())
	m.toGPU = times("retrieve_to_gpu_time", "Time of one retrieve's copy to the GPU in seconds.", lmcacheTimeBounds())
	m.retrieveHitRateNow = show("retrieve_hit_rate", "Hit rate of retrieves since the last log line.")
	m.stores = count("num_store_requests_total", "Stores.")
	m.stored = count("num_stored_tokens_total", "Tokens stored.")
	m.storeTime = times("time_to_store", "Time of one store in seconds.", lmcacheTimeBounds())
	m.storeSpeed = times("store_speed", "Tokens per second of one store.", lmcacheSpeedBounds())
	m.fromGPU = times("store_from_gpu_time", "Time of one store's copy from the GPU in seconds.", lmcacheTimeBounds())
	m.put = times("store_put_time", "Time of one store's put in seconds.", lmcacheTimeBounds())
	m.engineHits = count("num_vllm_hit_tokens_total", "Tokens that vLLM had in GPU memory.")
	m.prompts = count("num_prompt_tokens_total", "Prompt tokens.")

	m.remoteGet = times("remote_time_to_get", "Time of one get from the remote back end in milliseconds.", lmcacheRemoteBounds())
	m.remotePut = times("remote_time_to_put", "Time of one put to the remote back end in milliseconds.", lmcacheRemoteBounds())
	m.remoteSync = times("remote_time_to_get_sync", "Time waited for one get from the remote back end in milliseconds.", lmcacheRemoteBounds())
	m.remoteBlocking = times("remote_backend_batched_get_blocking_time", "Time for which one batch of gets blocks in seconds.", lmcacheTimeBounds())

	m.hostUsed = show("local_cache_usage", "Bytes in host memory.")
	m.diskUsed = show("local_storage_usage", "Bytes on the local disk.")
	m.remoteUsed = show("remote_cache_usage", "Bytes in the remote back end.")
	m.evictions = count("local_cpu_evict_count_total", "Evictions from host memory.")
	m.evictedKeys = count("local_cpu_evict_keys_count_total", "Chunks evicted from host memory.")
	m.nothingFreed = count("local_cpu_evict_failed_count_total", "Evictions that could free nothing.")
	count("forced_unpin_count_total", "Chunks unpinned by timeout.")
	return m
}

// prefillStarted: what the GPU lacks is looked up, and what is found is retrieved. A
// look-up finds what storage then does not deliver.
func (m *lmcache) prefillStarted(r *Request) {
	asked, found, came := r.InputTokens-r.deviceTokens(), r.loadedTokens()+r.UndeliveredTokens, r.loadedTokens()
	m.lookups.add(1)
	m.lookedUp.add(float64(asked))
	m.foundTokens.add(float64(found))
	m.lookupTime.observe((50*time.Microsecond + time.Duration(asked/chunkTokens)*2*time.Microsecond).Seconds())
	m.lookupHitRateNow.set(float64(found) / float64(asked))
	m.prompts.add(float64(r.InputTokens))
	m.engineHits.add(float64(r.deviceTokens()))
	if found == 0 {
		return
	}
	m.retrieves.add(1)
	m.requested.add(float64(found))
	m.retrieved.add(float64(came))
	m.retrieveHitRateNow.set(float64(came) / float64(found))
	if came == 0 {
		return
	}
	took := copyTime(m.part(r, came), hostToDevice)
	m.toGPU.observe(took.Seconds())
	if r.StorageTokens > 0 {
		get := copyTime(m.part(r, r.StorageTokens), storageToHost)
		m.remoteGet.observe(milliseconds(get))
		m.remoteSync.observe(milliseconds(get))
		m.remoteBlocking.observe(get.Seconds())
		m.keepOnHost(r.StorageTokens)
		took += get
	}
	m.retrieveTime.observe(took.Seconds())
	m.retrieveSpeed.observe(float64(came) / took.Seconds())
}

// prefillEnded: what was computed is stored.
func (m *lmcache) prefillEnded(r *Request) {
	if r.DroppedTokens > 0 {
		m.nothingFreed.add(1)
	}
	saved := r.savedTokens()
	if saved == 0 {
		return
	}
	copied := copyTime(m.part(r, saved), deviceToHost)
	m.fromGPU.observe(copied.Seconds())
	took := copied
	if r.storedTokens() > 0 {
		put := copyTime(m.part(r, r.storedTokens()), hostToStorage)
		m.remotePut.observe(milliseconds(put))
		m.put.observe(put.Seconds())
		took += put
	}
	m.stores.add(1)
	m.stored.add(float64(saved))
	m.storeTime.observe(took.Seconds())
	m.storeSpeed.observe(float64(saved) / took.Seconds())
	m.keepOnHost(saved)
	m.disk.keep(r.storedTokens())
	m.remote.keep(r.storedTokens())
}

// keepOnHost counts an eviction where there is no room.
func (m *lmcache) keepOnHost(tokens int) {
	if evicted := m.host.keep(tokens); evicted > 0 {
		m.evictions.add(1)
		m.evictedKeys.add(math.Ceil(float64(evicted) / chunkTokens))
	}
}

// part is a worker's share of the bytes of some tokens.
func (m *lmcache) part(r *Request, tokens int) int64 {
	return shard(r.bytesOf(tokens), 0, m.s.limits.TP)
}

func (m *lmcache) refresh() {
	g := m.s.instance.group
	token := float64(g.BytesPerRequest) / g.InputTokens.mean() / float64(m.s.limits.TP)
	m.hostUsed.set(token * float64(m.host.used))
	m.diskUsed.set(token * float64(m.disk.used))
	m.remoteUsed.set(token * float64(m.remote.used))
}
