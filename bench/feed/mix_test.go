package feed

import (
	"bytes"
	"encoding/json"
	"testing"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

func mix() Mix {
	return Mix{
		Seed: 1, Events: 3_000, Frames: 40, Depth: 3, Origins: 5, Remote: 0.4, Console: 0.3, Errors: 0.1, Noise: 0.2, Text: 60, DialogEvery: 100,
	}
}

func TestTheSameMixGivesTheSameBytes(t *testing.T) {
	a, b := Generate("a", mix()), Generate("b", mix())
	if !bytes.Equal(bytes.Join(a.Messages, nil), bytes.Join(b.Messages, nil)) {
		t.Error("two streams of one mix differ")
	}
	other := mix()
	other.Seed++
	if bytes.Equal(bytes.Join(a.Messages, nil), bytes.Join(Generate("c", other).Messages, nil)) {
		t.Error("the seed changes nothing")
	}
}

func TestAMixIsWhatItSays(t *testing.T) {
	m := mix()
	s := Generate("x", m)
	count := make(map[string]int)
	for _, msg := range s.Messages {
		var h header
		if err := json.Unmarshal(msg, &h); err != nil {
			t.Fatalf("%v: %s", err, msg)
		}
		count[h.Method]++
	}
	events := float64(len(s.Messages))
	if share := float64(count["Runtime.consoleAPICalled"]) / events; share < 0.1 || share > m.Console {
		// Below its share of the decisions: a frame is several events.
		t.Errorf("the console's share is %.2f", share)
	}
	for _, method := range []string{
		"Page.frameAttached", "Page.frameNavigated", "Page.frameDetached", "Target.attachedToTarget", "Target.detachedFromTarget",
		"Page.frameStartedLoading", "Page.lifecycleEvent", "Page.javascriptDialogOpening", "Page.javascriptDialogClosed",
	} {
		if count[method] == 0 {
			t.Errorf("no %s", method)
		}
	}
}

// pipe brings the messages of a stream.
type pipe struct {
	list [][]byte
	wait func()
}

func (p *pipe) OnWait(f func()) { p.wait = f }
func (p *pipe) Read([]byte) ([]byte, error) {
	if len(p.list) == 0 {
		p.wait()
		return nil, bytes.ErrTooLarge
	}
	msg := p.list[0]
	p.list = p.list[1:]
	return msg, nil
}
func (*pipe) Write([]byte) error { return nil }
func (*pipe) Close() error       { return nil }

// The engine's own decoder and frame tree take every event of a mix, and end
// with as many frames as the mix keeps.
func TestAMixMakesSense(t *testing.T) {
	m := mix()
	m.Console = 0 // the wire may drop it
	s := Generate("x", m)
	tree := frametree.New()
	tree.AddPage(messages.SessionID(s.Session), &messages.TargetInfo{TargetID: messages.TargetID(s.Target), Type: messages.TargetPage}, false, nil)
	tree.Seed(messages.SessionID(s.Session), &messages.FrameNode{Frame: messages.FrameInfo{ID: messages.FrameID(s.Target)}}, nil)
	done := make(chan struct{})
	batches := make(chan *messages.Batch, 100)
	c := cdpwire.Open(&pipe{list: s.Messages}, cdpwire.Options{
		Clock: cdpwire.WallClock{}, Deliver: func(b *messages.Batch) { batches <- b }, Ended: func(*messages.Cause) { close(done) },
	})
	var counts messages.WireCounts
	apply := func(b *messages.Batch) {
		for i := range b.State {
			tree.Apply(&b.State[i], nil)
		}
		counts = b.Counts
		c.Credit(b)
	}
	for over := false; !over; {
		select {
		case b := <-batches:
			apply(b)
		case <-done:
			over = true
		}
	}
	for len(batches) > 0 {
		apply(<-batches)
	}
	if counts.Malformed > 0 {
		t.Errorf("%d events are malformed", counts.Malformed)
	}
	if n, want := tree.Frames(), framesLeft(t, s); n != want || want < m.Frames/4 {
		t.Errorf("%d frames at the end, want %d", n, want)
	}
	if d := tree.Dropped(); d != (frametree.Counters{}) {
		t.Errorf("dropped %+v", d)
	}
}

// framesLeft counts the frames of a stream with a plain map.
func framesLeft(t *testing.T, s *Stream) int {
	t.Helper()
	parents := map[string]string{s.Target: ""}
	for _, msg := range s.Messages {
		var m struct {
			Method string
			Params struct{ FrameID, ParentFrameID, Reason string }
		}
		if err := json.Unmarshal(msg, &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m.Method == "Page.frameAttached":
			parents[m.Params.FrameID] = m.Params.ParentFrameID
		case m.Method == "Page.frameDetached" && m.Params.Reason == "remove":
			gone := map[string]bool{m.Params.FrameID: true}
			for more := true; more; {
				more = false
				for id, parent := range parents {
					if gone[parent] && !gone[id] {
						gone[id], more = true, true
					}
				}
			}
			for id := range gone {
				delete(parents, id)
			}
		}
	}
	return len(parents)
}

// A log that began after its page was attached, with and without sessions.
func TestLogsWithoutTheirBeginning(t *testing.T) {
	navigated := `{"method":"Page.frameNavigated","params":{"frame":{"id":"MAIN","url":"https://a/"}}%s}`
	for name, session := range map[string]string{"with a session": `,"sessionId":"S1"`, "with none": ""} {
		t.Run(name, func(t *testing.T) {
			s, err := New(name, [][]byte{
				[]byte(`{"id":1,"result":{}}`),
				bytes.Replace([]byte(navigated), []byte("%s"), []byte(session), 1),
			}, 2)
			if err != nil {
				t.Fatal(err)
			}
			if s.Target != "MAIN" || s.Session == "" {
				t.Errorf("page %q on session %q", s.Target, s.Session)
			}
			for _, msg := range s.Messages[:2] {
				var h header
				if err := json.Unmarshal(msg, &h); err != nil || h.SessionID != s.Session {
					t.Errorf("%v: %s", err, msg)
				}
			}
		})
	}
	if _, err := New("empty", [][]byte{[]byte(`{"method":"Page.loadEventFired","params":{}}`)}, 1); err == nil {
		t.Error("a log without a page is taken")
	}
}
