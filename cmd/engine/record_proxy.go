package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/record"
)

// browserGoesWithin is how long a browser that has ended its connections may take
// to end itself: until then its port still answers.
const browserGoesWithin = time.Second

// Why a proxy ended without an error.
var (
	errDone = errors.New("the client has gone")
	errGone = errors.New("the browser has gone")
)

// proxy records other clients.
func (s *recording) proxy(ctx context.Context) error {
	lease, err := s.source.Open(ctx)
	if err != nil {
		return err
	}
	source := &opened{EndpointSource: s.source, lease: lease}
	defer source.giveBack(ctx)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p := &record.Proxy{
		Lease: lease, Dial: new(cdpwire.Dialer).Dial, Clock: cdpwire.WallClock{},
		Log:   s.app.log.logger(s.app.stderr, zerolog.WarnLevel),
		Begin: func(n int) (*record.Recorder, error) { return s.begin(ctx, stop, n, lease) },
	}
	p.Ended = func(r *record.Recorder, why, failed error) { s.ended(ctx, stop, p, r, why, failed) }
	if err := p.Prove(ctx); err != nil {
		return err
	}
	if limit := s.options.MaxTime; limit > 0 { // also while no client comes
		late, cancel := context.WithTimeoutCause(ctx, limit, record.ErrTime)
		defer cancel()
		ctx = late
	}
	return s.serve(ctx, p)
}

// serve lets clients in until something ends the recording.
func (s *recording) serve(ctx context.Context, p *record.Proxy) error {
	address := s.command.Listen
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; choose another address with --listen", address, err)
	}
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		s.say("warning: whoever reaches %s controls the browser", listener.Addr())
	}
	s.say("clients can connect to http://%s; ^C ends it", listener.Addr())
	server := p.Server()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case <-ctx.Done():
		err = context.Cause(ctx)
	case err = <-ended:
	}
	p.Close()
	_ = server.Close()
	switch {
	case errors.Is(err, errDone), errors.Is(err, http.ErrServerClosed), signalCause(ctx) != nil:
		return nil
	case atLimit(err), errors.Is(err, errGone):
		s.say("%v", err)
		return nil
	}
	return err
}

// begin starts the recording of one client, whose limits end the whole.
func (s *recording) begin(ctx context.Context, stop context.CancelCauseFunc, n int, lease *messages.Lease) (*record.Recorder, error) {
	r, err := s.create(n, lease)
	if err != nil {
		if n == 1 {
			stop(err) // nothing is recorded that would be lost with it
		}
		return nil, err
	}
	s.say("client %d is recorded to %s", n, r.Path())
	go func() {
		report := s.progress.show
		if n > 1 {
			report = nil // there is one line
		}
		switch why := r.Watch(ctx, report); {
		case atLimit(why):
			stop(why)
		case why != nil:
			stop(s.incomplete(ctx, r, why))
		}
	}()
	return r, nil
}

// ended says how the recording of a client ended, and ends the whole where no
// other could follow.
func (s *recording) ended(ctx context.Context, stop context.CancelCauseFunc, p *record.Proxy, r *record.Recorder, why, failed error) {
	s.told(r, why)
	switch {
	case failed != nil:
		stop(s.incomplete(ctx, r, failed))
	case s.command.Once:
		stop(errDone)
	case errors.Is(why, record.ErrBrowser):
		select { // the page may have gone alone
		case <-time.After(browserGoesWithin):
		case <-ctx.Done():
			return
		}
		if err := p.Reach(ctx); err != nil && ctx.Err() == nil {
			stop(errGone)
		}
	}
}
