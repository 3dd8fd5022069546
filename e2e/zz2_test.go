package e2e
import ("testing";"os";"strings";"encoding/json";"time")
func TestZZ(t *testing.T) {
	wait := os.Getenv("ZZWAIT") != ""
	b := launch(t)
	r := dialRaw(t, b.endpoint)
	p := b
	r.call("", "Target.setDiscoverTargets", params{"discover": true})
	target := field(t, r.call("", "Target.createTarget", params{"url": "about:blank", "background": true}), "targetId")
	s := field(t, r.call("", "Target.attachToTarget", params{"targetId": target, "flatten": true}), "sessionId")
	setup := func(s string) {
		r.send(s, "Page.enable", nil)
		r.send(s, "Runtime.enable", nil)
		r.send(s, "Target.setAutoAttach", params{"autoAttach": true, "flatten": true, "waitForDebuggerOnStart": wait})
		r.send(s, "Page.getFrameTree", nil)
		r.send(s, "Runtime.runIfWaitingForDebugger", nil)
	}
	setup(s)
		urls := []string{
			p.blank("a.test"), p.blank("b.test"), p.blank("c.test"), p.embed("b.test", p.blank("c.test")),
			p.embed("c.test", p.embed("b.test", p.blank("a.test"))), "about:blank", "data:text/html,x",
		}
		u := (p.page("a.test", `<script>
			const urls = ["`+strings.Join(urls, `","`)+`"];
			const any = list => list[Math.floor(Math.random() * list.length)];
			let n = 0;
			const timer = setInterval(() => {
				const frames = [...document.querySelectorAll("iframe")];
				const what = Math.random();
				if (what < 0.5 && frames.length < 12 || frames.length === 0) {
					const f = document.createElement("iframe");
					f.src = any(urls);
					document.body.append(f);
				} else if (what < 0.7) any(frames).remove();
				else any(frames).src = any(urls);
				if (++n === 80) { clearInterval(timer); seen.push("over"); }
			}, 20);
		</script><body>`))
	r.send(s, "Page.navigate", params{"url": u})
	end := time.Now().Add(6*time.Second)
	for time.Now().Before(end) {
		r.until(50*time.Millisecond, func() bool { return len(r.events) > 0 || r.ended })
		if r.ended { t.Fatal("DIED") }
		r.mu.Lock(); ev := r.events; r.events = nil; r.mu.Unlock()
		for _, m := range ev { if m.Method == "Target.attachedToTarget" {
			var a struct{SessionID string}
			_ = json.Unmarshal(m.Params, &a)
			setup(a.SessionID)
		}}
	}
}
