package cdpwire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http/httptrace"
	"net/url"
	"syscall"

	"cdpsupervisor/messages"
)

// errTLSCut: the other side hung up during the TLS handshake, as Chromium's
// debugging port does, which speaks plain HTTP and answers nothing else.
var errTLSCut = errors.New("the connection was cut off during the TLS handshake")

// watchTLS looks at the TLS handshakes of the attempt: the error of a dial alone
// does not tell whether the handshake was cut off or what came behind it.
func (a *attempt) watchTLS(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if isCutOff(err) {
				a.tlsCut.Store(true)
			}
		},
	})
}

func isCutOff(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// failed is the cause of a request or handshake that got no answer.
func (a *attempt) failed(err error, u *url.URL) *messages.Cause {
	if a.tlsCut.Load() {
		err = fmt.Errorf("%w: %w", errTLSCut, err)
	}
	return dialCause(err, shown(u))
}
