package cdpwire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
)

func TestATrickleIsNeverDelayed(t *testing.T) {
	r := open(t)
	for n := range 10 {
		r.pipe.in <- frameAttached(n)
		b := r.batchOf(1)
		e := b.State[0]
		if body, ok := e.Body.(*messages.FrameAttached); !ok || string(body.FrameID) != fmt.Sprintf("F%d", n) || e.Seq != uint64(n+1) || e.Epoch != 3 || b.Epoch != 3 {
			t.Fatalf("event %+v %+v", e, e.Body)
		}
		r.Credit(b)
	}
}

// unhooked hides that a pipe says when it waits.
type unhooked struct{ Transport }

func TestATransportThatDoesNotSayWhenItWaitsIsHandedOverByMessage(t *testing.T) {
	r := prepare(t)
	r.pipe.wait = func() {}
	r.Conn = Open(unhooked{r.pipe}, r.options())
	for n := range 3 {
		r.pipe.in <- frameAttached(n)
		r.Credit(r.batchOf(1))
	}
	r.Kill(nil)
	r.end(messages.DisconnectClosed)
}

func TestABurstTravelsInBatches(t *testing.T) {
	r := prepare(t)
	for n := range 2*messages.BatchEvents + 5 {
		r.pipe.in <- frameAttached(n)
	}
	r.Conn = Open(r.pipe, r.options())
	defer r.Kill(nil)
	first := r.batchOf(messages.BatchEvents)
	if first.State[0].At != first.State[63].At {
		t.Error("what came at once has different times")
	}
	r.batchOf(messages.BatchEvents)
	r.batchOf(5)
}

func TestABatchHasStateInOrderAndBulkBehind(t *testing.T) {
	r := prepare(t)
	for _, msg := range [][]byte{consoleError(1), frameAttached(1), consoleError(2), frameAttached(2), []byte("garbage"), []byte(`{"method":"A.b"}`)} {
		r.pipe.in <- msg
	}
	r.Conn = Open(r.pipe, r.options())
	defer r.Kill(nil)
	b := r.batchOf(4)
	if len(b.State) != 2 || b.State[0].Seq != 2 || b.State[1].Seq != 4 || len(b.Bulk) != 2 || b.Bulk[0].Seq != 1 || b.Bulk[1].Seq != 3 {
		t.Errorf("state %+v bulk %+v", b.State, b.Bulk)
	}
	if b.Counts.Messages != 6 || b.Counts.Malformed != 1 || b.Counts.Unknown != 1 || b.Bytes == 0 {
		t.Errorf("counts %+v bytes %d", b.Counts, b.Bytes)
	}
	if got := r.Counts(); got != b.Counts {
		t.Errorf("Counts() is %+v, the batch says %+v", got, b.Counts)
	}
}

// With no credit left there is one batch more, which grows, and a credit takes it
// out inside the call.
func TestWithoutCreditsOneBatchGrows(t *testing.T) {
	r := open(t)
	var held []*messages.Batch
	for n := range messages.BatchCredits {
		r.pipe.in <- frameAttached(n)
		held = append(held, r.batchOf(1))
	}
	const more = 3 * messages.BatchEvents
	for n := range more {
		r.pipe.in <- frameAttached(n)
	}
	await(t, "all read", func() bool { return r.Counts().Messages == more+messages.BatchCredits })
	if len(r.batches) > 0 {
		t.Fatal("a batch went out without a credit")
	}
	r.Credit(held[0])
	select {
	case b := <-r.batches:
		if b.Len() != more {
			t.Fatalf("%d events waited, want %d", b.Len(), more)
		}
	default:
		t.Fatal("the credit did not deliver what waited")
	}
	r.Credit(held[0])
	r.Credit(nil)
	r.Credit(&messages.Batch{})
	if free := r.out.free.Load(); free != 0 {
		t.Fatalf("%d credits for batches that were given back already or are none", free)
	}
}

func TestUnderPressureBulkIsDroppedAndStateIsNot(t *testing.T) {
	r := open(t)
	for n := range messages.BatchCredits {
		r.pipe.in <- frameAttached(n)
		r.batchOf(1)
	}
	const each = 500
	for n := range each {
		r.pipe.in <- consoleError(n)
		r.pipe.in <- frameAttached(n)
	}
	await(t, "all read", func() bool { return r.Counts().Messages == 2*each+messages.BatchCredits })
	if got := r.Counts().Dropped; got != each-messages.BatchEvents {
		t.Errorf("%d dropped, want %d", got, each-messages.BatchEvents)
	}
	r.Kill(nil)
	b := take(t, "rest", r.batches)
	if len(b.State) != each || len(b.Bulk) != messages.BatchEvents {
		t.Errorf("%d state and %d bulk events are left", len(b.State), len(b.Bulk))
	}
	// The newest are kept, in their order: whoever keeps the last errors wants the last.
	for i, ev := range b.Bulk {
		want := consoleText(t, each-messages.BatchEvents+i)
		if got := ev.Body.(*messages.ConsoleMessage).Text; got != want {
			t.Fatalf("bulk event %d is %q, want %q", i, got, want)
		}
	}
}

// consoleText is the text of the n-th consoleError.
func consoleText(t *testing.T, n int) string {
	t.Helper()
	var m struct {
		Params struct {
			Args []struct{ Value string }
		}
	}
	if err := json.Unmarshal([]byte(consoleError(n)), &m); err != nil || len(m.Params.Args) == 0 {
		t.Fatalf("consoleError(%d): %v", n, err)
	}
	return m.Params.Args[0].Value
}

// What a session logs is counted for itself, errors or not, and told once in a
// while: somebody has to let go of what was logged.
func TestWhatIsLoggedIsToldOnceInAWhile(t *testing.T) {
	r := prepare(t)
	say := func(session, method, typ string, n int) {
		for range n {
			r.pipe.in <- fmt.Appendf(nil, `{"method":%q,"params":{"type":%q},"sessionId":%q}`, method, typ, session)
		}
	}
	const most = messages.ConsoleHeldCalls
	say("A", "Runtime.consoleAPICalled", "log", most-1)
	say("B", "Runtime.consoleAPICalled", "log", most-1)
	say("B", "Runtime.exceptionThrown", "", 1)
	say("C", "Page.frameResized", "", most)
	say("A", "Runtime.consoleAPICalled", "debug", 1)
	say("A", "Runtime.consoleAPICalled", "log", most-1)
	r.Conn = Open(r.pipe, r.options())
	defer r.Kill(nil)
	b := r.batchOf(2)
	for i, want := range []messages.SessionID{"B", "A"} {
		if _, held := b.State[i].Body.(*messages.ConsoleHeld); !held || b.State[i].Session != want {
			t.Errorf("told %T of %s, want %s", b.State[i].Body, b.State[i].Session, want)
		}
	}
}

func TestAtTheBacklogLimitTheReaderWaits(t *testing.T) {
	for _, how := range []string{"credit", "kill"} {
		t.Run(how, func(t *testing.T) {
			r := open(t)
			var held *messages.Batch
			for n := range messages.BatchCredits {
				r.pipe.in <- frameAttached(n)
				held = r.batchOf(1)
			}
			const over = 10
			for n := range messages.MaxBacklogEvents + over {
				r.pipe.in <- frameAttached(n)
			}
			await(t, "the reader waits", r.out.waiting)
			if left := len(r.pipe.in); left != over {
				t.Fatalf("%d messages were left unread, want %d", left, over)
			}
			r.clock.advance(time.Hour)
			if r.LastRead() != r.clock.Now() {
				t.Error("silence of our own making counts as the browser's")
			}
			if how == "kill" {
				r.Kill(nil)
				r.batchOf(messages.MaxBacklogEvents)
				r.end(messages.DisconnectClosed)
				return
			}
			r.Credit(held)
			b := r.batchOf(messages.MaxBacklogEvents)
			r.Credit(b)
			r.batchOf(over)
		})
	}
}

func TestTheBacklogIsLimitedInBytesToo(t *testing.T) {
	c := bench() // without credits
	appended := make(chan int)
	go func() {
		for n := range 8 {
			c.append(nil, &messages.ContextsCleared{}, false, messages.MaxBacklogBytes/8)
			appended <- n
		}
		close(appended)
	}()
	for n := range 7 {
		if got := take(t, "append", appended); got != n {
			t.Fatalf("append %d, want %d", got, n)
		}
	}
	await(t, "the reader waits", c.out.waiting)
	c.out.drop()
	take(t, "append", appended)
}

func TestSendNeverBlocksAndKeepsItsOrder(t *testing.T) {
	r := open(t)
	const calls = 200
	for n := range calls { // nobody reads what is written
		if err := r.Send("S", messages.Ref{N: uint64(n + 1)}, messages.PageEnable{}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range calls {
		if m := r.written(); m.ID != int64(n+1) || m.Method != "Page.enable" || m.SessionID != "S" {
			t.Fatalf("message %d is %+v", n, m)
		}
	}
	r.pipe.in <- []byte(`{"id":7,"result":{},"sessionId":"S"}`)
	if reply, ok := r.batchOf(1).State[0].Body.(*messages.Reply); !ok || reply.Ref.N != 7 || reply.Method != "Page.enable" {
		t.Fatalf("reply %+v", reply)
	}
}

func TestSendRefusesWhatCannotGo(t *testing.T) {
	r := open(t)
	if err := r.Send("", messages.Ref{}, messages.Raw{Name: "A.b", Params: []byte("[]")}); !errors.Is(err, ErrParams) {
		t.Errorf("params: %v", err)
	}
	huge := messages.Raw{Name: "A.b", Params: make([]byte, messages.MaxWriteBytes+1)}
	if err := r.Send("", messages.Ref{}, huge); !errors.Is(err, ErrTooLarge) {
		t.Errorf("size of params: %v", err)
	}
	if err := r.Send(messages.SessionID(make([]byte, messages.MaxWriteBytes)), messages.Ref{}, messages.PageEnable{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("size of the message: %v", err)
	}
	r.mu.Lock()
	r.queued = maxQueuedBytes + 1
	r.mu.Unlock()
	err := r.Send("", messages.Ref{}, messages.PageEnable{})
	if !errors.Is(err, ErrBehind) {
		t.Errorf("queue: %v", err)
	}
	r.Kill(nil)
	if err := r.Send("", messages.Ref{}, messages.PageEnable{}); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if err := r.Ping(); !errors.Is(err, ErrClosed) {
		t.Errorf("ping: %v", err)
	}
	r.end(messages.DisconnectClosed)
}

func TestForgottenRepliesAreCountedAndNotDelivered(t *testing.T) {
	r := open(t)
	for _, session := range []messages.SessionID{"gone", "here"} {
		if err := r.Send(session, messages.Ref{N: 1}, messages.PageEnable{}); err != nil {
			t.Fatal(err)
		}
		r.written()
	}
	r.Forget("gone")
	r.pipe.in <- []byte(`{"id":1,"error":{"code":-32001,"message":"Session with given id not found."}}`)
	r.pipe.in <- []byte(`{"id":2,"result":{},"sessionId":"here"}`)
	b := r.batchOf(1)
	if b.State[0].Session != "here" || b.Counts.Orphans != 1 {
		t.Fatalf("event %+v, counts %+v", b.State[0], b.Counts)
	}
}

func TestPing(t *testing.T) {
	r := open(t)
	if err := r.Ping(); err != nil {
		t.Fatal(err)
	}
	if got := take(t, "ping", r.pipe.out); string(got) != "ping" {
		t.Fatalf("got %s", got)
	}
	before := r.LastRead()
	r.clock.advance(time.Minute)
	r.pipe.in <- frameAttached(1)
	r.batchOf(1)
	if got := r.LastRead(); got.Sub(before) != time.Minute {
		t.Errorf("last read moved by %v", got.Sub(before))
	}
	plain := prepare(t)
	plain.pipe.wait = func() {}
	plain.Conn = Open(unhooked{plain.pipe}, plain.options())
	if err := plain.Ping(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("ping without ping: %v", err)
	}
	plain.Kill(nil)
	plain.end(messages.DisconnectClosed)
}

func TestCloseWritesTheQueueAndThenTheWill(t *testing.T) {
	r := open(t)
	dismiss := messages.HandleDialog{}
	for _, key := range []string{"a", "b", "c"} {
		if err := r.SetWill(key, messages.SessionID("S"+key), dismiss); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.SetWill("a", "Sa", messages.FailRequest{RequestID: "1", Reason: "Failed"}, messages.FetchDisable{}); err != nil {
		t.Fatal(err)
	}
	r.ClearWill("b")
	r.ClearWill("never")
	if err := r.SetWill("d", "", messages.Raw{}); err == nil {
		t.Error("a will that cannot be written was taken")
	}
	for range 3 {
		if err := r.Send("S", messages.Ref{N: 1}, messages.PageEnable{}); err != nil {
			t.Fatal(err)
		}
	}
	r.Close(&messages.Cause{Kind: messages.DisconnectClosed, Text: "stopped"})
	var got []string
	ids := make(map[int64]bool)
	for range 6 {
		m := r.written()
		got = append(got, m.Method+"@"+string(m.SessionID))
		ids[m.ID] = true
	}
	want := "Page.enable@S Page.enable@S Page.enable@S Fetch.failRequest@Sa Fetch.disable@Sa Page.handleJavaScriptDialog@Sc"
	if strings.Join(got, " ") != want || len(ids) != 6 {
		t.Errorf("written: %v, ids %v", got, ids)
	}
	if cause := r.end(messages.DisconnectClosed); cause.Text != "stopped" {
		t.Errorf("cause %q", cause.Text)
	}
}

func TestCloseWaitsASecondAtMost(t *testing.T) {
	r := open(t)
	if err := r.SetWill("a", "S", messages.HandleDialog{}); err != nil {
		t.Fatal(err)
	}
	r.Close(nil) // nobody reads what is written
	await(t, "the limit is set", func() bool { return r.clock.running() == 1 })
	r.clock.advance(messages.WillTimeout - 1)
	if len(r.ended) > 0 {
		t.Fatal("it did not wait for the will")
	}
	r.clock.advance(1)
	r.end(messages.DisconnectClosed)
}

// leaver is a pipe whose browser is told of the end.
type leaver struct {
	*pipe
	left chan struct{}
}

func (l leaver) Leave() error {
	close(l.left)
	return nil
}

// After the close frame the browser has until the limit to answer: a socket that
// is closed earlier can lose the will.
func TestCloseLetsTheBrowserAnswer(t *testing.T) {
	for _, answers := range []bool{true, false} {
		r := prepare(t)
		left := make(chan struct{})
		r.Conn = Open(leaver{r.pipe, left}, r.options())
		r.Close(nil)
		take(t, "leave", left)
		r.pipe.in <- frameAttached(1) // still read, and delivered
		r.batchOf(1)
		select {
		case <-r.pipe.closed:
			t.Fatal("the socket was closed before the browser answered")
		default:
		}
		if answers {
			close(r.pipe.gone)
		} else {
			await(t, "the limit is set", func() bool { return r.clock.running() == 1 })
			r.clock.advance(messages.WillTimeout)
		}
		r.end(messages.DisconnectClosed)
	}
}

func TestKillWritesNothing(t *testing.T) {
	r := open(t)
	if err := r.SetWill("a", "S", messages.HandleDialog{}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := r.Send("S", messages.Ref{}, messages.PageEnable{}); err != nil {
			t.Fatal(err)
		}
	}
	r.Kill(&messages.Cause{Kind: messages.DisconnectTimeout})
	r.Close(&messages.Cause{Kind: messages.DisconnectClosed})
	r.end(messages.DisconnectTimeout)
	select {
	case msg := <-r.pipe.out:
		t.Errorf("written: %s", msg)
	default:
	}
}

func TestWhenTheBrowserGoesTheRestIsDeliveredBeforeTheEnd(t *testing.T) {
	r := open(t)
	for n := range messages.BatchCredits {
		r.pipe.in <- frameAttached(n)
		r.batchOf(1)
	}
	if err := r.SetWill("a", "S", messages.HandleDialog{}); err != nil {
		t.Fatal(err)
	}
	for n := range 20 {
		r.pipe.in <- frameAttached(n)
	}
	await(t, "all read", func() bool { return r.Counts().Messages == 20+messages.BatchCredits })
	close(r.pipe.gone)
	r.end(messages.DisconnectLost)
	if len(r.batches) != 1 {
		t.Fatalf("%d batches were delivered before the end", len(r.batches))
	}
	r.Credit(r.batchOf(20))
}

// A panic ends the connection, with its stack, and the browser still hears the
// will: the end came from our side.
func TestPanicsBecomeTheCause(t *testing.T) {
	tests := map[string]func(o *Options){
		"reader": func(o *Options) {
			o.Tap = func(d Direction, _ time.Time, _ []byte) {
				if d == Received {
					panic("tap")
				}
			}
		},
		"writer": func(o *Options) {
			var once atomic.Bool
			o.Tap = func(d Direction, _ time.Time, _ []byte) {
				if d == Sent && once.CompareAndSwap(false, true) {
					panic("tap")
				}
			}
		},
		"consumer": func(o *Options) { o.Deliver = func(*messages.Batch) { panic("tap") } },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			r := open(t, change)
			if err := r.SetWill("a", "S", messages.HandleDialog{}); err != nil {
				t.Fatal(err)
			}
			if name == "writer" {
				if err := r.Send("S", messages.Ref{}, messages.PageEnable{}); err != nil {
					t.Fatal(err)
				}
			}
			r.pipe.in <- frameAttached(1)
			if m := r.written(); m.Method != "Page.handleJavaScriptDialog" {
				t.Errorf("written: %+v", m)
			}
			cause := r.end(messages.DisconnectPanic)
			if !strings.Contains(cause.Text, "tap") || !strings.Contains(cause.Stack, "conn_test.go") {
				t.Errorf("cause %q, stack %q", cause.Text, cause.Stack)
			}
		})
	}
}

func TestAPanicInEndedIsHeld(t *testing.T) {
	r := prepare(t)
	r.Conn = Open(r.pipe, r.options(func(o *Options) {
		o.Ended = func(c *messages.Cause) {
			r.ended <- c
			panic("ended")
		}
	}))
	r.Kill(nil)
	r.end(messages.DisconnectClosed)
}

// bomb is a pipe whose Read fails as a too large message does, once lit.
type bomb struct {
	*pipe
	lit chan struct{}
}

func (b bomb) Read(dst []byte) ([]byte, error) {
	<-b.lit
	msg, err := b.pipe.Read(dst)
	if bytes.Equal(msg, []byte("bomb")) {
		return nil, fmt.Errorf("read: %w", errTooBig)
	}
	return msg, err
}

func TestAMessageOverTheLimitEndsTheConnectionButTheWillIsHeard(t *testing.T) {
	r := prepare(t)
	r.pipe.in <- frameAttached(1)
	r.pipe.in <- []byte("bomb") // in one go: the reader does not wait in between
	lit := make(chan struct{})
	r.Conn = Open(bomb{r.pipe, lit}, r.options())
	if err := r.SetWill("a", "S", messages.HandleDialog{}); err != nil {
		t.Fatal(err)
	}
	close(lit)
	if m := r.written(); m.Method != "Page.handleJavaScriptDialog" {
		t.Errorf("written: %+v", m)
	}
	r.batchOf(1) // what came before it is not lost
	if cause := r.end(messages.DisconnectLost); !strings.Contains(cause.Text, "over the limit") {
		t.Errorf("cause %q", cause.Text)
	}
}

func TestReadMessageStopsAtTheLimit(t *testing.T) {
	if b, err := readMessage(strings.NewReader("12345"), make([]byte, 0, 2), 5); err != nil || string(b) != "12345" {
		t.Errorf("at the limit: %q, %v", b, err)
	}
	if _, err := readMessage(strings.NewReader("123456"), nil, 5); !errors.Is(err, errTooBig) {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := readMessage(io.MultiReader(strings.NewReader("1"), broken{}), nil, 5); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("broken off: %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestTheTapSeesEveryMessageBothWays(t *testing.T) {
	type seen struct {
		dir Direction
		msg string
	}
	taps := make(chan seen, 10)
	r := open(t, func(o *Options) {
		o.Tap = func(d Direction, _ time.Time, msg []byte) { taps <- seen{d, string(msg)} }
	})
	r.pipe.in <- []byte("garbage")
	if got := take(t, "tap", taps); got != (seen{Received, "garbage"}) {
		t.Errorf("tapped %v", got)
	}
	if err := r.Send("", messages.Ref{}, messages.GetVersion{}); err != nil {
		t.Fatal(err)
	}
	want := take(t, "message", r.pipe.out)
	if got := take(t, "tap", taps); got != (seen{Sent, string(want)}) {
		t.Errorf("tapped %v, written %s", got, want)
	}
}

// A consumer on another goroutine, giving credits when it likes: nothing is lost,
// nothing moves, and bodies stay whole until they are given back.
func TestNothingIsLostBetweenReaderAndConsumer(t *testing.T) {
	const total = 30_000
	r := open(t)
	go func() {
		for n := range total {
			r.pipe.in <- frameAttached(n)
		}
	}()
	rng := rand.New(rand.NewPCG(1, 2))
	var held []*messages.Batch
	next := 0
	for next < total {
		b := take(t, "batch", r.batches)
		if len(held) >= messages.BatchCredits {
			t.Fatalf("%d batches are under way", len(held)+1)
		}
		held = append(held, b)
		for _, e := range b.State {
			if e.Seq != uint64(next+1) || string(e.Body.(*messages.FrameAttached).FrameID) != fmt.Sprintf("F%d", next) {
				t.Fatalf("event %+v %+v, want number %d", e, e.Body, next)
			}
			next++
		}
		for len(held) == messages.BatchCredits || len(held) > 0 && rng.IntN(3) > 0 {
			i := rng.IntN(len(held))
			r.Credit(held[i])
			held = append(held[:i], held[i+1:]...)
		}
	}
	if got := r.Counts(); got.Dropped != 0 || got.Malformed != 0 {
		t.Errorf("counts %+v", got)
	}
}

// A consumer may give a batch back while it is still being called.
func TestDeliverIsNotCalledInsideItself(t *testing.T) {
	first, second, third := &batch{}, &batch{}, &batch{}
	for _, b := range []*batch{first, second, third} {
		b.State = []messages.Event{{Body: &messages.ContextsCleared{}}}
	}
	var o *outbox
	var inside bool
	var got []*messages.Batch
	o = newOutbox(nil, func(b *messages.Batch) {
		if inside {
			t.Error("called inside itself")
		}
		inside = true
		defer func() { inside = false }()
		got = append(got, b)
		if b == &first.Batch {
			o.lay(second)
			o.lay(third)
			o.credit(b)
		}
	}, func(c *messages.Cause) { t.Error(c) })
	o.free.Store(2)
	o.lay(first)
	if len(got) != 3 || got[0] != &first.Batch || got[1] != &second.Batch || got[2] != &third.Batch {
		t.Errorf("delivered %v", got)
	}
}

func TestABatchGivenBackHoldsNothing(t *testing.T) {
	r := open(t)
	r.pipe.in <- frameAttached(1)
	b := r.batchOf(1)
	body := b.State[0].Body.(*messages.FrameAttached)
	r.Credit(b)
	if *body != (messages.FrameAttached{}) || b.Len() != 0 || b.State[:1][0].Body != nil {
		t.Errorf("after the credit the batch holds %+v and the body %+v", b.State[:1], body)
	}
}

// After a silence the reader lets go of what it has learned, and goes on.
func TestASilenceIsForgetful(t *testing.T) {
	s, end := peer(t)
	got := make(chan messages.SessionID, 4)
	var c *Conn
	given := make(chan *messages.Batch, 4)
	c = Open(s, Options{
		Clock: WallClock{}, Ended: func(*messages.Cause) {},
		Deliver: func(b *messages.Batch) {
			got <- b.State[0].Session
			given <- b
		},
	})
	defer c.Kill(nil)
	go func() { _, _, _ = end.ReadMessage() }() // answers the ping
	event := []byte(`{"method":"Page.frameDetached","params":{"frameId":"F","reason":"remove"},"sessionId":"S"}`)
	for range 2 {
		if err := end.WriteMessage(websocket.TextMessage, event); err != nil {
			t.Fatal(err)
		}
		if session := take(t, "event", got); session != "S" {
			t.Fatalf("session %q", session)
		}
		c.Credit(take(t, "batch", given))
		before := s.LastRead()
		if err := c.Ping(); err != nil {
			t.Fatal(err)
		}
		await(t, "the pong", func() bool { return s.LastRead().After(before) })
		await(t, "it forgets", func() bool { return !c.idle.Load() })
	}
}

// Commands that leave together get ids in their order, and one that is refused
// does not keep the others back.
func TestSendAll(t *testing.T) {
	p := newPipe()
	c := Open(p, Options{Clock: WallClock{}, Deliver: func(*messages.Batch) {}, Ended: func(*messages.Cause) {}})
	defer c.Kill(nil)
	var refused []int
	c.SendAll([]messages.SendCommand{
		{Session: "S", Command: messages.PageEnable{}},
		{Session: "S", Command: messages.Raw{Name: "A.b", Params: []byte("[]")}},
		{Session: "S", Command: messages.RunIfWaiting{}},
	}, func(place int, err error) {
		refused = append(refused, place)
		if !errors.Is(err, ErrParams) {
			t.Errorf("error %v", err)
		}
	})
	for i, want := range []string{"Page.enable", "Runtime.runIfWaitingForDebugger"} {
		if got, want := string(take(t, "command", p.out)), fmt.Sprintf(`{"id":%d,"method":"%s","sessionId":"S"}`, i+1, want); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if len(refused) != 1 || refused[0] != 1 {
		t.Errorf("refused %v", refused)
	}
	c.Kill(nil)
	refused = nil
	c.SendAll([]messages.SendCommand{{Command: messages.PageEnable{}}}, func(place int, err error) {
		refused = append(refused, place)
		if !errors.Is(err, ErrClosed) {
			t.Errorf("error %v", err)
		}
	})
	if len(refused) != 1 {
		t.Error("a closed connection takes commands")
	}
}

// What is decoded before it turns out to be of no use must not pile up behind a
// batch that stays empty: nothing would ever empty it.
func TestWhatIsNotKeptDoesNotPileUp(t *testing.T) {
	for name, event := range map[string]string{
		// Not Chromium's order of keys, so that the head does not tell.
		"console calls that are no errors": `{"method":"Runtime.consoleAPICalled","params":{"timestamp":1,"args":[],"type":"log"}}`,
		"malformed events":                 `{"method":"Page.frameAttached","params":{"frameId":7}}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			const many = messages.ConsoleHeldCalls - 1 // of more is told
			for range many {
				r.pipe.in <- []byte(event)
			}
			await(t, "all are read", func() bool { c := r.Counts(); return c.Ignored+c.Malformed == many })
			r.pipe.in <- frameAttached(1)
			b := r.batchOf(1)
			behind := &r.out.under[0].arena
			if &r.out.under[0].Batch != b {
				t.Fatal("another batch is under way")
			}
			if n := len(behind.console.chunks) + len(behind.frameAttached.chunks); n > 2 {
				t.Errorf("%d pieces of memory behind one event", n)
			}
		})
	}
}
