package fakebrowser

import (
	"errors"
	"fmt"

	"github.com/dop251/goja"
)

// window is what a script of the realm holds of a frame: its own global
// object, or a proxy that follows the frame through navigations.
func (r *realm) window(f *frame) goja.Value {
	if f == r.doc.frame && !r.isolated {
		return r.vm.GlobalObject()
	}
	if o := r.windows[f]; o != nil {
		return o
	}
	w := &windowProxy{r, f}
	p := r.vm.ToValue(r.vm.NewProxy(r.vm.NewObject(), &goja.ProxyTrapConfig{
		Get:    func(_ *goja.Object, key string, _ goja.Value) goja.Value { return w.get(key) },
		GetIdx: func(_ *goja.Object, i int, _ goja.Value) goja.Value { return w.get(fmt.Sprint(i)) },
		GetSym: func(_ *goja.Object, key *goja.Symbol, _ goja.Value) goja.Value {
			if key == goja.SymToStringTag {
				return r.vm.ToValue("Window")
			}
			return goja.Undefined()
		},
		Set: func(_ *goja.Object, key string, v goja.Value, _ goja.Value) bool { return w.set(key, v) },
		Has: func(_ *goja.Object, key string) bool { return w.has(key) },
	})).(*goja.Object)
	r.windows[f], r.frames[p] = p, f
	return p
}

// windowProxy is the window of another frame.
type windowProxy struct {
	r *realm
	f *frame
}

// open is the realm behind the proxy when the script may look into it.
func (w *windowProxy) open() *realm {
	d := w.f.doc
	if d == nil || d.origin != w.r.doc.origin || d.proc != w.r.doc.proc {
		return nil
	}
	if m := d.main(); d.dead && m == nil {
		return nil // a closed window can be looked into if it ever had scripts
	}
	return d.ensureRealm()
}

func (w *windowProxy) get(key string) goja.Value {
	r, f := w.r, w.f
	switch key {
	case "closed":
		return r.vm.ToValue(f.removed || f.page.closed)
	case "window", "self", "frames":
		return r.window(f)
	case "parent":
		if f.parent != nil {
			return r.window(f.parent)
		}
		return r.window(f)
	case "top":
		return r.window(f.page.main)
	case "length":
		return r.vm.ToValue(len(f.doc.kids))
	case "postMessage":
		return r.vm.ToValue(func(c goja.FunctionCall) goja.Value { return r.post(f, c) })
	case "close":
		return r.vm.ToValue(func(goja.FunctionCall) goja.Value {
			r.b.closeByScript(f)
			return goja.Undefined()
		})
	case "focus", "blur":
		return r.vm.ToValue(func(goja.FunctionCall) goja.Value { return goja.Undefined() })
	}
	if to := w.open(); to != nil {
		if key == "toString" {
			return r.vm.ToValue(func(goja.FunctionCall) goja.Value { return r.vm.ToValue("[object Window]") })
		}
		var v goja.Value
		err := to.vm.Try(func() { v = to.vm.GlobalObject().Get(key) })
		if err != nil {
			r.rethrow(to, err)
		}
		return r.bring(to, v)
	}
	for i, k := range f.doc.kids {
		if key == fmt.Sprint(i) {
			return r.window(k)
		}
	}
	switch key {
	case "then":
		return goja.Undefined()
	case "opener":
		return goja.Null()
	case "location":
		return r.foreignLocation(f)
	}
	r.denied("Window", key)
	return nil
}

// denied throws what a cross-origin access throws.
func (r *realm) denied(class, key string) {
	r.throwDOM("SecurityError", fmt.Sprintf("Failed to read a named property '%s' from '%s': Blocked a frame with origin \"%s\" from accessing a cross-origin frame.",
		key, class, r.doc.origin))
}

func (w *windowProxy) set(key string, v goja.Value) bool {
	if key == "location" {
		w.r.b.scriptNavigate(w.r.doc, w.f, v.String(), false, "scriptInitiated")
		return true
	}
	to := w.open()
	if to == nil {
		w.r.denied("Window", key)
	}
	return to.vm.GlobalObject().Set(key, to.bring(w.r, v)) == nil
}

func (w *windowProxy) has(key string) bool {
	if to := w.open(); to != nil {
		return to.vm.GlobalObject().Get(key) != nil
	}
	return key == "location" || key == "postMessage"
}

// foreignLocation is the location of a cross-origin window: it can be set,
// not read.
func (r *realm) foreignLocation(f *frame) goja.Value {
	o := r.vm.NewObject()
	deny := r.vm.ToValue(func(goja.FunctionCall) goja.Value {
		r.denied("Location", "href")
		return nil
	})
	set := r.vm.ToValue(func(c goja.FunctionCall) goja.Value {
		r.b.scriptNavigate(r.doc, f, c.Argument(0).String(), false, "scriptInitiated")
		return goja.Undefined()
	})
	r.check(o.DefineAccessorProperty("href", deny, set, goja.FLAG_FALSE, goja.FLAG_TRUE))
	r.check(o.Set("replace", set))
	r.check(o.Set("toString", deny))
	return o
}

// contentDocument is the document in an iframe, null across origins.
func (r *realm) contentDocument(n *node) goja.Value {
	if n.frame == nil {
		return goja.Null()
	}
	d := n.frame.doc
	if d.origin != r.doc.origin || d.proc != r.doc.proc {
		return goja.Null()
	}
	to := d.ensureRealm()
	return r.bring(to, to.vm.GlobalObject().Get("document"))
}

// bring makes a value of another realm usable in this one: primitives as
// they are, objects as proxies that go back to what they stand for.
func (r *realm) bring(from *realm, v goja.Value) goja.Value {
	if from == r || v == nil {
		return v
	}
	o, ok := v.(*goja.Object)
	if !ok {
		return v
	}
	if own, ok := from.abroad[o]; ok && own.realm == r {
		return own.obj
	}
	if f := from.frames[o]; f != nil {
		return r.window(f)
	}
	if o == from.vm.GlobalObject() {
		return r.window(from.doc.frame)
	}
	at := foreign{from, o}
	if p := r.imported[at]; p != nil {
		return p
	}
	p := r.stand(at)
	r.imported[at], r.abroad[p] = p, at
	return p
}

// stand makes the proxy for an object of another realm.
func (r *realm) stand(at foreign) *goja.Object {
	from, o := at.realm, at.obj
	target := r.vm.NewObject()
	traps := &goja.ProxyTrapConfig{}
	get := func(read func() goja.Value) goja.Value {
		var v goja.Value
		if ex := from.vm.Try(func() { v = read() }); ex != nil {
			r.rethrow(from, ex)
		}
		return r.bring(from, v)
	}
	traps.Get = func(_ *goja.Object, key string, _ goja.Value) goja.Value {
		return get(func() goja.Value { return o.Get(key) })
	}
	traps.GetIdx = func(_ *goja.Object, i int, _ goja.Value) goja.Value {
		return get(func() goja.Value { return o.Get(fmt.Sprint(i)) })
	}
	traps.GetSym = func(_ *goja.Object, key *goja.Symbol, _ goja.Value) goja.Value {
		return get(func() goja.Value { return o.GetSymbol(key) })
	}
	traps.Set = func(_ *goja.Object, key string, v goja.Value, _ goja.Value) bool {
		return r.setAbroad(from, func() error { return o.Set(key, from.bring(r, v)) })
	}
	traps.SetIdx = func(_ *goja.Object, i int, v goja.Value, _ goja.Value) bool {
		return r.setAbroad(from, func() error { return o.Set(fmt.Sprint(i), from.bring(r, v)) })
	}
	traps.Has = func(_ *goja.Object, key string) bool { return o.Get(key) != nil }
	traps.DeleteProperty = func(_ *goja.Object, key string) bool { return o.Delete(key) == nil }
	if f, ok := goja.AssertFunction(o); ok {
		target = r.vm.ToValue(func(goja.FunctionCall) goja.Value { return goja.Undefined() }).(*goja.Object)
		traps.Apply = func(_ *goja.Object, this goja.Value, args []goja.Value) goja.Value {
			out := make([]goja.Value, len(args))
			for i, a := range args {
				out[i] = from.bring(r, a)
			}
			v, err := from.call(f, from.thisFor(r, this), out...)
			if err != nil {
				r.rethrow(from, err)
			}
			return r.bring(from, v)
		}
		traps.Construct = func(_ *goja.Object, args []goja.Value, _ *goja.Object) *goja.Object {
			out := make([]goja.Value, len(args))
			for i, a := range args {
				out[i] = from.bring(r, a)
			}
			v, err := from.vm.New(o, out...)
			if err != nil {
				r.rethrow(from, err)
			}
			made, _ := r.bring(from, v).(*goja.Object)
			return made
		}
	} else if o.ClassName() == "Array" {
		target = r.vm.NewArray()
	}
	p, _ := r.vm.ToValue(r.vm.NewProxy(target, traps)).(*goja.Object)
	return p
}

// thisFor is the receiver of a call into this realm: a window stands for the
// global object.
func (r *realm) thisFor(from *realm, this goja.Value) goja.Value {
	v := r.bring(from, this)
	if o, ok := v.(*goja.Object); ok && r.frames[o] == r.doc.frame {
		return r.vm.GlobalObject()
	}
	return v
}

func (r *realm) setAbroad(from *realm, set func() error) bool {
	err := set()
	if errors.Is(err, errKilled) {
		r.unwind()
	}
	return err == nil
}

// rethrow passes on what a call into another realm threw. It does not return
// unless the renderer was killed.
func (r *realm) rethrow(from *realm, err error) {
	var stop *goja.InterruptedError
	if errors.Is(err, errKilled) || errors.As(err, &stop) {
		r.unwind()
		return
	}
	var ex *goja.Exception
	if errors.As(err, &ex) {
		panic(r.bring(from, ex.Value()))
	}
	r.throw("Error", "%s", err.Error())
}

// postToSelf is window.postMessage on the window itself.
func (r *realm) postToSelf(c goja.FunctionCall) goja.Value { return r.post(r.doc.frame, c) }

// post sends a message to a frame. It crosses as JSON.
func (r *realm) post(to *frame, c goja.FunctionCall) goja.Value {
	var raw []byte
	if v := c.Argument(0); !goja.IsUndefined(v) {
		text, err := r.jsonOf(v)
		if err != nil {
			r.throwDOM("DataCloneError", "The object could not be cloned.")
		}
		raw = text
	}
	want := "/"
	if v := c.Argument(1); !goja.IsUndefined(v) {
		if o, ok := v.(*goja.Object); ok {
			if t := o.Get("targetOrigin"); t != nil {
				want = t.String()
			}
		} else {
			want = v.String()
		}
	}
	from, origin := r.doc.frame, r.doc.origin.String()
	d := to.doc
	deliver := func() {
		d := to.doc
		if to.removed || d.dead || want != "*" && want != "/" && want != d.origin.String() {
			return
		}
		for _, t := range d.realms {
			if t.hears["message"] == 0 {
				continue
			}
			data := goja.Undefined()
			if raw != nil {
				if v, err := t.parseJSON(raw); err == nil {
					data = v
				}
			}
			t.fireAt(t.vm.GlobalObject(), "message", map[string]any{"data": data, "origin": origin, "source": t.window(from)})
		}
	}
	if d.proc == r.doc.proc {
		d.later(deliver)
	} else {
		r.b.post(func() { to.doc.later(deliver) })
	}
	return goja.Undefined()
}
