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
	if b.oneIn(2) {
		origin := f.origin()
		if origin == "null" {
			origin = "://"
		}
		b.say(on, &messages.ContextCreated{FrameID: f.id, Origin: origin, IsDefault: true})
	}
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
