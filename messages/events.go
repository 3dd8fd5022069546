package messages

import "time"

// Event is one message from the browser, decoded. Events of one session are
// in the order in which the browser sent them; between sessions no order is
// promised.
type Event struct {
	Epoch   Epoch
	Seq     uint64 // 1, 2, … in the epoch, in order of arrival
	At      time.Time
	Session SessionID // the session that the message came on
	Body    EventBody
}

// EventBody is one of the event types below. A body belongs to its [Batch]:
// whoever keeps something of it copies it; the strings may be kept.
type EventBody interface{ eventBody() }

// TargetInfo is Target.TargetInfo, cut to its caps.
type TargetInfo struct {
	TargetID         TargetID
	Type             TargetType
	Subtype          string
	Title            string
	URL              string
	Attached         bool
	OpenerID         TargetID
	OpenerFrameID    FrameID
	CanAccessOpener  bool     // false for noopener, which still has an opener id
	ParentID         TargetID // the parent target of an iframe target
	ParentFrameID    FrameID  // the parent frame of an iframe target
	BrowserContextID string
}

// The events of the Target domain.
type (
	// TargetCreated is Target.targetCreated.
	TargetCreated struct{ Info TargetInfo }
	// TargetInfoChanged is Target.targetInfoChanged.
	TargetInfoChanged struct{ Info TargetInfo }
	// TargetDestroyed is Target.targetDestroyed.
	TargetDestroyed struct{ TargetID TargetID }
	// TargetCrashed is Target.targetCrashed.
	TargetCrashed struct {
		TargetID  TargetID
		Status    string
		ErrorCode int64
	}
	// AttachedToTarget is Target.attachedToTarget. Event.Session is the parent.
	AttachedToTarget struct {
		SessionID SessionID
		Info      TargetInfo
		Waiting   bool // the target waits for Runtime.runIfWaitingForDebugger
	}
	// DetachedFromTarget is Target.detachedFromTarget.
	DetachedFromTarget struct {
		SessionID SessionID
		TargetID  TargetID
	}
)

// FrameInfo is Page.Frame, cut to its caps.
type FrameInfo struct {
	ID       FrameID
	ParentID FrameID
	LoaderID LoaderID
	Name     string
	URL      string // with its fragment
	Origin   string // Frame.securityOrigin as sent
	Domain   string // Frame.domainAndRegistry
}

// FrameNode is one node of a Page.getFrameTree reply.
type FrameNode struct {
	Frame    FrameInfo
	Children []FrameNode
}

// The frame events of the Page domain.
type (
	// FrameAttached is Page.frameAttached.
	FrameAttached struct{ FrameID, ParentID FrameID }
	// FrameNavigated is Page.frameNavigated: a cross-document commit.
	FrameNavigated struct {
		Frame FrameInfo
		Type  NavigationType
	}
	// FrameDetached is Page.frameDetached.
	FrameDetached struct {
		FrameID FrameID
		Reason  DetachReason
	}
	// NavigatedWithinDocument is Page.navigatedWithinDocument.
	NavigatedWithinDocument struct {
		FrameID FrameID
		URL     string
	}
	// DocumentOpened is Page.documentOpened (document.open changed the URL).
	DocumentOpened struct{ Frame FrameInfo }
	// FrameStartedNavigating is Page.frameStartedNavigating.
	FrameStartedNavigating struct {
		FrameID  FrameID
		LoaderID LoaderID
		Type     string // Page.frameStartedNavigating.navigationType
	}
)

// The dialog events of the Page domain. They arrive on the page session
// only, whichever frame opened the dialog.
type (
	// DialogOpening is Page.javascriptDialogOpening.
	DialogOpening struct {
		FrameID       FrameID // "" from old browsers
		URL           string
		Type          DialogType
		Message       string
		DefaultPrompt string
		Truncated     bool // the message or the default was cut
	}
	// DialogClosed is Page.javascriptDialogClosed.
	DialogClosed struct {
		FrameID   FrameID // "" from old browsers
		Result    bool
		UserInput string
	}
)

// The events of the Runtime and Inspector domains.
type (
	// ContextCreated is Runtime.executionContextCreated.
	ContextCreated struct {
		ID        ContextID
		UniqueID  string
		FrameID   FrameID // auxData.frameId; "" for workers
		IsDefault bool    // auxData.isDefault: the page's own world
		Origin    string
	}
	// ContextDestroyed is Runtime.executionContextDestroyed.
	ContextDestroyed struct {
		ID       ContextID
		UniqueID string
	}
	// ContextsCleared is Runtime.executionContextsCleared.
	ContextsCleared struct{}
	// InspectorCrashed is Inspector.targetCrashed: the session stays, and
	// revives with InspectorReloaded.
	InspectorCrashed struct{}
	// InspectorReloaded is Inspector.targetReloadedAfterCrash.
	InspectorReloaded struct{}
	// InspectorDetached is Inspector.detached.
	InspectorDetached struct{ Reason string }
	// ConsoleHeld: a session has told of [ConsoleHeldCalls] console calls and
	// exceptions since the last time. What they were about is kept alive in the
	// page, for whoever listens, until it is released.
	ConsoleHeld struct{}
)

// The events that the dialog bridge lives on.
type (
	// RequestPaused is Fetch.requestPaused.
	RequestPaused struct {
		RequestID    RequestID
		URL          string
		Method       string
		ResourceType string
		FrameID      FrameID // may be the creator's frame
		PostData     string
		HasPostData  bool
		Headers      map[string]string
	}
	// DebuggerPaused is Debugger.paused.
	DebuggerPaused struct {
		Reason       string
		CallFrameID  string // the topmost call frame
		FunctionName string
		ScriptURL    string
		HitBreak     bool // stopped at a breakpoint that somebody set
	}
	// DebuggerResumed is Debugger.resumed.
	DebuggerResumed struct{}
)

// The bulk events. Under pressure they are dropped before decoding, and
// counted.
type (
	// ConsoleMessage is a Runtime.consoleAPICalled of type error or assert.
	ConsoleMessage struct {
		Type      string
		Text      string
		Truncated bool
		URL       string
		Line      int64 // from 1
		ContextID ContextID
		At        time.Time // when the page logged it
	}
	// ExceptionThrown is Runtime.exceptionThrown.
	ExceptionThrown struct {
		Text      string
		Truncated bool
		URL       string
		Line      int64 // from 1
		ContextID ContextID
		At        time.Time
	}
)

// Reply is the answer to a command of ours. It is always a state event.
type Reply struct {
	Ref    Ref
	Method string
	// Body is set for the commands whose results the engine itself reads.
	Body ReplyBody
	// Result is the raw result, owned by whoever takes the reply; it is set
	// for raw calls only.
	Result []byte
	// Err is the browser's refusal, else nil.
	Err *ProtocolError
}

// ReplyBody is one of the typed results below.
type ReplyBody interface{ replyBody() }

// The typed results.
type (
	// VersionReply is the result of Browser.getVersion.
	VersionReply struct{ Product, Protocol string }
	// TargetsReply is the result of Target.getTargets.
	TargetsReply struct{ Targets []TargetInfo }
	// TargetInfoReply is the result of Target.getTargetInfo.
	TargetInfoReply struct{ Info TargetInfo }
	// CreatedReply is the result of Target.createTarget.
	CreatedReply struct{ TargetID TargetID }
	// AttachedReply is the result of Target.attachToTarget.
	AttachedReply struct{ SessionID SessionID }
	// FrameTreeReply is the result of Page.getFrameTree: local frames only.
	FrameTreeReply struct{ Root FrameNode }
	// NavigateReply is the result of Page.navigate.
	NavigateReply struct {
		FrameID    FrameID
		LoaderID   LoaderID // "" for a navigation within the document
		ErrorText  string
		IsDownload bool
	}
	// ScriptReply is the result of Page.addScriptToEvaluateOnNewDocument.
	ScriptReply struct{ Identifier string }
	// EvaluateReply is a string result of an evaluation of ours.
	EvaluateReply struct {
		Value     string
		Exception bool
	}
)

func (*TargetCreated) eventBody()           {}
func (*TargetInfoChanged) eventBody()       {}
func (*TargetDestroyed) eventBody()         {}
func (*TargetCrashed) eventBody()           {}
func (*AttachedToTarget) eventBody()        {}
func (*DetachedFromTarget) eventBody()      {}
func (*FrameAttached) eventBody()           {}
func (*FrameNavigated) eventBody()          {}
func (*FrameDetached) eventBody()           {}
func (*NavigatedWithinDocument) eventBody() {}
func (*DocumentOpened) eventBody()          {}
func (*FrameStartedNavigating) eventBody()  {}
func (*DialogOpening) eventBody()           {}
func (*DialogClosed) eventBody()            {}
func (*ContextCreated) eventBody()          {}
func (*ContextDestroyed) eventBody()        {}
func (*ContextsCleared) eventBody()         {}
func (*InspectorCrashed) eventBody()        {}
func (*InspectorReloaded) eventBody()       {}
func (*InspectorDetached) eventBody()       {}
func (*ConsoleHeld) eventBody()             {}
func (*RequestPaused) eventBody()           {}
func (*DebuggerPaused) eventBody()          {}
func (*DebuggerResumed) eventBody()         {}
func (*ConsoleMessage) eventBody()          {}
func (*ExceptionThrown) eventBody()         {}
func (*Reply) eventBody()                   {}

func (*VersionReply) replyBody()    {}
func (*TargetsReply) replyBody()    {}
func (*TargetInfoReply) replyBody() {}
func (*CreatedReply) replyBody()    {}
func (*AttachedReply) replyBody()   {}
func (*FrameTreeReply) replyBody()  {}
func (*NavigateReply) replyBody()   {}
func (*ScriptReply) replyBody()     {}
func (*EvaluateReply) replyBody()   {}
