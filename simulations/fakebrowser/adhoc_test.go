package fakebrowser

import (
	"fmt"
	"testing"
	"time"
)

func shower(c *client) func(string) {
	return func(title string) {
		fmt.Println("==", title)
		for _, l := range c.since() {
			fmt.Println("  ", l)
		}
		c.mark()
	}
}

func TestAdhocReload(t *testing.T) {
	_, c := start(t, map[string]string{"http://a.test/top": `<title>top</title><iframe id=f src="http://b.test/plain"></iframe>`})
	c.setup(true)
	_, s := c.page("http://a.test/top", true)
	show := shower(c)
	c.mark()
	c.send(s, "Page.reload", "")
	show("reload")
	c.eval(s, "location.reload()")
	show("location.reload")
	c.eval(s, "location.href='/plain?2'")
	show("href")
	c.eval(s, "location.hash='#x'")
	show("hash")
	c.eval(s, "history.pushState({},'','/pushed')")
	show("push")
	c.eval(s, "history.back()")
	show("back")
	c.send(s, "Page.navigate", `{"url":"http://a.test/plain?2#zz"}`)
	show("nav hash")
	fmt.Println(c.call(s, "Page.getNavigationHistory", "").raw)
	c.mark()
	for _, u := range []string{"http://nope.invalid/", "http://a.test/204", "about:blank", "data:text/html,<title>d</title>hi", "garbage"} {
		c.send(s, "Page.navigate", fmt.Sprintf(`{"url":%q}`, u))
		show(u)
		fmt.Println(c.all[len(c.all)-1].raw)
	}
}

func TestAdhocSlow(t *testing.T) {
	b, c := start(t, nil, func(o *Options) {
		in := o.Pages
		o.Pages = func(u string) (Response, bool) {
			r, ok := in(u)
			if len(u) > 8 && u[len(u)-5:] == "delay" {
				r.Delay = time.Second
			}
			return r, ok
		}
	})
	c.setup(true)
	_, s := c.page("http://a.test/plain", true)
	show := shower(c)
	c.mark()
	c.evalID(s, "alert('x');window.z=5;7")
	c.send(s, "Page.navigate", `{"url":"http://a.test/plain?delay"}`)
	c.evalID(s, "String(window.z)")
	show("nav")
	b.Advance(2 * time.Second)
	c.pump()
	show("+2s")
	c.evalID(s, "alert('y');window.z=5;7")
	c.evalID(s, "2+2")
	c.send(s, "Page.reload", "")
	show("reload")
	b.Advance(2 * time.Second)
	c.pump()
	show("+2s")
	c.send(s, "Runtime.evaluate", `{"expression":"new Promise(()=>{})","awaitPromise":true}`)
	c.send(s, "Page.navigate", `{"url":"http://b.test/plain?3"}`)
	show("await")
}

func TestAdhocPopup(t *testing.T) {
	_, c := start(t, map[string]string{"http://a.test/pop": `<title>pop</title><script>window.w1=1;alert('first')</script>hi`})
	show := shower(c)
	var waits []string
	c.auto = func(s string, _ map[string]any, waiting bool) {
		c.post(s, "Page.enable", "")
		c.post(s, "Runtime.enable", "")
		if waiting {
			waits = append(waits, s)
		}
	}
	resume := func() {
		for _, w := range waits {
			c.send(w, "Runtime.runIfWaitingForDebugger", "")
		}
		waits = nil
	}
	c.send("", "Target.setDiscoverTargets", `{"discover":true}`)
	c.send("", "Target.setAutoAttach", `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":true,"filter":[{"type":"page"}]}`)
	show("auto")
	c.send("", "Target.createTarget", `{"url":"http://a.test/plain","background":true}`)
	resume()
	show("create")
	s := c.session("a.test/plain")
	c.send(s, "Runtime.evaluate", `{"expression":"window.p=open('/pop');p.zz=3;String(p.location)","userGesture":true,"returnByValue":true}`)
	show("open")
	resume()
	show("resume")
	ps := c.session("openerId")
	c.evalID(s, "1+1")
	c.send(ps, "Page.handleJavaScriptDialog", `{"accept":true}`)
	show("answer")
	fmt.Println(c.eval(s, "[p.location.href,p.zz,p.w1]"))
	c.mark()
	c.evalID(s, "p.confirm('from opener')")
	c.send(ps, "Page.handleJavaScriptDialog", `{"accept":true}`)
	show("p.confirm")
	id := c.send(s, "Runtime.evaluate", `{"expression":"window.q=open('about:blank');q.confirm('blank')","userGesture":true,"returnByValue":true}`)
	resume()
	show("blank")
	c.evalID(s, "p.close()")
	c.send(c.session("openerId"), "Page.handleJavaScriptDialog", `{"accept":true}`)
	show("p.close + answer")
	fmt.Println(c.value(id))
	c.send(s, "Runtime.evaluate", `{"expression":"open('http://c.test/plain','_blank','noopener');5","userGesture":true,"returnByValue":true}`)
	show("noopener")
	resume()
	show("resume")
	c.send(s, "Runtime.evaluate", `{"expression":"window.x=open('http://d.test/plain');String(x.closed)","userGesture":true,"returnByValue":true}`)
	show("d.test")
	resume()
	show("resume")
	fmt.Println(c.eval(s, "x.location.href"))
	fmt.Println(c.eval(s, "String(p)+p.closed+(q===q.window)+(q.opener===window)"))
	c.mark()
	c.send("", "Target.closeTarget", fmt.Sprintf(`{"targetId":%q}`, c.b.PageIDs()[1]))
	show("close")
}

func TestAdhocCrash(t *testing.T) {
	_, c := start(t, map[string]string{"http://a.test/top": `<title>top</title><iframe id=f src="http://b.test/plain"></iframe><iframe src="/plain"></iframe>`})
	show := shower(c)
	c.setup(true)
	c.send("", "Target.setDiscoverTargets", `{"discover":true}`)
	_, s := c.page("http://a.test/top", true)
	f := c.session("iframe")
	c.mark()
	c.send(f, "Page.crash", "")
	c.evalID(f, "1")
	show("child crash")
	c.evalID(s, "f.src='http://b.test/plain?2'")
	show("revive")
	c.send(s, "Page.crash", "")
	c.evalID(s, "1")
	c.send(s, "Page.enable", "")
	c.send(s, "Page.getNavigationHistory", "")
	c.send(s, "Target.setAutoAttach", `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":true}`)
	show("crash")
	c.send(s, "Page.reload", "")
	show("reload")
	c.send(s, "Page.navigate", `{"url":"chrome://crash"}`)
	show("chrome://crash")
	c.send(s, "Page.navigate", `{"url":"http://c.test/plain"}`)
	show("c.test")
}
