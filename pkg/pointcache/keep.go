package pointcache

import "time"

// unused is after how long what nobody asks for is dropped.
const unused = 2 * Renewal

// entry finds or makes the entry of a key and counts that as a use. The caller
// holds the lock.
func (c *Cache) entry(key string) *entry {
	e, ok := c.entries[key]
	if !ok {
		e = &entry{key: key}
		e.place = c.recent.PushFront(e)
		c.entries[key] = e
	} else {
		c.recent.MoveToFront(e.place)
	}
	e.used = c.now()
	return e
}

// keep replaces what an entry holds and makes room for it. The caller holds the lock.
func (c *Cache) keep(e *entry, k *kept) {
	c.release(e)
	const share = 4 // one answer must not push out all others
	if size := k.bytes() + int64(len(e.key)); size <= c.most/share {
		e.kept, e.bytes = k, size
		c.bytes += size
		c.figures.bytes.Add(float64(size))
	}
	c.tidy(e)
	if c.sweep == nil && len(c.entries) > 0 {
		c.sweep = time.AfterFunc(unused, c.swept)
	}
}

// tidy drops what nobody asks for, and what was used longest ago until the rest fits; never
// the entry e. The caller holds the lock.
func (c *Cache) tidy(e *entry) {
	for place := c.recent.Back(); place != nil; {
		old, _ := place.Value.(*entry)
		place = place.Prev()
		if c.bytes <= c.most && c.now().Sub(old.used) < unused {
			break
		}
		if old != e && old.kept != nil {
			c.release(old)
			c.figures.evicted.Inc()
		}
		c.forget(old)
	}
}

// swept tidies from time to time: a data source that was deleted is never asked again, and
// nobody tells.
func (c *Cache) swept() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tidy(nil)
	c.sweep = nil
	if len(c.entries) > 0 {
		c.sweep = time.AfterFunc(unused, c.swept)
	}
}

// release drops what an entry holds.
func (c *Cache) release(e *entry) {
	c.bytes -= e.bytes
	c.figures.bytes.Sub(float64(e.bytes))
	e.kept, e.bytes = nil, 0
}

// forget drops an entry that holds nothing and waits for nothing.
func (c *Cache) forget(e *entry) {
	if e.kept == nil && e.flight == nil && c.entries[e.key] == e {
		c.recent.Remove(e.place)
		delete(c.entries, e.key)
	}
}

// Close drops everything that is kept.
func (c *Cache) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		c.release(e)
		c.forget(e)
	}
	if c.sweep != nil {
		c.sweep.Stop()
		c.sweep = nil
	}
}
