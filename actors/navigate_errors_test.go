package actors

import (
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

func TestNavigationsThatFailSayWhy(t *testing.T) {
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
		{"odd", false, false, messages.CodeCDPError, "could not load the page: odd"},
	} {
		f := navigationFailed(&openAsk{unloaded: tc.unloaded}, &messages.NavigateReply{ErrorText: tc.text, IsDownload: tc.download})
		if f.Code != tc.code || !strings.Contains(f.Message, tc.says) || f.ErrorText != tc.text {
			t.Errorf("%+v: %+v", tc, f)
		}
	}
}
