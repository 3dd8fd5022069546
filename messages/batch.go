package messages

// Lender takes batches back that it has lent, and with each a credit. It may be
// called from any goroutine and does not block.
type Lender interface{ Credit(*Batch) }

// Batch is up to a few hundred events on their way to the supervisor. Who
// holds the pointer owns it: cdpwire fills it, the supervisor applies it and
// gives it back to its lender; nobody keeps it or its bodies. It goes back by a
// call and not by a message to the socket's actor, which would be a third of
// all messages on a quiet page.
type Batch struct {
	Lender Lender // nil where nobody waits for it
	Epoch  Epoch
	// State holds target, frame, context, dialog, crash events and all
	// replies, in order of arrival. It is applied first, and never dropped.
	State []Event
	// Bulk holds the rest.
	Bulk []Event
	// Counts says what was counted instead of passed on since the last batch.
	Counts WireCounts
	// Bytes is the wire size of what the batch holds.
	Bytes int
}

// GiveBack ends the use of the batch.
func (b *Batch) GiveBack() {
	if b.Lender != nil {
		b.Lender.Credit(b)
	}
}

// Len is the number of events in the batch.
func (b *Batch) Len() int { return len(b.State) + len(b.Bulk) }

// WireCounts counts what the wire saw. All are totals of the epoch.
type WireCounts struct {
	Messages   uint64 // everything that came
	Unknown    uint64 // methods that nobody here needs
	Ignored    uint64 // known methods of a sort that nobody needs: console calls that are no errors
	Dropped    uint64 // bulk dropped under pressure
	Malformed  uint64 // not JSON, not CDP, or without its required fields
	Orphans    uint64 // replies to no command of ours
	Bytes      uint64
	Duplicates uint64 // replies that came twice
}
