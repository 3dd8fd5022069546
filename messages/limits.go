package messages

import "time"

// Limits on what a page or a peer controls. Text caps count the raw bytes
// before any escaping, and a cut never splits a character.
const (
	// MaxDialogMessageBytes is how much of a dialog's message is kept.
	MaxDialogMessageBytes = 16 << 10
	// MaxDefaultPromptBytes is how much of a prompt's default text is kept.
	MaxDefaultPromptBytes = 16 << 10
	// MaxPromptTextBytes is the longest answer that is taken for a prompt.
	MaxPromptTextBytes = 1 << 20
	// MaxConsoleTextBytes is how much of one console error's text is kept.
	MaxConsoleTextBytes = 4 << 10
	// MaxURLBytes is how much of a URL is kept.
	MaxURLBytes = 8 << 10
	// MaxFrameNameBytes is how much of a frame's name is kept.
	MaxFrameNameBytes = 256
	// MaxTitleBytes is how much of a target's title is kept.
	MaxTitleBytes = 1 << 10
	// MaxPostDataBytes is how much of a held request's body is kept.
	MaxPostDataBytes = 1 << 20
	// MaxHeaders is how many headers of a held request are kept.
	MaxHeaders = 64
	// MaxEvaluatedBytes is how much of an evaluation's string is kept.
	MaxEvaluatedBytes = 1 << 20
	// MaxTargets is how many targets are taken from one reply.
	MaxTargets = 10_000
	// MaxIDBytes is the longest id taken from the wire; an event with a
	// longer one is malformed.
	MaxIDBytes = 256
	// MaxTaskIDBytes is the longest task id.
	MaxTaskIDBytes = 128

	// MaxPendingDialogs is how many open dialogs a task tracks.
	MaxPendingDialogs = 32
	// MaxRecentDialogs is how many closed dialogs a task remembers.
	MaxRecentDialogs = 20
	// ConsoleHeldCalls is after how many console calls and exceptions of a
	// session the objects that they brought along are released.
	ConsoleHeldCalls = 500
	// MaxConsoleErrors is how many console errors a task remembers.
	MaxConsoleErrors = 50
	// MaxFrames is how many frames a task tracks; more are counted only.
	MaxFrames = 10_000
	// MaxFrameDepth is how deep a frame tree reply is followed.
	MaxFrameDepth = 256
	// MaxSessions is how many attached sessions a task tracks.
	MaxSessions = 2_000
	// MaxContextsPerSession is how many execution contexts a session tracks.
	MaxContextsPerSession = 4_096
	// MaxCalls is how many calls of agents may be in flight in a task.
	MaxCalls = 1_024

	// MaxViewFrames is how many children a snapshot's frame tree lists.
	MaxViewFrames = 30
	// MaxViewOOPIFDepth is how many OOPIF hops below the top a snapshot lists.
	MaxViewOOPIFDepth = 2

	// BatchEvents is how many events travel to the supervisor in one batch.
	BatchEvents = 64
	// MaxBacklogEvents and MaxBacklogBytes bound what waits between the
	// reader and the supervisor; at either the reader waits.
	MaxBacklogEvents = 4_096
	MaxBacklogBytes  = 64 << 20
	// BatchCredits is how many batches may be under way to the supervisor.
	BatchCredits = 4

	// MaxReadBytes is the largest message taken from a browser.
	MaxReadBytes = 256 << 20
	// MaxWriteBytes is the largest message sent: Chromium drops the
	// connection at 100 MiB.
	MaxWriteBytes = 100 << 20
	// MaxCommandID is the largest command id; ids wrap below it, because
	// Chromium takes 32-bit integers only.
	MaxCommandID = 1<<31 - 1
	// MaxPendingCommands is how many commands may wait for their replies on a
	// connection; one more ends it. A browser that answers owes a few thousand
	// at most, when a large page sets up all of its sessions at once.
	MaxPendingCommands = 65_536
	// MaxResultBytes is the default cap of a raw call's result.
	MaxResultBytes = 1 << 20
)

// Times. All are bounds of waiting, none is a rate.
const (
	// DefaultDialogTimeout is the watchdog of must_respond.
	DefaultDialogTimeout = 300 * time.Second
	// MaxDialogTimeout is the longest watchdog.
	MaxDialogTimeout = 86_400 * time.Second
	// AnswerTimeout is how long an answer to a dialog waits for its end.
	AnswerTimeout = 10 * time.Second
	// AutoDismissWindow: a dialog closed this soon, unasked, was closed by
	// the backend itself.
	AutoDismissWindow = 100 * time.Millisecond
	// JudgedFreeTimeout is how long a call that is judged not to be blocked
	// by an open dialog may stay without reply before it returns dialog_opened.
	JudgedFreeTimeout = time.Second

	// DialTimeout bounds the discovery and the handshake of a connection.
	DialTimeout = 10 * time.Second
	// BlockedAfter is when a page that does not answer Page.enable is shown
	// as blocked.
	BlockedAfter = 5 * time.Second
	// UnresponsiveAfter is when a child that does not answer is shown so.
	UnresponsiveAfter = 60 * time.Second
	// StartTimeout is the longest that GetOrStart waits for a page.
	StartTimeout = 15 * time.Second
	// NavigateTimeout is how long Navigate waits for the commit.
	NavigateTimeout = 30 * time.Second
	// ClaimTimeout bounds how long one task may hold the right to choose a
	// page of an endpoint.
	ClaimTimeout = 10 * time.Second

	// DefaultCallTimeout, MinCallTimeout and MaxCallTimeout bound raw calls.
	DefaultCallTimeout = 30 * time.Second
	MinCallTimeout     = time.Second
	MaxCallTimeout     = 300 * time.Second
	// ReadyWait is how long a call waits for a connection that is coming back.
	ReadyWait = 10 * time.Second

	// ReconnectMin and ReconnectMax are the first and the largest backoff;
	// between them it doubles, with full jitter.
	ReconnectMin = 500 * time.Millisecond
	ReconnectMax = 10 * time.Second
	// ReconnectBudget is how many failures in a row end the task, and
	// StableAfter is how long a connection must hold to reset that count.
	ReconnectBudget = 8
	StableAfter     = 30 * time.Second

	// IdlePing is the silence after which the socket is probed, and PongWait
	// how long the answer may take.
	IdlePing = 30 * time.Second
	PongWait = 10 * time.Second

	// StopTimeout bounds an orderly stop of one task. It is what its stages take
	// at the most, one after the other: SettleTimeout to dismiss the dialogs and
	// again to end those that are stranded, and WillTimeout for each step after
	// that: what the dialog bridge put into pages is taken out, a tab that is
	// just being opened is there, the tab is closed, and asked to once more, the
	// socket writes its last, the lease is given back, the last event is heard.
	StopTimeout   = 2*SettleTimeout + 7*WillTimeout
	SettleTimeout = 2 * time.Second
	WillTimeout   = time.Second
	// LeaseTimeout is how long a source may take to take its lease back. A stop
	// does not wait for all of it.
	LeaseTimeout = 5 * time.Second

	// RestartBudget panics within RestartWindow stop what panics.
	RestartBudget = 3
	RestartWindow = 30 * time.Second
)

// Cut returns s cut to at most limit bytes at a character's start, and whether
// anything was cut off.
func Cut(s string, limit int) (string, bool) {
	if len(s) <= limit {
		return s, false
	}
	// A character is at most four bytes, so the loop is short even on garbage.
	for i := limit; i > limit-4 && i > 0; i-- {
		if s[i]&0xC0 != 0x80 {
			return s[:i], true
		}
	}
	return s[:limit], true
}
