package simulator

import (
	"iter"
	"math/rand/v2"
	"time"
)

const (
	// mooncakePage is the number of tokens of one key, SGLang's page for such a store.
	mooncakePage = 64
	// mooncakeBatch is how many keys one call moves at most.
	mooncakeBatch = 32
	// One call to the master takes rpcTime and rpcKeyTime for each of its keys.
	rpcTime    = 80 * time.Microsecond
	rpcKeyTime = 2 * time.Microsecond
	// ssdBytesPerSecond is the bandwidth at which a client writes its files.
	ssdBytesPerSecond = 6e9
	// clientMemory is what a client's process holds beside its segment, in bytes.
	clientMemory = 2 * gibibyte
)

// mooncakeClient is the store's client in one engine: it asks the master where keys are
// and moves the data itself.
type mooncakeClient struct {
	master    *mooncakeMaster
	instance  *instance
	rng       *rand.Rand
	page      *page
	pageBytes float64
	hitDue    due

	readBytes, writeBytes, misses          *series
	get, put, batchGet, batchPut, ssdWrite *series
	memory, swap                           *series
	calls                                  map[string]mooncakeCall
}

// mooncakeCall is the client's view of one call to the master.
type mooncakeCall struct{ count, time *series }

func newMooncakeClient(m *mooncakeMaster, i *instance, rng *rand.Rand, epoch time.Time) *mooncakeClient {
	c := &mooncakeClient{
		master: m, instance: i, rng: rng, page: newPage(epoch), calls: map[string]mooncakeCall{},
		pageBytes: mooncakePage * i.group.tokenBytes(),
	}
	made := func(kind metricKind, name, help string, bounds []float64) *series {
		return c.page.family(kind, "mooncake_"+name, help, bounds).with(labelSet{})
	}
	took := func(name, help string) *series { return made(histogram, name, help, mooncakeBounds()) }
	c.readBytes = made(counter, "transfer_read_bytes", "Bytes read.", nil)
	c.writeBytes = made(counter, "transfer_write_bytes", "Bytes written.", nil)
	c.misses = made(counter, "transfer_read_misses", "Reads of keys that are not there.", nil)
	c.get = took("transfer_get_latency", "Latency of a get (us).")
	c.put = took("transfer_put_latency", "Latency of a put (us).")
	c.batchGet = took("transfer_batch_get_latency", "Latency of a batch get (us).")
	c.batchPut = took("transfer_batch_put_latency", "Latency of a batch put (us).")
	c.ssdWrite = took("ssd_write_latency_us", "Latency of a write to SSD (us).")
	c.memory = made(gauge, "process_rss_bytes", "Resident memory of the process.", nil)
	c.swap = made(gauge, "process_swap_bytes", "Memory of the process that is swapped out.", nil)
	m.join(c)
	return c
}

func (c *mooncakeClient) endpoints() []endpoint {
	return []endpoint{c.instance.beside("mooncake", 9300, c.page, func() {
		c.memory.set(clientMemory + float64(c.master.CapacityBytes)/float64(len(c.master.clients)))
		c.swap.set(0)
	})}
}

// lookedUp asks for the pages of the prompt that the prefix cache lacks, and gets those
// that are there.
func (c *mooncakeClient) lookedUp(r *Request) {
	asked := r.InputTokens - r.CachedTokens
	pages := asked / mooncakePage
	found := c.hitDue.take(float64(asked)*c.master.HitShare*around(c.rng, 0.2), mooncakePage, pages)
	r.LookedUpTokens, r.StoreRemoteTokens = asked, found*mooncakePage
	loses := c.rng.Float64() < c.master.LossShare
	if pages == 0 {
		return
	}
	wait := c.call("BatchExistKey", pages)
	if loses && found > 0 {
		c.misses.add(1)
		found--
	}
	c.instance.host.moved(0, float64(found)*c.pageBytes)
	for keys := range batches(found) {
		call, latency := "BatchGetReplicaList", c.batchGet
		if keys == 1 {
			call, latency = "GetReplicaList", c.get
		}
		wait += c.call(call, keys)
		wait += c.move(wait, keys, latency, c.readBytes)
	}
}

// computed puts the pages that were not found.
func (c *mooncakeClient) computed(r *Request) {
	pages := (r.LookedUpTokens - r.StoreRemoteTokens) / mooncakePage
	c.instance.host.moved(float64(pages)*c.pageBytes, 0)
	wait := time.Duration(0)
	for keys := range batches(pages) {
		start, end, latency := "BatchPutStart", "BatchPutEnd", c.batchPut
		if keys == 1 {
			start, end, latency = "PutStart", "PutEnd", c.put
		}
		wait += c.call(start, keys)
		bytes := float64(keys) * c.pageBytes
		c.master.keep(keys, bytes)
		c.ssdWrite.observe(bytes / (ssdBytesPerSecond * around(c.rng, 0.2)) * 1e6)
		wait += c.move(wait, keys, latency, c.writeBytes)
		wait += c.call(end, keys)
		if keys > 1 {
			c.master.putStarts.add(1)
			c.master.putEnds.add(1)
		}
	}
}

// call is one call to the master; it returns its duration.
func (c *mooncakeClient) call(name string, keys int) time.Duration {
	took := time.Duration(float64(rpcTime+time.Duration(keys)*rpcKeyTime) * around(c.rng, 0.3))
	seen, ok := c.calls[name]
	if !ok {
		labels := labelSet{}.with("rpc_name", name)
		seen = mooncakeCall{
			count: c.page.family(counter, "mooncake_client_rpc_count", "Calls to the master.", nil).with(labels),
			time:  c.page.family(histogram, "mooncake_client_rpc_latency", "Latency of calls to the master (us).", mooncakeBounds()).with(labels),
		}
		c.calls[name] = seen
	}
	seen.count.add(1)
	seen.time.observe(microseconds(took))
	return took
}

// move moves keys after a wait and counts them when they are there; it returns how long
// the data takes.
func (c *mooncakeClient) move(wait time.Duration, keys int, latency, bytes *series) time.Duration {
	moved := float64(keys) * c.pageBytes
	took := seconds(moved / (c.master.BytesPerSecond * around(c.rng, 0.2)))
	c.master.clock.after(wait+took, func() {
		latency.observe(microseconds(took))
		bytes.add(moved)
	})
	return took
}

// batches yields the keys of each call that moves so many: the last page of a prompt
// moves alone.
func batches(keys int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for left := keys - 1; left > 0; left -= mooncakeBatch {
			if !yield(min(left, mooncakeBatch)) {
				return
			}
		}
		if keys > 0 {
			yield(1)
		}
	}
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func mooncakeBounds() []float64 {
	return []float64{
		50, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 50_000,
		100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000,
	}
}
