package sim

import (
	"fmt"
	"strings"

	"cdpsupervisor/simulations/fakebrowser"
)

// somewhere picks a page, and a frame of it. A page that shows a dialog whose
// frame is gone is left alone: what it does next kills the browser.
func (r *run) somewhere(d *draw) (page string, frame fakebrowser.Frame, ok bool) {
	page = pick(d, r.rig.Browser.PageIDs())
	frames := r.rig.Browser.Frames(page)
	if page == "" || len(frames) == 0 || r.orphaned(page) {
		return "", frame, false
	}
	if d.of(2) == 0 {
		return page, frames[0], true
	}
	return page, pick(d, frames), true
}

func (r *run) orphaned(page string) bool {
	for _, o := range r.rig.Browser.OpenDialogs() {
		if o.TargetID == page && o.Orphan {
			return true
		}
	}
	return false
}

// script has a frame run something once it is idle.
func (r *run) script(d *draw, what string) string {
	page, frame, ok := r.somewhere(d)
	if !ok || !r.rig.Page.Eval(page, frame.ID, "setTimeout(() => { "+what+" }, 0); 1") {
		return ""
	}
	return fmt.Sprintf("%s in %s (%s)", short(what), frame.URL, short(frame.ID))
}

func short(s string) string {
	if len(s) > 90 {
		return s[:90] + "…"
	}
	return s
}

func (r *run) dialog(d *draw) string {
	kinds := []string{"alert('a')", "confirm('c')", "prompt('p', 'default')", "confirm('\\u0000\\ud800 \\u202e')", "alert()", "prompt()"}
	return r.script(d, pick(d, kinds))
}

func (r *run) storm(d *draw) string {
	return r.script(d, fmt.Sprintf("for (let i = 0; i < %d; i++) confirm('storm ' + (i >> 1))", 2+d.of(40)))
}

func (r *run) longDialog(d *draw) string {
	return r.script(d, "prompt('x\\u00e4'.repeat(9000), '\\u00e4'.repeat(20000))")
}

func (r *run) addFrame(d *draw) string {
	return r.script(d, fmt.Sprintf("const f = document.createElement('iframe'); f.src = %q; document.body.append(f)", pick(d, urls)))
}

func (r *run) removeFrame(d *draw) string {
	return r.script(d, fmt.Sprintf("const f = document.querySelectorAll('iframe'); f.length && f[%d %% f.length].remove()", d.of(20)))
}

func (r *run) moveFrame(d *draw) string {
	return r.script(d, fmt.Sprintf("const f = document.querySelectorAll('iframe'); if (f.length) f[%d %% f.length].src = %q", d.of(20), pick(d, urls)))
}

func (r *run) rewrite(d *draw) string {
	bodies := []string{"", "<iframe srcdoc=x></iframe>", "<iframe sandbox=allow-scripts srcdoc=y></iframe><iframe name=n src=http://b.test/plain></iframe>", "<p>text"}
	return r.script(d, fmt.Sprintf("document.body.innerHTML = %q", pick(d, bodies)))
}

func (r *run) scriptNavigates(d *draw) string {
	return r.script(d, fmt.Sprintf("location.href = %q", pick(d, urls)))
}

func (r *run) history(d *draw) string {
	return r.script(d, pick(d, []string{"history.back()", "history.back()", "history.forward()", "location.reload()", "history.pushState(1, '', '?pushed')", "location.hash = 'h'"}))
}

func (r *run) openPopup(d *draw) string {
	if len(r.rig.Browser.PageIDs()) > 5 {
		return ""
	}
	return r.script(d, fmt.Sprintf("open(%q)", pick(d, urls)))
}

func (r *run) flood(d *draw) string {
	floods := []string{
		"for (let i = 0; i < 400; i++) console.error('flood ' + i)",
		"for (let i = 0; i < 400; i++) console.log('flood ' + i)",
		"for (let i = 0; i < 200; i++) history.replaceState(i, '', '?' + i)",
		"for (let i = 0; i < 60; i++) { const f = document.createElement('iframe'); f.src = 'http://b.test/plain?' + i; document.body.append(f) }",
		"console.error('x'.repeat(100000)); console.assert(false, 'y'.repeat(10000))",
		"document.title = 't'.repeat(5000); history.pushState(0, '', '?' + 'q'.repeat(20000))",
	}
	return r.script(d, pick(d, floods))
}

func (r *run) personNavigates(d *draw) string {
	page, _, ok := r.somewhere(d)
	if !ok {
		return ""
	}
	url := pick(d, urls)
	r.rig.Page.Navigate(page, url)
	return short(page) + " to " + url
}

func (r *run) opensTab(d *draw) string {
	id := r.rig.Page.Open(pick(d, urls))
	r.foreign[id] = true
	return id
}

// closesTab: a page that closes under a subframe's dialog kills the browser,
// whoever closes it; so people close only what shows none.
func (r *run) closesTab(d *draw) string {
	page := pick(d, r.rig.Browser.PageIDs())
	for _, o := range r.rig.Browser.OpenDialogs() {
		if o.TargetID == page {
			return ""
		}
	}
	r.rig.Page.CloseTab(page)
	return page
}

func (r *run) otherDebugger(d *draw) string {
	page := pick(d, r.rig.Browser.PageIDs())
	if d.of(2) == 0 || r.orphaned(page) {
		r.rig.Page.Watch(page)
		r.watched = true
		return "watches " + page
	}
	if err := r.rig.Page.Answer(page, d.of(2) == 0, "by another"); err != nil {
		return ""
	}
	return "answers on " + page
}

func (r *run) noise(d *draw) string {
	texts := []string{`{"id":999999,"result":{}}`, `{"method":"No.such","params":{"a":[1,2,{"b":null}]}}`, `{`, ``, `[]`, `{"id":"x"}`,
		`{"method":"Page.frameNavigated","params":{}}`, `{"method":"Target.attachedToTarget","params":{"sessionId":1}}`, strings.Repeat("[", 5000),
		`{"method":"Page.javascriptDialogClosed","params":{"result":true,"userInput":""},"sessionId":"NOBODY"}`}
	text := pick(d, texts)
	r.rig.Noise(text)
	return short(text)
}
