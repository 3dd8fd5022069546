// Package rawclient holds the two ends of what a client can cost: the bare
// read loop, and what one writes first.
package rawclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gorilla/websocket"

	"cdpsupervisor/bench/feed"
	"cdpsupervisor/bench/measure"
)

// attach makes the least set-up that starts the stream.
func attach(ctx context.Context, url string) (*websocket.Conn, error) {
	d := websocket.Dialer{ReadBufferSize: 64 << 10}
	ws, resp, err := d.DialContext(ctx, url, nil)
	if err != nil {
		return nil, fmt.Errorf("dial the feed: %w", err)
	}
	_ = resp.Body.Close()
	send := func(v any) error { return ws.WriteJSON(v) }
	if err := send(map[string]any{"id": 1, "method": "Target.setAutoAttach", "params": map[string]any{"autoAttach": true, "flatten": true, "waitForDebuggerOnStart": false}}); err != nil {
		return nil, err
	}
	for {
		var m struct {
			Method string `json:"method"`
			Params struct {
				SessionID string `json:"sessionId"`
			} `json:"params"`
		}
		if err := ws.ReadJSON(&m); err != nil {
			return nil, err
		}
		if m.Method == "Target.attachedToTarget" {
			return ws, send(map[string]any{"id": 2, "method": "Runtime.evaluate", "sessionId": m.Params.SessionID, "params": map[string]any{"expression": feed.StartExpression}})
		}
	}
}

// Read reads every message into one reused buffer and looks at nothing: the
// limit for whoever uses the same library.
func Read(ctx context.Context, url string, m *measure.Meter) error {
	ws, err := attach(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = ws.Close() }()
	m.Start()
	buf := make([]byte, 0, 64<<10)
	end := []byte(feed.EndText)
	n := 0
	for {
		_, r, err := ws.NextReader()
		if err != nil {
			return err
		}
		buf = buf[:0]
		for {
			if len(buf) == cap(buf) {
				buf = append(buf, 0)[:len(buf)]
			}
			k, err := r.Read(buf[len(buf):cap(buf)])
			buf = buf[:len(buf)+k]
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
		}
		n++
		// Only short messages can be the last one.
		if len(buf) < 400 && bytes.Contains(buf, end) {
			break
		}
	}
	m.Stop()
	m.Note("messages", n)
	return nil
}

// Map decodes every message into a map, as one writes it first, and keeps a
// map of frames.
func Map(ctx context.Context, url string, m *measure.Meter) error {
	ws, err := attach(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = ws.Close() }()
	m.Start()
	frames := make(map[string]string)
	n := 0
	for {
		_, data, err := ws.ReadMessage()
		if err != nil {
			return err
		}
		n++
		var msg map[string]any
		if err := json.Unmarshal(data, &msg); err != nil {
			return err
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
				m.Stop()
				m.Note("messages", n)
				m.Note("frames", len(frames))
				return nil
			}
		}
	}
}
