package simulator

import (
	"container/heap"
	"time"
)

// event is something that happens to a request, or to the group if it has none.
type event struct {
	at  time.Duration
	seq uint64
	do  func()
}

// clock is the virtual time: a queue of events in the order of their time, and
// in the order of their making where times are equal, so that runs repeat.
type clock struct {
	now    time.Duration
	seq    uint64
	events eventQueue
}

// after plans do for d from now.
func (c *clock) after(d time.Duration, do func()) { c.at(c.now+max(d, 0), do) }

func (c *clock) at(t time.Duration, do func()) {
	c.seq++
	heap.Push(&c.events, event{t, c.seq, do})
}

// advance runs all events up to and including t.
func (c *clock) advance(t time.Duration) {
	for len(c.events) > 0 && c.events[0].at <= t {
		e := heap.Pop(&c.events).(event)
		c.now = e.at
		e.do()
	}
	c.now = t
}

type eventQueue []event

func (q eventQueue) Len() int { return len(q) }
func (q eventQueue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].seq < q[j].seq
}
func (q eventQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *eventQueue) Push(x any)   { *q = append(*q, x.(event)) }
func (q *eventQueue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = event{}
	*q = (*q)[:last]
	return e
}
