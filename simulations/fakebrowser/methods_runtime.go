package fakebrowser

import (
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/dop251/goja"
)

// runtimeMethods is the Runtime domain. What ends with the document is
// answered with an error when a commit comes first.
func runtimeMethods() map[string]method {
	ending := func(f func(c *command)) method { return method{on: onTargets, renderer: f, ends: true} }
	return map[string]method{
		"Runtime.enable":             inRenderer(runtimeEnable),
		"Runtime.disable":            inRenderer(runtimeDisable),
		"Runtime.evaluate":           ending(evaluate),
		"Runtime.callFunctionOn":     ending(callFunctionOn),
		"Runtime.awaitPromise":       ending(awaitPromise),
		"Runtime.getProperties":      inRenderer(getProperties),
		"Runtime.releaseObject":      inRenderer(releaseObject),
		"Runtime.releaseObjectGroup": inRenderer(releaseObjectGroup),
		"Runtime.discardConsoleEntries": inRenderer(func(c *command) {
			delete(c.s.target.process().consoles, c.s.target)
			c.reply(nil)
		}),
		"Runtime.getIsolateId": inRenderer(func(c *command) {
			c.reply(object{"id", c.s.target.process().unique})
		}),
		"Runtime.setAsyncCallStackDepth": inRenderer(func(c *command) { c.reply(nil) }),
	}
}

// runtimeEnable tells of the contexts that there are and replays the console,
// unless it was on already.
func runtimeEnable(c *command) {
	s := c.s
	if s.runtimeOn || s.target.next != nil {
		s.runtimeOn = true
		c.reply(nil)
		return
	}
	s.target.frame.walkLocal(func(f *frame) {
		if !f.doc.initial || f.parent == nil {
			f.doc.context()
		}
	})
	s.runtimeOn = true
	s.reportContexts()
	if log := s.target.process().consoles[s.target]; log != nil {
		for _, l := range slices.Clone(log.lines) {
			s.event(l.method, l.params(false))
		}
	}
	c.reply(nil)
}

func runtimeDisable(c *command) {
	c.s.runtimeOn = false
	c.reply(nil)
}

// reportContexts tells of the contexts of the target, newest first.
func (s *session) reportContexts() {
	var all []*realm
	s.target.frame.walkLocal(func(f *frame) { all = append(all, f.doc.realms...) })
	slices.SortFunc(all, func(a, b *realm) int { return b.id - a.id })
	for _, r := range all {
		s.event("Runtime.executionContextCreated", object{"context", r.json()})
	}
}

type evaluateParams struct {
	Expression string  `json:"expression"`
	ContextID  int     `json:"contextId"`
	UniqueID   string  `json:"uniqueContextId"`
	ByValue    bool    `json:"returnByValue"`
	Await      bool    `json:"awaitPromise"`
	Gesture    bool    `json:"userGesture"`
	Preview    bool    `json:"generatePreview"`
	Group      string  `json:"objectGroup"`
	Silent     bool    `json:"silent"`
	Timeout    float64 `json:"timeout"`
}

// contextOf finds the realm that a command names; it answers when there is
// none.
func (c *command) contextOf(id int, unique string) *realm {
	t := c.s.target
	switch {
	case id != 0 && unique != "":
		c.fail(codeInvalidParams, "contextId and uniqueContextId are mutually exclusive")
		return nil
	case id == 0 && unique == "":
		if t.next != nil {
			c.fail(codeServer, "Cannot find default execution context")
			return nil
		}
		return t.frame.doc.ensureRealm()
	}
	var found *realm
	if t.next == nil {
		t.frame.walkLocal(func(f *frame) {
			for _, r := range f.doc.realms {
				if id != 0 && r.id == id || unique != "" && r.unique == unique {
					found = r
				}
			}
		})
	}
	switch {
	case found != nil:
		return found.up()
	case unique != "":
		c.fail(codeInvalidParams, "invalid uniqueContextId")
	default:
		c.fail(codeServer, "Cannot find context with specified id")
	}
	return nil
}

func evaluate(c *command) {
	var p evaluateParams
	if !c.bind(&p, "expression") {
		return
	}
	r := c.contextOf(p.ContextID, p.UniqueID)
	if r == nil {
		return
	}
	if p.Gesture {
		r.doc.activate()
	}
	v, err := r.run("", p.Expression, 1, 0)
	c.settle(r, v, err, p.Await, remoteOptions{byValue: p.ByValue, preview: p.Preview, group: p.Group})
}

// settle answers with a value, or with what its promise comes to.
func (c *command) settle(r *realm, v goja.Value, err error, await bool, opt remoteOptions) {
	o, ok := v.(*goja.Object)
	if !await || err != nil || !ok || !isPromise(o) {
		c.replyValue(r, v, err, opt)
		return
	}
	then, ok := goja.AssertFunction(o.Get("then"))
	if !ok {
		c.replyValue(r, v, nil, opt)
		return
	}
	_, err = r.call(then, o,
		r.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			c.replyValue(r, f.Argument(0), nil, opt)
			return goja.Undefined()
		}),
		r.vm.ToValue(func(f goja.FunctionCall) goja.Value {
			why := f.Argument(0)
			e := exceptionDetails{realm: r, text: "Uncaught (in promise)", value: why}
			if x, ok := why.(*goja.Object); ok {
				e.text += " " + r.text(x)
			}
			c.replyException(r, e, opt)
			return goja.Undefined()
		}))
	if err != nil {
		c.replyValue(r, nil, err, opt)
	}
}

func isPromise(o *goja.Object) bool {
	_, ok := o.Export().(*goja.Promise)
	return ok
}

func (c *command) replyValue(r *realm, v goja.Value, err error, opt remoteOptions) {
	if err != nil {
		switch {
		case r.doc.proc.dead:
			return
		case errors.Is(err, errKilled):
			c.fail(codeServer, "Execution was terminated")
			return
		}
		c.replyException(r, r.details(err, "Uncaught"), opt)
		return
	}
	if opt.byValue {
		if o, ok := v.(*goja.Object); ok {
			if _, jsonErr := r.jsonOf(o); jsonErr != nil {
				c.fail(codeServer, "Object reference chain is too long")
				return
			}
		}
	}
	c.reply(object{"result", r.remote(v, opt)})
}

func (c *command) replyException(r *realm, e exceptionDetails, opt remoteOptions) {
	opt.stack = e.stack
	opt.byValue = false
	c.reply(object{"result", r.remote(e.value, opt), "exceptionDetails", e.json(false)})
}

type callArgument struct {
	Value          json.RawMessage `json:"value"`
	Unserializable string          `json:"unserializableValue"`
	ObjectID       string          `json:"objectId"`
}

// object finds a remote object; the command is answered when there is none.
func (c *command) object(id string) (remoteRef, bool) {
	ref, ok := c.s.target.process().objects.refs[id]
	switch {
	case ok && !ref.realm.doc.dead:
		return ref, true
	case len(id) < 5 || id[0] != '-' && (id[0] < '0' || id[0] > '9'):
		c.fail(codeServer, "Invalid remote object id")
	case ok:
		c.fail(codeServer, "Cannot find context with specified id")
	default:
		c.fail(codeServer, "Could not find object with given id")
	}
	return remoteRef{}, false
}

func (c *command) argument(r *realm, a callArgument) (goja.Value, bool) {
	switch {
	case a.ObjectID != "":
		ref, ok := c.object(a.ObjectID)
		if !ok {
			return nil, false
		}
		return r.bring(ref.realm, ref.value), true
	case a.Unserializable == "NaN":
		return r.vm.ToValue(math.NaN()), true
	case a.Unserializable == "Infinity":
		return r.vm.ToValue(math.Inf(1)), true
	case a.Unserializable == "-Infinity":
		return r.vm.ToValue(math.Inf(-1)), true
	case a.Unserializable == "-0":
		return r.vm.ToValue(math.Copysign(0, -1)), true
	case len(a.Value) == 0:
		return goja.Undefined(), true
	}
	v, err := r.parseJSON(a.Value)
	if err != nil {
		return goja.Undefined(), true
	}
	return v, true
}

func callFunctionOn(c *command) {
	var p struct {
		evaluateParams
		Function  string         `json:"functionDeclaration"`
		Object    string         `json:"objectId"`
		Context   int            `json:"executionContextId"`
		Arguments []callArgument `json:"arguments"`
	}
	if !c.bind(&p, "functionDeclaration") {
		return
	}
	var r *realm
	this := goja.Undefined()
	switch {
	case p.Object != "":
		ref, ok := c.object(p.Object)
		if !ok {
			return
		}
		r, this = ref.realm, ref.value
	case p.Context != 0 || p.UniqueID != "":
		if r = c.contextOf(p.Context, p.UniqueID); r == nil {
			return
		}
	default:
		c.fail(codeInvalidParams, "Either objectId or executionContextId or uniqueContextId must be specified")
		return
	}
	if p.Gesture {
		r.doc.activate()
	}
	opt := remoteOptions{byValue: p.ByValue, preview: p.Preview, group: p.Group}
	fv, err := r.run("", "("+p.Function+"\n)", 1, 0)
	if err != nil {
		c.replyValue(r, nil, err, opt)
		return
	}
	f, ok := goja.AssertFunction(fv)
	if !ok {
		c.fail(codeServer, "Given expression does not evaluate to a function")
		return
	}
	args := make([]goja.Value, 0, len(p.Arguments))
	for _, a := range p.Arguments {
		v, ok := c.argument(r, a)
		if !ok {
			return
		}
		args = append(args, v)
	}
	v, err := r.call(f, this, args...)
	c.settle(r, v, err, p.Await, opt)
}

func awaitPromise(c *command) {
	var p struct {
		ID      string `json:"promiseObjectId"`
		ByValue bool   `json:"returnByValue"`
	}
	if !c.bind(&p, "promiseObjectId") {
		return
	}
	if ref, ok := c.object(p.ID); ok {
		c.settle(ref.realm, ref.value, nil, true, remoteOptions{byValue: p.ByValue})
	}
}

func getProperties(c *command) {
	var p struct {
		ID string `json:"objectId"`
	}
	if !c.bind(&p, "objectId") {
		return
	}
	ref, ok := c.object(p.ID)
	if !ok {
		return
	}
	props := []object{}
	if o, isObject := ref.value.(*goja.Object); isObject {
		var keys []string
		ref.realm.quietly(func() { keys = o.GetOwnPropertyNames() })
		for _, k := range keys {
			props = append(props, object{"name", k, "value", ref.realm.remote(ref.realm.get(o, k), remoteOptions{group: ref.group}),
				"writable", true, "configurable", true, "enumerable", true, "isOwn", true})
		}
	}
	c.reply(object{"result", props})
}

func releaseObject(c *command) {
	var p struct {
		ID string `json:"objectId"`
	}
	if !c.bind(&p, "objectId") {
		return
	}
	if _, ok := c.object(p.ID); ok {
		delete(c.s.target.process().objects.refs, p.ID)
		c.reply(nil)
	}
}

func releaseObjectGroup(c *command) {
	var p struct {
		Group string `json:"objectGroup"`
	}
	if !c.bind(&p, "objectGroup") {
		return
	}
	refs := c.s.target.process().objects.refs
	for id, r := range refs {
		if r.group == p.Group {
			delete(refs, id)
		}
	}
	c.reply(nil)
}
