package cdpwire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"cdpsupervisor/messages"
)

// The memory of messages is used again: while some are being written, others are
// queued, by several goroutines, and each must arrive as it was sent.
func TestMessagesKeepTheirTextWhileOthersAreQueued(t *testing.T) {
	const senders, rounds, together = 4, 40, 30
	p := newPipe()
	c := Open(p, Options{Clock: WallClock{}, Deliver: func(*messages.Batch) {}, Ended: func(*messages.Cause) {}})
	defer c.Kill(nil)
	params := func(sender, n int) string {
		return fmt.Sprintf(`{"sender":%d,"n":%d,"pad":%q}`, sender, n, strings.Repeat(string(rune('a'+sender)), n%97*n%61))
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	for sender := range senders {
		wg.Go(func() {
			for round := range rounds {
				var list []messages.SendCommand
				for i := range together {
					list = append(list, messages.SendCommand{Command: messages.Raw{Name: "A.b", Params: []byte(params(sender, round*together+i))}})
				}
				c.SendAll(list, func(_ int, err error) { t.Error(err) })
			}
		})
	}
	var next [senders]int
	for id := 1; id <= senders*rounds*together; id++ {
		var m struct {
			ID     int
			Params json.RawMessage
		}
		var head struct{ Sender, N int }
		text := take(t, "command", p.out)
		if err := errors.Join(json.Unmarshal(text, &m), json.Unmarshal(m.Params, &head)); err != nil || m.ID != id {
			t.Fatalf("message %d is %.200q: %v", id, text, err)
		}
		if want := params(head.Sender, next[head.Sender]); string(m.Params) != want {
			t.Fatalf("message %d has %.200s, want %.200s", id, m.Params, want)
		}
		next[head.Sender]++
	}
}

// What a busy page makes us send costs no memory but that of the calls that wait
// for their replies, once there is room.
func TestSendingUsesItsMemoryAgain(t *testing.T) {
	p := newPipe()
	c := Open(p, Options{Clock: WallClock{}, Deliver: func(*messages.Batch) {}, Ended: func(*messages.Cause) {}})
	defer c.Kill(nil)
	var list []messages.SendCommand
	for range 200 {
		list = append(list, messages.SendCommand{Session: "S", Command: messages.SetAutoAttach{}})
	}
	written := func() {
		await(t, "the writer has ended", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return !c.writing })
	}
	round := func() {
		c.SendAll(list, func(_ int, err error) { t.Error(err) })
		for range list {
			take(t, "command", p.out)
		}
		written()
		c.Forget("S") // gives the calls' own memory back
	}
	round()
	text, items, room := cap(c.spare.text)+cap(c.queue.text), cap(c.spare.items)+cap(c.queue.items), cap(c.room.text)
	if text == 0 || items == 0 || room == 0 {
		t.Fatalf("room for %d bytes, %d messages and %d bytes of params was kept", text, items, room)
	}
	for range 5 {
		round()
	}
	if more := cap(c.room.text); more != room {
		t.Errorf("params took room anew: %d bytes, before %d", more, room)
	}
	if err := c.Ping(); err != nil {
		t.Fatal(err)
	}
	take(t, "ping", p.out)
	written()            // it lets go of nothing that is in use
	p.in <- []byte(`{}`) // the sign of life
	await(t, "a quiet connection lets go of it", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return cap(c.spare.text)+cap(c.queue.text)+cap(c.room.text) == 0
	})
}
