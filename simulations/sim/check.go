package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
	"cdpsupervisor/simulations/rig"
)

// out is where every way out leads.
const out = "http://a.test/plain?out"

// compare brings everything to rest and compares the engine with the browser.
func (r *run) compare() {
	r.panicIn = 0
	r.advance(longest)
	r.after()
	for _, a := range r.rig.Waiting() {
		r.fail("every ask is answered: %q was asked %s ago", a.Name, r.rig.Clock.Now().Sub(a.At))
	}
	if r.failed() {
		return
	}
	s := r.rig.Snapshot(task)
	if s == nil {
		r.say("there is no task: starting it")
		r.start()
		r.advance(longest)
		if s = r.rig.Snapshot(task); s == nil {
			r.fail("the task does not start: %s", rig.Tell(r.started.Answer()))
			return
		}
	}
	if r.status(s) {
		r.frames(s)
	}
	r.dialogs(r.tried(s))
}

// status checks that what is shown as wrong is wrong. It reports whether the
// frames can be compared.
func (r *run) status(s *messages.Snapshot) bool {
	if s.Supervisor == nil {
		return r.ready(s)
	}
	why := s.Supervisor.Reason
	open := r.rig.Browser.OpenDialogs()
	page := string(s.PageTargetID)
	r.say("  status %s: %s", s.Supervisor.Status, why)
	switch s.Supervisor.Status {
	case messages.StatusDegraded:
		return r.ready(s) // a page stands still behind it as it does when all is well
	case messages.StatusConnecting, messages.StatusReconnecting:
		r.fail("status: %s after %s: %s", s.Supervisor.Status, longest, why)
	case messages.StatusFailed, messages.StatusExpired, messages.StatusStopped:
		if !r.hurt {
			r.fail("status: %s: %s", s.Supervisor.Status, why)
		}
	case messages.StatusTabGone:
		if slices.Contains(r.rig.Browser.PageIDs(), page) {
			r.fail("status: tab_gone (%s), but page %s is there", why, page)
		}
	case messages.StatusPoisoned:
		suspected := strings.Contains(why, "may have had a dialog") // its frame was slow to answer
		if !suspected && !slices.ContainsFunc(open, func(o fakebrowser.OpenDialog) bool { return o.Orphan }) {
			r.fail("status: poisoned (%s), but no dialog has lost its frame", why)
		}
	case messages.StatusCrashed:
		if !r.crashed {
			r.fail("status: crashed, but nothing has")
		}
	case messages.StatusBlocked, messages.StatusUnresponsive:
		// A renderer that was dead before the engine came answers nothing, either.
		if !r.crashed && !r.blocked() {
			r.fail("status: %s (%s), but no dialog is open", s.Supervisor.Status, why)
		}
	}
	return false
}

// ready reports whether the page has answered since the engine came, which only
// a dialog may keep it from.
func (r *run) ready(s *messages.Snapshot) bool {
	if !s.Ready && !r.blocked() {
		r.fail("status: all is well, but the page is not ready")
	}
	return s.Ready
}

// frames compares the tree of the task's page, and of each page that the engine
// knows, with the true ones.
func (r *run) frames(s *messages.Snapshot) {
	if r.crashed {
		return // what a dead renderer showed is nobody's to say
	}
	r.framesOf(s.PageTargetID, true)
	for _, id := range r.rig.Browser.PageIDs() {
		if messages.TargetID(id) != s.PageTargetID {
			r.framesOf(messages.TargetID(id), false)
		}
	}
}

func (r *run) framesOf(target messages.TargetID, must bool) {
	if r.hidden(string(target)) {
		return
	}
	a := r.rig.Ask(task, "frames", &messages.FramesRequest{TargetID: target})
	r.rest()
	res, ok := a.Answer().(*messages.FramesResult)
	if !ok {
		if must {
			r.fail("frames: of the task's page: %s", rig.Tell(a.Answer()))
		}
		return
	}
	want := map[string]string{}
	held := r.blocked() // pages can share a renderer
	undecided, silent := map[string]bool{}, r.silent()
	for _, f := range r.rig.Browser.Frames(string(target)) {
		if undecided[f.ParentID] && !in(res.Tree, f.ID) || silent[f.Renderer] {
			// What its renderer shows cannot be asked for. That it is there can,
			// when it hangs on another renderer.
			if f.OOPIF && !undecided[f.ParentID] && !in(res.Tree, f.ID) {
				r.fail("frames: %s %s of a renderer that stands still is not shown", f.ID, f.URL)
			}
			undecided[f.ID] = true
			continue
		}
		// While a dialog is open a frame's first commit is held back: its new
		// process is announced, and it is not there yet. So is the one after a
		// crash, until which nobody hears of a document.
		if held && (f.URL == "" || f.StandIn) {
			undecided[f.ID] = true
			continue
		}
		want[f.ID] = describe(f.ParentID, f.URL, f.Origin, f.OOPIF && !held)
	}
	got := map[string]string{}
	if res.Tree != nil {
		got[string(res.Tree.Top.FrameID)] = describe("", res.Tree.Top.URL, res.Tree.Top.Origin, false)
		for _, f := range res.Tree.Children {
			got[string(f.FrameID)] = describe(string(f.ParentFrameID), f.URL, f.Origin, f.OOPIF != nil && *f.OOPIF && !held)
			if f.State != "" && !held {
				r.fail("frames: %s %s is %s at rest", f.FrameID, f.URL, f.State)
			}
		}
	}
	if must {
		r.published(got)
	}
	maps.DeleteFunc(got, func(id, _ string) bool { return undecided[id] })
	if !maps.Equal(want, got) {
		r.fail("frames: of page %s differ:\n%s", target, difference(want, got))
	}
}

// blocked: a renderer stands still for a dialog, or for a question of the
// bridge.
func (r *run) blocked() bool {
	return len(r.rig.Browser.OpenDialogs()) > 0 || r.rig.Browser.HeldRequests() > 0
}

func describe(parent, url, origin string, oopif bool) string {
	url, _ = messages.Cut(url, messages.MaxURLBytes)
	if url == "" {
		origin = "" // before the first commit it is the creator's, which nothing tells
	}
	return fmt.Sprintf("parent %q url %q origin %q oopif %v", parent, url, origin, oopif)
}

func difference(want, got map[string]string) string {
	var out strings.Builder
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if got[id] != want[id] {
			fmt.Fprintf(&out, "  %s is    %s\n  %s shown %s\n", id, want[id], strings.Repeat(" ", len(id)), got[id])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if want[id] == "" {
			fmt.Fprintf(&out, "  %s is gone\n  %s shown %s\n", id, strings.Repeat(" ", len(id)), got[id])
		}
	}
	return out.String()
}

// dialogs compares the dialogs that can be answered with those that are shown
// as open.
func (r *run) dialogs(s *messages.Snapshot) {
	if ended(s) {
		return
	}
	want, got := map[string]string{}, map[string]string{}
	supervised, stranded := r.supervised(s), map[string]bool{}
	for _, o := range r.rig.Browser.OpenDialogs() {
		stranded[o.TargetID] = o.Stranded && o.Answerable // else the browser keeps nothing of it that it could die of
		if o.Answerable && !o.Orphan && supervised[o.TargetID] {
			m, _ := messages.Cut(o.Message, messages.MaxDialogMessageBytes)
			def, _ := messages.Cut(o.Default, messages.MaxDefaultPromptBytes)
			want[o.TargetID] = fmt.Sprintf("%s %q default %q of frame %s", o.Type, m, def, o.FrameID)
		}
	}
	asked := 0 // by a request
	for _, d := range s.PendingDialogs {
		if d.Via != messages.ViaNative {
			if d.Via == messages.ViaXHR {
				asked++
			}
			continue
		}
		if stranded[string(d.TargetID)] && supervised[string(d.TargetID)] {
			r.fail("dialogs: %s of page %s is stranded, and nobody has freed it", d.ID, d.TargetID)
		}
		switch d.State {
		case "":
			got[string(d.TargetID)] = fmt.Sprintf("%s %q default %q of frame %s", d.Type, d.Message, d.DefaultPrompt, d.FrameID)
		case messages.StateAnswering:
			r.fail("dialogs: %s is still being answered", d.ID)
		case messages.StateUnanswerable:
			if stranded[string(d.TargetID)] {
				delete(want, string(d.TargetID)) // the answer that was refused told of it
			} else if !r.hidden(string(d.TargetID)) {
				r.fail("dialogs: %s is shown as unanswerable, but page %s shows none", d.ID, d.TargetID)
			}
		}
	}
	if held := r.rig.Browser.HeldRequests(); held != asked {
		r.fail("bridge: %d questions are held, %d are shown", held, asked)
	}
	for page := range want {
		if got[page] == "" && r.crashed {
			delete(want, page)
		}
	}
	if r.watched {
		// Only a debugger that came first knows of the dialog; the engine's
		// session may not be one of those.
		for id := range want {
			if got[id] == "" {
				delete(want, id)
			}
		}
	}
	if !maps.Equal(want, got) {
		r.fail("dialogs: differ:\n%s", difference(want, got))
	}
}

// supervised are the pages whose dialogs the engine has to show: those whose
// frames it knows.
func (r *run) supervised(s *messages.Snapshot) map[string]bool {
	all := map[string]bool{string(s.PageTargetID): true}
	for _, id := range r.rig.Browser.PageIDs() {
		a := r.rig.Ask(task, "frames", &messages.FramesRequest{TargetID: messages.TargetID(id)})
		r.rest()
		if _, ok := a.Answer().(*messages.FramesResult); ok {
			all[id] = true
		}
	}
	for _, d := range s.PendingDialogs {
		all[string(d.TargetID)] = true // and those of which it shows one
	}
	return all
}

// waysOut is how often a run tries to lead its pages out: a page that asks in a
// row loses one dialog at a time, and asks forty times and more.
const waysOut = 90

// finish compares, takes every way out, and compares again.
func (r *run) finish() {
	r.compare()
	if r.failed() {
		return
	}
	r.say("the way out")
	for range waysOut {
		r.revive()
		r.ask("policy", &messages.PolicyRequest{Policy: messages.PolicyMustRespond})
		r.answerAll()
		s := r.rig.Snapshot(task)
		r.ask("navigate to the way out", &messages.NavigateRequest{URL: out})
		known := r.supervised(s)
		for _, id := range r.rig.Browser.PageIDs() {
			if !known[id] {
				r.freed(id) // a person's business: it may block a page of ours
			}
			if s := r.rig.Snapshot(task); s != nil && id != string(s.PageTargetID) {
				r.ask("lead out "+id, &messages.CallRequest{
					Method: "Page.navigate", TargetID: messages.TargetID(id), Params: []byte(`{"url":"` + out + `"}`),
				})
			}
		}
		r.rest()
		r.answerAll() // a page may ask before it is left
		r.advance(longest)
		r.after()
		if s := r.rig.Snapshot(task); s != nil && s.Supervisor == nil && s.Page.URL == out || r.failed() {
			break
		}
	}
	if r.failed() {
		return
	}
	s := r.rig.Snapshot(task)
	if s.Supervisor != nil && s.Supervisor.Status != messages.StatusDegraded || s.Page.URL != out {
		r.fail("way out: it leads to %q, status %+v", s.Page.URL, s.Supervisor)
		return
	}
	r.crashed = false
	r.compare()
}

// revive starts a task that has failed or is stopped again.
func (r *run) revive() {
	s := r.rig.Snapshot(task)
	if s == nil || ended(s) {
		r.keep(r.rig.Stop(task))
		r.rest()
		r.start()
		r.advance(longest)
	}
}

// ended: the task runs no more.
func ended(s *messages.Snapshot) bool {
	st := s.Supervisor
	return st != nil && (st.Status == messages.StatusFailed || st.Status == messages.StatusStopped || st.Status == messages.StatusExpired)
}

// answerAll accepts what can be accepted.
func (r *run) answerAll() {
	for range 10 {
		s := r.rig.Snapshot(task)
		if s == nil {
			return
		}
		n := 0
		for _, d := range s.PendingDialogs {
			if d.State == "" {
				n++
				r.ask("accept "+string(d.ID), &messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID})
			}
		}
		if n == 0 {
			return
		}
		r.advance(time.Second)
	}
}

// end closes the run.
func (r *run) end() *Result {
	r.panicIn = 0
	if err := r.rig.Close(); err != nil {
		r.faults = append(r.faults, err)
		r.story = append(r.story, "WRONG: "+err.Error())
	}
	return &Result{Err: joined(r.faults), Story: r.story, Trace: r.trace.Bytes(), Log: r.log.Bytes(), Moves: r.moves}
}

func joined(faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = f.Error()
	}
	return fmt.Errorf("%s", strings.Join(texts, "\n"))
}
