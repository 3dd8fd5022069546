package rig

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"cdpsupervisor/simulations/fakebrowser"
)

// Hand plays people and pages: a second client of the browser, which runs
// scripts in any frame and enables nothing that the engine could notice. What
// it does takes effect at once. Answers to dialogs need [Hand.Watch] before.
type Hand struct {
	r     *Rig
	inner *fakebrowser.Transport

	mu    sync.Mutex
	inbox [][]byte

	next     int
	replies  map[int]json.RawMessage
	sessions map[string]string          // by target
	contexts map[string][]scriptContext // by session
}

type scriptContext struct {
	id    int
	frame string
}

func newHand(r *Rig) *Hand {
	h := &Hand{r: r}
	h.connect()
	return h
}

func (h *Hand) connect() {
	h.inner = h.r.Browser.Transport()
	h.replies = make(map[int]json.RawMessage)
	h.sessions = make(map[string]string)
	h.contexts = make(map[string][]scriptContext)
	inner := h.inner
	go func() {
		for {
			msg, err := inner.Read(nil)
			if err != nil {
				return
			}
			h.mu.Lock()
			h.inbox = append(h.inbox, msg)
			h.mu.Unlock()
		}
	}()
}

func (h *Hand) close() { _ = h.inner.Close() }

// Again connects to a browser that was restarted.
func (h *Hand) Again() {
	h.close()
	h.connect()
	h.r.quiet()
}

// send sends a command and returns its result, or nil if it has none yet.
func (h *Hand) send(session, method string, params any) json.RawMessage {
	h.next++
	id := h.next
	msg, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
		Session string `json:"sessionId,omitempty"`
	}{id, method, params, session})
	if err != nil {
		return nil
	}
	_ = h.inner.Write(msg) // a browser that is gone does nothing
	h.r.quiet()
	reply := h.replies[id]
	delete(h.replies, id)
	return reply
}

// read takes in what the browser said.
func (h *Hand) read() {
	h.mu.Lock()
	inbox := h.inbox
	h.inbox = nil
	h.mu.Unlock()
	for _, raw := range inbox {
		var m struct {
			ID      int             `json:"id"`
			Method  string          `json:"method"`
			Session string          `json:"sessionId"`
			Result  json.RawMessage `json:"result"`
			Params  struct {
				SessionID string `json:"sessionId"`
				ContextID int    `json:"executionContextId"`
				Context   struct {
					ID  int `json:"id"`
					Aux struct {
						IsDefault bool   `json:"isDefault"`
						FrameID   string `json:"frameId"`
					} `json:"auxData"`
				} `json:"context"`
			} `json:"params"`
		}
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		switch m.Method {
		case "":
			if m.Result != nil {
				h.replies[m.ID] = m.Result
			}
		case "Runtime.executionContextCreated":
			if c := m.Params.Context; c.Aux.IsDefault {
				h.contexts[m.Session] = append(h.contexts[m.Session], scriptContext{c.ID, c.Aux.FrameID})
			}
		case "Runtime.executionContextDestroyed":
			h.contexts[m.Session] = slices.DeleteFunc(h.contexts[m.Session], func(c scriptContext) bool { return c.id == m.Params.ContextID })
		case "Runtime.executionContextsCleared":
			h.contexts[m.Session] = nil
		case "Target.detachedFromTarget":
			h.forget(m.Params.SessionID)
		}
	}
}

func (h *Hand) forget(session string) {
	delete(h.contexts, session)
	for target, s := range h.sessions {
		if s == session {
			delete(h.sessions, target)
		}
	}
}

// session attaches to a target; "" if there is none.
func (h *Hand) session(target string) string {
	if s := h.sessions[target]; s != "" {
		return s
	}
	var reply struct {
		SessionID string `json:"sessionId"`
	}
	result := h.send("", "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true})
	if result == nil || json.Unmarshal(result, &reply) != nil {
		return ""
	}
	h.sessions[target] = reply.SessionID
	h.send(reply.SessionID, "Runtime.enable", struct{}{})
	return reply.SessionID
}

// Eval runs a script in a frame of a page, with a user's gesture behind it. It
// reports whether there is such a frame and it runs scripts; while a dialog
// blocks it, the script waits.
func (h *Hand) Eval(page, frame, script string) bool {
	owner := page
	frames := h.r.Browser.Frames(page)
	for at := frame; at != ""; {
		i := slices.IndexFunc(frames, func(f fakebrowser.Frame) bool { return f.ID == at })
		if i < 0 {
			return false
		}
		if frames[i].OOPIF {
			owner = at
			break
		}
		at = frames[i].ParentID
	}
	s := h.session(owner)
	if s == "" {
		return false
	}
	for _, c := range slices.Backward(h.contexts[s]) {
		if c.frame == frame {
			h.send(s, "Runtime.evaluate", map[string]any{"expression": script, "contextId": c.id, "userGesture": true})
			return true
		}
	}
	return false
}

// Top runs a script in the top frame of a page.
func (h *Hand) Top(page, script string) bool {
	frames := h.r.Browser.Frames(page)
	return len(frames) > 0 && h.Eval(page, frames[0].ID, script)
}

// Navigate takes a page to a URL as a person does in the address bar.
func (h *Hand) Navigate(page, url string) {
	if s := h.session(page); s != "" {
		h.send(s, "Page.navigate", map[string]any{"url": url})
	}
}

// CloseTab closes a page as a person does.
func (h *Hand) CloseTab(page string) {
	h.send("", "Target.closeTarget", map[string]any{"targetId": page})
}

// Open opens a tab of which the engine knows nothing.
func (h *Hand) Open(url string) string {
	var reply struct {
		TargetID string `json:"targetId"`
	}
	result := h.send("", "Target.createTarget", map[string]any{"url": url})
	if result == nil || json.Unmarshal(result, &reply) != nil {
		return ""
	}
	return reply.TargetID
}

// Watch makes the hand see the dialogs of a page, as another debugger would, so
// that it can answer them.
func (h *Hand) Watch(page string) {
	if s := h.session(page); s != "" {
		h.send(s, "Page.enable", struct{}{})
	}
}

// Answer answers the dialog of a page that the hand watches. The error says
// that it could not.
func (h *Hand) Answer(page string, accept bool, text string) error {
	s := h.session(page)
	if s == "" {
		return fmt.Errorf("no page %s", page)
	}
	if h.send(s, "Page.handleJavaScriptDialog", map[string]any{"accept": accept, "promptText": text}) == nil {
		return fmt.Errorf("no dialog to answer")
	}
	return nil
}

// Value is the JSON of what an expression comes to in the top frame of a page;
// "" while a dialog keeps it waiting.
func (h *Hand) Value(page, expression string) string {
	var reply struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
	}
	s := h.session(page)
	if s == "" {
		return ""
	}
	result := h.send(s, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	if result == nil || json.Unmarshal(result, &reply) != nil {
		return ""
	}
	return string(reply.Result.Value)
}
