package messages

import "time"

// Ask is a question from outside to a task's supervisor. It is answered
// exactly once, with its result type or with a *[Failure].
type Ask interface{ ask() }

type (
	// CallRequest runs one CDP method in a task. Answer: *[CallResult].
	CallRequest struct {
		// Method is the CDP method, such as "Runtime.evaluate".
		Method string
		// Params is a JSON object, or empty.
		Params []byte
		// FrameID picks the session that owns this frame; it excludes TargetID.
		FrameID FrameID
		// TargetID picks a page of the task, such as a popup.
		TargetID TargetID
		// Session picks a CDP session of the task by its id; it excludes both.
		Session SessionID
		// SameProcess allows Runtime.evaluate and Runtime.callFunctionOn in
		// the frame's own execution context when the frame has no session.
		SameProcess bool
		// Timeout is 1 to 300 s; zero means 30 s.
		Timeout time.Duration
		// MaxBytes caps the result; zero means [MaxResultBytes].
		MaxBytes int
		// ExpectLoader, when set, is the document that the caller's guard saw:
		// a frame that shows another by now is refused.
		ExpectLoader LoaderID
		// ExpectURL is what the guard saw of a frame whose document is not
		// known yet; it then has none still, and the same URL.
		ExpectURL string
		// Accept, when not nil, are the dialogs that a raw
		// Page.handleJavaScriptDialog may accept; see [DialogRequest].
		Accept []DialogID
	}
	// NavigateRequest navigates the task's page. Answer: *[NavigateResult].
	NavigateRequest struct {
		URL     string
		Timeout time.Duration // zero means [NavigateTimeout]
	}
	// FocusRequest makes another page target the task's page. Answer:
	// *[FocusResult].
	FocusRequest struct{ TargetID TargetID }
	// DialogRequest answers a dialog. Answer: *[DialogResult].
	DialogRequest struct {
		Action DialogAction
		// PromptText is the answer to a prompt; nil means the page's default.
		PromptText *string
		// DialogID may be empty when exactly one dialog is open.
		DialogID DialogID
		// Accept, when not nil, are the dialogs that may be accepted: those
		// that the caller's guard has seen. One that opens meanwhile is not
		// among them.
		Accept []DialogID
	}
	// PolicyRequest changes the policy of a running task. Answer:
	// *[PolicyResult].
	PolicyRequest struct {
		Policy  Policy
		Timeout time.Duration // zero leaves it as it is
	}
	// ResolveRequest asks where a call would go, for a guard. It waits for a
	// connection as the call does. Answer: *[ResolveResult].
	ResolveRequest struct {
		FrameID  FrameID
		TargetID TargetID
		Session  SessionID
		Timeout  time.Duration // the call's; zero means 30 s
	}
	// FramesRequest asks for the whole tree without caps. Answer:
	// *[FramesResult].
	FramesRequest struct{ TargetID TargetID }
)

func (*CallRequest) ask()     {}
func (*NavigateRequest) ask() {}
func (*FocusRequest) ask()    {}
func (*DialogRequest) ask()   {}
func (*PolicyRequest) ask()   {}
func (*ResolveRequest) ask()  {}
func (*FramesRequest) ask()   {}

// Result is how an ask ends: one of the results below or a *[Failure].
type Result interface{ result() }

type (
	// CallResult is the browser's reply to a call.
	CallResult struct {
		// Result is the raw JSON result.
		Result []byte
		// FrameID and SessionID say where it ran, for calls by frame.
		FrameID   FrameID
		SessionID SessionID
	}
	// NavigateResult is a navigation that was committed.
	NavigateResult struct {
		URL, Title   string
		PageTargetID TargetID
	}
	// FocusResult names the page that is the task's now.
	FocusResult struct{ PageTargetID TargetID }
	// DialogResult is a dialog that was answered.
	DialogResult struct {
		Action DialogAction
		Record DialogRecord
		Note   string // "prompt_text is ignored …", or empty
	}
	// PolicyResult is the policy in force.
	PolicyResult struct {
		Policy  Policy
		Timeout time.Duration
	}
	// ResolveResult is the frame that a call would reach.
	ResolveResult struct {
		FrameID  FrameID
		URL      string
		Origin   string
		LoaderID LoaderID
	}
	// FramesResult is the frame tree of one page, whole.
	FramesResult struct{ Tree *FrameTree }
)

func (*CallResult) result()     {}
func (*NavigateResult) result() {}
func (*FocusResult) result()    {}
func (*DialogResult) result()   {}
func (*PolicyResult) result()   {}
func (*ResolveResult) result()  {}
func (*FramesResult) result()   {}
func (*Failure) result()        {}

// IgnoreDeadLetterLogging keeps answers to callers that have gone away out of
// the log: they are normal, and they may hold page text.
func (*CallResult) IgnoreDeadLetterLogging()     {}
func (*NavigateResult) IgnoreDeadLetterLogging() {}
func (*FocusResult) IgnoreDeadLetterLogging()    {}
func (*DialogResult) IgnoreDeadLetterLogging()   {}
func (*PolicyResult) IgnoreDeadLetterLogging()   {}
func (*ResolveResult) IgnoreDeadLetterLogging()  {}
func (*FramesResult) IgnoreDeadLetterLogging()   {}
func (*Failure) IgnoreDeadLetterLogging()        {}

// Answer is a result on its way to whoever asked.
type Answer struct {
	Ref    Ref
	Result Result
}
