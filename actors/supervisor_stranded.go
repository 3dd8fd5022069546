package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// nowhere is a URL that leads to no document. A navigation to it ends a stranded
// dialog, and the page gets to where it was going.
const nowhere = "x-cdpsupervisor-nowhere:"

// free ends the stranded dialog of a page: nobody can answer it, and until it is
// over the browser dies of a lost connection.
func (s *supervisor) free(ctx actor.Context, page messages.TargetID) {
	if e := s.link.pageSession(page); e != nil {
		s.orderNavigation(page) // until it is through, the browser dies of Page.disable
		s.send(ctx, e.id, messages.Ref{}, messages.Navigate{URL: nowhere})
	}
}

// stranded reports whether a page, or any if none is named, shows a dialog that
// a navigation of the page waits for.
func (s *supervisor) stranded(page messages.TargetID) bool {
	return slices.ContainsFunc(s.open, func(d messages.OpenDialog) bool {
		return d.Stranded && (page == "" || d.Dialog.TargetID == page)
	})
}

// How long after the opening of a dialog, and then how long after the last
// answer, the browser is asked whether a navigation waits for the dialog: first,
// and at most. It is twice as long each time.
const (
	probeSoon = 250 * time.Millisecond
	probeLate = 8 * time.Second
)

// probe is a question to the browser, yet to be asked, whether the dialog of a
// page is stranded.
type probe struct {
	dialog messages.DialogID
	page   messages.TargetID
	wait   time.Duration
	timer  messages.Timer
}

// watchCommit watches a dialog that a navigation may come to wait for: one of the
// page is in flight, or may have begun before we came. An answer would be told of
// it, too, but before anybody gives one the connection can break, and the browser
// would die.
func (s *supervisor) watchCommit(ctx actor.Context, d *messages.OpenDialog) {
	page := d.Dialog.TargetID
	if d.Unanswerable || d.Dialog.Via != messages.ViaNative || !s.link.mayLeave(page) {
		return
	}
	s.probeLater(ctx, probe{dialog: d.Dialog.ID, page: page, wait: probeSoon})
}

func (s *supervisor) probeLater(ctx actor.Context, p probe) {
	l := s.link
	l.lastProbe++
	p.timer = s.after(ctx, messages.TimerProbe, l.lastProbe, p.wait)
	l.probes.Set(l.lastProbe, p)
}

func (s *supervisor) probeTimer(ctx actor.Context, gen uint64) {
	p, waits := s.link.probes.Lookup(gen)
	s.link.probes.Delete(gen)
	if !waits || !s.asks(p.dialog) {
		return
	}
	s.probe(ctx, p.page, func(ctx actor.Context) {
		// Also if it is stranded: while an answer is on the wire, that is not
		// believed before the answer's own reply, which can be lost.
		if p.wait = min(2*p.wait, probeLate); s.asks(p.dialog) {
			s.probeLater(ctx, p)
		}
	})
}

// asks reports whether a dialog is open and waits for an answer.
func (s *supervisor) asks(dialog messages.DialogID) bool {
	return slices.ContainsFunc(s.open, func(d messages.OpenDialog) bool { return d.Dialog.ID == dialog && !d.Unanswerable })
}

// probe asks the browser whether a page belongs to a document that waits for the
// page's dialog, and tells the dialogs actor if it does. then is called after
// that, and not at all if the session or the connection ends first.
func (s *supervisor) probe(ctx actor.Context, page messages.TargetID, then func(actor.Context)) {
	e := s.link.pageSession(page)
	if e == nil {
		return
	}
	s.sendOwn(ctx, e.id, messages.GetNavigationHistory{}, func(ctx actor.Context, r *messages.Reply) {
		if policy.IsStranded(r.Err) {
			s.tell(policy.Stranded{At: s.env.Clock.Now(), Target: page}, ctx)
		}
		then(ctx)
	})
}

// stopTimers ends what the connection's end makes pointless.
func (l *link) stopTimers() {
	for _, p := range l.probes.All() {
		p.timer.Stop()
	}
	for _, p := range l.pages.All() {
		if h := p.healing; h != nil && h.timer != nil {
			h.timer.Stop()
		}
	}
}
