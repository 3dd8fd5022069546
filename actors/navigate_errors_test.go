package actors

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

func TestNavigationsThatFailSayWhy(t *testing.T) {
	s := &supervisor{env: &Env{Clock: WallClock()}, link: newLink(1)}
	for _, tc := range []struct {
		text               string
		unloaded, download bool
		code               messages.Code
		says               string
	}{
		{"net::ERR_ABORTED", true, false, messages.CodeCancelledByDialog, "beforeunload"},
		{"net::ERR_ABORTED", false, true, messages.CodeCDPError, "is a download"},
		{"net::ERR_ABORTED", false, false, messages.CodeCDPError, "stays where it was"},
		{"net::ERR_NAME_NOT_RESOLVED", false, false, messages.CodeCDPError, "no such host"},
		{"net::ERR_CERT_DATE_INVALID", true, false, messages.CodeCDPError, "certificate"},
		{"net::ERR_BLOCKED_BY_CLIENT", false, false, messages.CodeCDPError, "blocks it"},
		{"net::ERR_HTTP2_PROTOCOL_ERROR", false, false, messages.CodeCDPError, "could not load the page: net::ERR_HTTP2_PROTOCOL_ERROR"},
		{"net::ERR_INVALID_AUTH_CREDENTIALS", false, false, messages.CodeCDPError, "user:password@host"},
		{"odd", false, false, messages.CodeCDPError, "could not load the page: odd"},
	} {
		f := navigationFailed(&messages.NavigateReply{ErrorText: tc.text, IsDownload: tc.download}, s.aborted(&openAsk{unloaded: tc.unloaded}))
		if f.Code != tc.code || !strings.Contains(f.Message, tc.says) || f.ErrorText != tc.text {
			t.Errorf("%+v: %+v", tc, f)
		}
	}
}

// The browser has one word for all that cancels a navigation; a dialog of the page
// that did is named.
func TestNavigationsThatDialogsCancel(t *testing.T) {
	s := &supervisor{env: &Env{Clock: WallClock()}, link: newLink(1)}
	s.link.pages.Set("P", &pageEntry{})
	open := func(page messages.TargetID, kind messages.DialogType, count int) {
		s.open = []messages.OpenDialog{{Dialog: messages.Dialog{ID: "d-1", Type: kind, TargetID: page, Count: count}}}
	}
	want := func(what string, code messages.Code, says string, ways ...string) {
		t.Helper()
		f := navigationFailed(&messages.NavigateReply{ErrorText: errAborted}, s.aborted(&openAsk{target: "P"}))
		if f.Code != code || !strings.Contains(f.Message, says) || f.ErrorText != errAborted || !slices.Equal(f.WaysOut, ways) {
			t.Errorf("%s: %+v", what, f)
		}
	}
	open("OTHER", messages.DialogAlert, 9)
	want("a dialog of another page", messages.CodeCDPError, "the server sent nothing to show")
	open("P", messages.DialogAlert, 2)
	want("an open dialog", messages.CodeCDPError, "an alert dialog (d-1)", wayAnswer, wayClose)
	open("P", messages.DialogAlert, 3)
	want("an alert in a loop", messages.CodeCDPError, "one dialog after another", wayAnswer, wayClose, messages.WayCloseTab)

	open("P", messages.DialogBeforeUnload, 0)
	s.unloadClosed("P", true, s.env.Clock.Now())
	s.open = nil
	want("an accepted beforeunload dialog", messages.CodeCDPError, "the server sent nothing to show")
	open("P", messages.DialogBeforeUnload, 0)
	s.unloadClosed("P", false, s.env.Clock.Now())
	s.open = nil
	want("a dismissed one", messages.CodeCancelledByDialog, "navigate again", "browser_navigate")
	s.link.pages.Get("P").stayedAt = s.env.Clock.Now().Add(-time.Minute)
	want("one long ago", messages.CodeCDPError, "the server sent nothing to show")
}

// Whoever answers the alerts of a loop gets nowhere, and is told so.
func TestEndlessDialogsNameAWayOut(t *testing.T) {
	for _, stranded := range []bool{false, true} {
		for _, count := range []int{0, 2, 3, 40} {
			d := &messages.OpenDialog{Dialog: messages.Dialog{ID: "d-7", Type: messages.DialogAlert, Count: count}, Unanswerable: stranded, Stranded: stranded}
			for _, f := range []*messages.Failure{dialogOpen(d), dialogOpened(d, nil)} {
				if endless := count >= 3; strings.Contains(f.Message, "one dialog after another") != endless || slices.Contains(f.WaysOut, messages.WayCloseTab) != endless {
					t.Errorf("%d in a row: %+v", count, f)
				}
			}
			if f := dialogOpen(d); stranded && !slices.Contains(f.WaysOut, wayClose) {
				t.Errorf("a stranded dialog: %+v", f)
			}
		}
	}
}
