package registry

import (
	"fmt"
	"math"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"cdpsupervisor/actors"
	"cdpsupervisor/messages"
)

// Option sets up a [Registry].
type Option func(*settings)

type settings struct {
	env   actors.Env
	guard func(url string) error
}

// WithLogger makes the engine log to l. Without it the engine logs nothing.
func WithLogger(l zerolog.Logger) Option { return func(s *settings) { s.env.Log = l } }

// WithClock replaces the wall clock, for simulations.
func WithClock(c messages.Clock) Option { return func(s *settings) { s.env.Clock = c } }

// WithDispatcher runs the engine's actors on d, for simulations.
func WithDispatcher(d actor.Dispatcher) Option { return func(s *settings) { s.env.Dispatcher = d } }

// WithDial replaces the WebSocket, for simulations and replay.
func WithDial(d actors.DialFunc) Option { return func(s *settings) { s.env.Dial = d } }

// WithChance replaces the source of jitter: f returns numbers in [0, 1).
func WithChance(f func() float64) Option { return func(s *settings) { s.env.Chance = f } }

// WithSecrets replaces the source of the dialog bridge's secrets, for
// simulations: f returns a fresh word of letters and digits each time.
func WithSecrets(f func() string) Option { return func(s *settings) { s.env.Secret = f } }

// WithGuard asks g before a call reaches a frame and before a dialog is
// accepted, with the URL of the frame in each way to read it (see
// [pageurl.Readings]), and before a page is opened, as the browser will read
// it. It runs on the caller's goroutine, and
// an error denies the call. The frame must still show the same document when
// the call is sent.
func WithGuard(g func(url string) error) Option { return func(s *settings) { s.guard = g } }

// WithFaults calls f before an actor handles a message, inside what catches
// panics: tests make actors fail with it.
func WithFaults(f func(actorName string, message any)) Option {
	return func(s *settings) { s.env.Faults = f }
}

// TaskOption sets up one task.
type TaskOption func(*taskSettings)

type taskSettings struct {
	options messages.TaskOptions
	tap     actors.TapFunc
	err     error
}

// WithPolicy sets the dialog policy; the default is must_respond.
func WithPolicy(p messages.Policy) TaskOption {
	return func(s *taskSettings) {
		if !p.Valid() {
			s.fail("dialog policy %q is none of must_respond, auto_dismiss, auto_accept", p)
		}
		s.options.Policy = p
	}
}

// WithDialogTimeout sets the watchdog of must_respond: more than 0, at most 24
// hours; the default is 300 s.
func WithDialogTimeout(d time.Duration) TaskOption {
	return func(s *taskSettings) {
		if d <= 0 || d > messages.MaxDialogTimeout {
			s.fail("dialog timeout %s is not in (0, %s]", d, messages.MaxDialogTimeout)
		}
		s.options.DialogTimeout = d
	}
}

// DialogTimeoutSeconds is [WithDialogTimeout] for a number from outside, which
// may be no number at all.
func DialogTimeoutSeconds(seconds float64) TaskOption {
	if math.IsNaN(seconds) || math.IsInf(seconds, 0) || seconds <= 0 || seconds > messages.MaxDialogTimeout.Seconds() {
		return func(s *taskSettings) {
			s.fail("dialog timeout %v s is not a finite number in (0, %v]", seconds, messages.MaxDialogTimeout.Seconds())
		}
	}
	return WithDialogTimeout(time.Duration(seconds * float64(time.Second)))
}

// WithTarget supervises the page target with this id instead of the first.
func WithTarget(id messages.TargetID) TaskOption {
	return func(s *taskSettings) { s.options.TargetID = id }
}

// WithOwnTab opens one background tab for the task and closes only that.
func WithOwnTab() TaskOption { return func(s *taskSettings) { s.options.OwnTab = true } }

// WithScope sets which pages are supervised; the default is the task's page
// and the popups that it opens.
func WithScope(scope messages.Scope) TaskOption {
	return func(s *taskSettings) {
		if scope != messages.ScopePage && scope != messages.ScopeBrowser {
			s.fail("scope %q is none of page, browser", scope)
		}
		s.options.Scope = scope
	}
}

// WithOnStop sets what a stop does to open dialogs; the default dismisses.
func WithOnStop(o messages.OnStop) TaskOption {
	return func(s *taskSettings) {
		if o != messages.OnStopDismiss && o != messages.OnStopLeave {
			s.fail("on_stop %q is none of dismiss, leave", o)
		}
		s.options.OnStop = o
	}
}

// WithBridge sets the mode of the dialog bridge; the default is auto.
func WithBridge(m messages.BridgeMode) TaskOption {
	return func(s *taskSettings) {
		if m != messages.BridgeAuto && m != messages.BridgeOn && m != messages.BridgeOff {
			s.fail("bridge %q is none of auto, on, off", m)
		}
		s.options.Bridge = m
	}
}

// WithBridgeTransport sets how the bridge carries questions; default auto.
func WithBridgeTransport(t messages.BridgeTransport) TaskOption {
	return func(s *taskSettings) {
		if t != messages.TransportAuto && t != messages.TransportXHR && t != messages.TransportDebugger {
			s.fail("bridge transport %q is none of auto, xhr, debugger", t)
		}
		s.options.BridgeTransport = t
	}
}

// WithoutCSPBypass keeps the page's Content-Security-Policy in force in bridge
// mode.
func WithoutCSPBypass() TaskOption { return func(s *taskSettings) { s.options.KeepCSP = true } }

// WithTap shows every message on the wire to f, below the decoder, for
// recording. f is called from the socket's goroutines, must not block, and
// must not keep msg.
func WithTap(f actors.TapFunc) TaskOption { return func(s *taskSettings) { s.tap = f } }

func (s *taskSettings) fail(format string, args ...any) {
	if s.err == nil {
		s.err = messages.Fail(messages.CodeInvalidArgument, "%s", fmt.Sprintf(format, args...)).Because(messages.ErrInvalid)
	}
}

func taskOptions(opts []TaskOption) (taskSettings, error) {
	s := taskSettings{options: messages.TaskOptions{
		Policy:          messages.PolicyMustRespond,
		DialogTimeout:   messages.DefaultDialogTimeout,
		Scope:           messages.ScopePage,
		OnStop:          messages.OnStopDismiss,
		Bridge:          messages.BridgeAuto,
		BridgeTransport: messages.TransportAuto,
	}}
	for _, o := range opts {
		o(&s)
	}
	if s.err == nil && s.options.TargetID != "" && s.options.OwnTab {
		s.fail("a target id and a tab of our own exclude each other; leave one out")
	}
	return s, s.err
}
