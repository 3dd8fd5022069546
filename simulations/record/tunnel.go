package record

import (
	"errors"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// writeWait is how long a client may take for one message.
const writeWait = 30 * time.Second

// tunnel carries the messages of one client to the browser and back, and shows
// each to the recorder before it goes on.
type tunnel struct {
	clock   messages.Clock
	client  *websocket.Conn
	browser cdpwire.Transport
	tap     func(dir cdpwire.Direction, at time.Time, msg []byte)
	once    sync.Once
}

// run blocks until either side has gone. Both are closed then.
func (t *tunnel) run() {
	var both sync.WaitGroup
	both.Go(t.toBrowser)
	both.Go(t.toClient)
	both.Wait()
}

func (t *tunnel) close() {
	t.once.Do(func() {
		_ = t.client.Close()
		_ = t.browser.Close()
	})
}

func (t *tunnel) toBrowser() {
	defer t.close()
	t.client.SetReadLimit(messages.MaxReadBytes)
	for {
		_, msg, err := t.client.ReadMessage()
		if err != nil {
			if leaver, ok := t.browser.(cdpwire.Leaver); ok && websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway) {
				_ = leaver.Leave()
			}
			return
		}
		t.tap(cdpwire.Sent, t.clock.Now(), msg)
		if err := t.browser.Write(msg); err != nil {
			t.leave(err)
			return
		}
	}
}

func (t *tunnel) toClient() {
	defer t.close()
	var buffer []byte
	for {
		msg, err := t.browser.Read(buffer)
		if err != nil {
			t.leave(err)
			return
		}
		t.tap(cdpwire.Received, t.clock.Now(), msg)
		_ = t.client.SetWriteDeadline(t.clock.Now().Add(writeWait))
		if err := t.client.WriteMessage(websocket.TextMessage, msg); err != nil {
			return
		}
		buffer = msg
	}
}

// leave tells the client that the browser has gone.
func (t *tunnel) leave(err error) {
	code, text := websocket.CloseGoingAway, "the browser has gone"
	if cause, ok := errors.AsType[*messages.Cause](err); ok {
		text, _ = messages.Cut(cause.Text, 100)
	}
	_ = t.client.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, text), t.clock.Now().Add(time.Second))
}
