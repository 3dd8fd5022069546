package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// logged is a log that a test reads.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) has(words string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), words)
}

// forge is a page script that asks the bridge's host itself, in each way that a
// page has.
const forge = `(async () => {
	const url = "https://hermes-dialog-bridge.invalid/", got = [];
	const bodies = ["", "{}", "null", JSON.stringify({secret: "", document: "d", type: "prompt", message: "forged"}),
		JSON.stringify({secret: "0", document: "d", type: "prompt", message: "forged"}), JSON.stringify({secret: "0", document: "d", type: "canary"})];
	for (const body of bodies) {
		const x = new XMLHttpRequest();
		x.open("POST", url, false);
		try { x.send(body); got.push(x.status + x.responseText) } catch (e) { got.push(e.name) }
		got.push(await fetch(url, {method: "POST", body}).then(r => r.text(), e => e.name));
	}
	got.push(await fetch(url + "?kind=prompt").then(r => r.text(), e => e.name));
	got.push(await new Promise(f => { const i = new Image(); i.onload = () => f("loaded"); i.onerror = () => f("error"); i.src = url }));
	return [...new Set(got)].sort().join();
})()`

func TestBridgeForgery(t *testing.T) {
	t.Parallel()
	b := launch(t)
	var log logged
	h := newHost(t, registry.WithLogger(zerolog.New(&log)))
	p := b.tab(t, h, bridgeOn()...)
	ad := p.blank("ads.test")
	p.open(p.embed("a.test", ad))
	for name, where := range map[string]at{"a page": {}, "an ad": {frame: p.frame(ad).FrameID}} {
		if got := p.evalIn(where, forge); got != "NetworkError,TypeError,error" {
			t.Errorf("%s that asks the host itself got %v", name, got)
		}
	}
	if s := p.task.Snapshot(); len(s.PendingDialogs)+len(s.RecentDialogs) != 0 {
		t.Errorf("a dialog came of it: %s", p.state())
	}
	p.poll("the log to tell of it", func() bool { return log.has("16 forged questions were refused") })

	// What a page can see of the script is what it sees of the natives.
	native := b.tab(t, h, registry.WithOwnTab(), registry.WithBridge(messages.BridgeOff))
	native.open(native.blank("a.test"))
	for _, expression := range []string{
		`Object.getOwnPropertyNames(window).filter(n => !/^[0-9]+$/.test(n)).sort().join()`,
		`Object.getOwnPropertySymbols(window).length`,
		`Reflect.ownKeys(alert).join()`,
		`alert.name + confirm.length + prompt.length + typeof alert.prototype`,
		`JSON.stringify(Object.getOwnPropertyDescriptor(window, "alert"))`,
		`/native code/.test(alert.toString())`,
		`(() => { try { alert.call({}, "x") } catch (e) { return e.name } })()`,
	} {
		if got, want := p.eval(expression), native.eval(expression); got != want {
			t.Errorf("%s is %v, want %v", expression, got, want)
		}
	}
	// A page that patched everything after the script ran sees nothing of it.
	p.eval(`(() => { let traps = ""; Object.prototype.toJSON = function () { traps += Object.keys(this) };
		Object.prototype.get = Object.prototype.apply = () => { traps += "trap" }; window.leak = () => traps;
		const note = []; window.notes = () => note.join();
		for (const o of [XMLHttpRequest.prototype, JSON, Reflect, String.prototype]) for (const k of Object.getOwnPropertyNames(o))
			{ const f = Object.getOwnPropertyDescriptor(o, k).value; if (typeof f === "function" && k !== "constructor") o[k] = function (...a) { note.push(k); return f.apply(this, a) } }
		return 1 })()`)
	p.later(`{ const before = notes(); const got = confirm("after the patches"); return got && notes() === before && leak() === "" }`)
	p.accept(p.dialog())
	p.saw(true)
	b.mustLive(t)
}

// outcome runs a call in the page and tells what it showed and how it ended.
func (p *tab) outcome(call string) string {
	p.t.Helper()
	return p.outcomeOf(call, func(messages.Dialog) bool { return true })
}

// outcomeOf is outcome where some dialogs are left to somebody else.
func (p *tab) outcomeOf(call string, ours func(messages.Dialog) bool) string {
	p.t.Helper()
	before := p.eval(`seen.length`)
	p.later(`{ try { return "returned " + ` + call + ` } catch (e) { return "threw " + (e && e.name || e) } }`)
	shown := ""
	p.poll("the call to end", func() bool {
		if open := p.task.Snapshot().PendingDialogs; len(open) > 0 {
			if !ours(open[0]) {
				return false
			}
			shown += fmt.Sprintf("%s %q by default %q; ", open[0].Type, open[0].Message, open[0].DefaultPrompt)
			// Somebody else may be quicker.
			if _, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: open[0].ID}); err != nil {
				refused(p.t, err, messages.CodeDialogClosed)
			}
			return false
		}
		n, err := p.try(at{}, `seen.length`)
		return err == nil && n != before
	})
	return shown + fmt.Sprint(p.eval(`seen[seen.length - 1]`))
}

// TestBridgeCoercion compares what dialogs show, and what calls throw, with the
// native functions.
func TestBridgeCoercion(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	tabs := map[messages.ViaKind]*tab{
		messages.ViaNative: b.tab(t, h, registry.WithOwnTab(), registry.WithBridge(messages.BridgeOff)),
		messages.ViaXHR:    b.tab(t, h, bridgeOn(transport(messages.TransportXHR))...),
	}
	for _, p := range tabs {
		p.open(p.blank("a.test"))
	}
	for _, call := range []string{
		`alert()`, `alert(undefined)`, `alert(null)`, `alert(1n)`, `alert([1,[2]])`, `alert({})`, `alert("a\r\nb\nc\rd\0e")`,
		`alert("\ud800x\udc00")`, `alert("x".repeat(1e7))`, `alert({toString() { return "mine" }})`, `alert(() => 1)`, `alert("a", "b")`,
		`alert(Symbol("s"))`, `alert({toString() { throw new RangeError("no") }})`, `alert(Object.create(null))`,
		`confirm()`, `confirm(undefined)`, `confirm(null)`, `confirm(Symbol())`, `confirm("")`,
		`prompt()`, `prompt(undefined, undefined)`, `prompt(null, null)`, `prompt("m", {toString() { return "d" }})`, `prompt("m", "l1\nl2")`,
		`prompt("m", Symbol())`, `prompt({toString() { throw 1 }}, {toString() { throw 2 }})`, `prompt("m", "\ud800")`,
		`window.alert.call(undefined, "u")`, `alert.call({}, "x")`, `Reflect.construct(alert, [])`, `(0, alert)("z")`, `alert.bind(null, "bound")()`,
	} {
		shown := map[messages.ViaKind]string{}
		for via, p := range tabs {
			shown[via] = p.outcome(call)
		}
		if shown[messages.ViaNative] != shown[messages.ViaXHR] {
			t.Errorf("%s\n natively: %.300s\n bridged:  %.300s", call, shown[messages.ViaNative], shown[messages.ViaXHR])
		}
	}
}
