package messages

import "time"

// Seconds is a point in time as the contract writes it: seconds since the
// Unix epoch, with a fraction.
type Seconds float64

// EpochSeconds is t in seconds, to the microsecond; the zero time is 0.
func EpochSeconds(t time.Time) Seconds {
	if t.IsZero() {
		return 0
	}
	return Seconds(float64(t.UnixMicro()) / 1e6)
}

// Time is the time of s, to the microsecond.
func (s Seconds) Time() time.Time { return time.UnixMicro(int64(float64(s) * 1e6)) }

// Dialog is an open dialog as a snapshot shows it.
type Dialog struct {
	ID            DialogID    `json:"id"`
	Type          DialogType  `json:"type"`
	Message       string      `json:"message"`
	DefaultPrompt string      `json:"default_prompt"`
	OpenedAt      Seconds     `json:"opened_at"`
	FrameID       FrameID     `json:"frame_id"`
	URL           string      `json:"url"`
	Origin        string      `json:"origin"`
	TargetID      TargetID    `json:"target_id"`
	Via           ViaKind     `json:"via"`
	DeadlineAt    Seconds     `json:"deadline_at,omitempty"` // absent when no watchdog runs
	State         DialogState `json:"state,omitempty"`
	Count         int         `json:"count,omitempty"` // equal dialogs in a row, from 2
	Truncated     bool        `json:"truncated,omitempty"`
	// Row is how many dialogs of the frame, equal or not, opened each within
	// [RowGap] of the end of the one before, this one included; 0 for the first.
	Row int `json:"-"`
}

// EndlessFrom is from how many equal dialogs in a row a page counts as one that
// opens them without end: answering leads nowhere then. EndlessRow is the same
// of dialogs that differ, as those of a loop that counts: a page may well ask
// some questions in a row.
const (
	EndlessFrom = 3
	EndlessRow  = 10
)

// RowGap is the longest time between two dialogs of a row. The scripts of a loop
// take milliseconds.
const RowGap = time.Second

// Endless reports whether the dialog is one of a row that goes on and on.
func (d *Dialog) Endless() bool { return d.Count >= EndlessFrom || d.Row >= EndlessRow }

// DialogRecord is a dialog that is over.
type DialogRecord struct {
	ID            DialogID    `json:"id"`
	Type          DialogType  `json:"type"`
	Message       string      `json:"message"`
	DefaultPrompt string      `json:"default_prompt,omitempty"`
	OpenedAt      Seconds     `json:"opened_at"`
	ClosedAt      Seconds     `json:"closed_at"`
	ClosedBy      ClosedBy    `json:"closed_by"`
	Reason        CloseReason `json:"reason,omitempty"`
	Result        bool        `json:"result"`
	PromptText    *string     `json:"prompt_text,omitempty"` // the answer a prompt got
	FrameID       FrameID     `json:"frame_id"`
	URL           string      `json:"url"`
	Origin        string      `json:"origin"`
	TargetID      TargetID    `json:"target_id"`
	Via           ViaKind     `json:"via"`
	Count         int         `json:"count,omitempty"` // equal dialogs in a row, from 2
	Truncated     bool        `json:"truncated,omitempty"`
}

// Via is how one dialog is answered. Policy never looks inside.
type Via interface {
	// Kind is what a snapshot shows.
	Kind() ViaKind
	via()
}

type (
	// NativeVia: Page.handleJavaScriptDialog on the page session.
	NativeVia struct{ Session SessionID }
	// XHRVia: the bridge's request, held by the Fetch domain of the session.
	XHRVia struct {
		Session SessionID
		Request RequestID
	}
	// DebuggerVia: the bridge's function, paused on a call frame.
	DebuggerVia struct {
		Session   SessionID
		CallFrame string
	}
)

// Kind is native.
func (NativeVia) Kind() ViaKind { return ViaNative }

// Kind is xhr.
func (XHRVia) Kind() ViaKind { return ViaXHR }

// Kind is debugger.
func (DebuggerVia) Kind() ViaKind { return ViaDebugger }

func (NativeVia) via()   {}
func (XHRVia) via()      {}
func (DebuggerVia) via() {}
