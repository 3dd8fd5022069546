package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/tools"
)

// guarded is an agent behind a host's guard, which denies bank.test and
// private.a.test: the one is another site than a.test, and has a process of its
// own when a.test embeds it, the other is not and has none.
type guarded struct {
	*browser
	t    *testing.T
	host *host
	box  *tools.Toolbox
}

const bankWords = "SECRET"

func denyTwo(url string) error {
	for _, prefix := range []string{"http://bank.test/", "http://private.a.test/", "file:///"} {
		if strings.HasPrefix(url, prefix) {
			return messages.Fail(messages.CodeDenied, "not this one")
		}
	}
	return nil
}

func launchGuarded(t *testing.T) *guarded {
	b := launch(t)
	h := newHost(t, registry.WithGuard(denyTwo))
	box, err := tools.New(tools.Options{
		Registry: h.Registry, Guard: denyTwo,
		Endpoint: func(messages.TaskID) messages.EndpointSource { return backends.Static(b.endpoint) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.end(t, tools.DefaultTask) })
	return &guarded{b, t, h, box}
}

// secrets is a page that is full of what must not be seen.
func (g *guarded) secrets(host string) string {
	return g.handle(host, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Set-Cookie", "who="+bankWords)
		_, _ = fmt.Fprintf(w, `<title>%s</title><p id="p">%s</p><script>console.error({text: %q}); const own = %q</script>`, bankWords, bankWords, bankWords, bankWords)
	})
}

// use calls a tool, and fails the test when the secret is in the result.
func (g *guarded) use(tool string, arguments map[string]any) *tools.Result {
	g.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		g.t.Fatal(err)
	}
	r := g.box.Call(g.t.Context(), tools.Caller{}, tool, raw)
	if text := r.JSON(); strings.Contains(text, bankWords) || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(bankWords))[:8]) {
		g.t.Errorf("%s %s shows the secret: %.500s", tool, raw, text)
	}
	return r
}

func (g *guarded) cdp(method string, p params) *tools.Result {
	g.t.Helper()
	if p == nil {
		p = params{}
	}
	return g.use("browser_cdp", map[string]any{"method": method, "params": p, "max_bytes": 16 << 20})
}

func (g *guarded) refused(method string, p params) {
	g.t.Helper()
	if r := g.cdp(method, p); r.Code != messages.CodeDenied {
		g.t.Errorf("%s %v: %.500s", method, p, r.JSON())
	}
}

func (g *guarded) works(method string, p params) {
	g.t.Helper()
	if r := g.cdp(method, p); !r.Success() {
		g.t.Errorf("%s %v: %.500s", method, p, r.JSON())
	}
}

func (g *guarded) open(url string) *tools.Result {
	g.t.Helper()
	return g.use("browser_navigate", map[string]any{"url": url})
}

// tab is the agent's page as the host sees it.
func (g *guarded) tab() *tab {
	g.t.Helper()
	task, ok := g.host.Get(tools.DefaultTask)
	if !ok {
		g.t.Fatal("the task does not run")
	}
	return &tab{site: g.site, t: g.t, host: g.host, task: task}
}

// settled waits for the frames that a page embeds, and returns them by URL.
func (g *guarded) settled(want ...string) map[string]messages.FrameEntry {
	g.t.Helper()
	p := g.tab()
	frames := map[string]messages.FrameEntry{}
	p.poll("the frames", func() bool {
		tree, err := p.task.Frames(g.t.Context(), "")
		if err != nil {
			return false
		}
		clear(frames)
		for _, f := range append([]messages.FrameEntry{tree.Top}, tree.Children...) {
			frames[f.URL] = f
		}
		for _, url := range want {
			if frames[url].FrameID == "" {
				return false
			}
		}
		return true
	})
	return frames
}

// TestGuardAgainstRawCommands tries what raw commands reach beyond the document
// that they are sent to.
func TestGuardAgainstRawCommands(t *testing.T) {
	t.Parallel()
	g := launchGuarded(t)
	inner, outer := g.secrets("private.a.test"), g.secrets("bank.test")
	page := g.page("a.test", fmt.Sprintf(`<p>words</p><iframe src=%q></iframe><iframe src=%q></iframe><iframe></iframe><iframe srcdoc="x"></iframe>`, inner, outer))
	if r := g.open(page); !r.Success() {
		t.Fatal(r.JSON())
	}
	frames := g.settled(page, inner, outer)
	if isOOPIF(frames[inner]) || !isOOPIF(frames[outer]) {
		t.Fatalf("the frames are %+v", frames)
	}
	id, top := frames[inner].FrameID, frames[page].FrameID
	for method, p := range map[string]params{
		"DOM.getDocument":                       {"depth": -1, "pierce": true},
		"DOM.getFlattenedDocument":              {"depth": -1, "pierce": true},
		"DOM.performSearch":                     {"query": bankWords},
		"DOMSnapshot.captureSnapshot":           {"computedStyles": []string{}},
		"Accessibility.getFullAXTree":           {"frameId": id},
		"Page.captureSnapshot":                  nil,
		"Page.printToPDF":                       nil,
		"Page.getResourceContent":               {"frameId": id, "url": page},
		"Page.searchInResource":                 {"frameId": id, "url": page, "query": bankWords},
		"Page.setDocumentContent":               {"frameId": id, "html": "x"},
		"Page.addScriptToEvaluateOnNewDocument": {"source": "0"},
		"Network.getCookies":                    nil,
		"Network.getAllCookies":                 nil,
		"Network.setCookie":                     {"name": "a", "value": "b", "url": outer},
		"Network.loadNetworkResource":           {"frameId": top, "url": page, "options": params{"disableCache": false, "includeCredentials": true}},
		"Storage.getCookies":                    nil,
		"Storage.clearDataForOrigin":            {"origin": "http://bank.test", "storageTypes": "all"},
		"DOMStorage.getDOMStorageItems":         {"storageId": params{"securityOrigin": "http://private.a.test", "isLocalStorage": true}},
		"Target.createTarget":                   {"url": "HTTP:\\\\BANK.test\\"},
		"HeapProfiler.getObjectByHeapObjectId":  {"objectId": "1"},
		"Runtime.globalLexicalScopeNames":       {"executionContextId": 2},
		"Page.createIsolatedWorld":              {"frameId": id},
		"Target.createBrowserContext":           {"originsWithUniversalNetworkAccess": []string{"http://a.test"}},
		"Browser.grantPermissions":              {"origin": "http://bank.test", "permissions": []string{"geolocation"}},
	} {
		g.refused(method, p)
	}
	g.refused("Page.createIsolatedWorld", params{"frameId": top, "grantUniveralAccess": true})
	for context := range 16 {
		g.refused("Runtime.evaluate", params{"contextId": context + 1, "expression": "document.body.innerText"})
		g.refused("Runtime.callFunctionOn", params{"executionContextId": context + 1, "functionDeclaration": "() => document.body.innerText"})
	}
	g.refused("Page.reload", params{"scriptToEvaluateOnLoad": "0"})

	// What stays in the document still works, and a picture is a picture.
	g.works("Runtime.evaluate", params{"expression": "document.body.innerText"})
	g.works("Network.getCookies", params{"urls": []string{page}})
	g.works("Accessibility.getFullAXTree", params{"frameId": top})
	g.works("Page.captureScreenshot", nil)
	g.works("Page.getFrameTree", nil)
	g.works("Target.getTargets", nil)
	g.works("Input.insertText", params{"text": "x"})
	if r := g.use("browser_snapshot", map[string]any{"console": true}); !strings.Contains(r.JSON(), "words") || !strings.Contains(r.JSON(), "hidden") {
		t.Errorf("the snapshot is %s", r.JSON())
	}

	// And so does all of it once the page embeds nothing that is denied.
	g.works("Runtime.evaluate", params{"expression": "for (const f of document.querySelectorAll('iframe[src]')) f.remove()"})
	g.tab().poll("the frames to go", func() bool { return g.cdp("DOM.getDocument", params{"depth": -1, "pierce": true}).Success() })
	g.tab().poll("the whole page to be free", func() bool { return g.cdp("Page.printToPDF", nil).Success() })
	g.works("DOMSnapshot.captureSnapshot", params{"computedStyles": []string{}})
}

// TestGuardAgainstWhatPagesLoad has an allowed page load what it may not read
// itself, behind a redirect of its own site.
func TestGuardAgainstWhatPagesLoad(t *testing.T) {
	t.Parallel()
	g := launchGuarded(t)
	serve := func(kind string) string {
		bank := g.handle("bank.test", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = fmt.Fprintf(w, "p { font-family: %s }", bankWords)
		})
		return g.handle("a.test", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, bank, http.StatusFound) })
	}
	text, style := serve("text/plain"), serve("text/css")
	page := g.page("a.test", fmt.Sprintf(`<img src=%q><link rel=stylesheet href=%q>`, text, style))
	if r := g.open(page); !r.Success() {
		t.Fatal(r.JSON())
	}
	top := g.settled(page)[page].FrameID
	loaded := params{"expression": "new Promise(done => document.readyState == 'complete' ? done() : addEventListener('load', done))", "awaitPromise": true}
	g.works("Runtime.evaluate", loaded)
	for _, url := range []string{text, style} {
		g.refused("Page.getResourceContent", params{"frameId": top, "url": url})
		g.refused("Page.searchInResource", params{"frameId": top, "url": url, "query": bankWords})
		g.refused("Network.loadNetworkResource", params{"frameId": top, "url": url, "options": params{"disableCache": true, "includeCredentials": true}})
	}
	g.refused("Page.captureSnapshot", nil)
	g.refused("Tracing.start", params{"transferMode": "ReturnAsStream"})
	g.works("DOM.getDocument", params{"depth": -1, "pierce": true})
	g.works("Runtime.evaluate", params{"expression": "document.documentElement.outerHTML"})
}

// TestGuardAgainstSpellings opens the bank under the names that a browser takes
// for it.
func TestGuardAgainstSpellings(t *testing.T) {
	t.Parallel()
	g := launchGuarded(t)
	bank := g.secrets("bank.test")
	path := strings.TrimPrefix(bank, "http://bank.test/")
	g.open(g.blank("a.test"))
	for _, url := range []string{
		"HTTP:\\\\BANK.test\\" + path, "http:bank.test/" + path, "http:////bank.test/" + path, " http://ba\tnk.te\nst/" + path, "http://bank%2etest/" + path,
		"http://%62ank.test/" + path, "http://a.test@bank.test/" + path, "http://bank.test:080/" + path, "http://\uff42ank.test/" + path,
		"http://bank\u3002test/" + path, "http://bank.test./" + path, "view-source:" + bank, "View-Source:HTTP:bank.test/" + path,
		"file:etc/hostname", "FILE:\\\\/etc/hostname",
	} {
		for _, r := range []*tools.Result{g.open(url), g.cdp("Page.navigate", params{"url": url}), g.cdp("Target.createTarget", params{"url": url})} {
			if r.Code != messages.CodeDenied && r.Code != messages.CodeInvalidArgument {
				t.Errorf("%q: %s", url, r.JSON())
			}
		}
	}
	// An allowed page under an odd name is opened under its own.
	fine := g.blank("a.test")
	if r := g.open("HTTP:\\\\A%2eTEST\\" + strings.TrimPrefix(fine, "http://a.test/")); !r.Success() || r.Fields["url"] != fine {
		t.Errorf("%s", r.JSON())
	}
}

// TestGuardAfterARedirect lets an allowed page lead to the bank.
func TestGuardAfterARedirect(t *testing.T) {
	t.Parallel()
	g := launchGuarded(t)
	bank := g.secrets("bank.test")
	fine := g.blank("a.test")
	leads := g.handle("a.test", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, bank+"?"+bankWords, http.StatusFound)
	})
	g.open(fine)
	g.open(leads)
	g.use("browser_snapshot", map[string]any{"console": true})
	g.refused("Runtime.evaluate", params{"expression": "document.body.innerText"})
	g.works("Target.getTargets", nil) // whose titles are in there, too
	g.open(fine)
	var history *tools.Result
	g.tab().poll("the page to be the active one", func() bool { // the browser is not done with the swap at once
		history = g.cdp("Page.getNavigationHistory", nil)
		return history.Success()
	})
	var entries struct {
		Entries []struct {
			ID  int64  `json:"id"`
			URL string `json:"url"`
		} `json:"entries"`
	}
	result, _ := history.Fields["result"].(json.RawMessage)
	if err := json.Unmarshal(result, &entries); err != nil || len(entries.Entries) < 3 {
		t.Fatalf("%v: %s", err, history.JSON())
	}
	for _, e := range entries.Entries {
		if e.URL == "http://bank.test/" {
			g.refused("Page.navigateToHistoryEntry", params{"entryId": e.ID})
		}
	}
	g.works("Page.navigateToHistoryEntry", params{"entryId": entries.Entries[len(entries.Entries)-1].ID})
}
