package demo

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
)

// simStage starts fake browsers, each on a real WebSocket of its own, so that
// the engine does on them just what it does on Chromium.
type simStage struct{ launched atomic.Uint64 }

func (s *simStage) launch(ctx context.Context) (*messages.Lease, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback for the fake browser: %w", err)
	}
	b := fakebrowser.New(fakebrowser.Options{
		Pages: func(url string) (fakebrowser.Response, bool) {
			html, ok := pageAt(url)
			return fakebrowser.Response{HTML: html}, ok
		},
		Clock:         cdpwire.WallClock{},
		SiteIsolation: true,
		Seed:          s.launched.Add(1), // targets of two browsers have different ids
	})
	b.Serve(listener)
	return &messages.Lease{
		Endpoint: b.Endpoint(),
		Close: func(context.Context) error {
			b.Close()
			return nil
		},
	}, nil
}

func (*simStage) close() {}
