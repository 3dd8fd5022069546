package messages

// Command is a CDP command that the engine sends. cdpwire alone knows how each
// is written.
type Command interface {
	// Method is the CDP method, such as "Page.enable".
	Method() string
	command()
}

// Commands of the browser and of targets.
type (
	// GetVersion is Browser.getVersion.
	GetVersion struct{}
	// CloseBrowser is Browser.close.
	CloseBrowser struct{}
	// SetDiscoverTargets is Target.setDiscoverTargets{discover:true}.
	SetDiscoverTargets struct{}
	// GetTargets is Target.getTargets.
	GetTargets struct{}
	// GetTargetInfo is Target.getTargetInfo; no id means the session's own.
	GetTargetInfo struct{ TargetID TargetID }
	// CreateTarget is Target.createTarget, always in the background.
	CreateTarget struct{ URL string }
	// CloseTarget is Target.closeTarget.
	CloseTarget struct{ TargetID TargetID }
	// AttachToTarget is Target.attachToTarget{flatten:true}.
	AttachToTarget struct{ TargetID TargetID }
	// DetachFromTarget is Target.detachFromTarget, sent on the parent session.
	DetachFromTarget struct{ SessionID SessionID }
	// SetAutoAttach is Target.setAutoAttach{autoAttach:true, flatten:true,
	// waitForDebuggerOnStart:true}. Pages: only page targets, for the root
	// session; otherwise frames, and what must be let go at once,
	// for a page or iframe session.
	SetAutoAttach struct{ Pages bool }
)

// Commands of one page or frame session.
type (
	// PageEnable is Page.enable.
	PageEnable struct{}
	// PageDisable is Page.disable.
	PageDisable struct{}
	// RuntimeEnable is Runtime.enable.
	RuntimeEnable struct{}
	// RuntimeDisable is Runtime.disable.
	RuntimeDisable struct{}
	// RunIfWaiting is Runtime.runIfWaitingForDebugger.
	RunIfWaiting struct{}
	// GetFrameTree is Page.getFrameTree.
	GetFrameTree struct{}
	// GetNavigationHistory is Page.getNavigationHistory. The browser answers it
	// itself, also for a page whose renderer a dialog blocks.
	GetNavigationHistory struct{}
	// EmulateFocus is Emulation.setFocusEmulationEnabled{enabled:true}: a page
	// behaves as the one that has the focus, also in the background. It ends with
	// the session.
	EmulateFocus struct{}
	// Navigate is Page.navigate.
	Navigate struct{ URL string }
	// ClosePage is Page.close.
	ClosePage struct{}
	// HandleDialog is Page.handleJavaScriptDialog.
	HandleDialog struct {
		Accept bool
		Text   string // promptText; "" and absent mean the same to Chromium
	}
	// ReleaseObjects is Runtime.releaseObjectGroup.
	ReleaseObjects struct{ Group string }
	// Raw is a command of an agent, sent as it is. Params is a JSON object
	// or empty.
	Raw struct {
		Name   string
		Params []byte
		// Context, when set, is the uniqueContextId in which the method runs;
		// it is added to Params.
		Context string
	}
)

// Commands of the dialog bridge.
type (
	// FetchEnable is Fetch.enable for one URL pattern.
	FetchEnable struct{ Pattern string }
	// FetchDisable is Fetch.disable.
	FetchDisable struct{}
	// FulfillRequest is Fetch.fulfillRequest; Body is not yet base64.
	FulfillRequest struct {
		RequestID RequestID
		Status    int
		Headers   [][2]string
		Body      []byte
	}
	// FailRequest is Fetch.failRequest.
	FailRequest struct {
		RequestID RequestID
		Reason    string // Network.ErrorReason
	}
	// ContinueRequest is Fetch.continueRequest.
	ContinueRequest struct{ RequestID RequestID }
	// AddScript is Page.addScriptToEvaluateOnNewDocument.
	AddScript struct {
		Source string
		Now    bool // runImmediately, for documents that exist
	}
	// RemoveScript is Page.removeScriptToEvaluateOnNewDocument.
	RemoveScript struct{ Identifier string }
	// SetBypassCSP is Page.setBypassCSP.
	SetBypassCSP struct{ On bool }
	// Evaluate is Runtime.evaluate of an expression of ours, by value.
	Evaluate struct {
		Expression string
		UniqueID   string // uniqueContextId; "" means the default context
	}
	// DebuggerEnable is Debugger.enable.
	DebuggerEnable struct{}
	// DebuggerDisable is Debugger.disable.
	DebuggerDisable struct{}
	// SetBlackbox is Debugger.setBlackboxPatterns.
	SetBlackbox struct {
		Patterns  []string
		Anonymous bool // skipAnonymous: scripts without a URL, too
	}
	// EvaluateOnCallFrame is Debugger.evaluateOnCallFrame, by value.
	EvaluateOnCallFrame struct{ CallFrameID, Expression string }
	// DebuggerResume is Debugger.resume.
	DebuggerResume struct{}
)

func (GetVersion) Method() string           { return "Browser.getVersion" }
func (CloseBrowser) Method() string         { return "Browser.close" }
func (SetDiscoverTargets) Method() string   { return "Target.setDiscoverTargets" }
func (GetTargets) Method() string           { return "Target.getTargets" }
func (GetTargetInfo) Method() string        { return "Target.getTargetInfo" }
func (CreateTarget) Method() string         { return "Target.createTarget" }
func (CloseTarget) Method() string          { return "Target.closeTarget" }
func (AttachToTarget) Method() string       { return "Target.attachToTarget" }
func (DetachFromTarget) Method() string     { return "Target.detachFromTarget" }
func (SetAutoAttach) Method() string        { return "Target.setAutoAttach" }
func (PageEnable) Method() string           { return "Page.enable" }
func (PageDisable) Method() string          { return "Page.disable" }
func (RuntimeEnable) Method() string        { return "Runtime.enable" }
func (RuntimeDisable) Method() string       { return "Runtime.disable" }
func (RunIfWaiting) Method() string         { return "Runtime.runIfWaitingForDebugger" }
func (GetFrameTree) Method() string         { return "Page.getFrameTree" }
func (GetNavigationHistory) Method() string { return "Page.getNavigationHistory" }
func (EmulateFocus) Method() string         { return "Emulation.setFocusEmulationEnabled" }
func (Navigate) Method() string             { return "Page.navigate" }
func (ClosePage) Method() string            { return "Page.close" }
func (HandleDialog) Method() string         { return "Page.handleJavaScriptDialog" }
func (ReleaseObjects) Method() string       { return "Runtime.releaseObjectGroup" }
func (r Raw) Method() string                { return r.Name }
func (FetchEnable) Method() string          { return "Fetch.enable" }
func (FetchDisable) Method() string         { return "Fetch.disable" }
func (FulfillRequest) Method() string       { return "Fetch.fulfillRequest" }
func (FailRequest) Method() string          { return "Fetch.failRequest" }
func (ContinueRequest) Method() string      { return "Fetch.continueRequest" }
func (AddScript) Method() string            { return "Page.addScriptToEvaluateOnNewDocument" }
func (RemoveScript) Method() string         { return "Page.removeScriptToEvaluateOnNewDocument" }
func (SetBypassCSP) Method() string         { return "Page.setBypassCSP" }
func (Evaluate) Method() string             { return "Runtime.evaluate" }
func (DebuggerEnable) Method() string       { return "Debugger.enable" }
func (DebuggerDisable) Method() string      { return "Debugger.disable" }
func (SetBlackbox) Method() string          { return "Debugger.setBlackboxPatterns" }
func (EvaluateOnCallFrame) Method() string  { return "Debugger.evaluateOnCallFrame" }
func (DebuggerResume) Method() string       { return "Debugger.resume" }

func (GetVersion) command()           {}
func (CloseBrowser) command()         {}
func (SetDiscoverTargets) command()   {}
func (GetTargets) command()           {}
func (GetTargetInfo) command()        {}
func (CreateTarget) command()         {}
func (CloseTarget) command()          {}
func (AttachToTarget) command()       {}
func (DetachFromTarget) command()     {}
func (SetAutoAttach) command()        {}
func (PageEnable) command()           {}
func (PageDisable) command()          {}
func (RuntimeEnable) command()        {}
func (RuntimeDisable) command()       {}
func (RunIfWaiting) command()         {}
func (GetFrameTree) command()         {}
func (GetNavigationHistory) command() {}
func (EmulateFocus) command()         {}
func (Navigate) command()             {}
func (ClosePage) command()            {}
func (HandleDialog) command()         {}
func (ReleaseObjects) command()       {}
func (Raw) command()                  {}
func (FetchEnable) command()          {}
func (FetchDisable) command()         {}
func (FulfillRequest) command()       {}
func (FailRequest) command()          {}
func (ContinueRequest) command()      {}
func (AddScript) command()            {}
func (RemoveScript) command()         {}
func (SetBypassCSP) command()         {}
func (Evaluate) command()             {}
func (DebuggerEnable) command()       {}
func (DebuggerDisable) command()      {}
func (SetBlackbox) command()          {}
func (EvaluateOnCallFrame) command()  {}
func (DebuggerResume) command()       {}
