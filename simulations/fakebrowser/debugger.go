package fakebrowser

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja"
)

// pausedScript is a script that stands at a debugger statement.
type pausedScript struct {
	realm *realm
	eval  goja.Callable // evaluates in the statement's scope
	wait  *block
	frame string // callFrameId
	outer *pausedScript
	// silent: it goes on because of a commit, which no event tells.
	silent bool
	killed bool
}

// standNoMore lets the scripts of a target go on, and stops none any more until
// the navigation has come to something: the root's document is being replaced.
func (t *target) standNoMore(n *navigation) {
	t.leaves = n
	for p := t.paused; p != nil; p = p.outer {
		p.silent, p.wait.done = true, true
	}
}

// asksToLeave is standNoMore when a script of the root's renderer has asked for
// the navigation: what stands at a statement is ended.
func (t *target) asksToLeave(n *navigation) {
	t.leaves = n
	for p := t.paused; p != nil; p = p.outer {
		p.killed, p.wait.done = true, true
	}
}

// stopAtDebugger turns debugger statements into calls that hand over an eval
// of their scope. Strings and comments are left alone.
func stopAtDebugger(src string) string {
	const word = "debugger"
	var b strings.Builder
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '"' || c == '\'' || c == '`':
			j := i + 1
			for j < len(src) && src[j] != c {
				if src[j] == '\\' {
					j++
				}
				j++
			}
			j = min(j+1, len(src))
			b.WriteString(src[i:j])
			i = j
		case strings.HasPrefix(src[i:], "//"):
			j := strings.IndexByte(src[i:], '\n')
			if j < 0 {
				j = len(src) - i
			}
			b.WriteString(src[i : i+j])
			i += j
		case strings.HasPrefix(src[i:], "/*"):
			j := strings.Index(src[i:], "*/")
			if j < 0 {
				j = len(src) - i - 2
			}
			b.WriteString(src[i : i+j+2])
			i += j + 2
		case strings.HasPrefix(src[i:], word) && (i == 0 || !isWord(src[i-1])) && (i+len(word) == len(src) || !isWord(src[i+len(word)])):
			b.WriteString("__stop__((__s)=>eval(__s))")
			i += len(word)
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '.' || c >= '0' && c <= '9' || isLetter(c)
}

// stopHere is a debugger statement: it stands still while a session has the
// Debugger domain on and does not skip the script.
func (r *realm) stopHere(c goja.FunctionCall) goja.Value {
	t := r.doc.frame.local()
	f, ok := goja.AssertFunction(c.Argument(0))
	stack := frames(r.vm.CaptureCallStack(0, nil))
	if !ok || len(stack) == 0 || r.doc.dead {
		return goja.Undefined()
	}
	if t.leaves != nil && !t.leaves.over {
		return goja.Undefined()
	}
	url := stack[0].text("url")
	var who []*session
	for _, s := range inOrder(t.sessions) {
		if s.debugging && !s.skips(url) {
			who = append(who, s)
		}
	}
	if len(who) == 0 {
		return goja.Undefined()
	}
	r.b.reqSeq++
	p := &pausedScript{realm: r, eval: f, wait: &block{nested: true, stands: true, why: "debugger"}, outer: t.paused, frame: fmt.Sprintf("%d.%d.0", r.doc.proc.unique, r.b.reqSeq)}
	t.paused = p
	calls := []object{}
	for i, s := range stack {
		id := p.frame
		if i > 0 {
			id = fmt.Sprintf("%s.%d", p.frame, i)
		}
		calls = append(calls, object{"callFrameId", id, "functionName", s.text("functionName"),
			"location", object{"scriptId", "3", "lineNumber", s.number("lineNumber"), "columnNumber", s.number("columnNumber")},
			"url", s.text("url"), "scopeChain", []object{}, "this", object{"type", "undefined"}, "canBeRestarted", false})
	}
	for _, s := range who {
		s.event("Debugger.paused", object{"callFrames", calls, "reason", "other", "hitBreakpoints", []string{}})
	}
	alive := r.doc.proc.wait(p.wait)
	t.paused = p.outer
	if alive && !p.silent {
		for _, s := range t.sessions {
			if s.debugging {
				s.event("Debugger.resumed", object{})
			}
		}
	}
	if !alive || p.killed || r.doc.dead {
		r.unwind()
	}
	return goja.Undefined()
}

// skips reports whether the session's blackbox patterns cover a script.
func (s *session) skips(url string) bool {
	for _, p := range s.blackbox {
		if re, err := regexp.Compile(p); err == nil && re.MatchString(url) {
			return true
		}
	}
	return false
}

// resumeDebugger goes on when no session debugs the target any more.
func (t *target) resumeDebugger() {
	for _, s := range t.sessions {
		if s.debugging {
			return
		}
	}
	if t.paused != nil {
		t.paused.wait.done = true
	}
}

// debuggerMethods is as much of the Debugger domain as a debugger statement
// needs.
func debuggerMethods() map[string]method {
	return map[string]method{
		"Debugger.enable":                 inRenderer(debuggerEnable),
		"Debugger.disable":                inRenderer(debuggerDisable),
		"Debugger.setBlackboxPatterns":    inRenderer(setBlackbox),
		"Debugger.evaluateOnCallFrame":    inRenderer(evaluateOnCallFrame),
		"Debugger.resume":                 inRenderer(debuggerResume),
		"Debugger.setSkipAllPauses":       inRenderer(func(c *command) { c.reply(nil) }),
		"Debugger.setAsyncCallStackDepth": inRenderer(func(c *command) { c.reply(nil) }),
	}
}

func debuggerEnable(c *command) {
	c.s.debugging = true
	r := c.s.target.process()
	c.reply(object{"debuggerId", fmt.Sprintf("%d.%d", r.unique, r.id)})
}

func debuggerDisable(c *command) {
	c.s.debugging, c.s.blackbox = false, nil
	c.s.target.resumeDebugger()
	c.reply(nil)
}

func setBlackbox(c *command) {
	var p struct {
		Patterns []string `json:"patterns"`
	}
	if !c.bind(&p, "patterns") {
		return
	}
	for _, x := range p.Patterns {
		if _, err := regexp.Compile(x); err != nil {
			c.fail(codeServer, "Pattern parser error: %s", err.Error())
			return
		}
	}
	c.s.blackbox = p.Patterns
	c.reply(nil)
}

func evaluateOnCallFrame(c *command) {
	var p struct {
		Frame      string `json:"callFrameId"`
		Expression string `json:"expression"`
		ByValue    bool   `json:"returnByValue"`
	}
	if !c.bind(&p, "callFrameId", "expression") {
		return
	}
	at := c.s.target.paused
	switch {
	case at == nil:
		c.fail(codeServer, "Can only perform operation while paused.")
		return
	case at.frame != p.Frame:
		c.fail(codeServer, "Invalid call frame id")
		return
	}
	v, err := at.realm.call(at.eval, goja.Undefined(), at.realm.vm.ToValue(p.Expression))
	c.replyValue(at.realm, v, err, remoteOptions{byValue: p.ByValue})
}

func debuggerResume(c *command) {
	at := c.s.target.paused
	if at == nil {
		c.fail(codeServer, "Can only perform operation while paused.")
		return
	}
	c.reply(nil)
	at.wait.done = true
}
