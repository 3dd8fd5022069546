package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cdpsupervisor/messages"
)

// sizedTask is a page of documents that know how many elements they have.
type sizedTask struct {
	sizes   map[messages.FrameID]int
	noWorld bool // the browser has no script worlds of one's own
	heavy   bool // trees are never answered

	mu    sync.Mutex
	trees int // that were asked for
}

func (s *sizedTask) call(req messages.CallRequest) (*messages.CallResult, error) {
	var params struct {
		FrameID messages.FrameID `json:"frameId"`
		Context int64            `json:"contextId"`
	}
	if err := json.Unmarshal(req.Params, &params); err != nil {
		return nil, err
	}
	ids := []messages.FrameID{"F", "IN", "OUT"}
	switch req.Method {
	case "Page.createIsolatedWorld":
		for i, id := range ids {
			if id == params.FrameID && !s.noWorld {
				return &messages.CallResult{Result: fmt.Appendf(nil, `{"executionContextId":%d}`, i+1)}, nil
			}
		}
		return nil, messages.Fail(messages.CodeCDPError, "wasn't found")
	case "Runtime.evaluate":
		return &messages.CallResult{Result: fmt.Appendf(nil, `{"result":{"type":"number","value":%d}}`, s.sizes[ids[params.Context-1]])}, nil
	case "Accessibility.getFullAXTree":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.trees++
		if s.heavy {
			return nil, errSilent
		}
		return &messages.CallResult{Result: ax("RootWebArea\n  button|Go|1")}, nil
	}
	return &messages.CallResult{Result: []byte(`{}`)}, nil
}

func sizedSnapshot() *messages.Snapshot {
	snap := well()
	snap.FrameTree.Children = []messages.FrameEntry{
		{FrameID: "IN", ParentFrameID: "F", URL: "https://a/in", OOPIF: no()},
		{FrameID: "OUT", ParentFrameID: "F", URL: "https://b/", OOPIF: yes()},
	}
	return snap
}

// A document is not asked for a tree that would keep its renderer from all else,
// and neither are many that would together.
func TestSnapshotCountsBeforeItReads(t *testing.T) {
	for name, c := range map[string]struct {
		task  *sizedTask
		trees int
		says  string
	}{
		"small":        {&sizedTask{sizes: map[messages.FrameID]int{"F": 9_000, "IN": 100, "OUT": maxElements}}, 3, `button "Go"`},
		"one is huge":  {&sizedTask{sizes: map[messages.FrameID]int{"F": 10, "IN": 10, "OUT": 20_004}}, 2, "(the document has 20004 elements, too many for an outline; read parts with browser_cdp Runtime.evaluate)"},
		"two are many": {&sizedTask{sizes: map[messages.FrameID]int{"F": 9_000, "IN": 9_000}}, 2, "(the page's other documents in its renderer have 9000 elements and this one has 9000 elements, too many"},
		"no count":     {&sizedTask{sizes: map[messages.FrameID]int{"F": 99_000}, noWorld: true}, 3, `button "Go"`},
	} {
		box, _ := newFake(&fakeTask{snap: sizedSnapshot(), onCall: c.task.call})
		_, seen := run(t, box, "browser_snapshot", ``)
		if text := seen["snapshot"].(string); c.task.trees != c.trees || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d trees\n%s", name, c.task.trees, text)
		}
	}
}

// A renderer that answers all but the question for the tree is at work on it, and
// no dialog of another tab is to blame.
func TestSnapshotOfATreeThatNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		task := &sizedTask{heavy: true}
		box, _ := newFake(&fakeTask{snap: well(), onCall: task.call})
		start := time.Now() // of the bubble
		_, seen := run(t, box, "browser_snapshot", ``)
		text := seen["snapshot"].(string)
		if !strings.Contains(text, "too large") || !strings.Contains(text, "Runtime.evaluate") || strings.Contains(text, "another tab") || time.Since(start) > frameTimeout {
			t.Errorf("after %s: %s", time.Since(start), text)
		}
	})
}

// A page on its way to another document is not blamed for a busy renderer: what is
// sent to it is held back until that comes.
func TestSnapshotOfAPageOnItsWay(t *testing.T) {
	box, _ := newFake(&fakeTask{snap: well(), onCall: func(messages.CallRequest) (*messages.CallResult, error) {
		return nil, messages.Fail(messages.CodeTimeout, "no answer").Because(messages.ErrLeaving)
	}})
	_, seen := run(t, box, "browser_snapshot", ``)
	if text := seen["snapshot"].(string); !strings.Contains(text, "on its way to another document") || !strings.Contains(text, "Page.stopLoading") || strings.Contains(text, "renderer") {
		t.Error(text)
	}
}
