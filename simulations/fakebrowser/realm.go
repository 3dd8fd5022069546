package fakebrowser

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// realm is one script context of a document: the page's own, or an isolated
// world. It has a script engine of its own; values cross to other realms
// through a membrane.
type realm struct {
	b        *Browser
	doc      *document
	vm       *goja.Runtime
	id       int
	unique   string
	world    string // name of an isolated world
	isolated bool

	wrappers map[*node]*goja.Object
	nodes    map[*goja.Object]*node
	windows  map[*frame]*goja.Object
	frames   map[*goja.Object]*frame
	abroad   map[*goja.Object]foreign // proxies here, by what they stand for
	imported map[foreign]*goja.Object // the other way round
	xhrs     map[*goja.Object]*xhr
	timers   map[int]*timer
	timerSeq int
	nesting  int            // of the timer callback that runs
	hears    map[string]int // listeners on the window, by type

	fire      goja.Callable
	protoOf   goja.Callable
	exception goja.Callable
	stringify goja.Callable
	xhrDone   goja.Callable
	xhrShow   goja.Callable
	protos    *goja.Object

	depth    int // calls into the engine that are under way
	looks    int // how often this turn looked at the clock
	rejected []*goja.Promise
}

// foreign is an object of another realm.
type foreign struct {
	realm *realm
	obj   *goja.Object
}

// context makes the document's own script context if it has none, and tells
// of it. Its engine comes with the first script.
func (d *document) context() *realm {
	if r := d.main(); r != nil {
		return r
	}
	r := d.newRealm("", false)
	d.realms = append([]*realm{r}, d.realms...)
	r.tellCreated()
	return r
}

// ensureRealm is context with the engine running.
func (d *document) ensureRealm() *realm { return d.context().up() }

// world is the isolated world of the name, made if need be.
func (d *document) worldNamed(name string) *realm {
	for _, r := range d.realms {
		if r.isolated && r.world == name && name != "" {
			return r
		}
	}
	d.context()
	r := d.newRealm(name, true)
	d.realms = append(d.realms, r)
	r.tellCreated()
	return r
}

func (d *document) newRealm(world string, isolated bool) *realm {
	d.proc.contexts++
	return &realm{b: d.b, doc: d, id: d.proc.contexts, unique: d.b.ids.unique(), world: world, isolated: isolated,
		wrappers: map[*node]*goja.Object{}, nodes: map[*goja.Object]*node{}, windows: map[*frame]*goja.Object{},
		frames: map[*goja.Object]*frame{}, abroad: map[*goja.Object]foreign{}, imported: map[foreign]*goja.Object{},
		xhrs: map[*goja.Object]*xhr{}, timers: map[int]*timer{}, hears: map[string]int{}}
}

// up starts the realm's engine if it does not run yet.
func (r *realm) up() *realm {
	if r.vm != nil {
		return r
	}
	r.vm = goja.New()
	r.b.mu.Lock()
	r.b.vms[r.vm] = struct{}{}
	r.b.mu.Unlock()
	seed := uint64(r.id)
	r.vm.SetRandSource(func() float64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return float64(seed>>11) / (1 << 53)
	})
	r.vm.SetTimeSource(r.now)
	r.vm.SetMaxCallStackSize(2_000)
	r.vm.SetPromiseRejectionTracker(func(p *goja.Promise, op goja.PromiseRejectionOperation) {
		if op == goja.PromiseRejectionReject {
			r.rejected = append(r.rejected, p)
			r.doc.proc.rejections = append(r.doc.proc.rejections, r)
		} else {
			r.rejected = slices.DeleteFunc(r.rejected, func(o *goja.Promise) bool { return o == p })
		}
	})
	r.install()
	return r
}

// install puts the window's contents into a fresh engine.
func (r *realm) install() {
	host := r.vm.NewObject()
	root := r.vm.NewObject()
	r.wrappers[r.doc.root], r.nodes[root] = root, r.doc.root
	named := r.vm.NewDynamicObject(&namedAccess{r})
	set := func(o *goja.Object, name string, f func(goja.FunctionCall) goja.Value) {
		r.check(o.Set(name, f))
	}
	set(host, "op", r.op)
	set(host, "guard", r.guard)
	r.check(host.Set("document", root))
	r.check(host.Set("named", named))
	r.check(host.Set("userAgent", userAgent))
	v, err := r.vm.RunProgram(r.b.scripts.program)
	r.check(err)
	start, ok := goja.AssertFunction(v)
	if !ok {
		r.b.fault(errors.New("fakebrowser: the prelude is no function"))
		return
	}
	r.installNatives()
	out, err := start(goja.Undefined(), host)
	r.check(err)
	if err != nil {
		return
	}
	api := out.ToObject(r.vm)
	for name, into := range map[string]*goja.Callable{"fire": &r.fire, "proto": &r.protoOf,
		"exception": &r.exception, "stringify": &r.stringify, "xhrDone": &r.xhrDone, "xhrShow": &r.xhrShow} {
		*into, _ = goja.AssertFunction(api.Get(name))
	}
	r.protos = api.Get("protos").ToObject(r.vm)
}

func (r *realm) check(err error) {
	if err != nil {
		r.b.fault(fmt.Errorf("fakebrowser: a window could not be set up: %w", err))
	}
}

// tellCreated tells the sessions that have the Runtime domain on.
func (r *realm) tellCreated() {
	if !r.doc.inCache() {
		r.doc.frame.local().runtimeEvent("Runtime.executionContextCreated", object{"context", r.json()})
	}
}

func (r *realm) json() object {
	kind, isDefault := "default", true
	if r.isolated {
		kind, isDefault = "isolated", false
	}
	return object{"id", r.id, "origin", r.doc.origin.wire(), "name", r.world, "uniqueId", r.unique,
		"auxData", object{"isDefault", isDefault, "type", kind, "frameId", r.doc.frame.id}}
}

// retire ends the realm: its timers do not fire, its engine stops.
func (r *realm) retire() {
	for _, t := range r.timers {
		t.stop()
	}
	r.timers = map[int]*timer{}
	if r.vm != nil {
		r.b.mu.Lock()
		delete(r.b.vms, r.vm)
		r.b.mu.Unlock()
	}
}

// adopt takes over the realms of the empty document that this one replaces.
func (d *document) adopt(old *document) {
	d.realms = old.realms
	for _, r := range d.realms {
		r.doc = d
		root := r.wrappers[old.root]
		if root == nil {
			continue
		}
		delete(r.wrappers, old.root)
		r.wrappers[d.root] = root
		r.nodes[root] = d.root
	}
}

// now is the time that scripts see. A script that looks again and again
// waits for it to pass: its renderer is busy until the clock moves.
func (r *realm) now() time.Time {
	if r.looks++; r.looks > 2_000 && r.doc.proc.running && !r.doc.proc.dead {
		r.looks = 1_000
		w := &block{why: "busy"}
		r.b.after(time.Millisecond, func() { w.done = true })
		if !r.doc.proc.wait(w) {
			r.unwind()
		}
	}
	return r.b.clock.Now()
}

// unwind makes the engine leave the script at once.
func (r *realm) unwind() { r.vm.Interrupt(errKilled) }

// enter calls into the engine. What the script throws is returned; when the
// renderer was killed it is errKilled.
func (r *realm) enter(f func() (goja.Value, error)) (goja.Value, error) {
	if r.doc.proc.dead {
		return nil, errKilled
	}
	if r.depth == 0 {
		r.looks = 0
	}
	r.depth++
	v, err := f()
	r.depth--
	var stop *goja.InterruptedError
	if errors.As(err, &stop) {
		if r.doc.proc.dead || r.depth > 0 {
			return nil, errKilled
		}
		r.vm.ClearInterrupt()
		return nil, errKilled
	}
	return v, err
}

// call calls a function of the realm.
func (r *realm) call(f goja.Callable, this goja.Value, args ...goja.Value) (goja.Value, error) {
	return r.enter(func() (goja.Value, error) { return f(this, args...) })
}

// guard runs a callback of the prelude and reports what it throws, as an
// event listener's exception is reported.
func (r *realm) guard(c goja.FunctionCall) goja.Value {
	f, ok := goja.AssertFunction(c.Argument(0))
	if !ok {
		return goja.Undefined()
	}
	v, err := r.call(f, goja.Undefined())
	if err != nil {
		r.report(err)
		if errors.Is(err, errKilled) {
			r.unwind()
		}
		return goja.Undefined()
	}
	return v
}

// report tells of an exception that nobody caught.
func (r *realm) report(err error) {
	if err == nil || errors.Is(err, errKilled) {
		return
	}
	r.throwEvent(r.details(err, "Uncaught"))
}

// fireAt fires an event at an object of the realm and reports what the
// prelude's fire says.
func (r *realm) fireAt(target goja.Value, kind string, init map[string]any) bool {
	args := []goja.Value{target, r.vm.ToValue(kind)}
	if init != nil {
		o := r.vm.NewObject()
		for k, v := range init {
			r.check(o.Set(k, v))
		}
		args = append(args, o)
	}
	v, err := r.call(r.fire, goja.Undefined(), args...)
	if err != nil {
		r.report(err)
		return false
	}
	return v.ToBoolean()
}

// fireWindow fires an event at the window, in every realm that listens.
func (d *document) fireWindow(kind string) {
	for _, r := range slices.Clone(d.realms) {
		if r.hears[kind] > 0 {
			r.fireAt(r.vm.GlobalObject(), kind, nil)
		}
	}
}

// fireBeforeUnload reports whether a handler objects.
func (d *document) fireBeforeUnload() bool {
	objects := false
	for _, r := range slices.Clone(d.realms) {
		if r.hears["beforeunload"] > 0 && r.fireAt(r.vm.GlobalObject(), "beforeunload", nil) {
			objects = true
		}
	}
	return objects
}

// listens reports whether the window or document has a listener of the type.
func (d *document) listens(kind string) bool {
	return slices.ContainsFunc(d.realms, func(r *realm) bool { return r.hears[kind] > 0 })
}

// hearsUnload reports whether a document below the frame wants to know that
// it goes.
func (d *document) hearsUnload() bool {
	found := false
	d.frame.walk(func(f *frame) {
		for _, k := range []string{"pagehide", "visibilitychange", "unload"} {
			found = found || f.doc.listens(k)
		}
	})
	return found
}

// namedAccess lets scripts reach frames and elements as properties of the
// window.
type namedAccess struct{ r *realm }

func (n *namedAccess) Get(key string) goja.Value {
	d := n.r.doc
	for i, k := range d.kids {
		if key == fmt.Sprint(i) || k.name == key && key != "" {
			return n.r.window(k)
		}
	}
	if strings.HasPrefix(key, "__") || key == "" {
		return nil
	}
	if e := d.root.byID(key); e != nil {
		return n.r.wrap(e)
	}
	return nil
}

func (n *namedAccess) Set(string, goja.Value) bool { return false }
func (n *namedAccess) Has(key string) bool         { return n.Get(key) != nil }
func (n *namedAccess) Delete(string) bool          { return true }
func (n *namedAccess) Keys() []string              { return nil }
