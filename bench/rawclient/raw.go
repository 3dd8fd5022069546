// Package rawclient holds the two ends of what a client can cost: the bare
// read loop, and what one writes first.
package rawclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/gorilla/websocket"

	"cdpsupervisor/bench/feed"
	"cdpsupervisor/bench/measure"
)

// readBuffer is the library's buffer for the bare loop: 64 KiB is where more
// does not help any more.
const readBuffer = 64 << 10

// connection is set up and ready to start.
type connection struct {
	ws    *websocket.Conn
	start map[string]any
}

// attach makes the least set-up that a stream needs.
func attach(ctx context.Context, url string, buffer int) (*connection, error) {
	d := websocket.Dialer{ReadBufferSize: buffer}
	ws, resp, err := d.DialContext(ctx, url, nil)
	if err != nil {
		return nil, fmt.Errorf("dial the feed: %w", err)
	}
	_ = resp.Body.Close()
	if err := ws.WriteJSON(map[string]any{"id": 1, "method": "Target.setAutoAttach", "params": map[string]any{"autoAttach": true, "flatten": true, "waitForDebuggerOnStart": false}}); err != nil {
		return nil, fmt.Errorf("attach: %w", err)
	}
	for {
		var m struct {
			Method string `json:"method"`
			Params struct {
				SessionID string `json:"sessionId"`
			} `json:"params"`
		}
		if err := ws.ReadJSON(&m); err != nil {
			return nil, fmt.Errorf("attach: %w", err)
		}
		if m.Method == "Target.attachedToTarget" {
			return &connection{ws, map[string]any{"id": 2, "method": "Runtime.evaluate", "sessionId": m.Params.SessionID, "params": map[string]any{"expression": feed.StartExpression}}}, nil
		}
	}
}

// Read reads every message of some connections into one reused buffer each and
// looks at nothing: the limit for whoever uses the same library.
func Read(ctx context.Context, url string, tasks int, m *measure.Meter) error {
	return each(ctx, url, tasks, readBuffer, m, readLoop)
}

// Map decodes every message into a map, as one writes it first, and keeps a
// map of frames.
func Map(ctx context.Context, url string, tasks int, m *measure.Meter) error {
	return each(ctx, url, tasks, 0, m, mapLoop)
}

// each attaches all connections, and then runs the loop on each of them.
func each(ctx context.Context, url string, tasks, buffer int, m *measure.Meter, loop func(*websocket.Conn) (int, error)) error {
	connections := make([]*connection, tasks)
	for i := range connections {
		c, err := attach(ctx, url, buffer)
		if err != nil {
			return err
		}
		defer func() { _ = c.ws.Close() }()
		connections[i] = c
	}
	var messages atomic.Int64
	errs := make([]error, tasks)
	var wg sync.WaitGroup
	m.Start()
	for i, c := range connections {
		wg.Go(func() {
			if errs[i] = c.ws.WriteJSON(c.start); errs[i] != nil {
				return
			}
			n, err := loop(c.ws)
			messages.Add(int64(n))
			errs[i] = err
		})
	}
	wg.Wait()
	m.Stop()
	m.Note("messages", messages.Load())
	return errors.Join(errs...)
}

func readLoop(ws *websocket.Conn) (n int, err error) {
	buf := make([]byte, 0, readBuffer)
	end := []byte(`"title":"` + feed.EndText)
	for {
		_, r, err := ws.NextReader()
		if err != nil {
			return n, err
		}
		buf = buf[:0]
		for {
			if len(buf) == cap(buf) {
				buf = append(buf, 0)[:len(buf)]
			}
			k, err := r.Read(buf[len(buf):cap(buf)])
			buf = buf[:len(buf)+k]
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return n, err
			}
		}
		n++
		// Only short messages can be the last one.
		if len(buf) < 400 && bytes.Contains(buf, end) {
			return n, nil
		}
	}
}

func mapLoop(ws *websocket.Conn) (n int, err error) {
	frames := make(map[string]string)
	for {
		_, data, err := ws.ReadMessage()
		if err != nil {
			return n, err
		}
		n++
		var msg map[string]any
		if err := json.Unmarshal(data, &msg); err != nil {
			return n, err
		}
		params, _ := msg["params"].(map[string]any)
		switch msg["method"] {
		case "Page.frameAttached":
			id, _ := params["frameId"].(string)
			frames[id], _ = params["parentFrameId"].(string)
		case "Page.frameDetached":
			id, _ := params["frameId"].(string)
			delete(frames, id)
		case "Target.targetInfoChanged":
			if bytes.Contains(data, []byte(feed.EndText)) {
				return n, nil
			}
		}
	}
}
