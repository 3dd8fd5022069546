package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cdpsupervisor/messages"
)

func TestMergeSnapshot(t *testing.T) {
	existing := map[string]any{"success": true, "snapshot": "- heading"}
	if got := MergeSnapshot(existing, nil); !reflect.DeepEqual(got, existing) {
		t.Errorf("with no supervisor nothing is added, got %v", got)
	}
	bare := &messages.Snapshot{}
	got, err := json.Marshal(MergeSnapshot(nil, bare))
	if err != nil || string(got) != `{"pending_dialogs":[],"recent_dialogs":[]}` {
		t.Errorf("a task that knows no page yet gives %s, %v", got, err)
	}
	full := troubled(messages.StatusReconnecting, "the socket closed")
	full.PendingDialogs = []messages.Dialog{{
		ID: "d-1", Type: "confirm", Message: "Delete?", OpenedAt: 1650000000.5, FrameID: "F", URL: "https://a/", Origin: "https://a",
		TargetID: "T", Via: "native", DeadlineAt: 1650000300.5,
	}}
	full.RecentDialogs = []messages.DialogRecord{{ID: "d-0", Type: "alert", ClosedBy: "remote", Reason: "answered_elsewhere", FrameID: "F"}}
	merged := MergeSnapshot(existing, full)
	got, err = json.Marshal(merged)
	want := `{"frame_tree":{"top":{"frame_id":"F","url":"https://a/","origin":"https://a"},"children":[],"truncated":false},` +
		`"page_target_id":"T",` +
		`"pending_dialogs":[{"id":"d-1","type":"confirm","message":"Delete?","default_prompt":"","opened_at":1650000000.5,"frame_id":"F",` +
		`"url":"https://a/","origin":"https://a","target_id":"T","via":"native","deadline_at":1650000300.5}],` +
		`"recent_dialogs":[{"id":"d-0","type":"alert","message":"","opened_at":0,"closed_at":0,"closed_by":"remote","reason":"answered_elsewhere",` +
		`"result":false,"frame_id":"F","url":"","origin":"","target_id":"","via":""}],` +
		`"snapshot":"- heading","success":true,"supervisor":{"status":"reconnecting","reason":"the socket closed","since":0}}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s\nwant %s (%v)", got, want, err)
	}
	if len(existing) != 2 {
		t.Errorf("the host's own map was changed: %v", existing)
	}
}

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

// ax writes the accessibility tree of one document: each line is a node, two
// spaces deeper than its parent, as "role|name|backend|property=value…". A
// role in brackets is ignored.
func ax(lines string) []byte {
	type node struct {
		NodeID           string           `json:"nodeId"`
		Ignored          bool             `json:"ignored"`
		Role             map[string]any   `json:"role"`
		Name             map[string]any   `json:"name"`
		Value            map[string]any   `json:"value,omitempty"`
		Properties       []map[string]any `json:"properties"`
		ChildIDs         []string         `json:"childIds"`
		BackendDOMNodeID int              `json:"backendDOMNodeId"`
	}
	var nodes []*node
	var stack []*node
	for i, line := range strings.Split(strings.Trim(lines, "\n"), "\n") {
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		parts := strings.Split(strings.TrimSpace(line), "|")
		n := &node{NodeID: fmt.Sprint(i + 1), Role: map[string]any{"value": strings.Trim(parts[0], "[]")}, Ignored: parts[0][0] == '['}
		if len(parts) > 1 {
			n.Name = map[string]any{"value": parts[1]}
		}
		if len(parts) > 2 {
			fmt.Sscan(parts[2], &n.BackendDOMNodeID)
		}
		for _, p := range parts[min(3, len(parts)):] {
			name, value, _ := strings.Cut(p, "=")
			if name == "value" {
				n.Value = map[string]any{"value": value}
				continue
			}
			n.Properties = append(n.Properties, map[string]any{"name": name, "value": map[string]any{"value": value}})
		}
		stack = append(stack[:min(depth, len(stack))], n)
		if depth > 0 {
			parent := stack[depth-1]
			parent.ChildIDs = append(parent.ChildIDs, n.NodeID)
		}
		nodes = append(nodes, n)
	}
	raw, err := json.Marshal(map[string]any{"nodes": nodes})
	if err != nil {
		panic(err)
	}
	return raw
}

// pageTask is a page with frames: trees by "session/frame" of the call, owners
// by frame id.
type pageTask struct {
	trees  map[string][]byte
	owners map[string]int
	fails  map[string]*messages.Failure // by the same key as trees
}

func (p pageTask) call(req messages.CallRequest) (*messages.CallResult, error) {
	var params struct {
		FrameID string `json:"frameId"`
	}
	if err := json.Unmarshal(req.Params, &params); err != nil {
		return nil, err
	}
	if req.Method == "DOM.getFrameOwner" {
		key := string(req.FrameID) + "/owner"
		if f := p.fails[key]; f != nil {
			return nil, f
		}
		node, ok := p.owners[params.FrameID]
		if !ok {
			return nil, messages.Fail(messages.CodeCDPError, "Frame with the given id does not belong to the target.")
		}
		return &messages.CallResult{Result: fmt.Appendf(nil, `{"backendNodeId":%d}`, node)}, nil
	}
	key := string(req.FrameID) + "/" + params.FrameID
	if f := p.fails[key]; f != nil {
		return nil, f
	}
	tree, ok := p.trees[key]
	if !ok {
		return nil, messages.Fail(messages.CodeCDPError, "no tree for %q", key)
	}
	return &messages.CallResult{Result: tree}, nil
}

func framesPage() (pageTask, *messages.Snapshot) {
	snap := well()
	snap.FrameTree = &messages.FrameTree{
		Top: messages.FrameEntry{FrameID: "F", URL: "https://a/"},
		Children: []messages.FrameEntry{
			{FrameID: "SAME", ParentFrameID: "F", URL: "https://a/same", OOPIF: no()},
			{FrameID: "CROSS", ParentFrameID: "F", URL: "https://b/", OOPIF: yes(), SessionID: "S2"},
			{FrameID: "HIDDEN", ParentFrameID: "F", URL: "https://a/hidden", OOPIF: no()},
			{FrameID: "DEEP", ParentFrameID: "CROSS", URL: "about:srcdoc", OOPIF: no()},
		},
	}
	return pageTask{
		trees: map[string][]byte{
			"/": ax(`
RootWebArea|A
  [none]
    heading|Hello big world|19|level=1
      StaticText|Hello 
      StaticText|big
      StaticText|world
    paragraph
      StaticText|Para
      StaticText|and more
      link|link here|22
        StaticText|link here
      StaticText|tail
    iframe-is-iframe|x
    Iframe|same|42
    Iframe|cross|43
    textbox|Name|5|value=Ann|required=true|invalid=false
      generic
        StaticText|Ann
    checkbox|chk|28|checked=mixed
    button|Go|41|disabled=true|expanded=false
`),
			"/SAME":      ax("RootWebArea\n  button|In same|7"),
			"CROSS/":     nil,
			"/HIDDEN":    ax("RootWebArea"),
			"CROSS/DEEP": ax("RootWebArea\n  paragraph\n    StaticText|deep text"),
			"CROSS/CROSS": ax(`
RootWebArea
  Iframe|deep|9
  img|pic
`),
		},
		owners: map[string]int{"SAME": 42, "CROSS": 43, "DEEP": 9, "HIDDEN": 44},
	}, snap
}

func TestSnapshotOutline(t *testing.T) {
	page, snap := framesPage()
	box, _ := newFake(&fakeTask{snap: snap, onCall: page.call})
	_, seen := run(t, box, "browser_snapshot", ``)
	want := `- heading "Hello big world" [level=1]
- text "Para and more"
- link "link here" [node=22]
- text "tail"
- iframe-is-iframe "x"
- iframe "same" [frame_id=SAME, url="https://a/same"]
  - button "In same" [node=7]
- iframe "cross" [frame_id=CROSS, url="https://b/", own process]
  - iframe "deep" [frame_id=DEEP, url="about:srcdoc"]
    - text "deep text"
  - img "pic"
- textbox "Name" = "Ann" [required, node=5]
- checkbox "chk" [checked=mixed, node=28]
- button "Go" [disabled, collapsed, node=41]
- iframe [frame_id=HIDDEN, url="https://a/hidden"]
`
	if seen["snapshot"] != want {
		t.Errorf("got\n%s\nwant\n%s", seen["snapshot"], want)
	}
	if seen["url"] != "https://a/" || seen["title"] != "A" || seen["element_count"] != 12.0 || seen["frame_tree"] == nil || seen["console_errors"] != nil {
		t.Errorf("got %v", seen)
	}
}

func TestSnapshotWithADialogShowsTheFramesThatAnswer(t *testing.T) {
	page, snap := framesPage()
	dialog := &messages.Dialog{ID: "d-1", Type: messages.DialogAlert, FrameID: "F"}
	blocked := messages.Fail(messages.CodeDialogOpen, "a dialog is open").With(dialog)
	page.fails = map[string]*messages.Failure{"/": blocked, "/SAME": blocked, "/HIDDEN": blocked, "/owner": blocked}
	snap.PendingDialogs = []messages.Dialog{*dialog}
	task := &fakeTask{snap: snap, onCall: page.call}
	box, _ := newFake(task)
	r, seen := run(t, box, "browser_snapshot", ``)
	want := `- (blocked by dialog d-1; answer it with browser_dialog)
- iframe [frame_id=SAME, url="https://a/same"]
  - (blocked by dialog d-1; answer it with browser_dialog)
- iframe [frame_id=CROSS, url="https://b/", own process]
  - iframe "deep" [frame_id=DEEP, url="about:srcdoc"]
    - text "deep text"
  - img "pic"
- iframe [frame_id=HIDDEN, url="https://a/hidden"]
  - (blocked by dialog d-1; answer it with browser_dialog)
`
	if !r.Success() || seen["snapshot"] != want {
		t.Errorf("got %s\n%s\nwant\n%s", r.Error, seen["snapshot"], want)
	}
	for _, call := range task.calls {
		if call.Timeout > 3*time.Second {
			t.Errorf("%s may wait %s while a dialog is open", call.Method, call.Timeout)
		}
	}
}

func TestSnapshotOfAPageThatIsGone(t *testing.T) {
	for _, code := range []messages.Code{
		messages.CodeTabGone, messages.CodeConnectionLost, messages.CodeTargetCrashed, messages.CodeStopped, messages.CodeNoCDP,
	} {
		snap := troubled(messages.StatusTabGone, "the tab was closed")
		box, _ := newFake(&fakeTask{snap: snap, onCall: func(messages.CallRequest) (*messages.CallResult, error) {
			return nil, messages.Fail(code, "gone")
		}})
		r, seen := run(t, box, "browser_snapshot", ``)
		if r.Code != code || seen["supervisor"] == nil || seen["recent_dialogs"] == nil {
			t.Errorf("want %s with the supervisor's state, got %s", code, r.JSON())
		}
	}
	for _, code := range []messages.Code{messages.CodeTimeout, messages.CodePageBlocked, messages.CodeDialogOpened} {
		box, _ := newFake(&fakeTask{snap: well(), onCall: func(messages.CallRequest) (*messages.CallResult, error) {
			return nil, messages.Fail(code, "page does not answer")
		}})
		if r, seen := run(t, box, "browser_snapshot", ``); !r.Success() || seen["snapshot"] == "" {
			t.Errorf("%s: a page that does not answer is still a snapshot, got %s", code, r.JSON())
		}
	}
}

// A browser that is away is not a page that does not answer, whatever the reading
// of the page came to first.
func TestSnapshotWithoutABrowser(t *testing.T) {
	task := &fakeTask{snap: well()}
	task.onCall = func(messages.CallRequest) (*messages.CallResult, error) {
		task.mu.Lock()
		defer task.mu.Unlock()
		task.snap = troubled(messages.StatusReconnecting, "the socket closed")
		return nil, messages.Fail(messages.CodeTimeout, "not in its time")
	}
	box, _ := newFake(task)
	if r, seen := run(t, box, "browser_snapshot", ``); r.Code != messages.CodeConnectionLost || !strings.Contains(r.Error, "the socket closed") || strings.Contains(r.JSON(), "renderer") || seen["supervisor"] == nil {
		t.Errorf("got %s", r.JSON())
	}
}

func TestSnapshotBeforeAnyFrameIsKnown(t *testing.T) {
	snap := well()
	snap.FrameTree = nil
	box, _ := newFake(&fakeTask{snap: snap, onCall: pageTask{trees: map[string][]byte{"/": ax("RootWebArea\n  button|Go|1")}}.call})
	if _, seen := run(t, box, "browser_snapshot", ``); seen["snapshot"] != "- button \"Go\" [node=1]\n" || seen["frame_tree"] != nil {
		t.Errorf("got %v", seen)
	}
}

// A page of which nothing is there yet is not mistaken for one that was read.
func TestSnapshotOfNothing(t *testing.T) {
	for tree, want := range map[string]string{
		"RootWebArea":                  "- (nothing to show: the page is empty, or has only begun to load)\n",
		"RootWebArea\n  [none]||3":     "- (nothing to show: the page is empty, or has only begun to load)\n",
		"RootWebArea\n  StaticText|x|": "- text \"x\"\n",
	} {
		box, _ := newFake(&fakeTask{snap: well(), onCall: pageTask{trees: map[string][]byte{"/": ax(tree)}}.call})
		if _, seen := run(t, box, "browser_snapshot", ``); seen["snapshot"] != want || seen["element_count"] != 0.0 {
			t.Errorf("%q: got %q with %v elements", tree, seen["snapshot"], seen["element_count"])
		}
	}
}

// However many frames do not answer, and wherever they live, a snapshot has a
// bound. A renderer that is silent is waited for once, whatever lives in it.
func TestSnapshotOfManySilentFrames(t *testing.T) {
	for _, oopif := range []*bool{no(), yes()} {
		synctest.Test(t, func(t *testing.T) {
			snap := well()
			snap.FrameTree = &messages.FrameTree{Top: messages.FrameEntry{FrameID: "F", URL: "https://a/"}}
			for i := range 30 {
				snap.FrameTree.Children = append(snap.FrameTree.Children, messages.FrameEntry{
					FrameID: messages.FrameID(fmt.Sprintf("SILENT%d", i)), ParentFrameID: "F", URL: "https://b/", OOPIF: oopif,
				})
			}
			snap.FrameTree.Children = append(snap.FrameTree.Children, messages.FrameEntry{FrameID: "WELL", ParentFrameID: "F", URL: "https://c/", OOPIF: yes()})
			task := &fakeTask{snap: snap, onCall: func(req messages.CallRequest) (*messages.CallResult, error) {
				if req.FrameID == "WELL" {
					return &messages.CallResult{Result: ax("RootWebArea\n  button|It answers|1")}, nil
				}
				return nil, errSilent
			}}
			box, _ := newFake(task)
			start := time.Now() // of the bubble
			r, _ := run(t, box, "browser_snapshot", `{}`)
			if took := time.Since(start); took > 2*frameTimeout {
				t.Errorf("it took %s", took)
			}
			if answers := strings.Contains(r.JSON(), "It answers"); !answers && !*oopif || !strings.Contains(r.JSON(), "did not answer") {
				t.Error(r.JSON())
			}
		})
	}
}

// A renderer that is still busy, with the tree of the last snapshot perhaps, is
// not asked for another one; who does not know the question has answered it.
func TestSnapshotOfABusyPage(t *testing.T) {
	for _, c := range []struct {
		answer error
		trees  int32 // of each frame
	}{{errSilent, 0}, {messages.Fail(messages.CodeCDPError, "wasn't found"), 1}, {nil, 1}} {
		synctest.Test(t, func(t *testing.T) {
			snap := well()
			snap.FrameTree.Children = []messages.FrameEntry{{FrameID: "IN", ParentFrameID: "F", URL: "https://a/in", OOPIF: no()}}
			var trees, probes atomic.Int32
			task := &fakeTask{snap: snap, onCall: func(req messages.CallRequest) (*messages.CallResult, error) {
				switch req.Method {
				case probeMethod:
					probes.Add(1)
					return &messages.CallResult{Result: []byte(`{}`)}, c.answer
				case "Accessibility.getFullAXTree":
					trees.Add(1)
				}
				return &messages.CallResult{Result: ax("RootWebArea\n  button|Go|1")}, nil
			}}
			box, _ := newFake(task)
			start := time.Now() // of the bubble
			r, _ := run(t, box, "browser_snapshot", `{}`)
			if trees.Load() != 2*c.trees || probes.Load() != 1 || !r.Success() || time.Since(start) > frameTimeout {
				t.Errorf("%v: %d trees, %d probes after %s: %s", c.answer, trees.Load(), probes.Load(), time.Since(start), r.JSON())
			}
		})
	}
}

func TestSnapshotConsole(t *testing.T) {
	snap := well()
	snap.ConsoleErrors = []messages.ConsoleError{{Kind: "error", Text: "boom"}}
	box, _ := newFake(&fakeTask{snap: snap, onCall: pageTask{}.call})
	if _, seen := run(t, box, "browser_snapshot", `{"console":true}`); len(seen["console_errors"].([]any)) != 1 {
		t.Errorf("got %v", seen["console_errors"])
	}
	box, _ = newFake(&fakeTask{snap: well(), onCall: pageTask{}.call})
	if r, _ := run(t, box, "browser_snapshot", `{"console":true}`); !strings.Contains(r.JSON(), `"console_errors":[]`) {
		t.Errorf("an empty ring is a list: %s", r.JSON())
	}
}

func TestOutlineIsCapped(t *testing.T) {
	var tree strings.Builder
	tree.WriteString("RootWebArea\n")
	for i := range 5000 {
		fmt.Fprintf(&tree, "  button|Böse %d|%d\n", i, i+1)
	}
	snap := well()
	snap.FrameTree.Omitted = 7
	box, _ := newFake(&fakeTask{snap: snap, onCall: pageTask{trees: map[string][]byte{"/": ax(tree.String())}}.call})
	for args, limit := range map[string]int{`{}`: 20_000, `{"max_chars":500}`: 500} {
		_, seen := run(t, box, "browser_snapshot", args)
		text := seen["snapshot"].(string)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if n := len([]rune(text)); n > limit || n < limit*6/10 {
			t.Errorf("%s: %d characters", args, n)
		}
		if !strings.Contains(lines[len(lines)-2], fmt.Sprintf("left out: %d lines", 5000-(len(lines)-2))) {
			t.Errorf("%s: the last lines are %q", args, lines[len(lines)-2:])
		}
		if last := lines[len(lines)-1]; !strings.Contains(last, "7 frames beyond") || !strings.Contains(last, "Target.getTargets") || !strings.Contains(last, "Page.getFrameTree") {
			t.Errorf("%s: the frames left out are not named: %q", args, lines[len(lines)-1])
		}
		if seen["element_count"] != 5000.0 {
			t.Errorf("%s: element_count is %v", args, seen["element_count"])
		}
	}
}

func TestHugeTreesAreReadShallow(t *testing.T) {
	var depths []float64
	box, _ := newFake(&fakeTask{snap: well(), onCall: func(req messages.CallRequest) (*messages.CallResult, error) {
		if req.Method != "Accessibility.getFullAXTree" {
			return &messages.CallResult{Result: []byte(`{}`)}, nil
		}
		var params map[string]any
		if err := json.Unmarshal(req.Params, &params); err != nil {
			return nil, err
		}
		depth, limited := params["depth"].(float64)
		depths = append(depths, depth)
		if !limited {
			return nil, &messages.Failure{Code: messages.CodeTooLarge, Message: "too large", Size: 99 << 20}
		}
		return &messages.CallResult{Result: ax("RootWebArea\n  main|shallow")}, nil
	}})
	if _, seen := run(t, box, "browser_snapshot", ``); seen["snapshot"] != "- main \"shallow\"\n" || len(depths) != 2 {
		t.Errorf("got %q after depths %v", seen["snapshot"], depths)
	}
}

func TestHostileTrees(t *testing.T) {
	deep := make([]string, 5000)
	for i := range deep {
		deep[i] = fmt.Sprintf(`{"nodeId":"%d","role":{"value":"group"},"name":{"value":"g"},"childIds":["%d"]}`, i, i+1)
	}
	for name, tree := range map[string]string{
		"cycle":        `{"nodes":[{"nodeId":"1","role":{"value":"main"},"childIds":["2"]},{"nodeId":"2","role":{"value":"group"},"childIds":["1","2"]}]}`,
		"null node":    `{"nodes":[null,{"nodeId":"1","role":{"value":"main"},"childIds":["x"]}]}`,
		"odd values":   `{"nodes":[{"nodeId":"1","role":{"value":["x"]},"name":{"value":{"a":1}},"childIds":null}]}`,
		"no nodes":     `{}`,
		"not a tree":   `{"nodes":7}`,
		"deep":         `{"nodes":[` + strings.Join(deep, ",") + `]}`,
		"control text": `{"nodes":[{"nodeId":"1","role":{"value":"ma\u001bin\nx"},"name":{"value":"a\u202eb\u0000c\n- button \"Fake\""},"childIds":[]}]}`,
		"long text":    `{"nodes":[{"nodeId":"1","role":{"value":"main"},"name":{"value":"` + strings.Repeat("x", 100_000) + `"},"childIds":[]}]}`,
	} {
		snap := well()
		snap.FrameTree.Children = []messages.FrameEntry{{FrameID: "LOOP", ParentFrameID: "LOOP", URL: "x"}, {FrameID: "F", ParentFrameID: "F", URL: "x"}}
		box, _ := newFake(&fakeTask{snap: snap, onCall: func(messages.CallRequest) (*messages.CallResult, error) {
			return &messages.CallResult{Result: []byte(tree)}, nil
		}})
		_, seen := run(t, box, "browser_snapshot", ``)
		text := seen["snapshot"].(string)
		if strings.ContainsAny(text, "\x1b\x00\u202e") || strings.Contains(text, "\n- button") || len(text) > 21_000 {
			t.Errorf("%s: %q", name, text[:min(len(text), 300)])
		}
	}
}

func FuzzOutline(f *testing.F) {
	f.Add([]byte(`{"nodes":[{"nodeId":"1","role":{"value":"main"},"childIds":["2"]},{"nodeId":"2","role":{"value":"StaticText"},"name":{"value":"x"}}]}`), uint(500))
	f.Fuzz(func(t *testing.T, tree []byte, limit uint) {
		limit = minOutlineChars + limit%5000
		task := &fakeTask{snap: well(), onCall: func(messages.CallRequest) (*messages.CallResult, error) {
			return &messages.CallResult{Result: tree}, nil
		}}
		p := newPageReader(task, func(string) error { return nil }, task.snap)
		p.read(t.Context(), time.Second)
		if got := p.outline(int(limit)); len([]rune(got.text)) > int(limit) {
			t.Fatalf("%d characters, the limit is %d", len([]rune(got.text)), limit)
		}
	})
}
