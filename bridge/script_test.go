package bridge

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"cdpsupervisor/messages"
)

// world is as much of a window as the scripts touch. The natives note what they
// were called with; the engine's answer is what the request comes to.
const world = `
	var asked = [], native = [], reply = "", replies = [], status = 200, forbidden = "";
	var location = {protocol: "https:", href: "https://a.test/"};
	function XMLHttpRequest() {}
	XMLHttpRequest.prototype.open = function (method, url, async) { this.line = method + " " + url + " " + async };
	XMLHttpRequest.prototype.send = function (body) { if (status === 0) throw new Error("NetworkError"); asked.push(this.line + " " + body); reply = replies.length ? replies.shift() : reply };
	Object.defineProperty(XMLHttpRequest.prototype, "status", {get() { return status }, configurable: true});
	Object.defineProperty(XMLHttpRequest.prototype, "responseText", {get() { return reply }, configurable: true});
	function Document() {}
	Object.defineProperty(Document.prototype, "domain", {set() { throw new Error(forbidden || "'' is an empty domain") }, configurable: true});
	var document = new Document();
	var crypto = {getRandomValues(a) { a.set([1, 2, 3, 4]); return a }};
	var listeners = {}, addEventListener = (type, f) => { listeners[type] = f };
`

// window runs the scripts as a document does.
type window struct {
	t  *testing.T
	vm *goja.Runtime
}

func newWindow(t *testing.T) *window {
	t.Helper()
	w := &window{t: t, vm: goja.New()}
	for name, result := range map[string]any{"alert": goja.Undefined(), "confirm": false, "prompt": goja.Null()} {
		if err := w.vm.Set(name, w.native(name, result)); err != nil {
			t.Fatal(err)
		}
	}
	w.run(world)
	return w
}

// native is a function of the host, which prints as one.
func (w *window) native(name string, result any) goja.Value {
	f := w.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		args := make([]string, 0, len(call.Arguments))
		for _, a := range call.Arguments {
			args = append(args, a.String())
		}
		w.run("native.push(" + quote(name+"("+strings.Join(args, ",")+")") + ")")
		return w.vm.ToValue(result)
	}).ToObject(w.vm)
	if err := f.DefineDataProperty("name", w.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE); err != nil {
		w.t.Fatal(err)
	}
	return f
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string always has a JSON form
	return string(b)
}

func (w *window) run(script string) any {
	w.t.Helper()
	v, err := w.vm.RunString(script)
	if err != nil {
		w.t.Fatalf("%.200s: %v", script, err)
	}
	return v.Export()
}

func (w *window) is(script string, want any) {
	w.t.Helper()
	if got := w.run(script); got != want {
		w.t.Errorf("%s is %#v, want %#v", script, got, want)
	}
}

// bridged is a window with the script of a fresh session.
func bridged(t *testing.T) *window {
	t.Helper()
	return bridgedBy(t, messages.TransportXHR, "")
}

// bridgedBy is a window whose document refuses a domain in these words.
func bridgedBy(t *testing.T, transport messages.BridgeTransport, forbidden string) *window {
	t.Helper()
	w := newWindow(t)
	w.run(`forbidden = ` + quote(forbidden))
	// goja names host functions after their Go code; the script knows natives by
	// how they print.
	w.run(`{ const real = Function.prototype.toString; const hosts = new Map([[alert, "alert"], [confirm, "confirm"], [prompt, "prompt"]]);
		Function.prototype.toString = function () { return hosts.has(this) ? "function " + hosts.get(this) + "() { [native code] }" : real.call(this) } }`)
	w.run(scriptFor(transport, "s3cret"))
	return w
}

func scriptFor(transport messages.BridgeTransport, secret string) string {
	s := New(Config{Mode: messages.BridgeOn, Mark: "mark", Secret: func() string { return secret }})
	return s.installed(&session{transport: transport, secret: secret})
}

func TestScriptAsks(t *testing.T) {
	for _, c := range []struct{ call, reply, result, question string }{
		{`alert()`, `{"accept":true,"text":""}`, "undefined", `"alert","trial":"","message":"","default":""`},
		{`alert(undefined)`, `{"accept":true,"text":""}`, "undefined", `"alert","trial":"","message":"undefined","default":""`},
		{`alert(null)`, `{"accept":false,"text":""}`, "undefined", `"alert","trial":"","message":"null","default":""`},
		{`confirm(undefined)`, `{"accept":true,"text":""}`, "true", `"confirm","trial":"","message":"","default":""`},
		{`confirm({toString() { return "x" }})`, `{"accept":false,"text":"t"}`, "false", `"confirm","trial":"","message":"x","default":""`},
		{`prompt("m", "d")`, `{"accept":true,"text":"t"}`, "t", `"prompt","trial":"","message":"m","default":"d"`},
		{`prompt("m")`, `{"accept":false,"text":"t"}`, "null", `"prompt","trial":"","message":"m","default":""`},
		{`prompt(null, null)`, `{"accept":true,"text":""}`, "", `"prompt","trial":"","message":"null","default":"null"`},
	} {
		w := bridged(t)
		w.run(`reply = ` + quote(c.reply))
		w.is(`String(`+c.call+`)`, c.result)
		want := `POST ` + URL + ` false {"secret":"s3cret","document":"1-2-3-4","type":` + c.question + `,"url":"https://a.test/","truncated":false}`
		w.is(`asked.join()`, want)
		w.is(`native.length`, int64(0))
	}
}

// TestScriptFallsBack: whatever goes wrong, the native function is called, with
// texts that were converted once.
func TestScriptFallsBack(t *testing.T) {
	for name, trouble := range map[string]string{
		"no network": `status = 0`, "an odd status": `status = 404; reply = '{"accept":true,"text":""}'`, "no JSON": `reply = "<html>"`,
		"null": `reply = "null"`, "another shape": `reply = '{"accept":"yes","text":""}'`, "no text": `reply = '{"accept":true}'`, "a list": `reply = "[]"`,
		"a prototype with the answer": `Object.prototype.accept = true; Object.prototype.text = ""; reply = "{}"`,
		"a page that is left":         `listeners.pagehide(); reply = '{"accept":true,"text":""}'`,
	} {
		t.Run(name, func(t *testing.T) {
			w := bridged(t)
			w.run(trouble + `; var times = 0; confirm({toString() { times++; return "x" }}); prompt("m", "d"); alert()`)
			w.is(`native.join()`, "confirm(x),prompt(m,d),alert()")
			w.is(`times`, int64(1))
		})
	}
}

// TestScriptInASandbox: a native dialog is tried between two questions, and the
// engine says what becomes of it.
func TestScriptInASandbox(t *testing.T) {
	const goOn, yes = `{"accept":false,"text":"","native":true}`, `{"accept":true,"text":"typed"}`
	const trials = `asked.map(q => JSON.parse(q.split(" ").slice(3).join(" ")).trial).join()`
	for name, c := range map[string]struct {
		replies, call, result, natives, trials string
	}{
		"it allows dialogs":          {goOn + "\n" + yes + "\n" + yes, `prompt("m", "d") + prompt("m", "d")`, "typedtyped", "prompt(m,d)", "before,after,"},
		"it does not":                {goOn + "\n" + goOn, `[confirm("m"), confirm("m"), confirm({toString() { return "x" }})].join()`, "false,false,false", "confirm(m),confirm(m),confirm(x)", "before,after"},
		"nobody hears that it tries": {`x`, `confirm("m")`, "false", "confirm(m)", "before"},
		// What the try returned is not what the page gets.
		"nobody answers": {goOn + "\nx", `confirm({toString() { times++; return "m" }})`, "false", "confirm(m),confirm(m)", "before,after"},
	} {
		t.Run(name, func(t *testing.T) {
			w := bridgedBy(t, messages.TransportXHR, "Assignment is forbidden for sandboxed iframes.")
			w.run(`var times = 0; replies = ` + quote(c.replies) + `.split("\n")`)
			w.is(`String(`+c.call+`)`, c.result)
			w.is(`native.join()`, c.natives)
			w.is(trials, c.trials)
			w.is(`times <= 1`, true)
		})
	}
	w := bridgedBy(t, messages.TransportXHR, "some other refusal")
	w.run(`reply = ` + quote(yes) + `; confirm("m")`)
	w.is(`native.length`, int64(0))
}

func TestScriptStaysAway(t *testing.T) {
	for name, script := range map[string]string{
		"a page of the browser's own": `location = {protocol: "chrome:", href: "chrome://version/"}`,
		"a function of the page's":    `alert = confirm = prompt = () => "mine"`,
		"no functions":                `alert = confirm = prompt = undefined`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWindow(t)
			w.run(`Function.prototype.toString = function () { return "function alert() { [native code] }" }; if (` + quote(name) + `.startsWith("a function")) Function.prototype.toString = () => "() => 1"`)
			w.run(script + `; var before = [alert, confirm, prompt]`)
			w.run(scriptFor(messages.TransportXHR, "s3cret"))
			w.is(`[alert, confirm, prompt].every((f, i) => f === before[i])`, true)
		})
	}
	w := bridged(t)
	w.is(`Object.keys(globalThis).filter(k => /bridge|secret|config/.test(k)).join()`, "")
}

func TestScriptIsPutBack(t *testing.T) {
	w := newWindow(t)
	w.run(`var before = alert, real = Function.prototype.toString; { const hosts = new Map([[alert, "alert"], [confirm, "confirm"], [prompt, "prompt"]]);
		Function.prototype.toString = function () { return hosts.has(this) ? "function " + hosts.get(this) + "() { [native code] }" : real.call(this) } }`)
	w.run(scriptFor(messages.TransportXHR, "one"))
	w.run(`var first = alert`)
	w.run(scriptFor(messages.TransportXHR, "two")) // a later connection
	w.is(`alert !== first && alert !== before`, true)
	w.run(`alert("one"); alert("two ")`) // not the secret of the one in force: ordinary texts
	w.is(`alert === before`, false)
	s := New(Config{Mode: messages.BridgeOn, Mark: "mark", Secret: func() string { return "two" }})
	w.run(`var kept = confirm`)
	w.run(s.restoring(&session{secret: "two"}))
	w.is(`alert === before`, true)
	w.run(`native.length = 0; asked.length = 0; kept("k")`)
	w.is(`native.join() + asked.length`, "confirm(k)0")
	w.run(s.restoring(&session{secret: "two"})) // again, with nothing to do
	w.is(`native.join()`, "confirm(k)")
}

func TestScriptCutsTexts(t *testing.T) {
	w := bridged(t)
	w.run(`reply = '{"accept":true,"text":""}'; alert("x".repeat(1e6)); var q = JSON.parse(asked[0].split(" ").slice(3).join(" "))`)
	w.is(`q.message.length`, int64(maxText))
	w.is(`q.truncated`, true)
}

func TestScriptOfTheDebugger(t *testing.T) {
	w := bridged(t)
	source := scriptFor(messages.TransportDebugger, "s3cret")
	if !strings.HasSuffix(source, "\n//# sourceURL=b-s3cret") {
		t.Errorf("the script has no name: …%s", source[len(source)-60:])
	}
	w.run(source)
	w.run(`confirm("nobody debugs")`)
	w.is(`native.join() + asked.length`, "confirm(nobody debugs)0")
}
