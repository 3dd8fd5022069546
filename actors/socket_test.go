package actors

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// scriptedPipe is a transport that says what a test gives it and swallows the
// rest.
type scriptedPipe struct {
	in     chan string
	closed chan struct{}
}

func (p *scriptedPipe) Read(dst []byte) ([]byte, error) {
	select {
	case msg := <-p.in:
		return append(dst[:0], msg...), nil
	case <-p.closed:
		return nil, io.EOF
	}
}

func (p *scriptedPipe) Write([]byte) error { return nil }

func (p *scriptedPipe) Close() error {
	close(p.closed)
	return nil
}

// openedSocket is a socket actor whose connection stands, and what the browser
// says on it.
func openedSocket(t *testing.T) (*socketActor, chan<- string) {
	t.Helper()
	pipe := &scriptedPipe{in: make(chan string, 8), closed: make(chan struct{})}
	ended := make(chan struct{})
	s := &socketActor{env: testEnv(t), epoch: 1}
	s.conn = cdpwire.Open(pipe, cdpwire.Options{
		Epoch: 1, Clock: WallClock(), Deliver: func(*messages.Batch) {}, Ended: func(*messages.Cause) { close(ended) },
	})
	t.Cleanup(func() {
		s.conn.Kill(nil)
		<-ended
	})
	return s, pipe.in
}

// Chromium drops the reply to a command when its session is detached before it
// was given: a session that was never ours, such as a worker's, would leave one
// waiting for the life of the connection.
func TestADetachedSessionOwesNoReplies(t *testing.T) {
	s, say := openedSocket(t)
	s.send(nil, &messages.SendCommand{Epoch: 1, Session: "W", Command: messages.RunIfWaiting{}})
	s.send(nil, &messages.SendCommand{Epoch: 1, Session: "P", Command: messages.DetachFromTarget{SessionID: "W"}})
	say <- `{"id":1,"result":{},"sessionId":"W"}` // the late reply to a forgotten call is nobody's
	say <- `{"id":2,"result":{},"sessionId":"P"}`
	for deadline := time.Now().Add(10 * time.Second); s.conn.Counts().Messages < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the replies were not read")
		}
	}
	if n := s.conn.Counts().Orphans; n != 1 {
		t.Errorf("%d replies came to no call; want that of the detached session", n)
	}
}

// A command that comes when the connection is about to end is not the caller's
// fault.
func TestWhatAClosingConnectionRefusesIsLost(t *testing.T) {
	s, _ := openedSocket(t)
	s.conn.Close(nil)
	system, failed := s.env.System, make(chan *messages.Failure, 1)
	s.supervisor = system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		if m, ok := ctx.Message().(*messages.SendFailed); ok {
			failed <- m.Failure
		}
	}))
	defer system.Root.Stop(s.supervisor)
	socket := system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		if m, ok := ctx.Message().(*messages.SendCommand); ok {
			s.send(ctx, m)
		}
	}))
	defer system.Root.Stop(socket)
	system.Root.Send(socket, &messages.SendCommand{Epoch: 1, Ref: messages.Ref{N: 1}, Command: messages.PageEnable{}})
	if f := <-failed; f.Code != messages.CodeConnectionLost {
		t.Errorf("it failed with %s: %s", f.Code, f.Message)
	}
}

// What the caller did wrong is told apart from a connection that takes nothing.
func TestNotSent(t *testing.T) {
	for _, tc := range []struct {
		err  error
		code messages.Code
		says string
	}{
		{fmt.Errorf("Page.reload: %w", cdpwire.ErrParams), messages.CodeInvalidArgument, "Page.reload: params is not a JSON object; nothing was sent"},
		{fmt.Errorf("Page.reload: %w", cdpwire.ErrClosed), messages.CodeConnectionLost, "Page.reload: the connection is closed; nothing was sent"},
		{fmt.Errorf("Page.reload: %w", cdpwire.ErrBehind), messages.CodeConnectionLost, "Page.reload: the browser does not take what is sent; nothing was sent"},
		{messages.Fail(messages.CodeDenied, "no"), messages.CodeDenied, "no"},
	} {
		f := notSent(tc.err)
		if f.Code != tc.code || f.Message != tc.says || f.MayHaveRun || errors.Is(f, messages.ErrInvalid) != (tc.code == messages.CodeInvalidArgument) {
			t.Errorf("%v: got %s %q", tc.err, f.Code, f.Message)
		}
	}
}
