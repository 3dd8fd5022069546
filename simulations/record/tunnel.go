package record

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// writeWait is how long a client may take for one message.
const writeWait = 30 * time.Second

// ErrBrowser is why a connection ended from the browser's side.
var ErrBrowser = errors.New("the connection to the browser was lost")

// tunnel carries the messages of one client to the browser and back, and shows
// each to the recorder before it goes on.
type tunnel struct {
	clock   messages.Clock
	client  *websocket.Conn
	browser cdpwire.Transport
	tap     func(dir cdpwire.Direction, at time.Time, msg []byte)
	once    sync.Once
	first   sync.Once
	why     error // set by the first who knows
}

// run blocks until either side has gone. Both are closed then. It returns why;
// nil where the client left or the proxy closes.
func (t *tunnel) run() error {
	var both sync.WaitGroup
	both.Go(t.toBrowser)
	both.Go(t.toClient)
	both.Wait()
	t.because(nil)
	return t.why
}

// because keeps why the connection ends. It is the first reason that counts: the
// end of one side ends the other.
func (t *tunnel) because(err error) { t.first.Do(func() { t.why = err }) }

func (t *tunnel) close() {
	t.because(nil)
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
			if errors.Is(err, websocket.ErrReadLimit) {
				t.because(fmt.Errorf("the client was cut off: a message of it is larger than %d MiB", messages.MaxReadBytes>>20))
			}
			t.because(nil) // it has left
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
			if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
				t.because(fmt.Errorf("the client was cut off: for %s it did not read what the browser sent", writeWait))
			}
			return
		}
		buffer = msg
	}
}

// leave tells the client that the browser has gone.
func (t *tunnel) leave(err error) {
	why := err
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		why = errors.New("the browser quit or crashed, the page of this address was closed, or a proxy between cut it")
	}
	t.because(fmt.Errorf("%w: %w", ErrBrowser, why))
	code, text := websocket.CloseGoingAway, "the browser has gone"
	if cause, ok := errors.AsType[*messages.Cause](err); ok {
		text, _ = messages.Cut(cause.Text, 100)
	}
	t.sayBye(code, text)
}

// refuse cuts a client off before anything went through.
func (t *tunnel) refuse(why string) {
	t.sayBye(websocket.CloseInternalServerErr, why)
	t.close()
}

func (t *tunnel) sayBye(code int, text string) {
	_ = t.client.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, text), t.clock.Now().Add(time.Second))
}
