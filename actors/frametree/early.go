package frametree

import (
	"slices"

	"cdpsupervisor/messages"
)

// maxEarly is how many events of sessions not yet known are kept.
const maxEarly = 1024

// early holds the events of sessions that are not known yet, for each in its
// order. A browser announces a session before it speaks on it, so this is empty
// but for pages whose owner has not decided yet.
type early struct {
	of    map[messages.SessionID][]messages.Event
	order []messages.SessionID // of the first event of each
	total int
}

// keep copies an event; false means that there is no room.
func (e *early) keep(ev *messages.Event) bool {
	body := clone(ev.Body)
	if body == nil {
		return true // nothing that the tree would act on
	}
	if e.total >= maxEarly {
		return false
	}
	kept := *ev
	kept.Body = body
	if e.of == nil {
		e.of = make(map[messages.SessionID][]messages.Event)
	}
	list := e.of[ev.Session]
	if list == nil {
		e.order = append(e.order, ev.Session)
	}
	e.of[ev.Session] = append(list, kept)
	e.total++
	return true
}

// take removes and returns the events of one session.
func (e *early) take(id messages.SessionID) []messages.Event {
	list := e.of[id]
	if list != nil {
		delete(e.of, id)
		at := slices.Index(e.order, id)
		e.order = slices.Delete(e.order, at, at+1)
		e.total -= len(list)
	}
	return list
}

// clone copies the body of an event that the tree acts on, since bodies belong
// to their batch; it is nil for all others.
func clone(body messages.EventBody) messages.EventBody {
	switch b := body.(type) {
	case *messages.AttachedToTarget:
		c := *b
		return &c
	case *messages.DetachedFromTarget:
		c := *b
		return &c
	case *messages.TargetInfoChanged:
		c := *b
		return &c
	case *messages.FrameAttached:
		c := *b
		return &c
	case *messages.FrameNavigated:
		c := *b
		return &c
	case *messages.FrameDetached:
		c := *b
		return &c
	case *messages.FrameStartedNavigating:
		c := *b
		return &c
	case *messages.NavigatedWithinDocument:
		c := *b
		return &c
	case *messages.DocumentOpened:
		c := *b
		return &c
	case *messages.ContextCreated:
		c := *b
		return &c
	case *messages.ContextsCleared, *messages.InspectorCrashed, *messages.InspectorReloaded:
		return body // they hold nothing
	}
	return nil
}
