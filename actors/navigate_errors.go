package actors

import (
	"slices"
	"strings"
	"time"

	"cdpsupervisor/messages"
)

// errAborted is the browser's word for a navigation that something cancelled.
const errAborted = "net::ERR_ABORTED"

// stayed is how long after a beforeunload dialog was dismissed the browser may
// cancel another navigation by it.
const stayed = 2 * time.Second

// aborted says which dialog of the page ended a navigation, or nil: the browser
// has the same word for many ends.
func (s *supervisor) aborted(a *openAsk) *messages.Failure {
	if a.unloaded {
		return messages.Fail(messages.CodeCancelledByDialog, "a beforeunload dialog was dismissed and kept the page where it was")
	}
	if i := slices.IndexFunc(s.open, func(d messages.OpenDialog) bool { return d.Dialog.TargetID == a.target }); i >= 0 {
		d := &s.open[i]
		f := messages.Fail(messages.CodeCDPError, "the browser gave the navigation up while %s of the page is open; answer it, or close the page, then navigate again", nameOfDialog(d))
		return endless(f.With(&d.Dialog).Ways(wayAnswer, wayClose), &d.Dialog)
	}
	p := s.link.pages.Get(a.target)
	if p != nil && !p.stayedAt.IsZero() && s.env.Clock.Now().Sub(p.stayedAt) < stayed {
		return messages.Fail(messages.CodeCancelledByDialog,
			"a beforeunload dialog was dismissed just before, and the browser has cancelled this navigation for it, too; navigate again").Ways("browser_navigate")
	}
	return nil
}

// unloadClosed remembers when a page was kept where it is by a beforeunload dialog.
func (s *supervisor) unloadClosed(page messages.TargetID, accepted bool, now time.Time) {
	p := s.link.pages.Get(page)
	asked := slices.ContainsFunc(s.open, func(d messages.OpenDialog) bool {
		return d.Dialog.TargetID == page && d.Dialog.Type == messages.DialogBeforeUnload
	})
	if p != nil && asked && !accepted {
		p.stayedAt = now
	}
}

// navigationFailed says why a page was not loaded, in the browser's word (see
// net_error_list.h of Chromium) and in ours. dialog is the failure if a dialog was
// the reason, else nil.
func navigationFailed(body *messages.NavigateReply, dialog *messages.Failure) *messages.Failure {
	f := messages.Fail(messages.CodeCDPError, "the browser could not load the page: %s", body.ErrorText)
	switch {
	case body.IsDownload:
		f.Message = "the URL is a download, the page stays where it was: " + body.ErrorText
	case body.ErrorText == errAborted && dialog != nil:
		f = dialog
	default:
		if hint := navigationHint(body.ErrorText); hint != "" {
			f.Message += ": " + hint
		}
	}
	f.ErrorText = body.ErrorText
	return f
}

// navigationHint says what an error of the network means for whoever chose the
// URL, or "".
func navigationHint(text string) string {
	word, _ := strings.CutPrefix(text, "net::ERR_")
	switch word {
	case "ABORTED":
		return "the page stays where it was, because the server sent nothing to show, another navigation came in between, or the browser does not open such URLs"
	case "NAME_NOT_RESOLVED":
		return "there is no such host; look at how it is spelt"
	case "CONNECTION_REFUSED":
		return "nothing listens at that host and port"
	case "CONNECTION_TIMED_OUT", "TIMED_OUT", "ADDRESS_UNREACHABLE":
		return "the server cannot be reached; try again later"
	case "EMPTY_RESPONSE", "CONNECTION_RESET", "CONNECTION_CLOSED":
		return "the server ended the connection; try again, or https:// in place of http://"
	case "SSL_PROTOCOL_ERROR":
		return "the server does not speak TLS there; try http:// in place of https://"
	case "INTERNET_DISCONNECTED":
		return "the browser has no network"
	case "TOO_MANY_REDIRECTS":
		return "its pages lead to each other in a circle"
	case "INVALID_URL", "UNKNOWN_URL_SCHEME", "DISALLOWED_URL_SCHEME", "UNSAFE_PORT":
		return "the browser does not open such URLs"
	case "INVALID_AUTH_CREDENTIALS":
		return "the server wants a user and a password, or others; they can stand in the URL: http://user:password@host/"
	case "FILE_NOT_FOUND":
		return "there is no such file on the browser's machine"
	}
	switch {
	case strings.HasPrefix(word, "CERT_"):
		return "the browser does not trust the server's certificate"
	case strings.HasPrefix(word, "BLOCKED_BY_"):
		return "something in the browser blocks it: an extension, a policy, or the site's own rules"
	}
	return ""
}
