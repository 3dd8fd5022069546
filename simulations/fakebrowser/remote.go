package fakebrowser

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// objectStore holds what clients got object ids for, per renderer.
type objectStore struct {
	made int
	refs map[string]remoteRef
}

type remoteRef struct {
	realm *realm
	value goja.Value
	group string
}

const maxRemoteObjects = 20_000

func (s *objectStore) add(r *realm, v goja.Value, group string) string {
	if s.refs == nil || len(s.refs) >= maxRemoteObjects {
		s.refs = map[string]remoteRef{}
	}
	s.made++
	id := fmt.Sprintf("%d.%d.%d", r.doc.proc.unique, r.id, s.made)
	s.refs[id] = remoteRef{realm: r, value: v, group: group}
	return id
}

// remoteOptions say how a value is told.
type remoteOptions struct {
	byValue bool
	preview bool
	group   string
	stack   []object // of an error that was thrown
}

// jsString writes a string as CDP does: lone surrogates stay, escaped.
type jsString struct{ v goja.String }

// MarshalJSON escapes what is not valid Unicode.
func (s jsString) MarshalJSON() ([]byte, error) {
	plain := s.v.String()
	if !strings.ContainsRune(plain, '\ufffd') {
		return encode(plain), nil
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range s.v.Length() {
		switch c := s.v.CharAt(i); {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(byte(c))
		case c < 0x20 || c > 0x7e:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(byte(c))
		}
	}
	b.WriteByte('"')
	return []byte(b.String()), nil
}

// remote is Runtime.RemoteObject of a value.
func (r *realm) remote(v goja.Value, opt remoteOptions) object {
	switch {
	case v == nil || goja.IsUndefined(v):
		return object{"type", "undefined"}
	case goja.IsNull(v):
		return object{"type", "object", "subtype", "null", "value", nil}
	}
	if o, ok := v.(*goja.Object); ok {
		return r.remoteObject(o, opt)
	}
	if sym, ok := v.(*goja.Symbol); ok {
		return object{"type", "symbol", "description", "Symbol(" + sym.String() + ")", "objectId", r.keep(v, opt)}
	}
	if s, ok := v.(goja.String); ok {
		return object{"type", "string", "value", jsString{s}}
	}
	switch x := v.Export().(type) {
	case bool:
		return object{"type", "boolean", "value", x}
	case int64:
		return object{"type", "number", "value", x, "description", strconv.FormatInt(x, 10)}
	case float64:
		return remoteFloat(x, v.String())
	case string:
		return object{"type", "string", "value", x}
	}
	return object{"type", "bigint", "unserializableValue", v.String() + "n", "description", v.String() + "n"}
}

func remoteFloat(x float64, text string) object {
	switch {
	case x == 0 && math.Signbit(x):
		return object{"type", "number", "unserializableValue", "-0", "description", "-0"}
	case math.IsNaN(x) || math.IsInf(x, 0):
		return object{"type", "number", "unserializableValue", text, "description", text}
	}
	return object{"type", "number", "value", x, "description", text}
}

func (r *realm) keep(v goja.Value, opt remoteOptions) string {
	return r.doc.proc.objects.add(r, v, opt.group)
}

// remoteObject tells an object: by id, or by value.
func (r *realm) remoteObject(o *goja.Object, opt remoteOptions) object {
	kind, subtype, class, description := r.describe(o, opt)
	if opt.byValue && kind == "object" && subtype != "error" {
		text, err := r.jsonOf(o)
		if err == nil {
			return object{"type", "object", "value", text}
		}
	}
	out := object{"type", kind}
	if subtype != "" {
		out = append(out, "subtype", subtype)
	}
	out = append(out, "className", class, "description", description, "objectId", r.keep(o, opt))
	if opt.preview && kind == "object" {
		out = append(out, "preview", r.preview(o, subtype, description))
	}
	return out
}

// describe names an object in V8's words.
func (r *realm) describe(o *goja.Object, opt remoteOptions) (kind, subtype, class, description string) {
	class = r.className(o)
	if n := r.nodes[o]; n != nil {
		name := n.tag
		if n.kind == documentNode {
			name = "#document"
		}
		return "object", "node", class, name
	}
	if _, ok := r.frames[o]; ok || o == r.vm.GlobalObject() {
		return "object", "", "Window", "Window"
	}
	if _, ok := goja.AssertFunction(o); ok {
		return "function", "", "Function", cut(r.text(o), 4096)
	}
	switch o.ClassName() {
	case "Array":
		return "object", "array", class, fmt.Sprintf("Array(%d)", r.length(o))
	case "Error":
		return "object", "error", class, r.errorText(o, opt.stack)
	case "Date":
		return "object", "date", class, r.text(o)
	case "RegExp":
		return "object", "regexp", class, r.text(o)
	case "Map", "Set", "WeakMap", "WeakSet":
		return "object", strings.ToLower(o.ClassName()), class, fmt.Sprintf("%s(%d)", o.ClassName(), r.size(o))
	}
	if isPromise(o) {
		return "object", "promise", class, "Promise"
	}
	if r.isError(o) {
		return "object", "error", class, r.errorText(o, opt.stack)
	}
	return "object", "", class, class
}

// quietly runs f and swallows what a getter of the page throws.
func (r *realm) quietly(f func()) {
	_, _ = r.enter(func() (goja.Value, error) { // a getter of the page may throw
		if ex := r.vm.Try(f); ex != nil {
			return nil, ex
		}
		return nil, nil
	})
}

func (r *realm) get(o *goja.Object, key string) (v goja.Value) {
	r.quietly(func() { v = o.Get(key) })
	return v
}

func (r *realm) text(o *goja.Object) (s string) {
	r.quietly(func() { s = o.String() })
	return s
}

func (r *realm) length(o *goja.Object) int64 {
	if v := r.get(o, "length"); v != nil {
		return v.ToInteger()
	}
	return 0
}

func (r *realm) size(o *goja.Object) int64 {
	if v := r.get(o, "size"); v != nil {
		return v.ToInteger()
	}
	return 0
}

func (r *realm) isError(o *goja.Object) (is bool) {
	r.quietly(func() {
		ctor, ok := r.vm.GlobalObject().Get("Error").(*goja.Object)
		is = ok && r.vm.InstanceOf(o, ctor)
	})
	return is
}

// className is the name of the object's constructor.
func (r *realm) className(o *goja.Object) string {
	name := ""
	r.quietly(func() {
		if c, ok := o.Get("constructor").(*goja.Object); ok {
			if v := c.Get("name"); v != nil {
				name = v.String()
			}
		}
	})
	if name == "" {
		return "Object"
	}
	return cut(name, 256)
}

// errorText is "Name: message" and the stack in V8's form.
func (r *realm) errorText(o *goja.Object, stack []object) string {
	head := r.text(o)
	if stack == nil {
		return head
	}
	var b strings.Builder
	b.WriteString(cut(head, 16<<10))
	for _, f := range stack {
		where := fmt.Sprintf("%s:%d:%d", orAnonymous(f.text("url")), f.number("lineNumber")+1, f.number("columnNumber")+1)
		if name := f.text("functionName"); name != "" {
			fmt.Fprintf(&b, "\n    at %s (%s)", name, where)
		} else {
			fmt.Fprintf(&b, "\n    at %s", where)
		}
	}
	return b.String()
}

func orAnonymous(url string) string {
	if url == "" {
		return "<anonymous>"
	}
	return url
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

// preview is the first few properties of an object.
func (r *realm) preview(o *goja.Object, subtype, description string) object {
	props := []object{}
	overflow := false
	var keys []string
	r.quietly(func() { keys = o.Keys() })
	for _, k := range keys {
		if len(props) == 5 {
			overflow = true
			break
		}
		v := r.remote(r.get(o, k), remoteOptions{})
		shown := v.text("description")
		if v.text("type") == "string" {
			shown = cut(r.get(o, k).String(), 100)
		} else if shown == "" {
			shown = fmt.Sprint(v.text("type"))
		}
		props = append(props, object{"name", cut(k, 100), "type", v.text("type"), "value", shown})
	}
	out := object{"type", "object"}
	if subtype != "" {
		out = append(out, "subtype", subtype)
	}
	return append(out, "description", description, "overflow", overflow, "properties", props)
}

// jsonOf is an object by value.
func (r *realm) jsonOf(v goja.Value) (json.RawMessage, error) {
	out, err := r.call(r.stringify, goja.Undefined(), v)
	if err != nil {
		return nil, err
	}
	if goja.IsUndefined(out) {
		return json.RawMessage("{}"), nil
	}
	return json.RawMessage(out.String()), nil
}
