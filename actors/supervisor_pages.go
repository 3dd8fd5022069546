package actors

import (
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// The registry is told of each page of the task, so that no other task takes it,
// and of its end. A page that goes while there is no connection, as all do where
// the browser is started anew, is missed only in the next one's list: until then
// it must stay the task's, which may find it again.

// claimed ends a claim; page may be "".
func (s *supervisor) claimed(ctx actor.Context, page messages.TargetID) {
	s.own(ctx, page, false)
}

// own tells the registry that a page is the task's, a popup without a claim.
func (s *supervisor) own(ctx actor.Context, page messages.TargetID, popup bool) {
	claimed := &messages.PageClaimed{Task: s.rec.ID, Life: s.rec.Life, Page: page, Popup: popup}
	if s.link != nil {
		claimed.Browser = s.link.browser
	}
	if page != "" && !slices.Contains(s.rec.owned, page) {
		s.rec.owned = append(s.rec.owned, messages.TargetID(strings.Clone(string(page)))) // of a block that many share
	}
	ctx.Send(ctx.Parent(), claimed)
}

// disown tells the registry that a page of the task is no more.
func (s *supervisor) disown(ctx actor.Context, page messages.TargetID) {
	s.rec.owned = slices.DeleteFunc(s.rec.owned, func(owned messages.TargetID) bool { return owned == page })
	ctx.Send(ctx.Parent(), &messages.PageReleased{Task: s.rec.ID, Life: s.rec.Life, Page: page})
}

// disownUnlisted gives up what is not among all targets of the browser.
func (s *supervisor) disownUnlisted(ctx actor.Context, all []messages.TargetInfo) {
	for _, page := range slices.Clone(s.rec.owned) {
		if !slices.ContainsFunc(all, func(info messages.TargetInfo) bool { return info.TargetID == page }) {
			s.disown(ctx, page)
		}
	}
}
