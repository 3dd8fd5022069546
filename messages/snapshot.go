package messages

import "time"

// Snapshot is the state of one task, frozen: nothing in it is ever written
// after it was published, and whoever holds it may read it for ever. Its JSON
// is the contract with agents: pending_dialogs, recent_dialogs, frame_tree and
// page_target_id, and supervisor only when something is wrong or degraded.
type Snapshot struct {
	// Seq counts the publications of the task, from 1; 0 is the snapshot of a
	// task that has published nothing yet.
	Seq uint64 `json:"-"`
	// At is when the snapshot was published.
	At time.Time `json:"-"`
	// Epoch is the connection that it describes; 0 before the first.
	Epoch Epoch `json:"-"`
	// Task is whose state it is.
	Task TaskID `json:"-"`

	PendingDialogs []Dialog       `json:"pending_dialogs"`
	RecentDialogs  []DialogRecord `json:"recent_dialogs"` // oldest first
	FrameTree      *FrameTree     `json:"frame_tree,omitempty"`
	PageTargetID   TargetID       `json:"page_target_id,omitempty"`
	// Supervisor is nil when all is well.
	Supervisor *SupervisorState `json:"supervisor,omitempty"`

	// Page is what the browser last said of the task's page.
	Page PageState `json:"-"`
	// Policy is the dialog policy in force.
	Policy Policy `json:"-"`
	// ConsoleErrors is the ring of the last errors, oldest first.
	ConsoleErrors []ConsoleError `json:"-"`
	// Ready reports whether the page's session is set up and answers.
	Ready bool `json:"-"`
}

// PageState is what the browser says of a page without being asked.
type PageState struct {
	URL      string
	Title    string
	LoaderID LoaderID
}

// FrameTree is the capped view of the page's frames: breadth first, at most
// [MaxViewFrames] children, [MaxViewOOPIFDepth] OOPIF hops deep.
type FrameTree struct {
	Top       FrameEntry   `json:"top"`
	Children  []FrameEntry `json:"children"`
	Truncated bool         `json:"truncated"`
	Omitted   int          `json:"omitted,omitempty"` // frames not shown, by either cap
}

// FrameEntry is one frame of a [FrameTree].
type FrameEntry struct {
	FrameID       FrameID   `json:"frame_id"`
	ParentFrameID FrameID   `json:"parent_frame_id,omitempty"`
	URL           string    `json:"url"`
	Origin        string    `json:"origin"`
	Name          string    `json:"name,omitempty"`
	OOPIF         *bool     `json:"is_oopif,omitempty"` // nil for the top frame
	SessionID     SessionID `json:"session_id,omitempty"`
	// State is "swapping", "pending", "unresponsive" or "crashed" when the
	// frame cannot be reached right now, else empty.
	State FrameState `json:"state,omitempty"`
	// LoaderID is the document that the frame shows.
	LoaderID LoaderID `json:"-"`
}

// FrameState says why a frame cannot be reached right now.
type FrameState string

// The states of a frame; the empty one is the normal.
const (
	FrameSwapping     FrameState = "swapping"
	FramePending      FrameState = "pending"
	FrameUnresponsive FrameState = "unresponsive"
	FrameCrashed      FrameState = "crashed"
)

// ConsoleError is one entry of the ring of console errors.
type ConsoleError struct {
	Kind      string   `json:"kind"` // "error", "assert" or "exception"
	Text      string   `json:"text"`
	Truncated bool     `json:"truncated,omitempty"`
	URL       string   `json:"url,omitempty"`
	Line      int64    `json:"line,omitempty"` // from 1
	FrameID   FrameID  `json:"frame_id,omitempty"`
	TargetID  TargetID `json:"target_id,omitempty"`
	At        Seconds  `json:"at"`
}

// SupervisorState tells what is wrong, since when, and what leads out of it.
type SupervisorState struct {
	Status       Status            `json:"status"`
	Reason       string            `json:"reason"`
	Since        Seconds           `json:"since"`
	WaysOut      []string          `json:"ways_out,omitempty"`
	Bridge       *BridgeState      `json:"bridge,omitempty"`
	Capabilities map[string]string `json:"capabilities,omitempty"` // what the backend refused, and why
	Dropped      map[string]uint64 `json:"dropped,omitempty"`
}

// BridgeState is the state of the dialog bridge where it is in use.
type BridgeState struct {
	Mode   BridgeMode `json:"mode"`
	State  string     `json:"state"` // "off", "unproven", "proven" or "failed"
	Reason string     `json:"reason,omitempty"`
}
