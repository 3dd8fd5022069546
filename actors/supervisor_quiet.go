package actors

import "github.com/asynkron/protoactor-go/actor"

// quiet: nothing has come for long. The children rest that can.
func (s *supervisor) quiet(ctx actor.Context) {
	s.gone = goneFrames{} // the news of a dialog is not that late
	s.askRest(ctx)
}
