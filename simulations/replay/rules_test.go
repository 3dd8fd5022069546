package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/importers"
	"cdpsupervisor/simulations/replay"
)

// tree is a frame tree reply with the main frame F and one child.
func tree(id int, child string) string {
	return fmt.Sprintf(`{"id":%d,"result":{"frameTree":{"frame":{"id":"F","loaderId":"L1","url":"http://a.test/","domainAndRegistry":"a.test","securityOrigin":"http://a.test","mimeType":"text/html"},"childFrames":[{"frame":{"id":%q,"parentId":"F","loaderId":"L2","url":"http://a.test/c","domainAndRegistry":"a.test","securityOrigin":"http://a.test","mimeType":"text/html"}}]}},"sessionId":"S"}`, id, child)
}

func children(s *messages.Snapshot) string {
	if s.FrameTree == nil {
		return "no tree"
	}
	var ids []string
	for _, f := range s.FrameTree.Children {
		ids = append(ids, string(f.FrameID))
	}
	return string(s.FrameTree.Top.FrameID) + ": " + strings.Join(ids, " ")
}

func status(s *messages.Snapshot) messages.Status {
	if s.Supervisor == nil {
		return ""
	}
	return s.Supervisor.Status
}

// TestAnswers: what the engine's own commands are answered with.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, script string
		tree         string
		status       messages.Status
	}{
		{"events only: a tree of the main frame is invented", `
			1 < ` + attached + `
			1.1 < ` + navigated, "F: ", ""},
		{"the recorded reply, at its place", `
			1 < ` + attached + `
			1.1 > {"id":1,"method":"Page.getFrameTree","sessionId":"S"}
			1.2 < ` + tree(1, "C"), "F: C", ""},
		{"the recorded reply, however late it was asked for", `
			1 < ` + attached + `
			50 > {"id":1,"method":"Page.getFrameTree","sessionId":"S"}
			51 < ` + tree(1, "C"), "F: C", ""},
		{"the first of two, since the engine asks once", `
			1 < ` + attached + `
			1 > {"id":1,"method":"Page.getFrameTree","sessionId":"S"}
			1 > {"id":2,"method":"Page.getFrameTree","sessionId":"S"}
			1.2 < ` + tree(1, "C1") + `
			1.3 < ` + tree(2, "C2"), "F: C1", ""},
		{"not that of another session", `
			1 < ` + attached + `
			1 > {"id":1,"method":"Page.getFrameTree","sessionId":"X"}
			1.2 < ` + strings.Replace(tree(1, "C"), `"sessionId":"S"`, `"sessionId":"X"`, 1) + `
			1.3 < ` + navigated, "F: ", ""},
		{"a command whose reply alone has the session", `
			1 < ` + attached + `
			1 > {"id":1,"method":"Page.getFrameTree"}
			1.2 < ` + tree(1, "C"), "F: C", ""},
		{"what was never answered is not answered now", `
			1 < ` + attached + `
			1.1 > {"id":1,"method":"Page.enable","sessionId":"S"}
			9 < {"method":"Network.x","params":{},"sessionId":"S"}`, "T: ", messages.StatusBlocked},
		{"unless the recording ends before one can tell", `
			1 < ` + attached + `
			1.1 > {"id":1,"method":"Page.enable","sessionId":"S"}
			3 < ` + navigated, "F: ", ""},
		{"a refusal costs what it cost then", `
			1 < ` + attached + `
			1.1 > {"id":1,"method":"Target.setAutoAttach","sessionId":"S"}
			1.2 < {"id":1,"error":{"code":-32601,"message":"not here"},"sessionId":"S"}
			1.3 < ` + navigated, "F: ", messages.StatusDegraded},
		{"a page that is attached late", `
			0 < {"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"T","type":"page","title":"","url":"","attached":false,"canAccessOpener":false}}}
			600 < ` + attached + `
			600.1 < ` + navigated, "F: ", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, replay.Options{Path: script(t, c.script)})
			if got := children(r.Snapshot); got != c.tree {
				t.Errorf("frames %q, want %q", got, c.tree)
			}
			if got := status(r.Snapshot); got != c.status {
				t.Errorf("status %q, want %q", got, c.status)
			}
			if r.Stats.Malformed != 0 || r.Stats.Dropped != 0 {
				t.Errorf("%+v", r.Stats)
			}
		})
	}
}

// TestLayouts: where a trace has its page.
func TestLayouts(t *testing.T) {
	rootless := func(s string) string { return strings.ReplaceAll(s, `,"sessionId":"S"`, "") }
	second := strings.NewReplacer(`"sessionId":"S"`, `"sessionId":"S2"`, `"targetId":"T"`, `"targetId":"T2"`).Replace(attached)
	tab := strings.NewReplacer(`"sessionId":"S"`, `"sessionId":"TAB"`, `"targetId":"T"`, `"targetId":"TT"`, `"type":"page"`, `"type":"tab"`).Replace(attached)
	for _, c := range []struct {
		name, script string
		target       messages.TargetID
		page         messages.TargetID
		tree         string
		sessions     int
		withheld     int
	}{
		{"the page has a session", "1 < " + attached + "\n1.1 < " + navigated, "", "T", "F: ", 1, 0},
		{"no sessions: the page is the root", "1 < " + rootless(navigated), "", "F", "F: ", 1, 0},
		{"it was attached before the recording", "1 < " + navigated, "", "F", "F: ", 1, 0},
		{"the first of two", "1 < " + attached + "\n1 < " + second + "\n1.1 < " + navigated, "", "T", "F: ", 1, 0},
		{"the one that is asked for", "1 < " + attached + "\n1.5 < " + navigated + "\n2 < " + second + "\n2.5 < " +
			strings.ReplaceAll(strings.ReplaceAll(navigated, `"S"`, `"S2"`), `"F"`, `"F2"`), "T2", "T2", "F2: ", 1, 1},
		{"web content before the browser's own pages", "1 < " + strings.NewReplacer(`"S"`, `"S0"`, `"T"`, `"T0"`, "http://a.test/", "chrome://newtab/").Replace(attached) +
			"\n1 < " + attached + "\n1.1 < " + navigated, "", "T", "F: ", 1, 0},
		{"below a tab target", "1 < " + tab + "\n1.1 < " + strings.TrimSuffix(attached, "}") + `,"sessionId":"TAB"}` + "\n1.2 < " + navigated, "", "T", "F: ", 1, 1},
		{"of two sessions the one on which the page speaks", "1 < " + strings.Replace(attached, `"S"`, `"S0"`, 1) + "\n1 < " + attached + "\n1.1 < " + navigated, "", "T", "F: ", 1, 1},
		{"no page at all", `1 > {"id":1,"method":"Target.getTargets"}` + "\n" + `500 < {"id":1,"result":{"targetInfos":[]}}`, "", "", "no tree", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, replay.Options{Path: script(t, c.script), Target: c.target})
			if r.Snapshot.PageTargetID != c.page || children(r.Snapshot) != c.tree || r.Stats.Sessions != c.sessions || r.Withheld != c.withheld {
				t.Errorf("page %q, frames %q, %d sessions, %d withheld", r.Snapshot.PageTargetID, children(r.Snapshot), r.Stats.Sessions, r.Withheld)
			}
			if c.page != "" && status(r.Snapshot) != "" {
				t.Errorf("status %s: %s", r.Snapshot.Supervisor.Status, r.Snapshot.Supervisor.Reason)
			}
		})
	}
	_, err := replay.Run(t.Context(), replay.Options{Path: script(t, "1 < "+attached), Target: "T9"})
	if !errors.Is(err, messages.ErrInvalid) || !strings.Contains(err.Error(), "there are T") {
		t.Errorf("a target that is not there: %v", err)
	}
}

// TestWhatIf: dialogs end as the policy and the answers say, whatever happened in
// the recording.
func TestWhatIf(t *testing.T) {
	text := "typed: it"
	conversation := "0 < " + attached + "\n0.1 < " + navigated + "\n" +
		"1 < " + opening("prompt", "name?") + "\n3 < " + closed(false) + "\n" +
		"4 < " + opening("confirm", "sure?") + "\n400 < " + closed(true)
	one := func(e *messages.DialogRecord) string {
		s := fmt.Sprintf("%s %s %s/%s %t at %.3f", e.ID, e.Type, e.ClosedBy, e.Reason, e.Result, float64(e.ClosedAt))
		if e.PromptText != nil {
			s += " " + *e.PromptText
		}
		return s
	}
	for _, c := range []struct {
		name    string
		options replay.Options
		want    []string
		notes   int
	}{
		{"as recorded, but for the watchdog", replay.Options{}, []string{
			"d-1 prompt remote/answered_elsewhere false at 3.000",
			"d-2 confirm watchdog/ false at 304.000",
		}, 0},
		{"a longer watchdog", replay.Options{DialogTimeout: time.Hour}, []string{
			"d-1 prompt remote/answered_elsewhere false at 3.000",
			"d-2 confirm remote/answered_elsewhere true at 400.000",
		}, 0},
		{"auto_accept", replay.Options{Policy: messages.PolicyAutoAccept}, []string{
			"d-1 prompt auto_policy/ true at 1.000 dflt",
			"d-2 confirm auto_policy/ true at 4.000",
		}, 0},
		{"auto_dismiss", replay.Options{Policy: messages.PolicyAutoDismiss}, []string{
			"d-1 prompt auto_policy/ false at 1.000",
			"d-2 confirm auto_policy/ false at 4.000",
		}, 0},
		{"an agent", replay.Options{Answers: []replay.Answer{
			{Dialog: "d-1", Action: messages.ActionAccept, Text: &text}, {Dialog: "d-2", Action: messages.ActionDismiss}, {Dialog: "d-9", Action: messages.ActionDismiss},
		}}, []string{
			"d-1 prompt agent/ true at 1.000 typed: it",
			"d-2 confirm agent/ false at 4.000",
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.Path = script(t, conversation)
			r := run(t, c.options)
			var got []string
			for i := range r.Snapshot.RecentDialogs {
				got = append(got, one(&r.Snapshot.RecentDialogs[i]))
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("dialogs:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if len(r.Notes) != c.notes {
				t.Errorf("notes %q", r.Notes)
			}
		})
	}
}

// TestReconnected: a recording of a task that lost its connection and got another.
func TestReconnected(t *testing.T) {
	first := `{"id":1,"method":"Browser.getVersion"}`
	again := strings.ReplaceAll(attached, `"S"`, `"S2"`)
	lines := "0 > " + first + "\n1 < " + attached + "\n1.1 < " + navigated + "\n2 < " + opening("confirm", "sure?") +
		"\n10 > " + first + "\n10.1 < " + again + "\n10.2 < " + strings.ReplaceAll(navigated, `"S"`, `"S2"`)
	r := run(t, replay.Options{Path: script(t, lines)})
	s := r.Snapshot
	if status(s) != "" || children(s) != "F: " || s.PageTargetID != "T" || r.Stats.Sessions != 1 || r.Withheld != 0 {
		t.Errorf("%+v, %d sessions, %d withheld", s, r.Stats.Sessions, r.Withheld)
	}
	if len(s.RecentDialogs) != 1 || s.RecentDialogs[0].ClosedAt != 10 || s.RecentDialogs[0].ClosedBy != messages.ClosedByRemote {
		t.Errorf("%+v", s.RecentDialogs)
	}
}

func TestTime(t *testing.T) {
	lines := "1.5 < " + attached + "\n1.6 < " + navigated + "\n2 < " + opening("alert", "hi")
	if r := run(t, replay.Options{Path: script(t, lines)}); r.Snapshot.PendingDialogs[0].OpenedAt != 2 || r.Stats.Duration != 2 {
		t.Errorf("without a start: %+v", r.Snapshot.PendingDialogs[0])
	}
	r := run(t, replay.Options{Path: script(t, `{"trace":1,"start":1650000000.25}`+"\n"+lines)})
	if d := r.Snapshot.PendingDialogs[0]; d.OpenedAt != 1650000002.25 || d.DeadlineAt != 1650000302.25 {
		t.Errorf("with a start: %+v", d)
	}
	// A gap of thirty years costs no more than one of a day.
	r = run(t, replay.Options{Path: script(t, lines+"\n999999999 < "+closed(true))})
	if e := r.Snapshot.RecentDialogs[0]; e.ClosedBy != messages.ClosedByWatchdog || e.ClosedAt != 302 {
		t.Errorf("over a gap: %+v", e)
	}
	// Time that goes back stands still.
	r = run(t, replay.Options{Path: script(t, lines+"\n1 < "+closed(true))})
	if e := r.Snapshot.RecentDialogs[0]; e.ClosedAt != 2 {
		t.Errorf("back in time: %+v", e)
	}
}

// stepClock fires every timer at once and adds up how long they were.
type stepClock struct {
	messages.Clock
	waited time.Duration
}

func (c *stepClock) AfterFunc(d time.Duration, f func()) messages.Timer {
	c.waited += d
	f()
	return stopped{}
}

type stopped struct{}

func (stopped) Stop() bool { return false }

func TestSpeed(t *testing.T) {
	path := script(t, "1 < "+attached+"\n3 < "+navigated+"\n3 < "+opening("alert", "hi")+"\n2 < "+closed(true))
	clock := &stepClock{}
	run(t, replay.Options{Path: path, Speed: 2, Wall: clock})
	if clock.waited != 1500*time.Millisecond {
		t.Errorf("three seconds at twice the speed took %s", clock.waited)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	n := 0
	_, err := replay.Run(ctx, replay.Options{Path: own("adheavy-small"), Published: func(*messages.Snapshot) {
		if n++; n == 20 {
			cancel(why)
		}
	}})
	if !errors.Is(err, why) {
		t.Errorf("ended with %v", err)
	}
	cancel(nil)
}

func TestOptions(t *testing.T) {
	path := script(t, "1 < "+attached)
	for _, o := range []replay.Options{
		{Policy: "never"}, {Speed: -1}, {Speed: 2}, {DialogTimeout: -1}, {DialogTimeout: 25 * time.Hour},
		{Answers: []replay.Answer{{Dialog: "d-1", Action: "accept"}, {Dialog: "d-1", Action: "dismiss"}}},
	} {
		o.Path = path
		if _, err := replay.Run(t.Context(), o); !errors.Is(err, messages.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for text, want := range map[string]string{
		"d-1=accept": "d-1 accept -", "d-1=accept:": "d-1 accept ", "d-2=accept:a:b=c": "d-2 accept a:b=c", "d-1=dismiss": "d-1 dismiss -",
		"d-1": "", "d-1=": "", "=accept": "", "d-1=maybe": "", "d-1=dismiss:x": "",
	} {
		a, err := replay.ParseAnswer(text)
		got := fmt.Sprintf("%s %s ", a.Dialog, a.Action)
		if a.Text == nil {
			got += "-"
		} else {
			got += *a.Text
		}
		if want == "" && !errors.Is(err, messages.ErrInvalid) || want != "" && (err != nil || got != want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// TestHarmless: what cannot be a trace of a browser breaks nothing.
func TestHarmless(t *testing.T) {
	for name, text := range map[string]string{
		"a session in itself":       "1 < " + attached + "\n1.1 < " + strings.TrimSuffix(attached, "}") + `,"sessionId":"S"}`,
		"ends twice":                "1 < " + attached + "\n2 < " + `{"method":"Target.detachedFromTarget","params":{"sessionId":"S","targetId":"T"}}` + "\n3 < " + `{"method":"Target.detachedFromTarget","params":{"sessionId":"S","targetId":"T"}}`,
		"closes what never opened":  "1 < " + attached + "\n2 < " + closed(true),
		"replies to nobody":         "1 < " + attached + "\n2 < " + `{"id":77,"result":{}}` + "\n2 < " + `{"id":77,"error":null}`,
		"ids that are no ids":       "1 < " + `{"id":"x","method":"Page.enable"}` + "\n2 < " + `{"method":7}` + "\n3 > " + `{"method":"Page.enable"}`,
		"an attach without its ids": "1 < " + `{"method":"Target.attachedToTarget","params":{}}` + "\n1 < " + attached + "\n1 < " + `{"method":"Target.attachedToTarget"}`,
	} {
		t.Run(name, func(t *testing.T) { bytesOf(t, replay.Options{Path: script(t, text), Frames: true}) })
	}
	if _, err := replay.Run(t.Context(), replay.Options{Path: file(t, "no trace")}); !errors.Is(err, importers.ErrFormat) {
		t.Errorf("no trace: %v", err)
	}
	if _, err := replay.Run(t.Context(), replay.Options{Path: "/does/not/exist"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestSameBytes: whatever a replay prints is the same each time.
func TestSameBytes(t *testing.T) {
	for _, name := range []string{"oopif-kinds", "dialogs-native", "dialogs-concurrency", "adheavy-small", "crash-oopif-dialog-close", "tab-target-prerender", "dialog-hang-matrix"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := replay.Options{Path: own(name), Frames: true, FullTree: true}
			first := bytesOf(t, o)
			for range 3 {
				if again := bytesOf(t, o); again != first {
					t.Fatalf("two runs differ at byte %d of %d", differs(first, again), len(first))
				}
			}
		})
	}
}

func differs(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// TestContract: the JSON has exactly the keys that hosts depend on.
func TestContract(t *testing.T) {
	var out strings.Builder
	r := run(t, replay.Options{Path: script(t, "1 < "+attached+"\n1.1 < "+navigated+"\n2 > {\"id\":4,\"method\":\"Page.reload\",\"sessionId\":\"S\"}\n2 < {\"method\":\"Network.x\",\"params\":{}}")})
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	want := `{"snapshot":{"pending_dialogs":[],"recent_dialogs":[],"frame_tree":{"top":{"frame_id":"F","url":"http://a.test/","origin":"http://a.test"},"children":[],"truncated":false},"page_target_id":"T"},"console_errors":[],"stats":{"messages":4,"events":3,"by_method":{"Network.x":1,"Page.frameNavigated":1,"Target.attachedToTarget":1},"unknown":1,"dropped":0,"malformed":0,"sessions":1,"frames":1,"dialogs":0,"duration_s":2}}` + "\n"
	if out.String() != want {
		t.Errorf("have %s\nwant %s", out.String(), want)
	}
	var any map[string]json.RawMessage
	if err := json.Unmarshal([]byte(out.String()), &any); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("it is not one line of JSON: %v", err)
	}
}

// TestFullTree: the caps are off where that is asked for.
func TestFullTree(t *testing.T) {
	capped := run(t, replay.Options{Path: own("adheavy-small")})
	full := run(t, replay.Options{Path: own("adheavy-small"), FullTree: true})
	if c := capped.Snapshot.FrameTree; !c.Truncated || len(c.Children) != messages.MaxViewFrames {
		t.Errorf("capped: %d frames, truncated %t", len(c.Children), c.Truncated)
	}
	f := full.Snapshot.FrameTree
	if f.Truncated || f.Omitted != 0 || len(f.Children) != len(capped.Snapshot.FrameTree.Children)+capped.Snapshot.FrameTree.Omitted {
		t.Errorf("full: %d frames, truncated %t", len(f.Children), f.Truncated)
	}
	if capped.Stats.Frames != len(f.Children)+1 || full.Stats.Frames != capped.Stats.Frames {
		t.Errorf("counted %d and %d", capped.Stats.Frames, full.Stats.Frames)
	}
}
