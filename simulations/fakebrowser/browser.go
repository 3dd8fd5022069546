package fakebrowser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"cdpsupervisor/messages"
)

// Browser is one fake browser process. Its methods are safe for use by
// several goroutines; all of them but Close answer only while the browser
// lives.
type Browser struct {
	opt    Options
	clock  messages.Clock
	manual *manualClock // nil when a clock was given

	mu     sync.Mutex
	cond   *sync.Cond
	inbox  []func()
	busy   bool // an input is being worked on
	closed bool
	done   chan struct{} // closed when the loop has ended
	vms    map[interruptible]struct{}
	ended  error // why the process is gone, nil while it lives
	servs  []*server
	conns  []*conn // written under the mutex, by nobody but newConn and the loop

	// Everything below belongs to the loop's goroutine.
	ids      idSource
	guid     string
	context  string   // the default browserContextId
	contexts []string // the others
	tasks    []func()
	slow     []func()
	procs    []*renderer
	ready    int // where the search for the next renderer starts
	steps    int
	methods  map[string]method
	targets  []*target
	pages    []*page
	groups   int
	procSeq  int
	sessSeq  int
	nodeSeq  int
	reqSeq   int
	entrySeq int
	calls    map[string]int
	faults   []*faultEntry
	auto     *AutoDismiss
	broken   error // what went wrong inside the fake itself
	scripts  *prelude
	jobs     map[string]*interception
}

// interruptible is a script engine that can be told to stop.
type interruptible interface{ Interrupt(v any) }

// Why a browser process is gone.
var (
	// ErrClosed: Close, Browser.close or Restart ended the process.
	ErrClosed = errors.New("fakebrowser: the browser was closed")
	// ErrDied: the process died of a segmentation fault; [Browser.Crashed]
	// says of what.
	ErrDied = errors.New("fakebrowser: the browser died (SIGSEGV)")
)

// New starts a browser with one page at about:blank. Close ends it.
func New(opt Options) *Browser {
	b := &Browser{
		opt:   opt,
		clock: opt.Clock,
		done:  make(chan struct{}),
		vms:   map[interruptible]struct{}{},
		calls: map[string]int{},
		ids:   idSource{seed: opt.Seed},
	}
	b.cond = sync.NewCond(&b.mu)
	if b.clock == nil {
		b.manual = newManualClock()
		b.clock = b.manual
	}
	b.methods = methodTable()
	b.scripts = compilePrelude()
	b.boot()
	go b.loop()
	return b
}

// boot makes what a fresh process has: a page, and the two pages of the
// browser's own interface that CDP lists as browser_ui.
func (b *Browser) boot() {
	b.guid = b.ids.guid()
	b.context = b.ids.hex32()
	b.jobs = map[string]*interception{}
	b.contexts = nil
	for _, u := range []string{"chrome://omnibox-popup.top-chrome/", "chrome://omnibox-popup.top-chrome/omnibox_popup_aim.html"} {
		p := b.newPage(pageSeed{kind: "browser_ui", url: u})
		p.main.doc.url = u
		p.main.doc.title, p.target.title = "Omnibox Popup", "Omnibox Popup"
	}
	p := b.newPage(pageSeed{kind: "page", url: "about:blank"})
	b.startBlank(p)
	b.drain()
}

// Close ends the browser, its sockets and servers, and returns when none of
// its goroutines is left.
func (b *Browser) Close() {
	b.mu.Lock()
	b.closed = true
	for vm := range b.vms {
		vm.Interrupt(errKilled)
	}
	b.cond.Broadcast()
	b.mu.Unlock()
	<-b.done
	b.mu.Lock()
	servs := b.servs
	b.servs = nil
	b.mu.Unlock()
	for _, s := range servs {
		s.close()
	}
}

// Alive reports whether the browser process runs.
func (b *Browser) Alive() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.closed && b.ended == nil
}

// Crashed says of what the browser process died, nil when it did not.
func (b *Browser) Crashed() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if errors.Is(b.ended, ErrDied) {
		return b.ended
	}
	return nil
}

// Err says what went wrong inside the fake itself, such as a panic of the
// script engine. A test that gets one found a fault of the fake.
func (b *Browser) Err() error {
	var err error
	b.do(func() { err = b.broken })
	return err
}

// Settle returns when the browser has nothing left to do without new input
// or time: every renderer is idle or blocked, and every open transport has
// been read empty. It returns the context's error when that ends first.
func (b *Browser) Settle(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		b.cond.Broadcast()
		b.mu.Unlock()
	})
	defer stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed {
		if len(b.inbox) == 0 && !b.busy && b.delivered() {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("fakebrowser: not settled: %w", ctx.Err())
		}
		b.cond.Wait()
	}
	return ErrClosed
}

// Idle reports whether the browser has nothing to do right now, whether or
// not its clients have read what it sent.
func (b *Browser) Idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.inbox) == 0 && !b.busy
}

// die ends the process as a segmentation fault does: every socket drops in
// the middle of what it was doing, nothing is answered any more.
func (b *Browser) die(of string) {
	if b.gone() {
		return
	}
	b.end(fmt.Errorf("%w: %s", ErrDied, of))
}

// end ends the process: sockets drop, servers refuse, renderers stop.
func (b *Browser) end(why error) {
	b.mu.Lock()
	if b.ended == nil {
		b.ended = why
	}
	servs, conns := slices.Clone(b.servs), b.conns
	b.conns = nil
	b.mu.Unlock()
	for _, c := range conns {
		c.drop()
	}
	for _, s := range servs {
		s.refuse()
	}
	for _, p := range b.pages {
		p.closing = true // no hazard any more, and none for the process that comes next
	}
	b.targets, b.pages, b.tasks, b.slow = nil, nil, nil, nil
}

// gone reports whether the process has ended.
func (b *Browser) gone() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ended != nil
}
