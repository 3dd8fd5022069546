package cdpwire

import (
	"slices"
	"sync"
	"sync/atomic"

	"cdpsupervisor/messages"
)

// outbox lies between the goroutine that reads and the consumer of batches.
//
//	reader fills a batch ──▶ a credit is free ──▶ ready ──▶ Deliver ──▶ under way
//	        ▲                      no │                                     │
//	        └── takes it back ◀── slot ──▶ ready, when a credit comes ◀── Credit
//
// While the reader fills the open batch it owns it without a lock. Before it
// waits for bytes it lays the batch into the slot, from where the credit of
// whoever gives one takes it out. So no event waits for the next one to come,
// and a consumer that is behind gets one large batch, not many small ones.
type outbox struct {
	deliver func(*messages.Batch)
	failed  func(*messages.Cause) // Deliver panicked
	free    atomic.Int32          // credits
	memory  *Memory

	mu      sync.Mutex
	taken   sync.Cond // the slot was emptied, or the reader must not wait
	slot    *batch
	ready   []*batch // to be delivered, in this order
	under   []*batch // with the consumer
	pumping bool     // a goroutine is delivering; it sees what others add
	stalled bool     // the reader waits for a credit
	dropped bool     // the reader must not wait any more
	broken  bool     // Deliver panicked: nothing more is delivered
	last    func()   // called once everything is delivered
}

func newOutbox(memory *Memory, deliver func(*messages.Batch), failed func(*messages.Cause)) *outbox {
	if memory == nil {
		memory = new(Memory)
	}
	o := &outbox{memory: memory, deliver: deliver, failed: failed}
	o.taken.L = &o.mu
	o.free.Store(messages.BatchCredits)
	return o
}

// open gives the reader the batch to fill: the one in the slot, or a new one.
func (o *outbox) open() *batch {
	o.mu.Lock()
	b := o.slot
	o.slot = nil
	o.mu.Unlock()
	if b != nil {
		return b
	}
	return o.memory.batch()
}

// lay takes the batch from the reader, to be delivered now where a credit is
// free, else when one comes. The reader then asks open for a batch.
func (o *outbox) lay(b *batch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.slot = b
	o.send()
}

// await is lay that returns when the batch is on its way. It waits for the
// consumer: the reader stops reading, and the browser buffers.
func (o *outbox) await(b *batch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.slot = b
	o.send()
	o.stalled = true
	for o.slot != nil && !o.dropped {
		o.taken.Wait()
	}
	o.stalled = false
}

// credit takes a batch back from the consumer and lets the one in the slot go.
// What is no batch under way is left alone.
func (o *outbox) credit(given *messages.Batch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, b := range o.under {
		if &b.Batch != given {
			continue
		}
		o.under = slices.Delete(o.under, i, i+1)
		o.memory.give(b)
		o.free.Add(1)
		o.send()
		return
	}
}

// compact lets go of lists that are empty.
func (o *outbox) compact() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.ready) == 0 {
		o.ready = nil
	}
	if len(o.under) == 0 {
		o.under = nil
	}
}

// send lets the batch in the slot go, if there is one and a credit is free. The
// lock is held.
func (o *outbox) send() {
	if o.slot == nil || o.slot.Len() == 0 || o.free.Load() <= 0 {
		return
	}
	o.free.Add(-1)
	o.ready = append(o.ready, o.slot)
	o.slot = nil
	o.taken.Signal()
	o.pump()
}

// pump delivers what is ready, one batch at a time and in order, whoever made it
// ready. Deliver runs without the lock, so that it may give credits. The lock is
// held before and after.
func (o *outbox) pump() {
	if o.pumping {
		return
	}
	o.pumping = true
	for len(o.ready) > 0 {
		b := o.ready[0]
		o.ready = slices.Delete(o.ready, 0, 1)
		if o.broken {
			continue
		}
		o.under = append(o.under, b)
		o.mu.Unlock()
		cause := guard(func() *messages.Cause { o.deliver(&b.Batch); return nil })
		if cause != nil {
			o.failed(cause)
		}
		o.mu.Lock()
		o.broken = o.broken || cause != nil
	}
	if last := o.last; last != nil {
		o.last = nil
		o.mu.Unlock()
		last()
		o.mu.Lock()
	}
	o.pumping = false
}

// drop keeps the reader from waiting for credits any more.
func (o *outbox) drop() {
	o.mu.Lock()
	o.dropped = true
	o.taken.Signal()
	o.mu.Unlock()
}

// waiting reports whether the reader waits for the consumer.
func (o *outbox) waiting() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stalled
}

// finish delivers what the reader left in the slot, without a credit, and then
// calls last. The reader has ended.
func (o *outbox) finish(last func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.slot != nil {
		o.ready = append(o.ready, o.slot)
		o.slot = nil
	}
	o.last = last
	o.pump()
}
