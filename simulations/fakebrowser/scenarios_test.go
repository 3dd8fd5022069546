package fakebrowser_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/fakebrowser"
	"cdpsupervisor/simulations/scenarios"
)

// TestScenarios plays the table that real Chromium plays, too.
func TestScenarios(t *testing.T) {
	for _, s := range scenarios.All() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			l := newLab(t, s)
			scenarios.Play(ctx, t, l, s)
			if of := l.b.Crashed(); (of != nil) != s.Kills {
				t.Errorf("the browser crashed: %v", of)
			}
		})
	}
}

// lab is a fake browser of its own for one scenario. Time is real, so that
// nobody has to move it.
type lab struct {
	b       *fakebrowser.Browser
	address string
}

func newLab(t *testing.T, s scenarios.Scenario) *lab {
	t.Helper()
	b := fakebrowser.New(fakebrowser.Options{
		Pages: func(url string) (fakebrowser.Response, bool) {
			if !scenarios.Resolves(url) {
				return fakebrowser.Response{}, false
			}
			return fakebrowser.Response(s.Site(url)), true
		},
		Clock:                   cdpwire.WallClock{},
		SiteIsolation:           true,
		BlockCrossOriginDialogs: s.BlockCrossOriginDialogs,
	})
	t.Cleanup(func() {
		if err := b.Err(); err != nil {
			t.Errorf("inside the fake: %v", err)
		}
		b.Close()
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Serve(l))
	return &lab{b, l.Addr().String()}
}

func (l *lab) Dial(_ context.Context, target string) (scenarios.Conn, error) {
	if target != "" {
		return l.b.PageTransport(target), nil
	}
	return l.b.Transport(), nil
}

func (l *lab) Address() string { return l.address }

func (l *lab) Terminate() error {
	l.b.Terminate()
	return nil
}

func (l *lab) Gone(ctx context.Context) error {
	if err := l.b.Settle(ctx); err != nil && l.b.Alive() {
		return err
	}
	if l.b.Alive() {
		return fmt.Errorf("there is nothing left to do and the browser lives")
	}
	return nil
}
