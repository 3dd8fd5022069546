package fakebrowser

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// syntaxError is a script that does not parse.
type syntaxError struct {
	message   string
	line, col int // from 0
}

func (e *syntaxError) Error() string { return "SyntaxError: " + e.message }

// run compiles and runs a script at the realm's top level. line and col are
// where its text starts in its source, from 1 and from 0.
func (r *realm) run(name, src string, line, col int) (goja.Value, error) {
	r.up()
	prg, err := r.compile(name, src, line, col)
	if err != nil {
		return nil, err
	}
	return r.enter(func() (goja.Value, error) { return r.vm.RunProgram(prg) })
}

// compile parses a script. A debugger statement becomes a call that can stop
// there.
func (r *realm) compile(name, src string, line, col int) (*goja.Program, error) {
	if len(src) > maxScript {
		return nil, &syntaxError{message: "script too large"}
	}
	padded := strings.Repeat("\n", min(max(0, line-1), 10_000)) + strings.Repeat(" ", min(col, 10_000)) + src
	ast, err := parser.ParseFile(nil, name, padded, 0, parser.WithDisableSourceMaps)
	if err == nil && strings.Contains(src, "debugger") {
		if a, e := parser.ParseFile(nil, name, stopAtDebugger(padded), 0, parser.WithDisableSourceMaps); e == nil {
			ast = a
		}
	}
	if err != nil {
		e := &syntaxError{message: "Unexpected token", line: max(0, line-1), col: col}
		var list parser.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			e.message = list[0].Message
			e.line, e.col = max(0, list[0].Position.Line-1), max(0, list[0].Position.Column-1)
		}
		return nil, e
	}
	prg, err := goja.CompileAST(ast, false)
	if err != nil {
		return nil, &syntaxError{message: err.Error(), line: max(0, line-1), col: col}
	}
	return prg, nil
}

// exceptionDetails is Runtime.ExceptionDetails of what a script threw.
type exceptionDetails struct {
	realm     *realm
	id        int
	text      string
	line, col int
	url       string
	stack     []object
	value     goja.Value // nil for a syntax error of a script that never ran
}

// details reads an error of the engine.
func (r *realm) details(err error, text string) exceptionDetails {
	e := exceptionDetails{realm: r, text: text}
	r.b.reqSeq++
	e.id = r.b.reqSeq
	var syn *syntaxError
	var ex *goja.Exception
	switch {
	case errors.As(err, &syn):
		e.line, e.col = syn.line, syn.col
		e.value = r.newError("SyntaxError", syn.message)
	case errors.As(err, &ex):
		e.value = ex.Value()
		e.stack = frames(ex.Stack())
		if len(e.stack) > 0 {
			e.line, e.col = e.stack[0].number("lineNumber"), e.stack[0].number("columnNumber")
			e.url = e.stack[0].text("url")
		}
	default:
		e.value = r.newError("Error", err.Error())
	}
	return e
}

// number and text read a member of an object that the fake itself made.
func (o object) number(key string) int {
	for i := 0; i+1 < len(o); i += 2 {
		if n, ok := o[i+1].(int); ok && o[i] == key {
			return n
		}
	}
	return 0
}

func (o object) text(key string) string {
	for i := 0; i+1 < len(o); i += 2 {
		if s, ok := o[i+1].(string); ok && o[i] == key {
			return s
		}
	}
	return ""
}

// frames are the call frames of a stack, without those of the prelude.
func frames(stack []goja.StackFrame) []object {
	out := []object{}
	for _, f := range stack {
		p := f.Position()
		if f.SrcName() == nativeName || p.Line == 0 {
			continue
		}
		name := f.FuncName()
		if name == "<anonymous>" {
			name = ""
		}
		out = append(out, object{"functionName", name, "scriptId", "3", "url", f.SrcName(),
			"lineNumber", p.Line - 1, "columnNumber", max(0, p.Column-1)})
		if len(out) == 50 {
			break
		}
	}
	return out
}

// stackHere is where the script stands right now.
func (r *realm) stackHere() object {
	return object{"callFrames", frames(r.vm.CaptureCallStack(0, nil))}
}

// json is the details as CDP writes them, for one session.
func (e exceptionDetails) json(preview bool) object {
	o := object{"exceptionId", e.id, "text", e.text, "lineNumber", e.line, "columnNumber", e.col, "scriptId", "3"}
	if e.url != "" {
		o = append(o, "url", e.url)
	}
	if len(e.stack) > 0 {
		o = append(o, "stackTrace", object{"callFrames", e.stack})
	}
	if e.value != nil {
		o = append(o, "exception", e.realm.remote(e.value, remoteOptions{preview: preview, stack: e.stack}))
	}
	return append(o, "executionContextId", e.realm.id)
}

// newError makes an Error of the realm by the name of its class.
func (r *realm) newError(class, message string) goja.Value {
	ctor := r.vm.GlobalObject().Get(class)
	if ctor == nil {
		ctor = r.vm.GlobalObject().Get("Error")
	}
	o, err := r.vm.New(ctor, r.vm.ToValue(message))
	if err != nil {
		return r.vm.ToValue(class + ": " + message)
	}
	return o
}

// throw throws an Error of the realm from a native.
func (r *realm) throw(class, format string, args ...any) {
	panic(r.newError(class, fmt.Sprintf(format, args...)))
}

// throwDOM throws a DOMException from a native.
func (r *realm) throwDOM(name, message string) {
	v, err := r.exception(goja.Undefined(), r.vm.ToValue(name), r.vm.ToValue(message))
	if err != nil {
		panic(r.newError("Error", name+": "+message))
	}
	panic(v)
}

// runScript runs a script element, once.
func (d *document) runScript(n *node) {
	if n.ran || d.dead || d.sandbox.on && !d.sandbox.scripts {
		return
	}
	switch kind := strings.ToLower(n.attr("type")); kind {
	case "", "module", "text/javascript", "application/javascript":
	default:
		return
	}
	src, name, line, col := n.textContent(), d.url, max(1, n.line), n.col
	if n.hasAttr("src") {
		url, ok := resolveURL(d.base(), n.attr("src"))
		if !ok {
			return
		}
		n.ran = true
		resp, found := d.b.answer(url)
		if !found || resp.Status >= 400 {
			d.later(func() { d.fireNode(n, "error") })
			return
		}
		src, name, line, col = resp.HTML, url, 1, 0
		defer d.later(func() { d.fireNode(n, "load") })
	} else if src == "" {
		return
	} else if !n.parsed {
		name = "" // a script that a script has put there has no URL
	}
	n.ran = true
	r := d.ensureRealm()
	before := d.currentScript
	d.currentScript = n
	_, err := r.run(name, src, line, col)
	d.currentScript = before
	r.report(err)
}

// runURL runs a javascript: URL. A text that it comes to makes a document of
// one that was never loaded; its content is left out.
func (d *document) runURL(code string) {
	if d.dead || d.sandbox.on && !d.sandbox.scripts {
		return
	}
	if u, err := unescape(code); err == nil {
		code = u
	}
	r := d.ensureRealm()
	d.later(func() {
		if !d.dead {
			v, err := r.run(d.url, code, 1, 0)
			if err == nil && d.url == "" && v.ExportType() != nil && v.ExportType().Kind() == reflect.String {
				d.url = "about:blank"
			}
			r.report(err)
		}
	})
}

// unescape undoes percent encoding.
func unescape(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), nil
}

// fireNode fires an event at an element, if a script could be listening.
func (d *document) fireNode(n *node, kind string) {
	if m := d.main(); d.dead || (m == nil || m.vm == nil) && !n.hasAttr("on"+kind) {
		return
	}
	d.ensureRealm()
	for _, r := range slices.Clone(d.realms) {
		if r.vm == nil || r.isolated && r.wrappers[n] == nil {
			continue
		}
		r.fireAt(r.wrap(n), kind, nil)
	}
}
