package messages

// Batch is up to a few hundred events on their way to the supervisor. Who
// holds the pointer owns it: cdpwire fills it, the supervisor applies it and
// gives it back with a Drained; nobody keeps it or its bodies.
type Batch struct {
	Epoch Epoch
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
