package cdpwire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
)

// errTooBig: a message came that is over the read limit.
var errTooBig = fmt.Errorf("a message is over the limit of %d bytes", messages.MaxReadBytes)

// panicCause is the cause of a connection whose goroutine panicked.
func panicCause(value any, stack []byte) *messages.Cause {
	return &messages.Cause{
		Kind:  messages.DisconnectPanic,
		Text:  fmt.Sprintf("the connection's goroutine panicked: %.200v", value),
		Stack: string(stack),
	}
}

func lost(format string, args ...any) *messages.Cause {
	return &messages.Cause{Kind: messages.DisconnectLost, Text: fmt.Sprintf(format, args...)}
}

// readCause says why no more messages come.
func readCause(err error) *messages.Cause {
	var closed *websocket.CloseError
	switch {
	case errors.Is(err, errTooBig):
		return lost("the connection was dropped: %v; ask for less at once, such as a part of the page", errTooBig)
	case errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure:
		return lost("the browser's side closed the connection (WebSocket code %d)", closed.Code)
	case errors.As(err, &closed), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return lost("the connection broke off: the browser quit, crashed, or a proxy between cut it")
	}
	return lost("the connection broke off: %s", plainReason(err))
}

// writeCause says why nothing more can be written.
func writeCause(err error) *messages.Cause {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return lost("the browser took nothing for %v: it hangs, or the network is gone", writeTimeout)
	}
	return lost("the connection broke off while sending: %s", plainReason(err))
}

// dialCause says why an endpoint could not be reached. Shown is the endpoint as
// logs may show it.
func dialCause(err error, shown string) *messages.Cause {
	cause := func(kind messages.DisconnectKind, format string, args ...any) *messages.Cause {
		return &messages.Cause{Kind: kind, Text: shown + ": " + fmt.Sprintf(format, args...)}
	}
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.Canceled):
		return cause(messages.DisconnectClosed, "the dial was given up")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return cause(messages.DisconnectTimeout, "no answer within %v; is the address right, and does a firewall drop it?", messages.DialTimeout)
	case errors.Is(err, syscall.ECONNREFUSED):
		return cause(messages.DisconnectRefused, "nothing listens there; start the browser with --remote-debugging-port")
	case errors.As(err, &dns):
		return cause(messages.DisconnectRefused, "the name of the host is not known; check it for typing errors")
	case tlsReason(err) != "":
		return cause(messages.DisconnectTLS, "TLS failed: %s", tlsReason(err))
	case strings.Contains(err.Error(), "malformed HTTP"):
		return cause(messages.DisconnectNotCDP, "what answers does not speak HTTP; if it speaks TLS, use https:// or wss://")
	}
	return cause(messages.DisconnectRefused, "%s", plainReason(err))
}

// tlsReason is why a TLS handshake failed, "" if that is not what happened.
func tlsReason(err error) string {
	var record tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verify *tls.CertificateVerificationError
	var alert tls.AlertError
	switch {
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "what answers does not speak TLS; try http:// or ws://"
	case errors.Is(err, errTLSCut):
		return "the handshake was cut off, most likely because what answers does not speak TLS; try http:// or ws://"
	case errors.As(err, &authority):
		return "the certificate is signed by an authority that this machine does not know; add it, for instance through SSL_CERT_FILE"
	case errors.As(err, &name):
		return "the certificate is for another host"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate has expired, or a clock is wrong"
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "the certificate is not valid"
	case errors.As(err, &alert):
		return "the other side refused: " + alert.Error()
	}
	return ""
}

// handshakeCause says what the answer to a WebSocket handshake means.
func handshakeCause(status int, u *url.URL) *messages.Cause {
	page := strings.Contains(u.Path, pagePath)
	switch {
	case page && (status == http.StatusNotFound || status == http.StatusInternalServerError):
		return &messages.Cause{
			Kind: messages.DisconnectRejected, Status: http.StatusNotFound,
			Text: shown(u) + ": the page of this address is gone; connect to the browser instead, or to another page",
		}
	case status < http.StatusBadRequest:
		return notCDP("%s answers, but opens no WebSocket (HTTP %d): is this the address of a browser?", shown(u), status)
	}
	return statusCause(status, shown(u), "the WebSocket handshake")
}

// statusCause says what an HTTP status means for a dial.
func statusCause(status int, shown, what string) *messages.Cause {
	c := &messages.Cause{Kind: messages.DisconnectRejected, Status: status}
	var way string
	switch status {
	case http.StatusUnauthorized:
		way = "the credentials are missing or wrong"
	case http.StatusForbidden:
		way = "the credentials do not allow it, or the browser refuses this client"
	case http.StatusNotFound:
		way = "the address is not there (any more); a browser that was restarted has another one, use http://host:port"
	case http.StatusGone:
		way = "the session is over; a new one is needed"
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		c.Kind, way = messages.DisconnectRefused, "the service in front of the browser cannot reach it or is busy; try later"
	default:
		c.Kind, way = messages.DisconnectNotCDP, "is this the debugging port of a browser?"
	}
	c.Text = fmt.Sprintf("%s: %s was answered HTTP %d: %s", shown, what, status, way)
	return c
}

func notCDP(format string, args ...any) *messages.Cause {
	return &messages.Cause{Kind: messages.DisconnectNotCDP, Text: fmt.Sprintf(format, args...)}
}

// plainReason is what an error of the network says, without what libraries add
// to it: their texts can hold a URL with its secrets.
func plainReason(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number.Error()
	}
	switch {
	case errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe), errors.Is(err, websocket.ErrCloseSent):
		return "the socket is closed"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it ended in the middle"
	}
	return Redact(innermost(err).Error())
}

// innermost is the error at the end of the chain.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
