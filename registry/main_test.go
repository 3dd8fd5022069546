package registry_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

func TestMain(m *testing.M) {
	// The library starts one goroutine at the first dead letter of a system,
	// which ends by itself a second later.
	goleak.VerifyTestMain(m,
		// The throttle of dead letters, by both names that the compiler gives it.
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"),
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewThrottle.func1.1"))
}

func quietSystem() *actor.ActorSystem {
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
}

// endpoint is a source whose dialling the test replaces.
type endpoint string

func (e endpoint) Identity() string { return string(e) }
func (e endpoint) Open(context.Context) (*messages.Lease, error) {
	return &messages.Lease{Endpoint: messages.Endpoint(e)}, nil
}
func (e endpoint) Renew(_ context.Context, old *messages.Lease) (*messages.Lease, error) {
	return old, nil
}

const page = `<title>a page</title><script>var said = []</script>`

// site serves the one page under every name.
func site(string) (fakebrowser.Response, bool) { return fakebrowser.Response{HTML: page}, true }

// engine is a registry whose endpoints are fake browsers, by their name.
func engine(t *testing.T, browsers map[string]*fakebrowser.Browser, more ...registry.Option) (*registry.Registry, *actor.ActorSystem) {
	t.Helper()
	system := quietSystem()
	dial := func(_ context.Context, lease *messages.Lease) (*cdpwire.Dialed, error) {
		b := browsers[lease.Endpoint.Reveal()]
		if b == nil {
			return nil, &messages.Cause{Kind: messages.DisconnectRefused, Text: "nothing listens there"}
		}
		return &cdpwire.Dialed{Transport: b.Transport(), Shown: lease.Endpoint.Reveal(), Browser: fmt.Sprintf("%p", b)}, nil
	}
	opts := append([]registry.Option{registry.WithDial(dial), registry.WithChance(func() float64 { return 0 })}, more...)
	r, err := registry.New(system, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r, system
}

func browser(t *testing.T) *fakebrowser.Browser {
	t.Helper()
	b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
	t.Cleanup(b.Close)
	return b
}
