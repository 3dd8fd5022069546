package replay

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/importers"
)

// Result is what came of a replay. Its JSON is the contract of engine replay
// --json.
type Result struct {
	// Snapshot is the last one. With Options.FullTree its frame tree has no caps.
	Snapshot *messages.Snapshot      `json:"snapshot"`
	Console  []messages.ConsoleError `json:"console_errors"` // never nil
	Stats    Stats                   `json:"stats"`

	// Format, Header and Start say what the trace is.
	Format importers.Format    `json:"-"`
	Header cdpwire.TraceHeader `json:"-"`
	// Start is the moment at which the times of the trace begin: the Unix epoch
	// where the trace does not tell.
	Start time.Time `json:"-"`
	// PageStart is the same moment by the clock of the pages, which console errors
	// go by.
	PageStart time.Time `json:"-"`
	// Dialogs are all dialogs, in the order in which they opened.
	Dialogs []*Dialog `json:"-"`
	// Attached are all sessions that the engine was shown, in order.
	Attached []SessionSpan `json:"-"`
	// Spans are the frames, if Options.Frames asked for them.
	Spans []*FrameSpan `json:"-"`
	// Seconds counts the events by second of the trace.
	Seconds map[int]int `json:"-"`
	// Withheld counts the messages of sessions that are not the engine's, Silent
	// the commands of the engine that stayed without answer, as in the recording,
	// Skipped what of the file could not be read.
	Withheld, Silent, Skipped int `json:"-"`
	// Sent counts the commands of the recording client.
	Sent int `json:"-"`
	// Notes are remarks for the user, one line each.
	Notes []string `json:"-"`
}

// SessionSpan is the life of one session.
type SessionSpan struct {
	ID     string
	Parent string
	Target string
	Kind   string
	URL    string
	From   time.Duration
	To     time.Duration // 0 while it lives
	Left   bool          // the engine let it go
}

// WriteJSON writes the result as one line of JSON.
func (r *Result) WriteJSON(w io.Writer) error { return writeLine(w, r) }

// WriteSnapshot writes a snapshot as one line of JSON.
func WriteSnapshot(w io.Writer, s *messages.Snapshot) error { return writeLine(w, s) }

func writeLine(w io.Writer, v any) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false) // addresses stay readable
	return lines.Encode(v)
}

// probe is a harmless event that makes the engine hand over its counters.
const probe = `{"method":"Target.targetDestroyed","params":{"targetId":"replay-end"}}`

// result takes the last snapshot and all that was counted.
func (r *run) result() (*Result, error) {
	if err := r.settled(r.engine.wire.feed([]byte(probe))); err != nil {
		return nil, err
	}
	r.unanswered()
	snapshot := r.engine.snapshot()
	if snapshot == nil { // a task is there as soon as the registry has run
		snapshot = &messages.Snapshot{PendingDialogs: []messages.Dialog{}, RecentDialogs: []messages.DialogRecord{}}
	}
	shown, frames, err := r.lastFrames(snapshot)
	if err != nil {
		return nil, err
	}
	result := &Result{
		Snapshot: shown, Console: snapshot.ConsoleErrors,
		Format: r.trace.Format(), Header: r.plan.header, Start: r.start, PageStart: r.console.origin,
		Dialogs: r.dialogs.list, Spans: r.frames.spans(), Seconds: r.tally.seconds,
		Withheld: r.browser.withheld, Silent: r.browser.silent, Skipped: r.trace.Skipped(), Sent: r.tally.sent,
		Attached: r.browser.spans(), Notes: r.notes,
		Stats: Stats{
			Messages: r.tally.messages, Events: r.tally.events, ByMethod: r.tally.methods,
			Unknown: r.engine.counts.Unknown, Dropped: lost(snapshot.Supervisor),
			Malformed: r.engine.counts.Malformed + uint64(max(0, r.trace.Skipped())),
			Sessions:  r.engine.sessions, Frames: frames, Dialogs: len(r.dialogs.list),
			Duration: float64(r.tally.last.Microseconds()) / 1e6,
		},
	}
	if result.Console == nil {
		result.Console = []messages.ConsoleError{}
	}
	return result, nil
}

// dated reports whether the moment is one of a calendar: a trace that was made
// from a log without one counts from the epoch.
func dated(start messages.Seconds) bool { return start >= 1 }

// lastFrames counts the frames of all pages, and returns the snapshot as it is to
// be shown.
func (r *run) lastFrames(s *messages.Snapshot) (shown *messages.Snapshot, frames int, err error) {
	shown = s
	for _, page := range slices.Sorted(maps.Keys(r.engine.pages)) {
		tree, err := r.engine.frames(page)
		if err != nil {
			return nil, 0, err
		}
		if tree == nil {
			continue
		}
		frames += 1 + len(tree.Children)
		if page == s.PageTargetID && r.options.FullTree && s.FrameTree != nil {
			full := *s
			full.FrameTree = tree
			shown = &full
		}
	}
	if frames == 0 && s.FrameTree != nil { // the connection is gone; the view is all there is
		frames = 1 + len(s.FrameTree.Children) + s.FrameTree.Omitted
	}
	return shown, frames, nil
}

// spans are the sessions that the engine was shown.
func (b *browser) spans() []SessionSpan {
	var list []SessionSpan
	for _, s := range b.order {
		if s.fate == fateAside || s.fate == fateBridge || len(list) >= maxFollowed {
			continue
		}
		list = append(list, SessionSpan{
			ID: s.id, Parent: s.parent, Target: s.target, Kind: s.kind, URL: s.url, From: s.opened, To: s.closed, Left: s.fate == fateLeft,
		})
	}
	return list
}
