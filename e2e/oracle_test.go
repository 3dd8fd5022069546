package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// denyFraming is a page that no other page may frame.
func denyFraming(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Frame-Options", "DENY")
	w.Header().Set("Content-Type", "text/html")
	_, _ = w.Write([]byte("<p>not in a frame"))
}

// oracle asks a page and each of its frames' sessions for their frame trees,
// on a connection of its own, and returns the shape of the whole. It knows
// nothing of events, so it can only be right about a page that stands still.
func (b *browser) oracle(t *testing.T, target string) string {
	t.Helper()
	r := dialRaw(t, b.endpoint)
	defer r.close()
	session := field(t, r.call("", "Target.attachToTarget", params{"targetId": target, "flatten": true}), "sessionId")
	frames := map[string]*oracleFrame{}
	r.survey(session, frames)
	var lines []string
	for id, f := range frames {
		if f.parent == "" {
			lines = append(lines, fmt.Sprintf("%s < %s", id, f.url))
		} else {
			lines = append(lines, fmt.Sprintf("%s in %s < %s", id, f.parent, f.url))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

type oracleFrame struct{ parent, url string }

// survey adds the frames of a session and of the sessions below it.
func (r *raw) survey(session string, frames map[string]*oracleFrame) {
	r.t.Helper()
	if result, err := r.try(session, "Page.getFrameTree", nil); err == nil {
		var reply struct{ FrameTree oracleNode }
		if err := json.Unmarshal(result, &reply); err != nil {
			r.t.Fatal(err)
		}
		reply.FrameTree.note(frames)
	}
	// Frames that are there already are attached before the reply.
	if _, err := r.try(session, "Target.setAutoAttach", params{"autoAttach": true, "flatten": true, "waitForDebuggerOnStart": false}); err != nil {
		return
	}
	for {
		m, ok := r.take(session, "Target.attachedToTarget")
		if !ok {
			return
		}
		var attached struct {
			SessionID  string
			TargetInfo struct{ TargetID, Type, URL, ParentFrameID string }
		}
		if err := json.Unmarshal(m.Params, &attached); err != nil {
			r.t.Fatal(err)
		}
		if attached.TargetInfo.Type != "iframe" {
			continue
		}
		r.survey(attached.SessionID, frames)
		if f := frames[attached.TargetInfo.TargetID]; f != nil {
			if f.parent == "" {
				f.parent = attached.TargetInfo.ParentFrameID
			}
			if f.url == "" {
				f.url = attached.TargetInfo.URL
			}
		}
	}
}

type oracleNode struct {
	Frame       struct{ ID, ParentID, URL, URLFragment string }
	ChildFrames []oracleNode
}

func (n oracleNode) note(frames map[string]*oracleFrame) {
	frames[n.Frame.ID] = &oracleFrame{n.Frame.ParentID, n.Frame.URL + n.Frame.URLFragment}
	for _, child := range n.ChildFrames {
		child.note(frames)
	}
}

// take takes an event that has come already.
func (r *raw) take(session, method string) (found rawMessage, ok bool) {
	r.until(time.Nanosecond, func() bool {
		i := slices.IndexFunc(r.events, func(m rawMessage) bool { return m.Method == method && m.SessionID == session })
		if i >= 0 {
			found, ok = r.events[i], true
			r.events = slices.Delete(r.events, i, i+1)
		}
		return ok
	})
	return found, ok
}
