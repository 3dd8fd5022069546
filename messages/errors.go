package messages

import (
	"errors"
	"fmt"
)

// Code is the stable word for a kind of failure, as tools return it.
type Code string

// The codes of the tools' result shape.
const (
	CodeNoSupervisor      Code = "no_supervisor"
	CodeNoCDP             Code = "no_cdp"
	CodeInvalidArgument   Code = "invalid_argument"
	CodeNoDialog          Code = "no_dialog"
	CodeAmbiguousDialog   Code = "ambiguous_dialog"
	CodeUnknownDialog     Code = "unknown_dialog"
	CodeDialogClosed      Code = "dialog_closed"
	CodeDialogOpen        Code = "dialog_open"
	CodeDialogOpened      Code = "dialog_opened"
	CodeUnanswerable      Code = "unanswerable"
	CodeUnknownFrame      Code = "unknown_frame"
	CodeNotOOPIF          Code = "not_oopif"
	CodeFrameSwapping     Code = "frame_swapping"
	CodeFrameNotLoaded    Code = "frame_not_loaded"
	CodePageBlocked       Code = "page_blocked"
	CodeTargetCrashed     Code = "target_crashed"
	CodeTabGone           Code = "tab_gone"
	CodeConnectionLost    Code = "connection_lost"
	CodeTimeout           Code = "timeout"
	CodeSessionLost       Code = "session_lost"
	CodeCDPError          Code = "cdp_error"
	CodeTooLarge          Code = "too_large"
	CodeDenied            Code = "denied"
	CodeStopped           Code = "stopped"
	CodeCancelledByDialog Code = "cancelled_by_dialog"
)

// Sentinels that callers decide on with errors.Is.
var (
	// ErrTaskFailed: the task used up its budget of restarts or reconnects.
	ErrTaskFailed = errors.New("the task has failed")
	// ErrTaskStopped: the task was stopped, or was stopped while it started.
	ErrTaskStopped = errors.New("the task is stopped")
	// ErrTaskOptions: the task runs with other options than were asked for.
	ErrTaskOptions = errors.New("the task runs with other options")
	// ErrUnknownTask: no task has this id.
	ErrUnknownTask = errors.New("no such task")
	// ErrInvalid: an argument is out of its range.
	ErrInvalid = errors.New("invalid argument")
	// ErrConnect: the endpoint could not be used.
	ErrConnect = errors.New("cannot connect to the browser")
	// ErrLeaving: the page or frame is on its way to another document.
	ErrLeaving = errors.New("on the way to another document")
	// ErrRegistryClosed: the registry was closed.
	ErrRegistryClosed = errors.New("the registry is closed")
)

// Failure is how an ask ends when it does not succeed. It is plain data, so
// that it can travel in a message; as an error it carries the code, and what
// the code needs to be acted on.
type Failure struct {
	Code Code `json:"code"`
	// Message is one sentence: the cause and the way out. It holds no secret.
	Message string `json:"error"`
	// Dialog is the dialog that stands in the way, is over, or was opened.
	Dialog *Dialog `json:"dialog,omitempty"`
	// Record is the dialog that is over, for dialog_closed.
	Record *DialogRecord `json:"-"`
	// Dialogs lists the candidates of ambiguous_dialog.
	Dialogs []Dialog `json:"dialogs,omitempty"`
	// CDPCode is the protocol's own error code, for cdp_error.
	CDPCode int64 `json:"cdp_code,omitempty"`
	// ErrorText is the browser's word for a failed navigation.
	ErrorText string `json:"error_text,omitempty"`
	// WaysOut are calls that get the page out of its state.
	WaysOut []string `json:"ways_out,omitempty"`
	// OwnerFrame is the frame whose session holds a same-process frame.
	OwnerFrame FrameID `json:"owner_frame_id,omitempty"`
	// MayHaveRun says that the command may have had its effect.
	MayHaveRun bool `json:"may_have_run,omitempty"`
	// Size is the size in bytes, for too_large.
	Size int `json:"size,omitempty"`

	cause error
}

// Error returns the sentence.
func (f *Failure) Error() string { return f.Message }

// Unwrap returns the sentinel behind the failure, if there is one.
func (f *Failure) Unwrap() error { return f.cause }

// Fail returns a failure with a formatted sentence.
func Fail(code Code, format string, args ...any) *Failure {
	return &Failure{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Because returns the failure with a sentinel that errors.Is finds.
func (f *Failure) Because(sentinel error) *Failure {
	f.cause = sentinel
	return f
}

// Ways returns the failure with the calls that lead out of it.
func (f *Failure) Ways(out ...string) *Failure {
	f.WaysOut = out
	return f
}

// With returns the failure with the dialog that it is about.
func (f *Failure) With(d *Dialog) *Failure {
	f.Dialog = d
	return f
}

// WayCloseTab leads out of every page: it is closed, and the next navigation opens
// another.
const WayCloseTab = "browser_cdp Target.closeTarget, then browser_navigate"

// CodeOf returns the code of a failure in err's chain, or "" if there is none.
func CodeOf(err error) Code {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Code
	}
	return ""
}

// ProtocolError is the error object of a CDP reply.
type ProtocolError struct {
	Code    int64
	Message string
	Data    string
}

// Error returns the browser's message with its code.
func (e *ProtocolError) Error() string {
	if e.Data != "" {
		return fmt.Sprintf("%s (%d): %s", e.Message, e.Code, e.Data)
	}
	return fmt.Sprintf("%s (%d)", e.Message, e.Code)
}

// DisconnectKind says what kind of end a connection had, as far as the
// reconnect machine acts on it.
type DisconnectKind string

// The kinds.
const (
	// DisconnectLost: the socket closed, broke, or fell silent.
	DisconnectLost DisconnectKind = "lost"
	// DisconnectRefused: nothing listens there.
	DisconnectRefused DisconnectKind = "refused"
	// DisconnectRejected: the handshake was answered 401, 403, 404 or 410:
	// final for that URL.
	DisconnectRejected DisconnectKind = "rejected"
	// DisconnectNotCDP: something answers, but it is no DevTools endpoint.
	DisconnectNotCDP DisconnectKind = "not_cdp"
	// DisconnectTLS: the TLS handshake failed.
	DisconnectTLS DisconnectKind = "tls"
	// DisconnectTimeout: the deadline of the dial passed.
	DisconnectTimeout DisconnectKind = "timeout"
	// DisconnectInvalid: the endpoint is not one; no use to try again.
	DisconnectInvalid DisconnectKind = "invalid"
	// DisconnectSource: the endpoint source failed.
	DisconnectSource DisconnectKind = "source"
	// DisconnectPanic: a goroutine of ours panicked.
	DisconnectPanic DisconnectKind = "panic"
	// DisconnectClosed: we closed it.
	DisconnectClosed DisconnectKind = "closed"
)

// Cause is why a connection ended or never began. Its text names the cause
// and the way out and holds no secret.
type Cause struct {
	Kind   DisconnectKind
	Status int // HTTP status of a rejected handshake, else 0
	Text   string
	// Stack is where a goroutine of ours panicked, for logs; else empty.
	Stack string
}

// Error returns the text.
func (c *Cause) Error() string { return c.Text }
