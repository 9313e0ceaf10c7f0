package simulator

import (
	"math/rand/v2"
	"time"
)

// From storeHigh of the memory on a put evicts first, down to storeLow; the oldest files
// go at filesHigh.
const storeHigh, storeLow, filesHigh = 0.95, 0.94, 0.7

// mooncakeMaster is the store's master: it knows where keys are and makes room. Data
// never passes it.
type mooncakeMaster struct {
	Mooncake
	clock   *clock
	rng     *rand.Rand
	page    *page
	clients []*mooncakeClient

	objects                           []mooncakeObject // the oldest first
	used, filed                       float64          // bytes
	keys                              int
	allocated, total, files, allFiles *series
	keyCount, active                  *series
	attempted, evicted                *series
	putStarts, putEnds, putRevokes    *series
	// segments are the memory of each client, in use and in all.
	segments, segmentsInAll []*series
}

// mooncakeObject is what one put left: keys that are evicted together.
type mooncakeObject struct {
	keys  int
	bytes float64
}

func newMooncakeMaster(m Mooncake, rng *rand.Rand, c *clock, epoch time.Time) *mooncakeMaster {
	s := &mooncakeMaster{Mooncake: m, clock: c, rng: rng, page: newPage(epoch)}
	made := func(kind metricKind, name, help string) *series {
		return s.page.family(kind, "master_"+name, help, nil).with(labelSet{})
	}
	s.allocated = made(gauge, "allocated_bytes", "Bytes of memory allocated over all segments.")
	s.total = made(gauge, "total_capacity_bytes", "Capacity of the memory of all segments.")
	s.files = made(gauge, "allocated_file_size_bytes", "Bytes of file storage allocated.")
	s.allFiles = made(gauge, "total_file_capacity_bytes", "Capacity of file storage.")
	s.keyCount = made(gauge, "key_count", "Number of keys.")
	s.active = made(gauge, "active_clients", "Number of clients that are connected.")
	s.attempted = made(counter, "attempted_evictions_total", "Evictions that were tried.")
	s.evicted = made(counter, "successful_evictions_total", "Evictions that freed memory.")
	s.putStarts = made(counter, "batch_put_start_requests_total", "BatchPutStart requests.")
	s.putEnds = made(counter, "batch_put_end_requests_total", "BatchPutEnd requests.")
	s.putRevokes = made(counter, "batch_put_revoke_requests_total", "BatchPutRevoke requests.")
	s.total.set(float64(m.CapacityBytes))
	s.allFiles.set(float64(m.FileCapacityBytes))
	return s
}

// join adds a client, which lends the store its part of the memory.
func (s *mooncakeMaster) join(c *mooncakeClient) {
	segment := labelSet{}.with("segment", c.instance.target.Name)
	s.clients = append(s.clients, c)
	s.segments = append(s.segments, s.page.family(gauge, "segment_allocated_bytes", "Bytes of a segment allocated.", nil).with(segment))
	s.segmentsInAll = append(s.segmentsInAll, s.page.family(gauge, "segment_total_capacity_bytes", "Capacity of a segment.", nil).with(segment))
}

// fill is the store as earlier prompts left it: as full as it stays.
func (s *mooncakeMaster) fill() {
	for n := 0; s.used < storeLow*float64(s.CapacityBytes); n++ {
		s.keep(mooncakeBatch, s.clients[n%len(s.clients)].pageBytes*mooncakeBatch)
	}
	s.filed = filesHigh * float64(s.FileCapacityBytes)
}

// keep makes room for keys, if it can, and places them.
func (s *mooncakeMaster) keep(keys int, bytes float64) {
	if s.used+bytes > storeHigh*float64(s.CapacityBytes) {
		s.attempted.add(1)
		// What is leased cannot go; the next put tries again.
		if s.rng.Float64() >= s.LossShare {
			s.evicted.add(1)
			for s.used > storeLow*float64(s.CapacityBytes) {
				oldest := s.objects[0]
				s.objects = s.objects[1:]
				s.keys -= oldest.keys
				s.used -= oldest.bytes
			}
		}
	}
	if s.used+bytes > float64(s.CapacityBytes) {
		s.putRevokes.add(1)
		return
	}
	s.objects = append(s.objects, mooncakeObject{keys, bytes})
	s.keys += keys
	s.used += bytes
	s.filed = min(s.filed+bytes, filesHigh*float64(s.FileCapacityBytes))
}

func (s *mooncakeMaster) refresh() {
	s.allocated.set(s.used)
	s.files.set(s.filed)
	s.keyCount.set(float64(s.keys))
	s.active.set(float64(len(s.clients)))
	// The master spreads keys evenly over the segments.
	parts := float64(len(s.clients))
	for n := range s.clients {
		s.segments[n].set(s.used / parts)
		s.segmentsInAll[n].set(float64(s.CapacityBytes) / parts)
	}
}

func (s *mooncakeMaster) endpoint() endpoint {
	return endpoint{
		target: Target{Name: "mooncake-master:9003", Job: "mooncake"},
		page:   func() *page { return s.page }, refresh: s.refresh, down: neverDown,
	}
}
