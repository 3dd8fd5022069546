package messages

// DialogType is Page.DialogType. Unknown values are kept.
type DialogType string

// The dialog types that Chromium has.
const (
	DialogAlert        DialogType = "alert"
	DialogConfirm      DialogType = "confirm"
	DialogPrompt       DialogType = "prompt"
	DialogBeforeUnload DialogType = "beforeunload"
)

// Policy says what happens to a dialog that opens.
type Policy string

// The policies. There is no override per dialog.
const (
	// PolicyMustRespond leaves the answer to the agent; a watchdog dismisses
	// the dialog when its time is over.
	PolicyMustRespond Policy = "must_respond"
	// PolicyAutoDismiss dismisses every dialog as it opens.
	PolicyAutoDismiss Policy = "auto_dismiss"
	// PolicyAutoAccept accepts every dialog as it opens; a prompt gets its
	// default text.
	PolicyAutoAccept Policy = "auto_accept"
)

// Valid reports whether p is one of the three policies.
func (p Policy) Valid() bool {
	return p == PolicyMustRespond || p == PolicyAutoDismiss || p == PolicyAutoAccept
}

// DialogAction is what an agent does to a dialog.
type DialogAction string

// The two actions.
const (
	ActionAccept  DialogAction = "accept"
	ActionDismiss DialogAction = "dismiss"
)

// Valid reports whether a is one of the two actions.
func (a DialogAction) Valid() bool { return a == ActionAccept || a == ActionDismiss }

// DialogState is the optional state of a pending dialog; a dialog that simply
// waits for its answer has the empty state.
type DialogState string

// The states that a pending dialog shows.
const (
	// StateAnswering: an answer is on the wire.
	StateAnswering DialogState = "answering"
	// StateUnanswerable: the browser no longer takes an answer over CDP, as
	// for the second of two dialogs in one tab.
	StateUnanswerable DialogState = "unanswerable"
)

// ClosedBy says who ended a dialog.
type ClosedBy string

// The four values of closed_by.
const (
	ClosedByAgent      ClosedBy = "agent"
	ClosedByAutoPolicy ClosedBy = "auto_policy"
	ClosedByWatchdog   ClosedBy = "watchdog"
	ClosedByRemote     ClosedBy = "remote"
)

// CloseReason says more about how a dialog ended. It is optional.
type CloseReason string

// The reasons.
const (
	ReasonAnsweredElsewhere CloseReason = "answered_elsewhere"
	ReasonAutoDismissed     CloseReason = "auto_dismissed"
	ReasonNavigation        CloseReason = "navigation"
	ReasonTargetClosed      CloseReason = "target_closed"
	ReasonCrashed           CloseReason = "crashed"
	ReasonDisconnected      CloseReason = "disconnected"
	ReasonSuperseded        CloseReason = "superseded"
	ReasonFrameRemoved      CloseReason = "frame_removed"
	ReasonStopped           CloseReason = "stopped"
)

// ViaKind is the way in which a dialog reached us and is answered.
type ViaKind string

// The ways.
const (
	ViaNative   ViaKind = "native"
	ViaXHR      ViaKind = "xhr"
	ViaDebugger ViaKind = "debugger"
)

// Status is the state of a supervisor when something is wrong or degraded. A
// healthy supervisor has none.
type Status string

// The states that a snapshot can show.
const (
	StatusConnecting   Status = "connecting"
	StatusReconnecting Status = "reconnecting"
	StatusDegraded     Status = "degraded"
	StatusBlocked      Status = "blocked"
	StatusUnresponsive Status = "unresponsive"
	StatusPoisoned     Status = "poisoned"
	StatusCrashed      Status = "crashed"
	StatusTabGone      Status = "tab_gone"
	StatusExpired      Status = "expired"
	StatusFailed       Status = "failed"
	StatusStopped      Status = "stopped"
)

// Final reports whether a task with this status is over: no other one follows.
func (s Status) Final() bool {
	return s == StatusExpired || s == StatusFailed || s == StatusStopped
}

// Scope says which page targets a task supervises.
type Scope string

// The scopes.
const (
	// ScopePage: the task's page and the popups that it opens, transitively.
	ScopePage Scope = "page"
	// ScopeBrowser: every page target of the browser.
	ScopeBrowser Scope = "browser"
)

// OnStop says what a stop does to dialogs that are open.
type OnStop string

// The two ways to stop.
const (
	OnStopDismiss OnStop = "dismiss"
	OnStopLeave   OnStop = "leave"
)

// BridgeMode is the mode of the dialog bridge.
type BridgeMode string

// The bridge modes.
const (
	BridgeAuto BridgeMode = "auto"
	BridgeOn   BridgeMode = "on"
	BridgeOff  BridgeMode = "off"
)

// BridgeTransport is how the bridge carries a question.
type BridgeTransport string

// The bridge transports.
const (
	TransportAuto     BridgeTransport = "auto"
	TransportXHR      BridgeTransport = "xhr"
	TransportDebugger BridgeTransport = "debugger"
)

// TargetType is TargetInfo.type. Unknown values are kept.
type TargetType string

// The target types that the engine tells apart.
const (
	TargetPage   TargetType = "page"
	TargetIframe TargetType = "iframe"
)

// DetachReason is the reason of Page.frameDetached. Unknown values are kept.
type DetachReason string

// The reasons that Chromium gives.
const (
	DetachRemove DetachReason = "remove"
	DetachSwap   DetachReason = "swap"
)

// NavigationType is the type of Page.frameNavigated. Unknown values are kept.
type NavigationType string

// The navigation types that Chromium gives.
const (
	NavigationPlain   NavigationType = "Navigation"
	NavigationBFCache NavigationType = "BackForwardCacheRestore"
)
