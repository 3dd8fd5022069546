package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors"
	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/backends"
	"cdpsupervisor/bench/feed"
	"cdpsupervisor/bench/rawclient"
	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// Each benchmark has a sub-benchmark "limit" beside it: the least that a program
// of this kind must do. Compare runs with benchstat.

// pump is a transport that brings the same messages again and again.
type pump struct {
	list [][]byte
	left int
	wait func()
}

func (p *pump) OnWait(f func()) { p.wait = f }

func (p *pump) Read([]byte) ([]byte, error) {
	if p.left == 0 {
		p.wait()
		return nil, io.EOF
	}
	p.left--
	return p.list[p.left%len(p.list)], nil
}

func (*pump) Write([]byte) error { return nil }
func (*pump) Close() error       { return nil }

// through takes b.N messages through a connection, whose batches are given back
// at once.
func through(b *testing.B, list [][]byte) {
	b.Helper()
	done := make(chan struct{})
	batches := make(chan *messages.Batch, 2*messages.BatchCredits)
	b.SetBytes(int64(meanSize(list)))
	b.ReportAllocs()
	b.ResetTimer()
	c := cdpwire.Open(&pump{list: list, left: b.N}, cdpwire.Options{
		Clock:   cdpwire.WallClock{},
		Deliver: func(batch *messages.Batch) { batches <- batch },
		Ended:   func(*messages.Cause) { close(done) },
	})
	for {
		select {
		case batch := <-batches:
			c.Credit(batch)
		case <-done:
			return
		}
	}
}

func meanSize(list [][]byte) (n int) {
	for _, m := range list {
		n += len(m)
	}
	return n / len(list)
}

// touched is the limit of whoever reads: each byte is looked at once.
func touched(b *testing.B, list [][]byte) {
	b.Helper()
	b.SetBytes(int64(meanSize(list)))
	sum := byte(0)
	for i := range b.N {
		for _, c := range list[i%len(list)] {
			sum ^= c
		}
	}
	if sum == 1 && b.N == 0 {
		b.Fatal("never")
	}
}

func recordedStream(b *testing.B) [][]byte {
	b.Helper()
	s, err := feed.Load("testdata/adheavy-main.jsonl.zst", 1)
	if err != nil {
		b.Fatal(err)
	}
	return s.Messages
}

// BenchmarkEnvelope is a message that nobody needs: it is found out and counted.
func BenchmarkEnvelope(b *testing.B) {
	list := [][]byte{[]byte(`{"method":"Page.frameStartedLoading","params":{"frameId":"99B073A64A31C1D6B7E8896E713975EE"},"sessionId":"53777BC1A1A8433DBC1D752EC187E3BC"}`)}
	b.Run("engine", func(b *testing.B) { through(b, list) })
	b.Run("limit", func(b *testing.B) { touched(b, list) })
}

// BenchmarkDecode is the recorded stream, from messages to batches.
func BenchmarkDecode(b *testing.B) {
	list := recordedStream(b)
	b.Run("engine", func(b *testing.B) { through(b, list) })
	b.Run("limit", func(b *testing.B) { touched(b, list) })
}

// BenchmarkFrameTree attaches and removes a frame among a thousand.
func BenchmarkFrameTree(b *testing.B) {
	const frames = 1_000
	ids := make([]messages.FrameID, 2*frames)
	for i := range ids {
		ids[i] = messages.FrameID(time.Duration(i).String())
	}
	b.Run("engine", func(b *testing.B) {
		tree := frametree.New()
		tree.AddPage("S", &messages.TargetInfo{TargetID: "T", Type: messages.TargetPage}, false, nil)
		tree.Seed("S", &messages.FrameNode{Frame: messages.FrameInfo{ID: "T", URL: "https://a/"}}, nil)
		apply := func(body messages.EventBody) {
			tree.Apply(&messages.Event{Session: "S", Body: body}, nil)
		}
		for _, id := range ids[:frames] {
			apply(&messages.FrameAttached{FrameID: id, ParentID: "T"})
		}
		attached, detached := &messages.FrameAttached{ParentID: "T"}, &messages.FrameDetached{Reason: messages.DetachRemove}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			attached.FrameID, detached.FrameID = ids[(i+frames)%len(ids)], ids[i%len(ids)]
			apply(attached)
			apply(detached)
		}
	})
	b.Run("limit", func(b *testing.B) { // a map and nothing else
		tree := make(map[messages.FrameID]messages.FrameID)
		for _, id := range ids[:frames] {
			tree[id] = "T"
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			tree[ids[(i+frames)%len(ids)]] = "T"
			delete(tree, ids[i%len(ids)])
		}
	})
}

// BenchmarkPublish takes the view of a page with a thousand frames and stores a
// snapshot that shows it.
func BenchmarkPublish(b *testing.B) {
	tree := frametree.New()
	tree.AddPage("S", &messages.TargetInfo{TargetID: "T", Type: messages.TargetPage}, false, nil)
	root := &messages.FrameNode{Frame: messages.FrameInfo{ID: "T", URL: "https://a/", Origin: "https://a"}}
	for i := range 1_000 {
		root.Children = append(root.Children, messages.FrameNode{Frame: messages.FrameInfo{ID: messages.FrameID(time.Duration(i + 1).String()), URL: "https://b/x", Origin: "https://b"}})
	}
	tree.Seed("S", root, nil)
	var published actors.Published
	b.Run("engine", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			published.Store(&messages.Snapshot{FrameTree: tree.View("T", true)})
		}
	})
	b.Run("limit", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			published.Store(&messages.Snapshot{})
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if published.Load() == nil {
				b.Fatal("nothing is published")
			}
		}
	})
}

// BenchmarkAsk changes the policy of a task: a question from outside through
// three actors and back, its effect published first.
func BenchmarkAsk(b *testing.B) {
	b.Run("engine", func(b *testing.B) {
		task := feedTask(b)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			policy := []messages.Policy{messages.PolicyAutoAccept, messages.PolicyAutoDismiss}[i%2]
			if err := task.SetPolicy(b.Context(), policy, messages.DefaultDialogTimeout); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("limit", func(b *testing.B) { // two goroutines and two channels
		there, back := make(chan int), make(chan int)
		go func() {
			defer close(back)
			for n := range there {
				back <- n
			}
		}()
		b.ReportAllocs()
		for b.Loop() {
			there <- 1
			<-back
		}
		close(there)
	})
}

// BenchmarkCall is a command of an agent to a browser that answers at once, over
// a socket and back.
func BenchmarkCall(b *testing.B) {
	task := feedTask(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := task.Call(b.Context(), messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(`{"expression":"1"}`)}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDialogAnswer opens a native dialog and accepts it: from the order to
// open to the answer that it is closed, over a socket. The limit does the same
// with a bare loop. What a dialog costs a real page, natively and with the
// bridge, is in BenchmarkDialog.
func BenchmarkDialogAnswer(b *testing.B) {
	open := fmt.Appendf(nil, `{"expression":%q}`, feed.DialogExpression)
	b.Run("engine", func(b *testing.B) {
		task := feedTask(b)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := task.Call(b.Context(), messages.CallRequest{Method: "Runtime.evaluate", Params: open}); err != nil {
				b.Fatal(err)
			}
			if _, err := task.Wait(b.Context(), func(s *messages.Snapshot) bool { return len(s.PendingDialogs) > 0 }); err != nil {
				b.Fatal(err)
			}
			if _, err := task.RespondDialog(b.Context(), messages.DialogRequest{Action: messages.ActionAccept}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("limit", func(b *testing.B) {
		ask, err := rawclient.Attach(b.Context(), feedServer(b).URL())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = ask.Close() })
		b.ReportAllocs()
		for b.Loop() {
			for _, step := range []struct{ method, params, until string }{
				{"Runtime.evaluate", string(open), "Page.javascriptDialogOpening"},
				{"Page.handleJavaScriptDialog", `{"accept":true}`, `"id":`},
			} {
				if err := ask.Do(step.method, step.params, step.until); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

func feedServer(b *testing.B) *feed.Server {
	b.Helper()
	server, err := feed.Serve(feed.Generate("nothing", feed.Mix{}), feed.Pace{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Close() })
	return server
}

// feedTask is a task on a feed that plays nothing.
func feedTask(b *testing.B) *registry.Task {
	b.Helper()
	server := feedServer(b)
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }))
	r, err := registry.New(system)
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.WithoutCancel(b.Context())
	b.Cleanup(func() {
		if err := r.Close(ctx); err != nil && !errors.Is(err, context.Canceled) {
			b.Error(err)
		}
	})
	task, err := r.GetOrStart(ctx, "bench", backends.Static(messages.Endpoint(server.URL())))
	if err != nil {
		b.Fatal(err)
	}
	return task
}
