package fakebrowser

import (
	"fmt"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// consoleLog is what a target's Runtime.enable replays: the console calls and
// uncaught exceptions of its documents.
type consoleLog struct{ lines []consoleLine }

// consoleLine is one entry. It is encoded anew for each session.
type consoleLine struct {
	method string
	params func(preview bool) object
}

// installNatives defines the window's functions that are native in a real
// browser, and look it.
func (r *realm) installNatives() {
	g := r.vm.GlobalObject()
	define := func(o *goja.Object, name string, length int, f func(goja.FunctionCall) goja.Value) {
		fn := r.vm.ToValue(f).ToObject(r.vm)
		r.check(fn.DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
		r.check(fn.DefineDataProperty("length", r.vm.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
		r.check(o.DefineDataProperty(name, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE))
	}
	define(g, "alert", 0, r.alert)
	define(g, "confirm", 0, r.confirm)
	define(g, "prompt", 0, r.prompt)
	define(g, "open", 0, r.open)
	define(g, "close", 0, r.closeWindow)
	define(g, "postMessage", 1, r.postToSelf)
	define(g, "setTimeout", 1, func(c goja.FunctionCall) goja.Value { return r.setTimer(c, false) })
	define(g, "setInterval", 1, func(c goja.FunctionCall) goja.Value { return r.setTimer(c, true) })
	define(g, "clearTimeout", 0, r.clearTimer)
	define(g, "clearInterval", 0, r.clearTimer)
	define(g, "btoa", 1, r.btoa)
	define(g, "atob", 1, r.atob)
	define(g, "__stop__", 1, r.stopHere)
	r.check(g.DefineDataProperty("__stop__", g.Get("__stop__"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	console := r.vm.NewObject()
	for _, name := range []string{"log", "error", "warn", "info", "debug", "trace", "dir", "table", "count", "group", "groupEnd", "time", "timeEnd", "clear"} {
		define(console, name, 0, func(c goja.FunctionCall) goja.Value { return r.console(name, c.Arguments) })
	}
	define(console, "assert", 0, func(c goja.FunctionCall) goja.Value {
		if c.Argument(0).ToBoolean() {
			return goja.Undefined()
		}
		args := []goja.Value{r.vm.ToValue("console.assert")}
		if len(c.Arguments) > 1 {
			args = c.Arguments[1:]
		}
		return r.console("assert", args)
	})
	r.check(g.DefineDataProperty("console", console, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// console is one call of the console.
func (r *realm) console(kind string, args []goja.Value) goja.Value {
	switch kind {
	case "warn":
		kind = "warning"
	case "group":
		kind = "startGroup"
	case "groupEnd":
		kind = "endGroup"
	case "time":
		return goja.Undefined()
	case "clear":
		r.log().lines = nil
	}
	if len(args) == 0 {
		args = []goja.Value{r.vm.ToValue("console." + kind)}
	}
	if len(args) > maxConsoleArgs {
		args = args[:maxConsoleArgs]
	}
	stack, at := r.stackHere(), r.millis()
	r.tell(consoleLine{"Runtime.consoleAPICalled", func(preview bool) object {
		shown := make([]object, len(args))
		for i, a := range args {
			shown[i] = r.remote(a, remoteOptions{preview: preview, stack: []object{}})
		}
		return object{"type", kind, "args", shown, "executionContextId", r.id, "timestamp", at, "stackTrace", stack}
	}})
	return goja.Undefined()
}

// throwEvent tells of an exception that nobody caught.
func (r *realm) throwEvent(e exceptionDetails) {
	at := r.millis()
	r.tell(consoleLine{"Runtime.exceptionThrown", func(preview bool) object {
		return object{"timestamp", at, "exceptionDetails", e.json(preview)}
	}})
}

// reportRejections tells of promises that were rejected with nobody
// listening, as the turn ends.
func (r *realm) reportRejections() {
	rejected := r.rejected
	r.rejected = nil
	for _, p := range rejected {
		e := exceptionDetails{realm: r, text: "Uncaught (in promise)", value: p.Result()}
		r.b.reqSeq++
		e.id = r.b.reqSeq
		r.throwEvent(e)
	}
}

// log is the console of the target that the realm's frame belongs to.
func (r *realm) log() *consoleLog {
	p, t := r.doc.proc, r.doc.frame.local()
	if p.consoles == nil {
		p.consoles = map[*target]*consoleLog{}
	}
	if p.consoles[t] == nil {
		p.consoles[t] = &consoleLog{}
	}
	return p.consoles[t]
}

func (r *realm) tell(l consoleLine) {
	log := r.log()
	log.lines = append(log.lines, l)
	if len(log.lines) > maxStoredLines {
		log.lines = log.lines[1:]
	}
	if r.doc.dead || r.doc.inCache() {
		return
	}
	for _, s := range r.doc.frame.local().sessions {
		if s.runtimeOn {
			s.event(l.method, l.params(true))
		}
	}
}

// forgetConsole is what a commit does to the stored lines.
func (t *target) forgetConsole(old *renderer) { delete(old.consoles, t) }

// log sends an entry of the Log domain to the sessions that enabled it.
func (t *target) log(source, level, text, url string) {
	for _, s := range t.sessions {
		if s.logOn {
			s.event("Log.entryAdded", object{"entry", object{"source", source, "level", level, "text", text,
				"timestamp", t.page.b.millis(), "url", url}})
		}
	}
}

func (b *Browser) millis() float64    { return float64(b.clock.Now().UnixMicro()) / 1e3 }
func (r *realm) millis() float64      { return r.b.millis() }
func (b *Browser) monotonic() float64 { return float64(b.clock.Now().UnixMicro()%1e12) / 1e6 }

// timer is one setTimeout or setInterval.
type timer struct {
	id      int
	realm   *realm
	call    func()
	every   time.Duration // 0 for a timeout
	stopper func()
	over    bool
}

func (t *timer) stop() {
	t.over = true
	if t.stopper != nil {
		t.stopper()
	}
}

// setTimer is setTimeout and setInterval. No delay at all needs no clock; a
// timer that sets itself again and again is slowed down, as in a browser.
func (r *realm) setTimer(c goja.FunctionCall, repeat bool) goja.Value {
	if len(r.timers) >= maxTimers {
		return r.vm.ToValue(0)
	}
	delay := time.Duration(max(0, c.Argument(1).ToFloat()) * float64(time.Millisecond))
	if repeat && delay < time.Millisecond {
		delay = time.Millisecond
	}
	nesting := r.nesting + 1
	if nesting > 5 && delay < 4*time.Millisecond {
		delay = 4 * time.Millisecond
	}
	r.timerSeq++
	t := &timer{id: r.timerSeq, realm: r}
	if repeat {
		t.every = delay
	}
	var args []goja.Value
	if len(c.Arguments) > 2 {
		args = c.Arguments[2:]
	}
	f, isFunc := goja.AssertFunction(c.Argument(0))
	t.call = func() {
		outer := r.nesting
		r.nesting = nesting
		defer func() { r.nesting = outer }()
		var err error
		if isFunc {
			_, err = r.call(f, r.vm.GlobalObject(), args...)
		} else {
			_, err = r.run(r.doc.url, c.Argument(0).String(), 1, 0)
		}
		r.report(err)
	}
	r.timers[t.id] = t
	t.arm(delay)
	return r.vm.ToValue(t.id)
}

func (t *timer) arm(delay time.Duration) {
	due := func() { t.realm.doc.later(t.fire) }
	if delay <= 0 {
		due()
		return
	}
	b := t.realm.b
	ct := b.clock.AfterFunc(delay, func() { b.enqueue(due) })
	t.stopper = func() { ct.Stop() }
}

func (t *timer) fire() {
	r := t.realm
	if t.over || r.doc.dead {
		return
	}
	if t.every > 0 {
		t.arm(t.every)
	} else {
		delete(r.timers, t.id)
	}
	t.call()
}

func (r *realm) clearTimer(c goja.FunctionCall) goja.Value {
	id := int(c.Argument(0).ToInteger())
	if t := r.timers[id]; t != nil {
		t.stop()
		delete(r.timers, id)
	}
	return goja.Undefined()
}

// message is an argument of alert, confirm and prompt as the page means it.
func (r *realm) message(c goja.FunctionCall, i int) string {
	if i >= len(c.Arguments) {
		return ""
	}
	if _, ok := c.Arguments[i].(*goja.Symbol); ok {
		r.throw("TypeError", "Cannot convert a Symbol value to a string")
	}
	return c.Arguments[i].String()
}

// show opens a dialog and stands still until it is over.
func (r *realm) show(kind, message, def string) *dialog {
	d := r.doc
	dlg := &dialog{frame: d.frame, kind: kind, message: dialogText(message), def: dialogText(def)}
	switch {
	case d.dead || d.inCache() || d.frame.removed || d.sandbox.on && !d.sandbox.modals:
		return dlg
	case d.inUnload != "" && (d.inUnload == "beforeunload" || d.inUnload == "unload" || !d.frame.page.goesWithin(d.proc)):
		if d.inUnload == "beforeunload" {
			d.frame.local().log("other", "error", fmt.Sprintf("Blocked %s('%s') during beforeunload.", kind, strings.ReplaceAll(message, "'", "\\'")), d.url)
		}
		return dlg
	}
	if !r.b.openDialog(dlg) {
		r.unwind()
	}
	return dlg
}

func (r *realm) alert(c goja.FunctionCall) goja.Value {
	r.show("alert", r.message(c, 0), "")
	return goja.Undefined()
}

func (r *realm) confirm(c goja.FunctionCall) goja.Value {
	return r.vm.ToValue(r.show("confirm", r.message(c, 0), "").accepted)
}

func (r *realm) prompt(c goja.FunctionCall) goja.Value {
	d := r.show("prompt", r.message(c, 0), r.message(c, 1))
	if !d.accepted {
		return goja.Null()
	}
	return r.vm.ToValue(d.text)
}
