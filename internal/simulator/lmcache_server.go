package simulator

import (
	"math/rand/v2"
	"time"
)

const (
	// lmcacheChunk is the number of tokens of one chunk, LMCache's default.
	lmcacheChunk = 256
	// From poolHigh of the pool on chunks are evicted, down to poolLow. A narrow step
	// keeps the level.
	poolHigh, poolLow = 0.8, 0.79
	// kernelFaster is how much faster than the copy to the host chunks are gathered on
	// the GPU.
	kernelFaster = 20
)

// lmcacheServer is one MP server at work.
type lmcacheServer struct {
	LMCacheMP
	instance *instance
	clock    *clock
	rng      *rand.Rand
	page     *page
	metrics  lmcacheMetrics

	chunkBytes          float64
	chunks              int // in the pool
	hostDue, storageDue due
	losses              int
	prefetches          int // under way, as are those below
	stores, loads       int
	most, kept          int // chunks: from most on they are evicted, down to kept
}

func newLMCacheServer(l LMCacheMP, i *instance, rng *rand.Rand, epoch time.Time) *lmcacheServer {
	s := &lmcacheServer{LMCacheMP: l, instance: i, clock: i.group.clock, rng: rng, page: newPage(epoch)}
	s.metrics = newLMCacheMetrics(s.page, i)
	s.chunkBytes = lmcacheChunk * i.group.tokenBytes()
	s.most = int(poolHigh * float64(l.PoolBytes) / s.chunkBytes)
	s.kept = int(poolLow * float64(l.PoolBytes) / s.chunkBytes)
	s.chunks = s.kept
	return s
}

func (s *lmcacheServer) endpoints() []endpoint {
	return []endpoint{s.instance.beside("lmcache", 9090, s.page, s.refresh)}
}

func (s *lmcacheServer) refresh() {
	m := &s.metrics
	used := float64(s.chunks) * s.chunkBytes
	m.used.set(used)
	m.usage.set(used / float64(s.PoolBytes))
	m.prefetchJobs.set(float64(s.prefetches))
	m.storesNow.set(float64(s.stores))
	m.loadsNow.set(float64(s.loads))
}

// lookedUp finds the shares of the prompt and brings them back, from storage by way of
// the host.
func (s *lmcacheServer) lookedUp(r *Request) {
	m := &s.metrics
	asked := r.InputTokens - r.CachedTokens
	whole := asked / lmcacheChunk
	host := s.hostDue.take(float64(asked)*s.HostHitShare*around(s.rng, 0.2), lmcacheChunk, whole)
	stored := s.storageDue.take(float64(asked)*s.StorageHitShare*around(s.rng, 0.2), lmcacheChunk, whole-host)
	r.LookedUpTokens, r.StoreHostTokens, r.StoreRemoteTokens = asked, host*lmcacheChunk, stored*lmcacheChunk
	m.requested.get().add(float64(asked))
	m.hit.get().add(float64((host + stored) * lmcacheChunk))
	m.hostHit.get().add(float64(host * lmcacheChunk))
	m.storageHit.get().add(float64(stored * lmcacheChunk))
	m.storageHitKeys.get().add(float64(stored))
	if host < whole {
		m.prefetchLookups.get().add(1)
	}

	loses := s.rng.Float64() < s.LossShare
	if host+stored == 0 {
		return
	}
	if loses {
		r.lostChunks = 1
		host, stored = s.lose(host, stored)
	}
	if stored == 0 {
		s.retrieve(host)
		return
	}
	s.prefetch(stored, func() { s.retrieve(host + stored) })
}

// lose takes one chunk from what was found, and counts why.
func (s *lmcacheServer) lose(host, stored int) (leftHost, leftStored int) {
	m := &s.metrics
	s.losses++
	switch kind := s.losses % 3; {
	case host == 0 || stored > 0 && kind == 1:
		m.noRoom.get().add(1)
		m.prefetchNoRoom.get().add(1)
		return host, stored - 1
	case stored > 0 && kind == 2:
		m.prefetchNotFound.get().add(1)
		return host, stored - 1
	default:
		m.evictedBeforeRead.get().add(1)
		return host - 1, stored
	}
}

// prefetch brings chunks from storage into the pool.
func (s *lmcacheServer) prefetch(chunks int, then func()) {
	m := &s.metrics
	bytes := float64(chunks) * s.chunkBytes
	s.prefetches++
	s.loads++
	took := seconds(bytes / (s.StorageBytesPerSecond * around(s.rng, 0.2)))
	s.clock.after(took, func() {
		s.prefetches--
		s.loads--
		m.prefetched.get().add(float64(chunks))
		m.loaded.get().add(1)
		m.loadSpeed.get().observe(bytes / 1e9 / took.Seconds())
		s.put(chunks)
		then()
	})
}

// retrieve copies chunks from the pool to the GPUs.
func (s *lmcacheServer) retrieve(chunks int) {
	if chunks == 0 {
		return
	}
	s.metrics.read.get().add(float64(chunks))
	s.copied(&s.metrics.toDevice, s.metrics.toDeviceSpeed, chunks)
	s.instance.host.moved(0, float64(chunks)*s.chunkBytes)
}

// computed keeps the chunks that were not found, in the pool and in storage.
func (s *lmcacheServer) computed(r *Request) {
	m := &s.metrics
	chunks := r.LookedUpTokens/lmcacheChunk - (r.StoreHostTokens+r.StoreRemoteTokens)/lmcacheChunk + r.lostChunks
	if chunks == 0 {
		return
	}
	bytes := float64(chunks) * s.chunkBytes
	s.copied(&m.toHost, m.toHostSpeed, chunks)
	s.instance.host.moved(bytes, 0)
	s.put(chunks)
	m.storeSubmitted.get().add(1)
	m.storeSubmittedChunks.get().add(float64(chunks))
	s.stores++
	took := seconds(bytes / (s.StorageBytesPerSecond * around(s.rng, 0.2)))
	s.clock.after(took, func() {
		s.stores--
		m.stored.get().add(1)
		m.storedChunks.get().add(float64(chunks))
		m.storeSpeed.get().observe(bytes / 1e9 / took.Seconds())
	})
}

// copied counts a copy between GPUs and host: each card moves its shard, and each
// phase all bytes of the card.
func (s *lmcacheServer) copied(cards *[]lmcacheCard, speed []lazy, chunks int) {
	part := float64(chunks) * s.chunkBytes / float64(len(*cards))
	for n := range *cards {
		took := part / (s.HostBytesPerSecond * around(s.rng, 0.1))
		card := &(*cards)[n]
		card.stagingBytes.get().add(part)
		card.stagingTime.get().add(took)
		card.kernelBytes.get().add(part)
		card.kernelTime.get().add(took / kernelFaster)
		speed[n].get().observe(part / 1e9 / took)
	}
}

// put writes chunks into the pool and evicts what has become too much.
func (s *lmcacheServer) put(chunks int) {
	s.metrics.written.get().add(float64(chunks))
	s.chunks += chunks
	if s.chunks > s.most {
		s.metrics.evicted.get().add(float64(s.chunks - s.kept))
		s.chunks = s.kept
	}
}
