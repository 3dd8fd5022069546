package e2e

import (
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/dismissproxy"
)

// asks has the page ask for a confirmation and accepts it, and checks the way
// it came.
func (p *tab) asks(via messages.ViaKind) messages.Dialog {
	p.t.Helper()
	return p.asksIn(at{}, via)
}

func (p *tab) asksIn(where at, via messages.ViaKind) messages.Dialog {
	p.t.Helper()
	p.laterIn(where, `confirm("asked")`)
	d := p.dialog()
	if d.Via != via {
		p.t.Errorf("the dialog came by %s, want %s\n%s", d.Via, via, p.state())
	}
	p.accept(d)
	p.sawIn(where, true)
	return d
}

const nativeAlert = "function alert() { [native code] }"

// provoked has the page show native dialogs until the engine has noticed that
// somebody closes them, and has turned the bridge on.
func (p *tab) provoked() *messages.BridgeState {
	p.t.Helper()
	for range 20 {
		// What we answered first would prove nothing.
		p.outcomeOf(`confirm("quick")`, func(d messages.Dialog) bool { return d.Via != messages.ViaNative })
		if s := p.task.Snapshot(); s.Supervisor != nil && s.Supervisor.Bridge != nil {
			return s.Supervisor.Bridge
		}
	}
	p.t.Fatalf("the bridge stays off\n%s", p.state())
	return nil
}

// notices checks that auto turns the bridge on, for the document that lives and
// for later ones.
func notices(p *tab) {
	p.t.Helper()
	p.open(p.blank("a.test"))
	if got := p.eval(`alert.toString()`); got != nativeAlert {
		p.t.Errorf("before anything has happened the page finds %v", got)
	}
	if b := p.provoked(); b.Mode != messages.BridgeAuto || b.State == "off" || b.Reason == "" {
		p.t.Errorf("the snapshot says %+v", b)
	}
	p.asks(messages.ViaXHR)
	p.open(p.blank("a.test"))
	p.asks(messages.ViaXHR)
	p.open(p.embed("a.test", p.blank("b.test")))
	p.asks(messages.ViaXHR)
}

func TestBridgeAuto(t *testing.T) {
	t.Parallel()
	b := launch(t)
	t.Run("behind a backend that closes dialogs", func(t *testing.T) {
		behind, _ := b.behind(t, dismissproxy.Options{Delay: soon})
		notices(behind.tab(t, newHost(t)))
	})
	t.Run("on a browser that leaves them to us", func(t *testing.T) {
		p := b.tab(t, newHost(t))
		p.open(p.blank("a.test"))
		for range 3 {
			p.asks(messages.ViaNative)
		}
		if got := p.eval(`alert.toString()`); got != nativeAlert {
			t.Errorf("the page finds %v", got)
		}
		p.status("")
	})
	t.Run("off stays off", func(t *testing.T) {
		behind, proxy := b.behind(t, dismissproxy.Options{Delay: soon})
		p := behind.tab(t, newHost(t), registry.WithOwnTab(), registry.WithBridge(messages.BridgeOff))
		p.open(p.blank("a.test"))
		for range 4 {
			p.outcomeOf(`confirm("quick")`, func(messages.Dialog) bool { return false })
		}
		if n := proxy.Closed(); n != 4 {
			t.Errorf("the proxy closed %d of 4 native dialogs", n)
		}
		if got := p.eval(`alert.toString()`); got != nativeAlert {
			t.Errorf("the page finds %v", got)
		}
	})
	b.mustLive(t)
}
