package actors

import (
	"strings"

	"cdpsupervisor/messages"
)

// navigationFailed says why a page was not loaded, in the browser's word (see
// net_error_list.h of Chromium) and in ours.
func navigationFailed(a *openAsk, body *messages.NavigateReply) *messages.Failure {
	f := messages.Fail(messages.CodeCDPError, "the browser could not load the page: %s", body.ErrorText)
	switch {
	case body.ErrorText == "net::ERR_ABORTED" && a.unloaded:
		f = messages.Fail(messages.CodeCancelledByDialog, "a beforeunload dialog was dismissed and kept the page where it was")
	case body.IsDownload:
		f.Message = "the URL is a download, the page stays where it was: " + body.ErrorText
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
