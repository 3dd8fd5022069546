package sim

import (
	"encoding/json"
	"fmt"

	"cdpsupervisor/messages"
)

// ask asks the task and keeps the question.
func (r *run) ask(name string, question messages.Ask) string {
	name = fmt.Sprintf("ask %d, %s", len(r.asks)+1, name)
	if r.keep(r.rig.Ask(task, name, question)) == nil {
		return ""
	}
	return name
}

func (r *run) answer(d *draw) string {
	return r.ask("answer", r.reply(d))
}

func (r *run) reply(d *draw) *messages.DialogRequest {
	q := &messages.DialogRequest{Action: messages.ActionAccept}
	if d.of(2) == 0 {
		q.Action = messages.ActionDismiss
	}
	if d.of(3) == 0 {
		text := pick(d, []string{"", "text", "\u00e4\u0000"})
		q.PromptText = &text
	}
	if s := r.rig.Snapshot(task); s != nil && len(s.PendingDialogs) > 0 && d.of(3) > 0 {
		q.DialogID = pick(d, s.PendingDialogs).ID
	} else if d.of(6) == 0 {
		q.DialogID = messages.DialogID(fmt.Sprintf("d-%d", d.of(9)))
	}
	return q
}

func (r *run) answerTwice(d *draw) string {
	a := r.reply(d)
	b := *a
	if b.Action == messages.ActionAccept && d.of(2) == 0 {
		b.Action = messages.ActionDismiss
	}
	first := r.ask("answer", a)
	return first + " and " + r.ask("answer again", &b)
}

// place is where a call goes: the page, a frame of it, or another page.
func (r *run) place(d *draw, q *messages.CallRequest) string {
	page := pick(d, r.rig.Browser.PageIDs())
	switch d.of(4) {
	case 0:
		q.TargetID = messages.TargetID(page)
		return "on " + page
	case 1:
		f := pick(d, r.rig.Browser.Frames(page))
		q.FrameID, q.SameProcess = messages.FrameID(f.ID), d.of(2) == 0
		return fmt.Sprintf("in %s %s", f.ID, f.URL)
	}
	return "on the page"
}

func (r *run) evaluateOf(d *draw, script string) string {
	expression, err := json.Marshal(script)
	if err != nil {
		return ""
	}
	q := &messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(`{"returnByValue":true,"expression":` + string(expression) + `}`)}
	at := r.place(d, q)
	return r.ask("evaluate "+script+" "+at, q)
}

func (r *run) evaluate(d *draw) string {
	return r.evaluateOf(d, pick(d, []string{"1+1", "location.href", "document.title", "throw 1", "new Promise(() => {})"}))
}

func (r *run) evaluateDialog(d *draw) string {
	return r.evaluateOf(d, pick(d, []string{"confirm('evaluated')", "alert('a'); prompt('b')", "open('http://b.test/alert'); 1", "location.reload(); alert('late')"}))
}

func (r *run) navigate(d *draw) string {
	url := pick(d, urls)
	return r.ask("navigate to "+url, &messages.NavigateRequest{URL: url})
}

func (r *run) call(d *draw) string {
	q := &messages.CallRequest{}
	q.Method = pick(d, []string{"Page.reload", "Page.getFrameTree", "Browser.getVersion", "Page.handleJavaScriptDialog", "DOM.getDocument", "Page.disable", "No.such", "Page.crash", "Target.closeTarget", "Page.close"})
	at := r.place(d, q)
	switch q.Method {
	case "Page.handleJavaScriptDialog":
		q.Params = []byte(`{"accept":true,"promptText":"raw"}`)
	case "Target.closeTarget":
		page := pick(d, r.rig.Browser.PageIDs())
		q.Params, q.TargetID, q.FrameID = []byte(`{"targetId":"`+page+`"}`), "", ""
		at = "of " + page
	case "Page.crash":
		r.crashed = true
	}
	return r.ask("call "+q.Method+" "+at, q)
}

func (r *run) policy(d *draw) string {
	p := pick(d, []messages.Policy{messages.PolicyMustRespond, messages.PolicyAutoDismiss, messages.PolicyAutoAccept})
	return r.ask("policy "+string(p), &messages.PolicyRequest{Policy: p})
}

func (r *run) focus(d *draw) string {
	page := pick(d, r.rig.Browser.PageIDs())
	return r.ask("focus "+page, &messages.FocusRequest{TargetID: messages.TargetID(page)})
}
