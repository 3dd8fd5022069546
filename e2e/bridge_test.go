package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/backends"
	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/dismissproxy"
)

// launchSecure starts a browser whose *.test hosts have http and https.
func launchSecure(t *testing.T) *browser {
	t.Helper()
	needChromium(t)
	s := newSite(t)
	secure := httptest.NewTLSServer(s)
	t.Cleanup(secure.Close)
	local := backends.NewLocal(backends.Options{Headless: true, Isolated: true, ExtraArgs: []string{
		"--site-per-process",
		"--ignore-certificate-errors",
		"--host-resolver-rules=MAP *.test:443 " + secure.Listener.Addr().String() + ",MAP *.test:80 " + s.address,
	}})
	lease, err := local.Open(t.Context())
	if err != nil {
		t.Fatalf("launch: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := lease.Close(ctx); err != nil {
			t.Errorf("close the browser: %v", err)
		}
	})
	address, _, _ := strings.Cut(strings.TrimPrefix(lease.Endpoint.Reveal(), "ws://"), "/")
	return &browser{site: s, endpoint: lease.Endpoint, address: address}
}

// behind is the browser behind a proxy, which ends with the test.
func (b *browser) behind(t *testing.T, o dismissproxy.Options) (*browser, *dismissproxy.Proxy) {
	t.Helper()
	o.Clock = cdpwire.WallClock{}
	p, err := dismissproxy.Start(t.Context(), b.address, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close the proxy: %v", err)
		}
	})
	endpoint := messages.Endpoint(strings.Replace(b.endpoint.Reveal(), b.address, p.Address, 1))
	return &browser{site: b.site, endpoint: endpoint, address: b.address}, p
}

// soon is the delay of a backend that closes dialogs.
func soon() time.Duration { return 10 * time.Millisecond }

// bridgeOn are the options of a task that is bridged.
func bridgeOn(more ...registry.TaskOption) []registry.TaskOption {
	return append([]registry.TaskOption{registry.WithOwnTab(), registry.WithBridge(messages.BridgeOn)}, more...)
}

// served is a page with headers of its own; its scheme is https if secure.
func (s *site) served(host string, secure bool, header http.Header, html string) string {
	url := s.handle(host, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for name, values := range header {
			w.Header()[name] = values
		}
		_, _ = io.WriteString(w, prelude+html)
	})
	if secure {
		url = strings.Replace(url, "http://", "https://", 1)
	}
	return url
}

// show navigates and waits for nothing: the page may ask at once.
func (p *tab) show(url string) {
	p.t.Helper()
	ctx, cancel := p.context()
	defer cancel()
	if _, err := p.task.Navigate(ctx, url); err != nil {
		p.t.Fatalf("navigate to %s: %v\n%s", url, err, p.state())
	}
}

// askAll is a page script that asks in every way and reports what it got.
const askAll = `<script>later(() => { report([alert("a"), confirm("yes"), confirm("no"), prompt("text"), prompt("empty"), prompt("default", "dflt"), prompt("never", "x")].map(v => v === undefined ? "undefined" : v)) })</script>`

// inScript is a text as a literal in a script element.
func inScript(text string) string {
	return strings.ReplaceAll(strconv.Quote(text), "</", `<\/`)
}

// answerAll plays the agent for askAll and checks each dialog on its way.
func answerAll(p *tab, via messages.ViaKind, origin string) {
	p.t.Helper()
	text := func(s string) *string { return &s }
	for _, step := range []struct {
		typ     messages.DialogType
		message string
		accept  bool
		text    *string
	}{
		{messages.DialogAlert, "a", true, nil},
		{messages.DialogConfirm, "yes", true, nil},
		{messages.DialogConfirm, "no", false, nil},
		{messages.DialogPrompt, "text", true, text("wörds \"quoted\"\n</script>")},
		{messages.DialogPrompt, "empty", true, text("")},
		{messages.DialogPrompt, "default", true, nil},
		{messages.DialogPrompt, "never", false, nil},
	} {
		d := p.wait(step.message, func(s *messages.Snapshot) bool {
			return len(s.PendingDialogs) == 1 && s.PendingDialogs[0].Message == step.message
		}).PendingDialogs[0]
		if d.Type != step.typ || d.Via != via || d.Origin != origin {
			p.t.Errorf("%s: the dialog is shown as %+v, want origin %s", step.message, d, origin)
		}
		action := messages.ActionDismiss
		if step.accept {
			action = messages.ActionAccept
		}
		r := p.answer(messages.DialogRequest{Action: action, DialogID: d.ID, PromptText: step.text})
		if r.ClosedBy != messages.ClosedByAgent || r.Result != step.accept {
			p.t.Errorf("%s: the record is %+v", step.message, r)
		}
	}
	want := `[undefined true false wörds "quoted"` + "\n" + `</script>  dflt <nil>]`
	if got := fmt.Sprint(p.reported(p.t)); got != want {
		p.t.Errorf("the page got %s, want %s", got, want)
	}
}

// TestBridge asks in every kind of frame, behind a backend that closes native
// dialogs, and the agent answers.
func TestBridge(t *testing.T) {
	t.Parallel()
	direct := launchSecure(t)
	b, proxy := direct.behind(t, dismissproxy.Options{Delay: soon})
	h := newHost(t)
	for _, secure := range []bool{false, true} {
		scheme := map[bool]string{false: "http", true: "https"}[secure]
		embed := func(p *tab, html string) { p.show(p.served("a.test", secure, nil, html)) }
		src := func(inner string) string { return fmt.Sprintf(`<iframe src=%q></iframe>`, inner) }
		for _, place := range []struct {
			name   string
			origin string
			open   func(*tab)
		}{
			{"the top frame", "a.test", func(p *tab) { embed(p, askAll) }},
			{"a same-process frame", "a.test", func(p *tab) { embed(p, src(p.served("a.test", secure, nil, askAll))) }},
			{"srcdoc", "a.test", func(p *tab) {
				embed(p, `<iframe srcdoc='`+prelude+askAll+`'></iframe>`)
			}},
			{"data:", "null", func(p *tab) {
				// A beacon of an opaque origin is sent by the parent.
				embed(p, `<script>addEventListener("message", e => report(e.data)); const f = document.createElement("iframe");
					f.src = "data:text/html," + encodeURIComponent(`+inScript(`<script>const later = f => setTimeout(f), report = v => parent.postMessage(v, "*")</script>`+askAll)+`); document.documentElement.append(f)</script>`)
			}},
			{"an OOPIF", "b.test", func(p *tab) { embed(p, src(p.served("b.test", secure, nil, askAll))) }},
			{"a nested OOPIF", "c.test", func(p *tab) {
				embed(p, src(p.served("b.test", secure, nil, src(p.served("c.test", secure, nil, askAll)))))
			}},
			{"a popup", "b.test", func(p *tab) {
				p.open(p.served("a.test", secure, nil, ""))
				p.later(`open("` + p.served("b.test", secure, nil, askAll) + `", "_blank", "noopener") === null`)
			}},
			{"a frame of a script's own, at once", "a.test", func(p *tab) {
				embed(p, `<script>setTimeout(() => { const f = document.createElement("iframe"); document.documentElement.append(f);
					const w = f.contentWindow; report([w.alert("a"), w.confirm("yes"), w.confirm("no"), w.prompt("text"), w.prompt("empty"), w.prompt("default", "dflt"), w.prompt("never", "x")].map(v => v === undefined ? "undefined" : v)) })</script>`)
			}},
		} {
			t.Run(scheme+"/"+place.name, func(t *testing.T) {
				p := b.tab(t, h, bridgeOn()...)
				place.open(p)
				origin := place.origin
				if origin != "null" {
					origin = scheme + "://" + origin
				}
				answerAll(p, messages.ViaXHR, origin)
			})
		}
		t.Run(scheme+"/a popup that is used at once", func(t *testing.T) {
			p := b.tab(t, h, bridgeOn()...)
			p.open(p.served("a.test", secure, nil, ""))
			p.later(`{ const w = open("about:blank"); return [w.confirm("one"), w.prompt("two"), w.confirm("three")].join() }`)
			for _, message := range []string{"one", "two", "three"} {
				d := p.wait(message, func(s *messages.Snapshot) bool {
					return len(s.PendingDialogs) == 1 && s.PendingDialogs[0].Message == message
				}).PendingDialogs[0]
				if d.Via != messages.ViaXHR || d.Origin != scheme+"://a.test" || d.TargetID == p.task.Snapshot().PageTargetID {
					t.Errorf("the dialog is shown as %+v", d)
				}
				text := "typed"
				p.answer(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID, PromptText: &text})
			}
			p.saw("true,typed,true")
		})
		// The first script of an OOPIF and of a popup, before anything has loaded.
		for name, open := range map[string]func(p *tab, url string){
			"an OOPIF": func(p *tab, url string) { embed(p, src(url)) },
			"a popup": func(p *tab, url string) {
				p.open(p.served("a.test", secure, nil, ""))
				p.later(`open("` + url + `") !== null`)
			},
		} {
			t.Run(scheme+"/the first script of "+name, func(t *testing.T) {
				p := b.tab(t, h, bridgeOn()...)
				open(p, p.served("b.test", secure, nil, `<script>report(confirm("first"))</script>`))
				d := p.dialog()
				if d.Via != messages.ViaXHR || d.Origin != scheme+"://b.test" {
					t.Errorf("the dialog is shown as %+v", d)
				}
				p.accept(d)
				if got := p.reported(t); got != true {
					t.Errorf("the page got %v", got)
				}
			})
		}
	}
	if n := proxy.Closed(); n != 0 {
		t.Errorf("%d dialogs were native", n)
	}
	direct.mustLive(t)
}
