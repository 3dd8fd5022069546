package frametree_test

import (
	"fmt"
	"math/rand/v2"

	"cdpsupervisor/messages"
)

// browser is a small model of what Chromium does with frames and sessions, and
// of what it says about it. It knows the truth that the tree must end in,
// independently of how the tree gets there.
type browser struct {
	pages   []*page
	streams map[messages.SessionID][]step // what was said, for each session in order
	all     []step                        // the same in the order in which it happened
	seq     int
	rng     *rand.Rand
}

type page struct {
	target  messages.TargetID
	main    *frame
	history []*frame // documents in the back/forward cache
}

// frame is one frame; a main frame that is in history is a document of it.
type frame struct {
	id       messages.FrameID
	parent   *frame
	children []*frame
	session  messages.SessionID // of its own, or ""
	url      string
	loader   messages.LoaderID
	blank    bool // about:blank: no origin of its own
}

func newBrowser(seed uint64) *browser {
	return &browser{streams: make(map[messages.SessionID][]step), rng: rand.New(rand.NewPCG(seed, 1))}
}

// oneIn is true in one of n cases.
func (b *browser) oneIn(n int) bool { return b.rng.IntN(n) == 0 }

func (b *browser) id(kind string) string {
	b.seq++
	return fmt.Sprintf("%s%d", kind, b.seq)
}

func (b *browser) say(on messages.SessionID, body messages.EventBody) {
	b.tell(step{ev: messages.Event{Session: on, Body: body}})
}

func (b *browser) tell(st step) {
	b.streams[st.ev.Session] = append(b.streams[st.ev.Session], st)
	b.all = append(b.all, st)
}

// owner is the session whose renderer holds the frame.
func (f *frame) owner() messages.SessionID {
	for f.session == "" {
		f = f.parent
	}
	return f.session
}

// above is the session that speaks of the frame as a child.
func (f *frame) above() messages.SessionID { return f.parent.owner() }

func (f *frame) all() []*frame {
	list := []*frame{f}
	for _, c := range f.children {
		list = append(list, c.all()...)
	}
	return list
}

func (f *frame) info() messages.FrameInfo {
	info := messages.FrameInfo{ID: f.id, LoaderID: f.loader, URL: f.url, Origin: "://"}
	if !f.blank {
		info.Origin, info.Domain = f.url[:len("https://x.test")], f.url[len("https://"):len("https://x.test")]
	}
	if f.parent != nil {
		info.ParentID = f.parent.id
	}
	return info
}

// origin is what the frame's origin truly is.
func (f *frame) origin() string {
	for f.blank && f.parent != nil {
		f = f.parent
	}
	if f.blank {
		return "null"
	}
	return f.url[:len("https://x.test")]
}

// load gives the frame another document.
func (b *browser) load(f *frame) {
	f.loader = messages.LoaderID(b.id("L"))
	f.url = fmt.Sprintf("https://%c.test/%s", 'a'+rune(b.rng.IntN(20)), f.loader)
	f.blank = false
}

func (b *browser) committed(f *frame, on messages.SessionID) {
	b.say(on, &messages.FrameNavigated{Frame: f.info(), Type: messages.NavigationPlain})
}

// openPage attaches a page that loads, or one that has been there.
func (b *browser) openPage(opener *page) {
	p := &page{target: messages.TargetID(b.id("T"))}
	f := &frame{id: messages.FrameID(b.id("F")), session: messages.SessionID(b.id("S"))}
	p.main = f
	b.pages = append(b.pages, p)
	info := messages.TargetInfo{TargetID: p.target, Type: messages.TargetPage}
	if opener != nil {
		info.OpenerID, info.OpenerFrameID = opener.target, opener.main.id
	}
	b.say("", &messages.AttachedToTarget{SessionID: f.session, Info: info, Waiting: true})
	b.load(f)
	if b.oneIn(2) {
		b.committed(f, f.session)
		return
	}
	for range b.rng.IntN(5) {
		all := f.all()
		c := b.addChild(all[b.rng.IntN(len(all))])
		b.load(c)
		if b.oneIn(2) {
			c.session = "of nobody yet"
		}
	}
	b.reannounce(f)
}

// closePage closes a page.
func (b *browser) closePage(p *page) {
	b.say("", &messages.DetachedFromTarget{SessionID: p.main.session, TargetID: p.target})
	if b.oneIn(2) {
		b.say("", &messages.TargetDestroyed{TargetID: p.target})
	}
	for i, q := range b.pages {
		if q == p {
			b.pages = append(b.pages[:i], b.pages[i+1:]...)
			return
		}
	}
}

func (f *frame) target() messages.TargetInfo {
	return messages.TargetInfo{
		TargetID: messages.TargetID(f.id), Type: messages.TargetIframe, ParentFrameID: f.parent.id, URL: f.url,
	}
}

// attach gives a frame a session. fresh leaves the URL of the target empty.
func (b *browser) attach(f *frame, fresh bool) {
	on := f.above()
	f.session = messages.SessionID(b.id("S"))
	info := f.target()
	if fresh {
		info.URL = ""
	}
	b.say(on, &messages.AttachedToTarget{SessionID: f.session, Info: info, Waiting: fresh})
}

// detach ends the session of a frame, and says so. Those nested in it end
// without a word.
func (b *browser) detach(f *frame) {
	b.say(f.above(), &messages.DetachedFromTarget{SessionID: f.session, TargetID: messages.TargetID(f.id)})
	f.session = ""
}

// targetChanged tells the URL of a frame's target: to the session above, and
// before that, still with an old one, to the browser's.
func (b *browser) targetChanged(f *frame) {
	stale := f.target()
	stale.URL = "https://stale.test/"
	if b.oneIn(3) {
		b.say("", &messages.TargetInfoChanged{Info: stale})
	}
	b.say(f.above(), &messages.TargetInfoChanged{Info: f.target()})
}

// direct lists the frames below f whose sessions were announced on f's owner.
func (f *frame) direct() []*frame {
	var list []*frame
	for _, c := range f.children {
		if c.session != "" {
			list = append(list, c)
		} else {
			list = append(list, c.direct()...)
		}
	}
	return list
}

// unload takes the document out of a frame: the sessions that its renderer's
// session had are detached, nothing is said of its frames.
func (b *browser) unload(f *frame) {
	for _, c := range f.direct() {
		b.detach(c)
	}
	f.children = nil
}

func (b *browser) addChild(parent *frame) *frame {
	f := &frame{id: messages.FrameID(b.id("F")), parent: parent, blank: true, url: "about:blank"}
	parent.children = append(parent.children, f)
	return f
}

func (b *browser) attached(f *frame) {
	b.say(f.above(), &messages.FrameAttached{FrameID: f.id, ParentID: f.parent.id})
}

// addLocal adds a frame to its parent's renderer.
func (b *browser) addLocal(parent *frame) {
	f := b.addChild(parent)
	b.attached(f)
	if b.oneIn(3) {
		f.loader = messages.LoaderID(b.id("L"))
	} else {
		b.load(f)
	}
	b.committed(f, f.above())
}

// addRemote adds a frame that loads in a renderer of its own. Sometimes the
// attach overtakes frameAttached.
func (b *browser) addRemote(parent *frame) {
	f := b.addChild(parent)
	if b.oneIn(5) {
		b.goRemote(f, func() { b.attached(f) })
		return
	}
	b.attached(f)
	b.goRemote(f, func() {})
}

// goRemote moves a frame of its parent's renderer to one of its own. The events
// come in any of the orders that were seen.
func (b *browser) goRemote(f *frame, between func()) {
	on := f.above()
	swap := func() { b.say(on, &messages.FrameDetached{FrameID: f.id, Reason: messages.DetachSwap}) }
	b.load(f)
	b.attach(f, true)
	between()
	switch b.rng.IntN(7) {
	case 0: // not paused: the session hears of no commit, and asks
		b.seed(f)
	case 1: // and is told no URL
		info := f.info()
		info.URL = ""
		b.tell(step{ev: messages.Event{Session: f.session}, seed: &messages.FrameNode{Frame: info}})
	default:
		b.committed(f, f.session)
	}
	b.targetChanged(f)
	if b.oneIn(3) { // the new document is faster than the swap
		b.addLocal(f)
	}
	swap()
}

// toRemote: a frame with a document goes to another site. The old document is
// alive until the swap, and may still add frames.
func (b *browser) toRemote(f *frame) {
	b.unload(f)
	on := f.owner()
	if b.oneIn(4) { // the swap overtakes the attach
		b.say(on, &messages.FrameDetached{FrameID: f.id, Reason: messages.DetachSwap})
	}
	b.goRemote(f, func() {
		if b.oneIn(2) {
			b.say(on, &messages.FrameAttached{FrameID: messages.FrameID(b.id("old")), ParentID: f.id})
		}
	})
}

// toLocal: a remote frame comes back to its parent's renderer.
func (b *browser) toLocal(f *frame) {
	b.detach(f)
	f.children = nil
	b.attached(f)
	b.load(f)
	if b.oneIn(6) { // the commit was missed: somebody asks
		root := f
		for root.session == "" {
			root = root.parent
		}
		b.seed(root)
		return
	}
	b.committed(f, f.above())
}

// navigate: another document in the same session. Sessions of the old one are
// detached before the commit or, below the top, after it.
func (b *browser) navigate(f *frame) {
	on := f.owner()
	old, after := f.direct(), f.parent != nil && b.oneIn(2)
	if !after {
		b.unload(f)
	}
	f.children = nil
	b.load(f)
	if b.oneIn(2) {
		b.say(on, &messages.FrameStartedNavigating{FrameID: f.id, LoaderID: f.loader})
		if b.oneIn(2) { // the new document is faster than its commit
			c := b.addChild(f)
			b.load(c)
			b.attach(c, false)
			b.committed(c, c.session)
		}
	}
	b.committed(f, on)
	if after {
		for _, c := range old {
			b.say(on, &messages.DetachedFromTarget{SessionID: c.session, TargetID: messages.TargetID(c.id)})
		}
	}
	if f.session != "" && f.parent != nil {
		b.targetChanged(f)
	}
}

// push: history.pushState.
func (b *browser) push(f *frame) {
	if f.blank {
		return
	}
	f.url += "#" + b.id("h")
	b.say(f.owner(), &messages.NavigatedWithinDocument{FrameID: f.id, URL: f.url})
	if f.session != "" && f.parent != nil {
		b.targetChanged(f)
	}
}

// open: document.open gives a frame of the renderer the URL of its parent.
func (b *browser) open(f *frame) {
	if f.parent.blank {
		return
	}
	for len(f.children) > 0 {
		b.remove(f.children[0])
	}
	f.url, f.blank = f.parent.url, false
	b.say(f.owner(), &messages.DocumentOpened{Frame: f.info()})
}

// remove takes a frame out of its parent document, leaves first.
func (b *browser) remove(f *frame) {
	for len(f.children) > 0 {
		b.remove(f.children[0])
	}
	on := f.above()
	if f.session != "" && b.oneIn(2) {
		b.detach(f)
	}
	b.say(on, &messages.FrameDetached{FrameID: f.id, Reason: messages.DetachRemove})
	if f.session != "" {
		b.detach(f)
	}
	for i, c := range f.parent.children {
		if c == f {
			f.parent.children = append(f.parent.children[:i], f.parent.children[i+1:]...)
			break
		}
	}
}

// blink: the session of a frame is replaced by another one.
func (b *browser) blink(f *frame) {
	b.detach(f)
	b.attach(f, false)
	b.reannounce(f)
}

// reannounce tells a session anew what is in its renderer: by a frame tree
// reply, before or after what is remote is attached.
func (b *browser) reannounce(f *frame) {
	remote := f.direct()
	first := b.oneIn(2)
	if first {
		b.seed(f)
	}
	for _, c := range remote {
		c.session = "" // of another life
		b.attach(c, false)
	}
	if !first {
		b.seed(f)
	}
	for _, c := range remote {
		b.reannounce(c)
	}
}

// seed is a Page.getFrameTree reply on the session of f.
func (b *browser) seed(f *frame) {
	var node func(f *frame) messages.FrameNode
	node = func(f *frame) messages.FrameNode {
		n := messages.FrameNode{Frame: f.info()}
		for _, c := range f.children {
			if c.session == "" {
				n.Children = append(n.Children, node(c))
			}
		}
		return n
	}
	root := node(f)
	b.tell(step{ev: messages.Event{Session: f.session}, seed: &root})
}

// goBack restores a document from the back/forward cache; without one, the page
// goes on and the current document is kept there.
func (b *browser) goBack(p *page) {
	now := p.main
	old := &frame{id: now.id, session: now.session, url: now.url, loader: now.loader, children: now.children}
	for _, c := range old.children {
		c.parent = old
	}
	var late []*frame
	for _, c := range old.direct() {
		if len(p.history) > 0 && b.oneIn(4) {
			late = append(late, &frame{id: c.id, session: c.session, parent: old})
		} else {
			b.say(now.session, &messages.DetachedFromTarget{SessionID: c.session, TargetID: messages.TargetID(c.id)})
		}
		c.session = "asleep"
	}
	now.children = nil
	if len(p.history) == 0 {
		b.load(now)
		b.committed(now, now.session)
		p.history = append(p.history, old)
		return
	}
	back := p.history[0]
	p.history = []*frame{old}
	now.children, now.url, now.loader = back.children, back.url, back.loader
	for _, c := range now.children {
		c.parent = now
	}
	remote := now.direct()
	for _, c := range remote {
		c.session = ""
		b.attach(c, false)
	}
	b.say(now.session, &messages.FrameNavigated{Frame: now.info(), Type: messages.NavigationBFCache})
	for _, c := range late {
		b.detach(c)
	}
	b.seed(now)
	for _, c := range remote {
		b.reannounce(c)
	}
}
