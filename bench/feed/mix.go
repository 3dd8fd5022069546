package feed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Mix says what a generated stream is made of. The zero value of a field means
// none of it. The same mix gives the same bytes.
type Mix struct {
	Seed   uint64
	Events int // events behind those that build the page up
	// Frames is how many frames the page has at a time; it is built up to that
	// many first, and kept there: for each frame that comes one goes.
	Frames int
	// Depth is how deep frames nest, at least 1.
	Depth int
	// Origins is how many sites the frames are spread over.
	Origins int
	// Remote is the share of frames that run in a renderer of their own.
	Remote float64
	// Console, Errors and Noise are shares of all events: console calls, those
	// of them that are errors, and what no frame tree needs (loading, lifecycle).
	// The rest is frames that come, navigate and go.
	Console, Errors, Noise float64
	// Text is the median length of a console call's text in bytes. Lengths are
	// log-normal with sigma 1, so that one in a hundred is ten times as long.
	Text int
	// DialogEvery puts a dialog that opens and closes behind every so many
	// events.
	DialogEvery int
}

// Generate makes the stream of a mix.
func Generate(name string, m Mix) *Stream {
	g := &generator{
		Mix: m, rand: rand.New(rand.NewPCG(m.Seed, 1)),
		s: &Stream{
			Name: name, Target: hex('A', 0), Session: hex('B', 0), roots: make(map[string]string),
		},
	}
	g.s.targetInfo = fmt.Appendf(nil, `{"targetId":%q,"type":"page","title":"","url":"about:blank","attached":true,"canAccessOpener":false,"browserContextId":%q}`, g.s.Target, hex('E', 0))
	g.page = &frame{id: g.s.Target, session: g.s.Session}
	g.live = []*frame{g.page}
	for len(g.live) <= m.Frames {
		g.attach()
	}
	for start := len(g.s.Messages); len(g.s.Messages)-start < m.Events; {
		g.next()
	}
	g.s.finish()
	return g.s
}

// frame is one frame of the page that is being made up.
type frame struct {
	id, session string
	context     uint64 // of its document
	remote      bool   // session is its own
	depth       int
	parent      *frame
	children    []*frame
	at          int // its place in live
}

type generator struct {
	Mix
	rand    *rand.Rand
	s       *Stream
	page    *frame
	live    []*frame
	ids     uint64
	dialogs int
}

// hex is an id as Chromium makes them: 32 digits.
func hex(kind byte, n uint64) string { return fmt.Sprintf("%c%031X", kind, n) }

func (g *generator) id(kind byte) string {
	g.ids++
	return hex(kind, g.ids)
}

func (g *generator) event(session, method, format string, args ...any) {
	g.s.add(fmt.Appendf(nil, `{"method":%q,"params":%s,"sessionId":%q}`, method, fmt.Sprintf(format, args...), session))
}

func (g *generator) next() {
	if g.DialogEvery > 0 && len(g.s.Messages)/g.DialogEvery > g.dialogs {
		g.dialogs++
		g.dialog()
		return
	}
	f := g.live[g.rand.IntN(len(g.live))]
	switch x := g.rand.Float64(); {
	case x < g.Console:
		g.console(f)
	case x < g.Console+g.Noise:
		g.noise(f)
	case len(g.live) > g.Frames && len(g.live) > 1:
		g.detach(g.live[1+g.rand.IntN(len(g.live)-1)])
	default:
		g.attach()
	}
}

// attach adds a frame in Chromium's order of events: attached to its parent's
// document, and, when it is remote, given to a session of its own.
func (g *generator) attach() {
	parent := g.live[g.rand.IntN(len(g.live))]
	for parent.depth >= max(g.Depth, 1) {
		parent = parent.parent
	}
	f := &frame{id: g.id('F'), session: parent.session, depth: parent.depth + 1, parent: parent, at: len(g.live)}
	parent.children = append(parent.children, f)
	g.live = append(g.live, f)
	site := fmt.Sprintf("site%d.test", g.rand.IntN(max(g.Origins, 1)))
	url, loader := fmt.Sprintf("https://ads.%s/frame?slot=%d", site, g.ids), g.id('D')
	g.event(parent.session, "Page.frameAttached", `{"frameId":%q,"parentFrameId":%q}`, f.id, parent.id)
	g.event(parent.session, "Page.frameStartedNavigating", `{"frameId":%q,"url":%q,"loaderId":%q,"navigationType":"differentDocument"}`, f.id, url, loader)
	if g.rand.Float64() < g.Remote {
		f.remote, f.session = true, g.id('C')
		g.event(parent.session, "Target.attachedToTarget",
			`{"sessionId":%q,"targetInfo":{"targetId":%q,"type":"iframe","title":"","url":"","attached":true,"parentId":%q,"canAccessOpener":false,"parentFrameId":%q},"waitingForDebugger":true}`,
			f.session, f.id, g.s.Target, parent.id)
		g.event(parent.session, "Page.frameDetached", `{"frameId":%q,"reason":"swap"}`, f.id)
	}
	g.event(f.session, "Page.frameNavigated",
		`{"frame":{"id":%q,"parentId":%q,"loaderId":%q,"name":"","url":%q,"domainAndRegistry":%q,"securityOrigin":"https://ads.%s","securityOriginDetails":{"isLocalhost":false},"mimeType":"text/html","adFrameStatus":{"adFrameType":"none","explanations":[]},"secureContextType":"Secure","crossOriginIsolatedContextType":"NotIsolatedFeatureDisabled","gatedAPIFeatures":[]},"type":"Navigation"}`,
		f.id, parent.id, loader, url, site, site)
	f.context = g.ids
	g.event(f.session, "Runtime.executionContextCreated",
		`{"context":{"id":%d,"origin":"https://ads.%s","name":"","uniqueId":"%d.%d","auxData":{"isDefault":true,"type":"default","frameId":%q}}}`,
		g.ids, site, g.rand.Int64(), g.ids, f.id)
}

// detach removes a frame with what is below it.
func (g *generator) detach(f *frame) {
	g.destroy(f, f.parent.session)
	if f.remote {
		g.event(f.parent.session, "Target.detachedFromTarget", `{"sessionId":%q,"targetId":%q}`, f.session, f.id)
	}
	g.event(f.parent.session, "Page.frameDetached", `{"frameId":%q,"reason":"remove"}`, f.id)
	siblings := f.parent.children
	for i, c := range siblings {
		if c == f {
			siblings[i] = siblings[len(siblings)-1]
			f.parent.children = siblings[:len(siblings)-1]
			break
		}
	}
	g.forget(f)
}

// destroy tells of the end of the contexts that the session holds in a subtree;
// the other sessions go with theirs.
func (g *generator) destroy(f *frame, session string) {
	if f.session != session {
		return
	}
	g.event(session, "Runtime.executionContextDestroyed", `{"executionContextId":%d,"executionContextUniqueId":"1.%d"}`, f.context, f.context)
	for _, c := range f.children {
		g.destroy(c, session)
	}
}

func (g *generator) forget(f *frame) {
	for _, c := range f.children {
		g.forget(c)
	}
	last := g.live[len(g.live)-1]
	g.live[f.at], last.at = last, f.at
	g.live = g.live[:len(g.live)-1]
}

func (g *generator) console(f *frame) {
	size := int(float64(max(g.Text, 8)) * math.Exp(g.rand.NormFloat64()))
	text := fmt.Sprintf("[ad %d] ", g.rand.IntN(1_000_000)) + strings.Repeat("lorem ipsum ", size/12+1)[:min(size, 200_000)]
	kind := "log"
	if g.rand.Float64()*g.Console < g.Errors {
		kind = "error"
	}
	g.event(f.session, "Runtime.consoleAPICalled",
		`{"type":%q,"args":[{"type":"string","value":%q}],"executionContextId":1,"timestamp":1796029660592.66,"stackTrace":{"callFrames":[{"functionName":"","scriptId":"4","url":"https://ads.test/s.js","lineNumber":0,"columnNumber":101}]}}`,
		kind, text)
}

func (g *generator) noise(f *frame) {
	switch g.rand.IntN(3) {
	case 0:
		g.event(f.session, "Page.frameStartedLoading", `{"frameId":%q}`, f.id)
	case 1:
		g.event(f.session, "Page.frameStoppedLoading", `{"frameId":%q}`, f.id)
	default:
		g.event(f.session, "Page.lifecycleEvent", `{"frameId":%q,"loaderId":%q,"name":"networkAlmostIdle","timestamp":427616.513}`, f.id, hex('D', 1))
	}
}

// dialog opens a dialog, and closes the one before.
func (g *generator) dialog() {
	if g.dialogs%2 == 0 {
		g.event(g.s.Session, "Page.javascriptDialogClosed", `{"frameId":%q,"result":true,"userInput":""}`, g.page.id)
		return
	}
	g.event(g.s.Session, "Page.javascriptDialogOpening",
		`{"url":"about:blank","frameId":%q,"message":"dialog %d","type":"confirm","hasBrowserHandler":false,"defaultPrompt":""}`, g.page.id, g.dialogs)
}
