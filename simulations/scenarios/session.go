package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// session is one CDP session of a client. The browser's own has no id.
type session struct {
	c      *client
	id     string
	target string // what it is attached to, "" for the browser
}

// root is the browser's own session on the same connection.
func (s *session) root() *session { return &session{c: s.c} }

func (s *session) post(method, params string) int64 { return s.c.post(s.id, method, params) }

// call sends a command and waits for its reply.
func (s *session) call(method, params string) message {
	s.c.r.Helper()
	return s.c.reply(s.post(method, params))
}

// ok is call for a command that must not fail.
func (s *session) ok(method, params string) message {
	s.c.r.Helper()
	m := s.call(method, params)
	if m.Error != nil {
		s.c.r.Fatalf("%s: %d %s", method, m.Error.Code, m.Error.Message)
	}
	return m
}

// fails is call for a command that must fail with a text.
func (s *session) fails(method, params string, code int, text string) {
	s.c.r.Helper()
	if m := s.call(method, params); !m.failedWith(code, text) {
		s.c.r.Errorf("%s: got %s, want error %d %s", method, m.raw, code, text)
	}
}

// quote makes a JSON string.
func quote(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(out)
}

// start evaluates and does not wait.
func (s *session) start(expr string) int64 {
	return s.post("Runtime.evaluate", `{"returnByValue":true,"expression":`+quote(expr)+`}`)
}

// gesture is start with a user's gesture.
func (s *session) gesture(expr string) int64 {
	return s.post("Runtime.evaluate", `{"returnByValue":true,"userGesture":true,"expression":`+quote(expr)+`}`)
}

// value waits for an evaluation and returns the JSON of what it came to.
func (s *session) value(id int64) string {
	s.c.r.Helper()
	m := s.c.reply(id)
	if m.Error != nil {
		return "error " + m.Error.Message
	}
	var r struct {
		Result struct {
			Type  string          `json:"type"`
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	m.decode(s.c.r, &r)
	switch {
	case r.Exception != nil:
		return "throws " + r.Exception.Exception.Description
	case len(r.Result.Value) == 0:
		return r.Result.Type
	}
	return string(r.Result.Value)
}

// gives waits for an evaluation and compares.
func (s *session) gives(id int64, want string) {
	s.c.r.Helper()
	if got := s.value(id); got != want {
		s.c.r.Errorf("an evaluation gave %s, not %s", got, want)
	}
}

// eval evaluates and returns the JSON of the value.
func (s *session) eval(expr string) string {
	s.c.r.Helper()
	return s.value(s.start(expr))
}

// want evaluates and compares.
func (s *session) want(expr, want string) {
	s.c.r.Helper()
	if got := s.eval(expr); got != want {
		s.c.r.Errorf("%s = %s, want %s", expr, got, want)
	}
}

// settles evaluates a promise and compares what it comes to.
func (s *session) settles(promise, want string) {
	s.c.r.Helper()
	s.gives(s.post("Runtime.evaluate", `{"returnByValue":true,"awaitPromise":true,"expression":`+quote(promise)+`}`), want)
}

// loaded waits until the document is.
func (s *session) loaded() {
	s.c.r.Helper()
	s.settles("new Promise(done=>{if(document.readyState==='complete')done(1);else addEventListener('load',()=>done(1))})", "1")
}

// mark makes what was told until now past.
func (s *session) mark() {
	s.c.look(func() { s.c.seen[s.id] = len(s.c.all) })
}

// since are the messages of the session after the mark. The mutex is held.
func (s *session) since(keep func(line string) bool) (out []message) {
	for _, m := range s.c.all[s.c.seen[s.id]:] {
		// An error about a session that is gone has no session.
		if m.Session == s.id && keep(s.c.line(m)) {
			out = append(out, m)
		}
	}
	return out
}

// expect waits for lines in this order, and no others of their kinds between
// them. What it saw is past afterwards.
func (s *session) expect(want ...string) []message {
	s.c.r.Helper()
	kinds := map[string]bool{}
	for _, l := range want {
		kinds[kind(l)] = true
	}
	var got []message
	s.c.wait(strings.Join(want, ", "), func() bool {
		got = s.since(func(l string) bool { return kinds[kind(l)] })
		return len(got) >= len(want)
	})
	got = got[:len(want)]
	s.c.look(func() {
		for i, m := range got {
			if l := s.c.line(m); !fits(l, want[i]) {
				s.c.r.Errorf("got %q, want %q", l, want[i])
			}
		}
		s.c.seen[s.id] = got[len(got)-1].at + 1
	})
	return got
}

// await waits for a line, whatever comes before it. It and what came before
// are past afterwards.
func (s *session) await(want string) message {
	s.c.r.Helper()
	m := s.saw(want)
	s.c.look(func() { s.c.seen[s.id] = m.at + 1 })
	return m
}

// saw waits for a line and leaves the mark where it is.
func (s *session) saw(want string) message {
	s.c.r.Helper()
	var got []message
	s.c.wait(want, func() bool {
		got = s.since(func(l string) bool { return fits(l, want) })
		return len(got) > 0
	})
	return got[0]
}

// not fails if a line was told since the mark.
func (s *session) not(line string) {
	s.c.r.Helper()
	s.c.look(func() {
		if n := len(s.since(func(l string) bool { return fits(l, line) })); n > 0 {
			s.c.r.Errorf("%s was told %d times", line, n)
		}
	})
}

// count is how often a line was told since the mark.
func (s *session) count(line string) (n int) {
	s.c.look(func() { n = len(s.since(func(l string) bool { return fits(l, line) })) })
	return n
}

// children are the live sessions of frames below this one, near ones first.
func (s *session) children() (out []*session) {
	s.c.look(func() {
		level := []string{s.id}
		for len(level) > 0 {
			var next []string
			for id, up := range s.c.above {
				if slices.Contains(level, up) && id != "" {
					next = append(next, id)
				}
			}
			slices.Sort(next)
			for _, id := range next {
				out = append(out, &session{s.c, id, s.c.at[id]})
			}
			level = next
		}
	})
	return out
}

// frame waits for the session of a frame, somewhere below this one, whose URL
// ends in suffix.
func (s *session) frame(suffix string) (found *session) {
	s.c.r.Helper()
	s.c.wait("a session of the frame "+suffix, func() bool {
		for id := range s.c.above {
			if id != s.id && strings.HasSuffix(s.c.urls[s.c.at[id]], suffix) {
				found = &session{s.c, id, s.c.at[id]}
			}
		}
		return found != nil
	})
	return found
}

// tree is the frame tree as getFrameTree of this session and all below it
// tells it: a URL, and the frames in it, sorted.
func (s *session) tree() string {
	s.c.r.Helper()
	parent, urls := s.frames()
	var write func(id string) string
	write = func(id string) string {
		var kids []string
		for kid, p := range parent {
			if p == id {
				kids = append(kids, write(kid))
			}
		}
		if len(kids) == 0 {
			return urls[id]
		}
		slices.Sort(kids)
		return fmt.Sprintf("%s [%s]", urls[id], strings.Join(kids, " "))
	}
	return write(s.target)
}

// frames are parents and URLs by frame id.
func (s *session) frames() (parent, urls map[string]string) {
	s.c.r.Helper()
	parent, urls = map[string]string{}, map[string]string{}
	for _, on := range append([]*session{s}, s.children()...) {
		for id, f := range on.ownFrames() {
			parent[id], urls[id] = f.ParentID, f.URL
		}
	}
	return parent, urls
}

// frameInfo is a Page.Frame.
type frameInfo struct {
	ID, ParentID, URL, SecurityOrigin, UnreachableURL string
}

// ownFrames are the frames that the session itself lists.
func (s *session) ownFrames() map[string]frameInfo {
	s.c.r.Helper()
	return s.listed(s.ok("Page.getFrameTree", ""))
}

// listed are the frames in a reply to Page.getFrameTree.
func (s *session) listed(m message) map[string]frameInfo {
	s.c.r.Helper()
	type tree struct {
		Frame frameInfo `json:"frame"`
		Kids  []tree    `json:"childFrames"`
	}
	var r struct {
		Tree tree `json:"frameTree"`
	}
	m.decode(s.c.r, &r)
	out := map[string]frameInfo{}
	var walk func(tree)
	walk = func(t tree) {
		out[t.Frame.ID] = t.Frame
		for _, k := range t.Kids {
			walk(k)
		}
	}
	walk(r.Tree)
	return out
}
