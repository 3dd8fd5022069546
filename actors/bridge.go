package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// bridgeInstall is what a session's set-up adds for the dialog bridge.
func (s *supervisor) bridgeInstall(*sessionLife) []messages.Command { return nil }

// bridgeEvent takes the events that the bridge lives on. Nothing of ours
// pauses requests or scripts yet, so that what is paused goes on.
func (s *supervisor) bridgeEvent(ctx actor.Context, ev *messages.Event) {
	switch body := ev.Body.(type) {
	case *messages.RequestPaused:
		s.send(ctx, ev.Session, messages.Ref{}, messages.ContinueRequest{RequestID: body.RequestID})
	case *messages.DebuggerPaused:
		s.send(ctx, ev.Session, messages.Ref{}, messages.DebuggerResume{})
	}
}
