package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"cdpsupervisor/messages"
)

const (
	// maxAXBytes is the largest accessibility tree that is read of one frame.
	maxAXBytes = 24 << 20
	// shallowDepth is how deep a tree is read that is larger than that.
	shallowDepth = 12
	// probeMethod is what a renderer answers at no cost, as soon as it answers
	// anything.
	probeMethod = "Runtime.getIsolateId"
	// framesAtOnce bounds the frames that are read side by side.
	framesAtOnce = 8
)

// pageReader reads the accessibility trees of a page's frames.
type pageReader struct {
	task    task
	guard   func(url string) error
	snap    *messages.Snapshot
	frames  []messages.FrameEntry // top first, parents before children
	top     messages.FrameID
	reads   map[messages.FrameID]*frameRead
	owners  map[messages.FrameID]int64 // frame → backend node of its element, in its parent's document
	pageErr *messages.Failure          // why the top frame could not be read

	mu       sync.Mutex                  // guards the rest
	silent   map[messages.FrameID]bool   // sessions, by their frame, that gave no answer in time
	probes   map[messages.FrameID]*probe // by the same
	elements map[messages.FrameID]int    // by the same: of the documents whose trees were asked for
}

// probe is the question whether a session answers at all, asked once.
type probe struct {
	over chan struct{} // closed when err is there
	err  error
}

// frameRead is what came of reading one frame: a tree, or a note why not.
type frameRead struct {
	tree *axTree
	note string
}

func newPageReader(t task, guard func(string) error, snap *messages.Snapshot) *pageReader {
	p := &pageReader{
		task: t, guard: guard, snap: snap,
		reads:    map[messages.FrameID]*frameRead{},
		owners:   map[messages.FrameID]int64{},
		silent:   map[messages.FrameID]bool{},
		probes:   map[messages.FrameID]*probe{},
		elements: map[messages.FrameID]int{},
	}
	if snap.FrameTree != nil {
		p.top = snap.FrameTree.Top.FrameID
		p.frames = append(append(p.frames, snap.FrameTree.Top), snap.FrameTree.Children...)
	} else {
		// No frame is known yet: the page itself can still be asked.
		p.frames = []messages.FrameEntry{{URL: snap.Page.URL}}
	}
	return p
}

// read reads all frames side by side, the top first, each within the timeout and
// all within two: a page must not set the time by the number of its frames.
func (p *pageReader) read(ctx context.Context, timeout time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, 2*timeout)
	defer cancel()
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex // guards reads, owners and pageErr
		slots = make(chan struct{}, framesAtOnce)
	)
	each := func(f func()) {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			f()
		})
	}
	for i, frame := range p.frames {
		each(func() {
			read, failure := p.readFrame(ctx, frame, timeout)
			mu.Lock()
			defer mu.Unlock()
			p.reads[frame.FrameID] = read
			if i == 0 {
				p.pageErr = failure
			}
		})
		if i == 0 {
			continue
		}
		each(func() {
			if node, ok := p.findOwner(ctx, frame, timeout); ok {
				mu.Lock()
				defer mu.Unlock()
				p.owners[frame.FrameID] = node
			}
		})
	}
	wg.Wait()
}

// readFrame reads one frame's tree. A panic over what a page made of its tree
// costs that frame only.
func (p *pageReader) readFrame(ctx context.Context, f messages.FrameEntry, timeout time.Duration) (read *frameRead, failure *messages.Failure) {
	defer func() {
		if r := recover(); r != nil {
			read = &frameRead{note: "the frame's accessibility tree could not be read"}
		}
	}()
	if err := p.guard(f.URL); err != nil {
		return &frameRead{note: "hidden: " + oneLine(err.Error())}, nil
	}
	session := p.sessionFrame(f)
	within, cancel := context.WithTimeout(ctx, timeout+time.Second) // for all; the engine's own bound comes first
	defer cancel()
	err := p.answers(within, session, timeout)
	if err == nil {
		err = p.fits(within, f, session, timeout)
	}
	if err != nil {
		failure = failureOf(err)
		return &frameRead{note: noteOf(failure, timeout)}, failure
	}
	tree, err := p.fetch(within, f, session, timeout, 0)
	if messages.CodeOf(err) == messages.CodeTooLarge {
		tree, err = p.fetch(ctx, f, session, timeout, shallowDepth)
	}
	if err != nil {
		failure = failureOf(err)
		return &frameRead{note: noteOfTree(failure, timeout)}, failure
	}
	return &frameRead{tree: tree}, nil
}

// fetch asks for the tree of a frame whose renderer has just answered.
func (p *pageReader) fetch(ctx context.Context, f messages.FrameEntry, session messages.FrameID, timeout time.Duration, depth int) (*axTree, error) {
	params := map[string]any{}
	if f.FrameID != "" && f.FrameID != p.top {
		params["frameId"] = f.FrameID
	}
	if depth > 0 {
		params["depth"] = depth
	}
	reply, err := p.call(ctx, "Accessibility.getFullAXTree", params, session, timeout)
	if err != nil {
		return nil, err
	}
	tree, err := decodeAXTree(reply)
	if err != nil {
		return nil, messages.Fail(messages.CodeCDPError, "the browser's answer is not an accessibility tree: %v", err)
	}
	return tree, nil
}

// answers asks a session for next to nothing before it is asked for a tree. The
// tree of a huge document keeps its renderer busy long after the time is up;
// were another one ordered by each snapshot meanwhile, the page would never come
// to itself again.
func (p *pageReader) answers(ctx context.Context, session messages.FrameID, timeout time.Duration) error {
	p.mu.Lock()
	asked := p.probes[session]
	if asked != nil {
		p.mu.Unlock()
		<-asked.over
		return asked.err
	}
	asked = &probe{over: make(chan struct{})}
	defer close(asked.over)
	p.probes[session] = asked
	p.mu.Unlock()
	_, asked.err = p.call(ctx, probeMethod, map[string]any{}, session, timeout)
	if messages.CodeOf(asked.err) == messages.CodeCDPError {
		asked.err = nil // it does not know the method, and that is an answer
	}
	return asked.err
}

// findOwner finds the element of a frame in its parent's document.
func (p *pageReader) findOwner(ctx context.Context, f messages.FrameEntry, timeout time.Duration) (int64, bool) {
	parent, ok := p.frame(f.ParentFrameID)
	if !ok || p.guard(parent.URL) != nil {
		return 0, false
	}
	reply, err := p.call(ctx, "DOM.getFrameOwner", map[string]any{"frameId": f.FrameID}, p.sessionFrame(parent), timeout)
	if err != nil {
		return 0, false // then the frame has no place and follows its parent
	}
	var owner struct {
		Node int64 `json:"backendNodeId"`
	}
	if json.Unmarshal(reply, &owner) != nil || owner.Node == 0 {
		return 0, false
	}
	return owner.Node, true
}

func (p *pageReader) call(ctx context.Context, method string, params map[string]any, frame messages.FrameID, timeout time.Duration) ([]byte, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("parameters of %s: %w", method, err)
	}
	p.mu.Lock()
	silent := p.silent[frame]
	p.mu.Unlock()
	if silent || ctx.Err() != nil {
		return nil, messages.Fail(messages.CodeTimeout, "%s was not sent: its renderer has not answered, or the time is over", method)
	}
	within, cancel := context.WithTimeout(ctx, timeout+time.Second)
	defer cancel()
	reply, err := p.task.Call(within, messages.CallRequest{
		Method: method, Params: raw, FrameID: frame, Timeout: timeout, MaxBytes: maxAXBytes,
	})
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = messages.Fail(messages.CodeTimeout, "%s was not answered before the time was over", method)
		}
		if messages.CodeOf(err) == messages.CodeTimeout {
			p.mu.Lock()
			p.silent[frame] = true
			p.mu.Unlock()
		}
		return nil, err
	}
	return reply.Result, nil
}

// sessionFrame is the frame whose session holds f: f itself when it has a
// process of its own, else the nearest ancestor that has one. Empty means the
// page.
func (p *pageReader) sessionFrame(f messages.FrameEntry) messages.FrameID {
	for range p.frames { // at most as many steps as there are frames
		if f.OOPIF != nil && *f.OOPIF {
			return f.FrameID
		}
		parent, ok := p.frame(f.ParentFrameID)
		if !ok {
			return ""
		}
		f = parent
	}
	return ""
}

func (p *pageReader) frame(id messages.FrameID) (messages.FrameEntry, bool) {
	if id == "" {
		return messages.FrameEntry{}, false
	}
	for _, f := range p.frames {
		if f.FrameID == id {
			return f, true
		}
	}
	return messages.FrameEntry{}, false
}

// frameAt returns the child frame whose element has this backend node.
func (p *pageReader) frameAt(parent messages.FrameID, node int64) (messages.FrameEntry, bool) {
	for _, f := range p.childrenOf(parent) {
		if p.owners[f.FrameID] == node && node != 0 {
			return f, true
		}
	}
	return messages.FrameEntry{}, false
}

// outline writes what was read, at most limit characters of it.
func (p *pageReader) outline(limit int) outline {
	o := &outliner{page: p, budget: limit - reservedForCut, placed: map[messages.FrameID]bool{}}
	o.frame(p.frames[0].FrameID, 0)
	if o.out.Len() == 0 && o.left == 0 {
		o.note(0, "nothing to show: the page is empty, or has only begun to load")
	}
	omitted := 0
	if p.snap.FrameTree != nil {
		omitted = p.snap.FrameTree.Omitted
	}
	return o.finish(limit, omitted)
}

// title is the document's title: as the page itself has it, where it answered,
// for what the browser says of a tab comes later.
func (p *pageReader) title(otherwise messages.PageState) string {
	if read := p.reads[p.frames[0].FrameID]; read != nil && read.tree != nil && read.tree.root != nil {
		if title, _ := messages.Cut(read.tree.root.name(), messages.MaxTitleBytes); title != "" {
			return title
		}
	}
	return otherwise.Title
}

// connected looks whether the browser was there at all. The time of a frame can be
// up before the engine gives up the wait for the connection, and then no page is to
// blame.
func (p *pageReader) connected(after *messages.Snapshot) {
	if p.pageErr == nil || fatalCode(p.pageErr.Code) || after.Supervisor == nil || !unconnected(after) {
		return
	}
	p.pageErr = messages.Fail(messages.CodeConnectionLost, "there is no connection to the browser: %s; try again in a moment, or browser_connect to another one", after.Supervisor.Reason)
	p.reads[p.frames[0].FrameID] = &frameRead{note: "not read: there is no connection to the browser"}
}

// fatal is the failure that left nothing to show, or nil.
func (p *pageReader) fatal() error {
	if p.pageErr == nil || !fatalCode(p.pageErr.Code) {
		return nil
	}
	return p.pageErr
}

// noteOf says in the outline why a frame is not shown.
func noteOf(f *messages.Failure, timeout time.Duration) string {
	if f.Code == messages.CodeDialogOpen || f.Code == messages.CodeDialogOpened {
		which := "a dialog"
		if f.Dialog != nil {
			which = "dialog " + string(f.Dialog.ID)
		}
		return "blocked by " + which + "; answer it with browser_dialog"
	}
	if errors.Is(f, messages.ErrLeaving) {
		return fmt.Sprintf("did not answer within %s: it is on its way to another document that has not come; wait, or browser_cdp Page.stopLoading", timeout)
	}
	if f.Code == messages.CodeTimeout {
		return fmt.Sprintf("did not answer within %s: its renderer is busy, which browser_cdp Runtime.terminateExecution ends, or it shares one with a frame of another tab that a dialog blocks", timeout)
	}
	text, _ := messages.Cut(oneLine(f.Message), maxTextBytes)
	return printable(text)
}

// noteOfTree is the note of a frame whose renderer answered everything but the
// question for the tree.
func noteOfTree(f *messages.Failure, timeout time.Duration) string {
	if f.Code != messages.CodeTimeout || errors.Is(f, messages.ErrLeaving) {
		return noteOf(f, timeout)
	}
	return fmt.Sprintf("not read within %s: this document, or another one in its renderer, is too large for that, and keeps the renderer busy for some time yet; read parts with browser_cdp Runtime.evaluate", timeout)
}
