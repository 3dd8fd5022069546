package fakebrowser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// recording is real traffic, and the pages that it was made with.
type recording struct {
	name  string
	pages map[string]string
	until float64 // seconds of the recording to compare; 0 means all
	// unpaused: frames attach unpaused, so that what their sessions tell of
	// the load depends on who was faster.
	unpaused bool
	// loose are buckets that are not compared, with the reason.
	loose map[string]string
}

// line is one message of a recording.
type line struct {
	T   float64         `json:"t"`
	Dir string          `json:"dir"`
	Msg json.RawMessage `json:"msg"`
}

func readRecording(t *testing.T, name string) []line {
	t.Helper()
	f, err := os.Open("testdata/recordings/" + name + ".jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var out []line
	in := bufio.NewScanner(z)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if len(l.Msg) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// side is what one browser told: the real one or the fake.
type side struct {
	all  []msg
	sent map[int64]string
}

func parseMsg(raw []byte) msg {
	m := msg{raw: string(raw)}
	_ = json.Unmarshal(raw, &m) // shapes that differ stay empty
	return m
}

func (m msg) param(keys ...string) string {
	raw := m.raw
	for i, k := range append([]string{"params"}, keys...) {
		var o map[string]json.RawMessage
		if json.Unmarshal([]byte(raw), &o) != nil {
			return ""
		}
		raw = string(o[k])
		if i == len(keys) {
			var s string
			if json.Unmarshal([]byte(raw), &s) == nil {
				return s
			}
			return raw
		}
	}
	return ""
}

// on are the events of one session.
func (s *side) on(session string) []msg {
	var out []msg
	for _, m := range s.all {
		if m.Session == session {
			out = append(out, m)
		}
	}
	return out
}

// noise are events that the fake does not tell, or that say when a real
// process was started.
func noise(method string) bool {
	for _, d := range []string{"Log.", "DOM.", "CSS.", "Debugger.", "Network.", "Page.lifecycle", "Page.frameResized", "Page.download", "Inspector.detached", "Runtime.consoleAPI"} {
		if strings.HasPrefix(method, d) {
			return true
		}
	}
	return false
}

// buckets sorts what a session told into what has an order of its own: one
// frame's life, and the page's dialogs with the replies around them.
func (s *side) buckets(session string, name func(string) string) map[string][]string {
	out := map[string][]string{}
	put := func(key, what string) { out[key] = append(out[key], what) }
	root := ""
	contexts := map[string]string{}
	for _, m := range s.on(session) {
		if m.ID != nil {
			switch method := s.sent[*m.ID]; method {
			case "Page.handleJavaScriptDialog", "Page.navigate", "Page.reload", "Page.close":
				what := method
				if m.Error != nil {
					what += " error " + m.Error.Message
				}
				put("dialogs", what)
			}
			continue
		}
		short := m.Method[strings.Index(m.Method, ".")+1:]
		frame := m.param("frameId")
		switch {
		case noise(m.Method):
		case strings.HasPrefix(m.Method, "Page.javascriptDialog"):
			put("dialogs", short+" "+name(frame)+" "+m.param("message")+m.param("result"))
		case m.Method == "Page.frameNavigated":
			id := m.param("frame", "id")
			if m.param("frame", "parentId") == "" {
				root = id
			}
			put(name(id), short+" "+m.param("frame", "url")+" "+m.param("type"))
		case m.Method == "Runtime.executionContextCreated":
			id := m.param("context", "auxData", "frameId")
			contexts[m.param("context", "uniqueId")] = id
			if m.param("context", "name") == "" {
				put(name(id), short+" "+m.param("context", "origin"))
			}
		case m.Method == "Runtime.executionContextDestroyed":
			put(name(contexts[m.param("executionContextUniqueId")]), short)
		case m.Method == "Target.attachedToTarget" || m.Method == "Target.targetInfoChanged" || m.Method == "Target.targetCreated":
			if short == "targetInfoChanged" && m.param("targetInfo", "url") == "about:blank" {
				continue // the title of a new page, at any time
			}
			put("target "+name(m.param("targetInfo", "targetId")), short+" "+m.param("targetInfo", "url")+" "+m.param("waitingForDebugger"))
		case strings.HasPrefix(m.Method, "Target."):
			put("target "+name(m.param("targetId")), short)
		case frame != "":
			what := short
			if r := m.param("reason"); r != "" {
				what += " " + r
			}
			put(name(frame), what)
		case m.Method == "Runtime.exceptionThrown":
			put("exceptions", short)
		default:
			put("page "+name(root), short)
		}
	}
	return out
}

func TestRecordings(t *testing.T) {
	for _, rec := range recordings() {
		t.Run(rec.name, func(t *testing.T) { compareRecording(t, rec) })
	}
}

// compareRecording sends the recorded commands to the fake and compares what
// it tells with what Chromium told.
func compareRecording(t *testing.T, rec recording) {
	b, c := start(t, rec.pages, slowQuery)
	p := &pairing{ids: map[string]string{}, sessions: map[string]string{"": ""}}
	real, fake := &side{sent: map[int64]string{}}, &side{sent: c.sent}
	last := 0.0
	for _, l := range readRecording(t, rec.name) {
		if rec.until > 0 && l.T > rec.until {
			break
		}
		m := parseMsg(l.Msg)
		if l.Dir == "recv" {
			real.all = append(real.all, m)
			continue
		}
		b.Advance(time.Duration((l.T - last) * float64(time.Second)))
		last = l.T
		c.pump()
		fake.all = c.all
		p.pair(real, fake)
		pairCreated(p, real, fake)
		pairRequests(p, real, fake)
		session, ok := p.sessions[m.Session]
		if !ok {
			continue // of a target that the fake never told
		}
		real.sent[*m.ID] = m.Method
		var params struct {
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(l.Msg, &params); err != nil {
			t.Fatal(err)
		}
		if m.Method == "Page.navigateToHistoryEntry" {
			params.Params = json.RawMessage(translateEntry(t, real, fake, string(params.Params)))
		}
		c.send(session, m.Method, p.translate(string(params.Params)))
	}
	b.Advance(3 * time.Second)
	c.pump()
	fake.all = c.all
	p.pair(real, fake)
	compareSides(t, rec, p, real, fake)
}

func compareSides(t *testing.T, rec recording, p *pairing, real, fake *side) {
	t.Helper()
	names := map[string]string{}
	for i, r := range slices.Sorted(maps.Keys(p.ids)) {
		names[r] = fmt.Sprint("frame", i)
		names[p.ids[r]] = names[r]
	}
	name := func(id string) string { return names[id] }
	compared := 0
	for i, rs := range sessionOrder(real) {
		fs, ok := p.sessions[rs]
		if !ok {
			t.Errorf("session %d of the recording has no counterpart", i)
			continue
		}
		want, got := real.buckets(rs, name), fake.buckets(fs, name)
		for _, key := range slices.Sorted(maps.Keys(want)) {
			w, g := tidy(want[key]), tidy(got[key])
			if rec.unpaused && i > 1 {
				w, g = withoutLoad(w), withoutLoad(g)
			}
			if _, loose := rec.loose[fmt.Sprint("S", i, " ", key)]; loose || strings.HasSuffix(key, " ") || key == "" {
				continue
			}
			compared++
			if !slices.Equal(w, g) {
				t.Errorf("S%d %s\n real: %s\n fake: %s", i, key, strings.Join(w, " | "), strings.Join(g, " | "))
			}
		}
	}
	if compared < 3 {
		t.Errorf("only %d things were compared", compared)
	}
}

// slowQuery delays what a URL's delay parameter says.
func slowQuery(o *Options) {
	in := o.Pages
	o.Pages = func(u string) (Response, bool) {
		r, ok := in(u)
		if _, d, found := strings.Cut(u, "delay="); found {
			r.Delay, _ = time.ParseDuration(d)
		}
		return r, ok
	}
}

func recordings() []recording {
	top := `<title>top</title><iframe name=same src="/plain"></iframe><iframe name=sub src="http://sub.a.test/plain"></iframe><iframe src="http://b.test/plain"></iframe>
		<iframe sandbox="allow-scripts" src="/plain"></iframe><iframe sandbox="allow-scripts allow-modals" src="/plain"></iframe><iframe name=srcd srcdoc="x"></iframe>`
	n := map[string]string{
		"http://a.test/top1": `<iframe src="http://b.test/plain?1"></iframe>`,
		"http://a.test/n1":   `<title>a.test/n1</title><iframe src="http://b.test/n2"></iframe><iframe src="/n1b"></iframe>`,
		"http://a.test/n1b":  `<iframe src="http://b.test/plain?undersame"></iframe>`,
		"http://b.test/n2":   `<iframe src="http://c.test/n3"></iframe>`,
		"http://c.test/n3":   `<iframe src="http://d.test/plain?deep"></iframe><iframe src="/plain?c2"></iframe>`,
	}
	mid := `<title>mid</title><iframe src="/plain?local"></iframe>`
	return []recording{
		{name: "dialogs-native", unpaused: true, pages: map[string]string{"http://a.test/top": top}},
		{name: "dialogs-iframes", unpaused: true, pages: map[string]string{"http://a.test/top": `<title>top</title><iframe name=same src="/plain?same"></iframe>
			<iframe name=sub src="http://sub.a.test/plain?sub"></iframe><iframe src="http://b.test/plain?xo"></iframe><iframe sandbox="allow-scripts" src="/plain?sbx"></iframe>
			<iframe sandbox="allow-scripts allow-modals" src="/plain?sbxm"></iframe><iframe id=srcd srcdoc="x"></iframe><iframe src="http://b.test/nest"></iframe>`,
			"http://b.test/nest": `<iframe src="http://a.test/plain?nestedA"></iframe>`},
			loose: map[string]string{"S5 frame1": "the frame had moved before its parent's session was enabled, or not"}},
		{name: "oopif-waittrue", pages: n, until: 11.3}, /* then timers race with the network */
		{name: "iframe-nav", pages: map[string]string{"http://a.test/top": `<title>top</title><iframe id=f src="/mid"></iframe>`,
			"http://a.test/mid": mid + `<iframe src="http://b.test/plain?oop"></iframe>`, "http://b.test/mid": mid + `<iframe src="http://b.test/plain?oop"></iframe>`,
			"http://c.test/mid": mid + `<iframe src="http://b.test/plain?oop"></iframe>`}},
		{name: "reload", pages: map[string]string{"http://a.test/top": `<title>top</title><iframe id=f src="http://b.test/plain"></iframe>`}},
		{name: "reload2", pages: map[string]string{
			"http://a.test/top": `<title>top</title><iframe id=f src="http://b.test/mid"></iframe><iframe id=g src="/mid"></iframe>`,
			"http://a.test/mid": mid + `<iframe src="http://c.test/plain?oop"></iframe>`, "http://b.test/mid": mid + `<iframe src="http://c.test/plain?oop"></iframe>`}},
		{name: "slow-nav-dialog"},
		{name: "popup", pages: map[string]string{"http://a.test/pop": `<title>pop</title><script>window.w1=1;alert('first')</script>hi`},
			loose: map[string]string{"S2 frame0": "the page may have loaded before its session was enabled", "S5 frame3": "the navigation began before the session was enabled, or after"}},
		{name: "popup2"},
		{name: "crash", pages: map[string]string{"http://a.test/top": `<title>top</title><iframe id=f src="http://b.test/plain"></iframe><iframe src="/plain"></iframe>`}},
		{name: "close", pages: map[string]string{"http://a.test/top": `<title>top</title><iframe id=f src="http://b.test/plain"></iframe>`},
			loose: map[string]string{"S0 target frame11": "at the end of the browser its URL is gone, or not", "S0 target frame3": "the same"}},
		{name: "dlgnav", pages: map[string]string{"http://a.test/top": `<title>top</title><iframe id=f src="http://b.test/plain"></iframe><iframe id=g src="http://c.test/plain"></iframe>`}},
		{name: "dlgnav2", pages: map[string]string{"http://a.test/top": `<title>top</title><iframe id=f src="http://b.test/plain"></iframe>`}},
		{name: "fetch"},
		{name: "autocreate", pages: map[string]string{"http://a.test/al": `<title>al</title><script>alert('inline')</script>`},
			loose: map[string]string{"S2 frame1": "a start of loading is told a second time"}},
		{name: "dialogs-concurrency", unpaused: true, until: 16.3, pages: map[string]string{
			"http://a.test/top": `<title>top</title><iframe src="http://b.test/plain?xo"></iframe><iframe src="http://c.test/plain?yo"></iframe><iframe id=same src="/plain?same"></iframe>`},
			loose: map[string]string{"S1 dialogs": "which of two frames was first"}},
		{name: "dialog-hang-matrix", pages: map[string]string{
			"http://a.test/top": `<title>top</title><iframe src="http://b.test/plain?oop"></iframe><iframe src="/plain?same"></iframe>`}},
	}
}
