package messages

import "time"

// TaskOptions are the options of one task. The zero value means the defaults.
type TaskOptions struct {
	Policy          Policy        // default must_respond
	DialogTimeout   time.Duration // > 0, at most 24 h; default 300 s
	TargetID        TargetID      // supervise this page
	OwnTab          bool          // open a background tab and supervise it
	Scope           Scope         // default page
	OnStop          OnStop        // default dismiss
	Bridge          BridgeMode    // default auto
	BridgeTransport BridgeTransport
	KeepCSP         bool // do not bypass the page's CSP in bridge mode
}

// ToRegistry is what the registry's actor receives. Hosts that speak actor
// send the first three to the registry's PID and are answered.
type ToRegistry interface{ toRegistry() }

type (
	// GetOrStart asks for a task. Answer: *[TaskStarted] or *[Failure].
	GetOrStart struct {
		Task    TaskID
		Source  EndpointSource
		Options TaskOptions
	}
	// StopTask ends a task. Answer: *[TaskEnded] or *[Failure].
	StopTask struct {
		Task   TaskID
		Reason string
	}
	// CloseRegistry ends every task and the registry. Answer:
	// *[RegistryClosed].
	CloseRegistry struct{}

	// SupervisorReady: the task's page is ready, or shown as what it is.
	SupervisorReady struct {
		Task TaskID
		Life uint64
	}
	// SupervisorEnded: the supervisor is over; Failure says why unless it was
	// asked to stop.
	SupervisorEnded struct {
		Task    TaskID
		Life    uint64
		Failure *Failure
	}
	// SupervisorFailed: the supervisor panicked beyond its budget.
	SupervisorFailed struct {
		Task   TaskID
		Life   uint64
		Reason string
	}
	// ClaimPage asks for the right to choose a page of the endpoint.
	ClaimPage struct {
		Task  TaskID
		Life  uint64
		Epoch Epoch
	}
	// PageClaimed ends the claim. The task owns Page; "" means none. Popup
	// adds to what the task owns. Browser is [SocketOpened]'s.
	PageClaimed struct {
		Task    TaskID
		Life    uint64
		Page    TargetID
		Popup   bool
		Browser string
	}
	// PageReleased: the task no longer owns the page.
	PageReleased struct {
		Task TaskID
		Life uint64
		Page TargetID
	}
	// RegistryTimer is a timer of the registry.
	RegistryTimer struct {
		Task TaskID
		Life uint64
		Gen  uint64
		Kind RegistryTimerKind
	}
)

// RegistryTimerKind tells the registry's timers apart.
type RegistryTimerKind uint8

// The registry's timers.
const (
	RegistryTimerStart RegistryTimerKind = iota + 1
	RegistryTimerStop
	RegistryTimerClaim
)

func (*GetOrStart) toRegistry()       {}
func (*StopTask) toRegistry()         {}
func (*CloseRegistry) toRegistry()    {}
func (*SupervisorReady) toRegistry()  {}
func (*SupervisorEnded) toRegistry()  {}
func (*SupervisorFailed) toRegistry() {}
func (*ClaimPage) toRegistry()        {}
func (*PageClaimed) toRegistry()      {}
func (*PageReleased) toRegistry()     {}
func (*RegistryTimer) toRegistry()    {}

type (
	// TaskStarted says that the task runs.
	TaskStarted struct{ Task TaskID }
	// TaskEnded says that the task is over.
	TaskEnded struct{ Task TaskID }
	// RegistryClosed says what did not stop, by actor or goroutine.
	RegistryClosed struct{ NotStopped []string }
)

func (*TaskStarted) result()    {}
func (*TaskEnded) result()      {}
func (*RegistryClosed) result() {}

// IgnoreDeadLetterLogging, as for all answers.
func (*TaskStarted) IgnoreDeadLetterLogging()    {}
func (*TaskEnded) IgnoreDeadLetterLogging()      {}
func (*RegistryClosed) IgnoreDeadLetterLogging() {}
