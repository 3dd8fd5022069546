package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"cdpsupervisor/bridge"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// forgeries are the ways of a page to speak to the bridge's host. Each is an
// expression that tells what the page got.
var forgeries = map[string]string{
	"XHR":           `new Promise(f => { const x = new XMLHttpRequest(); x.open("POST", url); x.onload = () => f("loaded " + x.responseText); x.onerror = () => f("error"); x.send(body) })`,
	"fetch":         `fetch(url, {method: "POST", body}).then(r => r.text(), () => "error")`,
	"no-cors fetch": `fetch(url, {method: "POST", body, mode: "no-cors"}).then(r => "loaded " + r.type, () => "error")`,
	"keepalive":     `fetch(url, {method: "POST", body, keepalive: true}).then(r => r.text(), () => "error")`,
	"beacon":        `navigator.sendBeacon(url, body) && "error"`,
	"image":         `new Promise(f => { const e = new Image(); e.onload = () => f("loaded"); e.onerror = () => f("error"); e.src = url })`,
	"script":        `new Promise(f => { const e = document.createElement("script"); e.onload = () => f("loaded"); e.onerror = () => f("error"); e.src = url; document.documentElement.append(e) })`,
	"style":         `new Promise(f => { const e = document.createElement("link"); e.rel = "stylesheet"; e.onload = () => f("loaded"); e.onerror = () => f("error"); e.href = url; document.documentElement.append(e) })`,
	"preload":       `new Promise(f => { const e = document.createElement("link"); e.rel = "preload"; e.as = "fetch"; e.crossOrigin = ""; e.onload = () => f("loaded"); e.onerror = () => f("error"); e.href = url + "?" + Math.random(); document.documentElement.append(e) })`,
	"EventSource":   `new Promise(f => { const e = new EventSource(url); e.onmessage = () => f("loaded"); e.onerror = () => { e.close(); f("error") } })`,
	"WebSocket":     `new Promise(f => { const e = new WebSocket(url.replace("https", "wss")); e.onopen = () => f("loaded"); e.onerror = () => f("error") })`,
	"frame":         `new Promise(f => { const e = document.createElement("iframe"); e.onload = () => { try { f("loaded " + e.contentDocument.body.innerText) } catch { f("error") } }; e.src = url; document.documentElement.append(e) })`,
	"form": `new Promise(f => { const e = document.createElement("iframe"); e.name = "into" + Math.random(); document.documentElement.append(e);
		const form = document.createElement("form"); form.action = url; form.method = "POST"; form.target = e.name; form.enctype = "text/plain";
		const field = document.createElement("input"); field.name = body.slice(0, -1) + ',"x":"'; field.value = '"}'; form.append(field); document.documentElement.append(form);
		e.onload = () => { try { if (e.contentDocument.URL !== "about:blank") f("loaded " + e.contentDocument.body.innerText) } catch { f("error") } }; form.submit() })`,
	"worker": `new Promise(f => { const w = new Worker(URL.createObjectURL(new Blob(["onmessage = e => fetch(e.data[0], {method: 'POST', body: e.data[1]}).then(r => r.text(), () => 'error').then(postMessage)"])));
		w.onmessage = e => f(e.data); w.onerror = () => f("no worker"); w.postMessage([url, body]) })`,
	"worker's XHR": `new Promise(f => { const w = new Worker(URL.createObjectURL(new Blob(["onmessage = e => { const x = new XMLHttpRequest(); x.open('POST', e.data[0], false); try { x.send(e.data[1]); postMessage(x.responseText) } catch { postMessage('error') } }"])));
		w.onmessage = e => f(e.data); w.onerror = () => f("no worker"); w.postMessage([url, body]) })`,
}

// TestBridgeForgeries: whoever speaks to the host himself hears what everybody
// hears of a host that is not there, no dialog comes of it, and it is counted.
func TestBridgeForgeries(t *testing.T) {
	t.Parallel()
	b := launchSecure(t)
	for name, way := range forgeries {
		t.Run(name, func(t *testing.T) {
			var log logged
			p := b.tab(t, newHost(t, registry.WithLogger(zerolog.New(&log))), bridgeOn(transport(messages.TransportXHR))...)
			ad, boxed := p.served("ads.test", true, nil, ""), p.served("box.test", true, nil, "")
			p.open(p.served("a.test", true, nil, `<iframe src="`+ad+`"></iframe><iframe sandbox="allow-scripts allow-forms allow-modals" src="`+boxed+`"></iframe>`))
			for _, where := range []at{{}, {frame: p.frame(ad).FrameID}, {frame: p.frame(boxed).FrameID}, {}} {
				got := p.evalIn(where, `(() => { const url = "`+bridge.URL+`", body = '{"secret":"0","document":"1-2-3-4","type":"prompt","message":"forged"}'; return `+way+` })()`)
				if got != "error" {
					t.Errorf("%v got %v", where, got)
				}
			}
			if name != "WebSocket" { // which no client can hold
				p.poll("the log to tell of 4", func() bool { return log.has("4 forged questions were refused") })
			}
			if log.has(": 8 forged") {
				t.Error("more than 4 are counted")
			}
			if s := p.task.Snapshot(); len(s.PendingDialogs)+len(s.RecentDialogs) != 0 {
				t.Errorf("a dialog came of it: %s", p.state())
			}
			p.asks(messages.ViaXHR)
		})
	}
	b.mustLive(t)
}

// TestBridgeReplay repeats a real question, secret and all, from where it does
// not belong. Only a debugger can read it, and so does this test.
func TestBridgeReplay(t *testing.T) {
	t.Parallel()
	b := launchSecure(t)
	var log logged
	p := b.tab(t, newHost(t, registry.WithLogger(zerolog.New(&log))), bridgeOn(transport(messages.TransportXHR))...)
	ad, boxed := p.served("ads.test", true, nil, ""), p.served("box.test", true, nil, "")
	p.open(p.served("a.test", true, nil, `<iframe src="`+ad+`"></iframe><iframe sandbox="allow-scripts" src="`+boxed+`"></iframe>`))
	spy := dialRaw(t, b.endpoint)
	session := spy.attach(string(p.task.Snapshot().PageTargetID)) // who attaches last is asked first
	spy.call(session, "Fetch.enable", params{"patterns": []params{{"urlPattern": bridge.URL + "*"}}})
	p.later(`confirm("spied on")`)
	event := spy.event(session, "Fetch.requestPaused").Params
	spy.call(session, "Fetch.continueRequest", params{"requestId": field(t, event, "requestId")})
	d := p.dialog()
	spy.close()
	p.accept(d)
	p.saw(true)
	var held struct {
		Request struct{ PostData string }
	}
	if err := json.Unmarshal(event, &held); err != nil || !strings.Contains(held.Request.PostData, "spied on") {
		t.Fatalf("the question is %s, %v", event, err)
	}
	const again = `(() => { const x = new XMLHttpRequest(); x.open("POST", url, false); try { x.send(body); return "loaded " + x.responseText } catch { return "error" } })()`
	for name, c := range map[string]struct {
		where at
		way   string
	}{
		"an ad":               {at{frame: p.frame(ad).FrameID}, again},
		"a sandbox":           {at{frame: p.frame(boxed).FrameID}, again},
		"an ad, by fetch":     {at{frame: p.frame(ad).FrameID}, forgeries["fetch"]},
		"the page, by beacon": {at{}, forgeries["beacon"]},
	} {
		if got := p.evalIn(c.where, `(() => { const url = "`+bridge.URL+`", body = `+inScript(held.Request.PostData)+`; return `+c.way+` })()`); got != "error" {
			t.Errorf("%s that repeats a question got %v", name, got)
		}
	}
	p.poll("the log to tell of it", func() bool { return log.has("4 forged questions were refused") }) // each was heard
	if s := p.task.Snapshot(); len(s.PendingDialogs) != 0 || len(s.RecentDialogs) != 1 {
		t.Errorf("a dialog came of it: %s", p.state())
	}
	b.mustLive(t)
}
