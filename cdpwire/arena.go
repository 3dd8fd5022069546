package cdpwire

import (
	"sync"

	"cdpsupervisor/messages"
)

const (
	slabChunk = 16 // bodies that share an allocation
	slabKeep  = 16 // chunks that survive a reset
	// keptEvents is the room for events that a batch keeps.
	keptEvents = 2 * messages.MaxBacklogEvents // as append makes it for that many
	// keptBatches is how many batches are kept for the next connection that
	// needs one.
	keptBatches = 8
)

// slab hands out bodies of one type that live until reset. Bodies never move.
type slab[T any] struct {
	chunks []*[slabChunk]T
	used   int
}

func (s *slab[T]) next() *T {
	c, i := s.used/slabChunk, s.used%slabChunk
	if c == len(s.chunks) {
		s.chunks = append(s.chunks, new([slabChunk]T))
	}
	s.used++
	return &s.chunks[c][i]
}

// reset takes all bodies back and lets go of what they point to.
func (s *slab[T]) reset() {
	for c := range (s.used + slabChunk - 1) / slabChunk {
		clear(s.chunks[c][:min(slabChunk, s.used-c*slabChunk)])
	}
	if len(s.chunks) > slabKeep {
		clear(s.chunks[slabKeep:])
		s.chunks = s.chunks[:slabKeep]
	}
	s.used = 0
}

// arena holds the bodies of a batch's frequent events, so that they cost no
// allocation once a batch has been round.
type arena struct {
	targetCreated     slab[messages.TargetCreated]
	targetInfoChanged slab[messages.TargetInfoChanged]
	targetDestroyed   slab[messages.TargetDestroyed]
	attachedToTarget  slab[messages.AttachedToTarget]
	detached          slab[messages.DetachedFromTarget]
	frameAttached     slab[messages.FrameAttached]
	frameNavigated    slab[messages.FrameNavigated]
	frameDetached     slab[messages.FrameDetached]
	withinDocument    slab[messages.NavigatedWithinDocument]
	startedNavigating slab[messages.FrameStartedNavigating]
	contextCreated    slab[messages.ContextCreated]
	contextDestroyed  slab[messages.ContextDestroyed]
	console           slab[messages.ConsoleMessage]
	exception         slab[messages.ExceptionThrown]
	reply             slab[messages.Reply]
}

func (a *arena) reset() {
	a.targetCreated.reset()
	a.targetInfoChanged.reset()
	a.targetDestroyed.reset()
	a.attachedToTarget.reset()
	a.detached.reset()
	a.frameAttached.reset()
	a.frameNavigated.reset()
	a.frameDetached.reset()
	a.withinDocument.reset()
	a.startedNavigating.reset()
	a.contextCreated.reset()
	a.contextDestroyed.reset()
	a.console.reset()
	a.exception.reset()
	a.reply.reset()
}

// batch is a batch of events with the memory behind it.
type batch struct {
	messages.Batch
	arena arena
}

// reset makes the batch empty and lets go of everything that it held.
func (b *batch) reset() {
	b.State = emptied(b.State)
	b.Bulk = emptied(b.Bulk)
	b.Lender, b.Counts = nil, messages.WireCounts{}
	b.Bytes = 0
	b.arena.reset()
}

// dropUnused takes back the body of an event that was not kept. While a batch is
// empty nothing else would: it does not go round.
func (b *batch) dropUnused() {
	if b.Len() == 0 {
		b.arena.reset()
	}
}

// emptied is the slice without its events, and without its memory if it grew
// far beyond an ordinary batch.
func emptied(events []messages.Event) []messages.Event {
	if cap(events) > keptEvents {
		return nil
	}
	clear(events)
	return events[:0]
}

// Memory keeps the batches that no connection fills or has under way. The zero
// value is ready. It may be shared by any number of connections, and should be:
// it keeps a bounded number, while a connection that is quiet keeps none. It is
// no sync.Pool, which gives all that it has to the garbage collector at each of
// its rounds, so that a busy page would make its batches anew, which brings the
// next round.
type Memory struct {
	mu      sync.Mutex
	batches []*batch
}

// batch is an empty batch.
func (m *Memory) batch() *batch {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.batches)
	if n == 0 {
		return new(batch)
	}
	b := m.batches[n-1]
	m.batches[n-1] = nil
	m.batches = m.batches[:n-1]
	return b
}

// give takes a batch back.
func (m *Memory) give(b *batch) {
	b.reset()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.batches) < keptBatches {
		m.batches = append(m.batches, b)
	}
}
