package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"sync"
	"sync/atomic"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// Record is what belongs to a task rather than to an actor: it is made by the
// registry, passed into Props, and outlives every restart. Each field says who
// may write it; everybody else only reads.
type Record struct {
	// ID, Life, Source and Options never change. Life tells one start of a
	// task from the next.
	ID      messages.TaskID
	Life    uint64
	Source  messages.EndpointSource
	Options messages.TaskOptions
	// Tap, when set, sees every message on the wire, below the decoder. It is
	// called from the socket's goroutines and must not block.
	Tap func(dir cdpwire.Direction, at time.Time, msg []byte)

	// Published holds the snapshot. Only the snapshot actor stores.
	Published Published
	// Dialogs counts the ids given to dialogs; only the dialogs actor adds.
	Dialogs *atomic.Uint64
	// Epochs counts connections; only the supervisor adds.
	Epochs atomic.Uint32
	// Sessions counts sessions, to number them; only the supervisor adds.
	Sessions atomic.Uint32

	// asks are the open questions from outside. Only the supervisor's
	// incarnations touch them, one after the other.
	asks askTable
	// open is what the dialogs actor last published, so that its next
	// incarnation can take up the dialogs that are open.
	open atomic.Pointer[savedDialogs]
	// lostInput made the dialogs actor panic: its next incarnation begins with
	// it, so that no dialog goes unseen, and no end of one.
	lostInput atomic.Pointer[lostInput]
	// sent are the commands of the dialogs actor on the wire. Only its
	// incarnations touch them, one after the other.
	sent sentAnswers
	// made is the tab that the engine opened for this task. Only the
	// supervisor touches it.
	made messages.TargetID
	// unused is a page that was closed before it could be used, on the connection
	// unusedOn; on another it is not waited for again. Only the supervisor.
	unused   messages.TargetID
	unusedOn messages.Epoch
	// prefer is the page of the last connection. Only the supervisor.
	prefer messages.TargetID
	// known are the pages that the last connection knew. Only the supervisor.
	known []messages.TargetID
	// owned are the pages that the registry was told of and that are not known
	// to be gone. Only the supervisor.
	owned []messages.TargetID
	// canary is the tab in which the bridge tries itself out, while it is open.
	// Only the supervisor.
	canary messages.TargetID
	// mark is how the dialog bridge knows its own overrides again, and bridged
	// says that it was turned on because the backend closed dialogs by itself.
	// Only the supervisor touches both.
	mark    string
	bridged bool
	// ready says that the registry was told; only the supervisor.
	ready bool
	// lease is the right to the endpoint; only the dialling goroutine of the
	// current epoch touches it, and [Record.GiveBack].
	lease leaseHolder
	// turn is where the supervisor runs.
	turn turn
	// publishing is held by whoever tells the host's subscribers something.
	publishing sync.Mutex
	// failures is the window of the supervisor's children. Only the
	// supervisor's strategy.
	failures map[string]*FailureWindow
}

// NewRecord returns the record of a task. dialogs is the process-wide counter
// of dialog ids, or nil for one of the record's own.
func NewRecord(id messages.TaskID, life uint64, source messages.EndpointSource, opts messages.TaskOptions, dialogs *atomic.Uint64) *Record {
	if dialogs == nil {
		dialogs = new(atomic.Uint64)
	}
	r := &Record{
		ID: id, Life: life, Source: source, Options: opts, Dialogs: dialogs,
	}
	r.Published.Store(&messages.Snapshot{
		Task: id, Policy: opts.Policy,
		PendingDialogs: []messages.Dialog{}, RecentDialogs: []messages.DialogRecord{},
		Supervisor: &messages.SupervisorState{Status: messages.StatusConnecting, Reason: "the task is starting"},
	})
	return r
}

// lostInput is what made the dialogs actor panic: one of the two.
type lostInput struct {
	input *dialogInput
	reply *dialogReply
}

// keepInput keeps what made the dialogs actor panic, the first time.
func (r *Record) keepInput(_ *actor.PID, envelope *actor.MessageEnvelope) bool {
	var lost lostInput
	switch m := envelope.Message.(type) {
	case *dialogInput:
		if m.retried {
			return false
		}
		lost.input = &dialogInput{Input: m.Input, retried: true}
	case *dialogReply:
		if m.retried {
			return false
		}
		reply := *m
		reply.retried = true
		lost.reply = &reply
	default:
		return false
	}
	r.lostInput.Store(&lost)
	return true
}

// Published is the pointer to the newest snapshot. Load never blocks.
type Published struct {
	ptr     atomic.Pointer[messages.Snapshot]
	watched atomic.Bool
	mu      sync.Mutex // guards ch
	ch      chan struct{}
}

// Load returns the newest snapshot; it is nil only before the first Store.
func (p *Published) Load() *messages.Snapshot { return p.ptr.Load() }

// Store publishes a snapshot and wakes whoever waits for a change.
func (p *Published) Store(s *messages.Snapshot) {
	p.ptr.Store(s)
	if !p.watched.Load() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch != nil {
		close(p.ch)
		p.ch = nil
	}
	p.watched.Store(false)
}

// Changed returns a channel that is closed at the next Store. Load after
// Changed, so that no change falls between the two.
func (p *Published) Changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch == nil {
		p.ch = make(chan struct{})
	}
	p.watched.Store(true)
	return p.ch
}
