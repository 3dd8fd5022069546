package actors

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// socketActor owns one WebSocket: it dials on a goroutine of its own, writes
// what it is sent, and dies with the socket. Its reader and writer are
// goroutines of [cdpwire.Conn].
type socketActor struct {
	env        *Env
	rec        *Record
	epoch      messages.Epoch
	renew      bool
	supervisor *actor.PID

	cancel func()
	// slot hands the connection from the dialling goroutine to the actor; an
	// actor that stops first leaves taken in it, and the goroutine closes.
	slot atomic.Pointer[cdpwire.Dialed]
	conn *cdpwire.Conn

	tick     messages.Timer
	pingedAt time.Time // of the ping without a sign of life since
}

// taken marks a slot whose actor wants nothing any more.
func taken() *cdpwire.Dialed { return &cdpwire.Dialed{} }

type (
	// dialed: a connection waits in the slot.
	dialed struct{ lease *messages.Lease }
	// connEnded: both goroutines of the connection are over.
	connEnded struct{}
)

// Receive handles one message.
func (s *socketActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		s.dial(ctx.Self())
	case *dialed:
		s.opened(ctx, m.lease)
	case *messages.SendCommand:
		s.send(ctx, m)
	case *messages.SendCommands:
		s.sendAll(ctx, m.List)
		s.forget(m.Forget)
		m.GiveBack()
	case *messages.SetWill:
		s.setWill(m)
	case *messages.LivenessTick:
		s.liveness(ctx)
	case *messages.CloseSocket:
		s.close(ctx, m.Cause)
	case *connEnded:
		ctx.Stop(ctx.Self())
	case *actor.Stopping, *actor.Restarting:
		s.stop()
	}
}

func (s *socketActor) dial(self *actor.PID) {
	dialCtx, cancel := s.env.within(context.Background(), 2*messages.DialTimeout)
	s.cancel = cancel
	env, rec, epoch, renew, supervisor := s.env, s.rec, s.epoch, s.renew, s.supervisor
	slot := &s.slot
	go func() {
		defer cancel()
		// Host code can also end without a result and without a panic: then it is
		// this that stands.
		lost := &messages.Cause{Kind: messages.DisconnectSource, Text: "no endpoint: the source has ended the goroutine that asked it"}
		defer func() {
			if r := recover(); r != nil {
				env.Log.Error().Str("panic", PanicText(r)).Bytes("stack", debug.Stack()).Msg("dialling panicked")
				lost = &messages.Cause{Kind: messages.DisconnectPanic, Text: "dialling panicked: " + PanicText(r)}
			}
			if lost != nil {
				Tell(env.System, supervisor, &messages.Disconnected{Epoch: epoch, Cause: *lost})
				Tell(env.System, self, &connEnded{})
			}
		}()
		lease, err := rec.lease.acquire(dialCtx, rec.Source, env.Clock, renew)
		if err != nil {
			lost = &messages.Cause{Kind: messages.DisconnectSource, Text: "no endpoint: " + err.Error()}
			return
		}
		d, err := env.Dial(dialCtx, lease)
		if err != nil {
			lost = causeOf(err)
			return
		}
		lost = nil
		if !slot.CompareAndSwap(nil, d) {
			_ = d.Transport.Close()
			return
		}
		Tell(env.System, self, &dialed{lease: lease})
	}()
}

func causeOf(err error) *messages.Cause {
	if c, ok := errors.AsType[*messages.Cause](err); ok {
		return c
	}
	return &messages.Cause{Kind: messages.DisconnectLost, Text: err.Error()}
}

func (s *socketActor) opened(ctx actor.Context, lease *messages.Lease) {
	s.cancel = nil // it is done
	d := s.slot.Swap(taken())
	if d == nil || d.Transport == nil {
		return
	}
	system, self, supervisor, epoch := s.env.System, ctx.Self(), s.supervisor, s.epoch
	// Told before the reader starts, so that no batch comes first.
	ctx.Send(supervisor, &messages.SocketOpened{
		Epoch: epoch, Shown: d.Shown, PageLevel: d.PageLevel, Bridge: lease.Bridge, OwnsAll: lease.OwnsBrowser, Browser: d.Browser,
	})
	deliver := teller(system, supervisor)
	s.conn = cdpwire.Open(d.Transport, cdpwire.Options{
		Epoch:  epoch,
		Clock:  s.env.Clock,
		Memory: d.Memory,
		Deliver: func(b *messages.Batch) {
			deliver(b)
		},
		Lend: s.rec.turn.lend,
		Ended: func(cause *messages.Cause) {
			Tell(system, supervisor, &messages.Disconnected{Epoch: epoch, Cause: *cause})
			Tell(system, self, &connEnded{})
		},
		Tap: s.rec.Tap,
	})
	s.arm(self, messages.IdlePing)
}

func (s *socketActor) send(ctx actor.Context, m *messages.SendCommand) {
	if s.conn == nil || m.Epoch != s.epoch {
		s.sendFailed(ctx, m.Ref, messages.Fail(messages.CodeConnectionLost, "the connection is not open; it was not sent"))
		return
	}
	if err := s.conn.Send(m.Session, m.Ref, m.Command); err != nil {
		s.refused(ctx, m, err)
		return
	}
	if detach, ok := m.Command.(messages.DetachFromTarget); ok {
		// Chromium drops the replies that a session owes when it is detached, and
		// nobody else says so of one that was never ours.
		s.conn.Forget(detach.SessionID)
	}
}

// sendAll is send for commands that leave together.
func (s *socketActor) sendAll(ctx actor.Context, list []messages.SendCommand) {
	if s.conn == nil || slices.ContainsFunc(list, func(m messages.SendCommand) bool { return m.Epoch != s.epoch }) {
		for i := range list {
			s.send(ctx, &list[i]) // which says why not
		}
		return
	}
	s.conn.SendAll(list, func(place int, err error) { s.refused(ctx, &list[place], err) })
}

// forget drops what waits for replies on sessions that are gone.
func (s *socketActor) forget(sessions []messages.SessionID) {
	if s.conn == nil {
		return
	}
	for _, id := range sessions {
		s.conn.Forget(id)
	}
}

// refused: a command was not sent.
func (s *socketActor) refused(ctx actor.Context, m *messages.SendCommand, err error) {
	s.sendFailed(ctx, m.Ref, notSent(err))
}

// notSent is the failure of a command that was not sent; the error names it.
func notSent(err error) *messages.Failure {
	if f, ok := errors.AsType[*messages.Failure](err); ok {
		return f
	}
	if errors.Is(err, cdpwire.ErrClosed) || errors.Is(err, cdpwire.ErrBehind) {
		return messages.Fail(messages.CodeConnectionLost, "%v; nothing was sent", err)
	}
	return invalid("%v; nothing was sent", err)
}

func (s *socketActor) sendFailed(ctx actor.Context, ref messages.Ref, f *messages.Failure) {
	if !ref.IsZero() {
		ctx.Send(s.supervisor, &messages.SendFailed{Epoch: s.epoch, Ref: ref, Failure: f})
	}
}

func (s *socketActor) setWill(m *messages.SetWill) {
	switch {
	case s.conn == nil:
	case len(m.Commands) == 0:
		s.conn.ClearWill(m.Key)
	default:
		if err := s.conn.SetWill(m.Key, m.Session, m.Commands...); err != nil {
			s.env.Log.Error().Err(err).Msg("the last will could not be kept")
		}
	}
}

// liveness asks for a sign of life after a silence, and ends a socket that
// gives none.
func (s *socketActor) liveness(ctx actor.Context) {
	if s.conn == nil {
		return
	}
	now, last := s.env.Clock.Now(), s.conn.LastRead()
	switch {
	case !s.pingedAt.IsZero() && last.Before(s.pingedAt) && now.Sub(s.pingedAt) >= messages.PongWait:
		s.conn.Kill(&messages.Cause{Kind: messages.DisconnectLost, Text: "the browser did not answer a ping within " + messages.PongWait.String()})
		return
	case now.Sub(last) < messages.IdlePing:
		s.pingedAt = time.Time{}
		s.arm(ctx.Self(), messages.IdlePing-now.Sub(last))
		return
	case s.pingedAt.IsZero() || !last.Before(s.pingedAt): // a pong can come at the same time, by a coarse clock
		s.pingedAt = now
		ctx.Send(s.supervisor, &messages.SocketQuiet{Epoch: s.epoch})
		switch err := s.conn.Ping(); {
		case errors.Is(err, errors.ErrUnsupported): // then silence means nothing
			s.pingedAt = time.Time{}
			s.arm(ctx.Self(), messages.IdlePing)
			return
		case err != nil:
			s.env.Log.Debug().Err(err).Msg("ping failed")
		}
	}
	s.arm(ctx.Self(), messages.PongWait)
}

func (s *socketActor) arm(self *actor.PID, d time.Duration) {
	system := s.env.System
	s.tick = s.env.Clock.AfterFunc(d, func() { Tell(system, self, &messages.LivenessTick{}) })
}

// close ends the connection in good order; the actor stops when its
// goroutines are over.
func (s *socketActor) close(ctx actor.Context, cause messages.Cause) {
	if s.conn != nil {
		s.conn.Close(&cause)
		return
	}
	s.stop()
	ctx.Send(s.supervisor, &messages.Disconnected{Epoch: s.epoch, Cause: cause})
	ctx.Stop(ctx.Self())
}

// stop does what cannot fail: it is called while the actor stops.
func (s *socketActor) stop() {
	if s.cancel != nil {
		s.cancel()
	}
	if s.tick != nil {
		s.tick.Stop()
	}
	if d := s.slot.Swap(taken()); d != nil && d.Transport != nil {
		_ = d.Transport.Close()
	}
	if s.conn != nil {
		s.conn.Close(&messages.Cause{Kind: messages.DisconnectClosed, Text: "closed by the engine"})
	}
}
