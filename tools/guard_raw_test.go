package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

// denyBank is a guard as hosts write them, which knows one spelling only.
func denyBank(url string) error {
	for _, prefix := range []string{"http://bank.test/", "https://bank.test/", "http://127.0.0.1/", "file:///", "http://a.test/private/"} {
		if strings.HasPrefix(url, prefix) {
			return errors.New("not the bank")
		}
	}
	return nil
}

func TestGuardIsAskedForTheURLThatTheBrowserReads(t *testing.T) {
	for _, url := range []string{
		"HTTP://bank.test/", "http://BANK.test/", "http:\\\\bank.test\\x", "http:bank.test", "http:////bank.test", " http://bank.test/", "http://ba\tnk.test/",
		"http://bank.test./", "http://bank.test:80/", "http://a.test@bank.test/", "http://bank%2etest/", "http://%62ank.test/",
		"view-source:http://bank.test/", "View-Source:HTTP:bank.test", "blob:http://bank.test/1", "filesystem:http://bank.test/temporary/x",
		"http://127.1/", "http://0x7f000001/", "http://2130706433/", "http://[::ffff:127.0.0.1]/", "http://127.0.0.1./",
		"file:/etc/passwd", "FILE:etc/passwd", "file:\\\\\\etc\\passwd", "http://a.test/x/%2e%2E/private/",
	} {
		quotedURL, _ := json.Marshal(url)
		for tool, args := range map[string]string{
			"browser_navigate": `{"url":%s}`,
			"browser_cdp":      `{"method":"Page.navigate","params":{"url":%s}}`,
		} {
			task := &fakeTask{snap: well()}
			box, _ := newFake(task, func(o *Options) { o.Guard = denyBank })
			r, _ := run(t, box, tool, fmt.Sprintf(args, quotedURL))
			// What is no page for browser_navigate does not get as far as the guard.
			refused := r.Code == messages.CodeDenied || tool == "browser_navigate" && r.Code == messages.CodeInvalidArgument && strings.Contains(url, "\t")
			if !refused || len(task.calls)+len(task.urls) > 0 {
				t.Errorf("%s of %q: %s", tool, url, r.JSON())
			}
		}
	}
	for _, url := range []string{"http://b\u00e4nk.test/", "http://\uff42ank.test/", "http://bank\u3002test/", "http://", "http://1.2.3.4.5/"} {
		task := &fakeTask{snap: well()}
		box, _ := newFake(task, func(o *Options) { o.Guard = denyBank })
		r, _ := run(t, box, "browser_navigate", fmt.Sprintf(`{"url":%q}`, url))
		if r.Code != messages.CodeInvalidArgument || len(task.urls) > 0 {
			t.Errorf("%q cannot be shown to a guard, but: %s", url, r.JSON())
		}
	}
	// What the guard saw is what is sent.
	task := &fakeTask{snap: well()}
	box, _ := newFake(task, func(o *Options) { o.Guard = denyBank })
	run(t, box, "browser_navigate", `{"url":"HTTP:\\\\A.test\\x"}`)
	run(t, box, "browser_cdp", `{"method":"Page.navigate","params":{"url":"HTTP:\\\\A.test\\x"}}`)
	if len(task.urls) != 1 || task.urls[0] != "http://a.test/x" || len(task.calls) != 1 || string(task.calls[0].Params) != `{"url":"http://a.test/x"}` {
		t.Errorf("%q and %+v were sent", task.urls, task.calls)
	}
	// Without a guard nothing is rewritten.
	task = &fakeTask{snap: well()}
	box, _ = newFake(task)
	run(t, box, "browser_navigate", `{"url":"HTTP:\\\\A.test\\x"}`)
	if task.urls[0] != "HTTP:\\\\A.test\\x" {
		t.Errorf("%q was sent", task.urls)
	}
}

func TestGuardIsAskedForThePlacesInRawParams(t *testing.T) {
	for _, tc := range []struct {
		method, params string
		denied         bool
	}{
		{"Network.getCookies", `{"urls":["http://a.test/","http://bank.test/"]}`, true},
		{"Network.getCookies", `{"urls":["http://a.test/"]}`, false},
		{"Network.setCookie", `{"name":"a","value":"b","url":"http://bank.test/"}`, true},
		{"Network.setCookie", `{"name":"a","value":"b","domain":".bank.test"}`, true},
		{"Network.setCookie", `{"name":"a","value":"b","domain":"BANK.test."}`, true},
		{"Network.setCookie", `{"name":"a","value":"b","domain":"a.test"}`, false},
		{"Network.setCookies", `{"cookies":[{"name":"a","value":"b","url":"http://a.test/"},{"name":"a","value":"b","domain":"bank.test"}]}`, true},
		{"Network.setCookies", `{"cookies":[{"name":"a","value":"b","domain":"bank.test","domain":"a.test"}]}`, false},
		{"Storage.setCookies", `{"cookies":[{"name":"a","value":"b","url":"http://bank.test/"}]}`, true},
		{"Network.deleteCookies", `{"name":"a","domain":"bank.test"}`, true},
		{"Network.deleteCookies", `{"name":"a","url":"http://a.test/"}`, false},
		{"Network.getAllCookies", `{}`, true},
		{"Network.clearBrowserCookies", ``, true},
		{"Storage.getCookies", `{}`, true},
		{"Storage.clearCookies", `{}`, true},
		{"Storage.clearDataForOrigin", `{"origin":"http://bank.test","storageTypes":"all"}`, true},
		{"Storage.clearDataForStorageKey", `{"storageKey":"http://bank.test/^0http://a.test","storageTypes":"all"}`, true},
		{"Storage.clearDataForOrigin", `{"origin":"http://a.test","storageTypes":"all"}`, false},
		{"Storage.getSharedStorageEntries", `{"ownerOrigin":"http://bank.test"}`, true},
		{"IndexedDB.requestDatabaseNames", `{"securityOrigin":"http://bank.test"}`, true},
		{"IndexedDB.requestDatabaseNames", `{"storageBucket":{"storageKey":"http://bank.test/"}}`, true},
		{"CacheStorage.requestCacheNames", `{"storageKey":"http://bank.test/"}`, true},
		{"DOMStorage.getDOMStorageItems", `{"storageId":{"securityOrigin":"http://bank.test","isLocalStorage":true}}`, true},
		{"DOMStorage.getDOMStorageItems", `{"storageId":{"storageKey":"http://a.test/","isLocalStorage":true}}`, false},
		{"Browser.grantPermissions", `{"origin":"http://bank.test","permissions":["geolocation"]}`, true},
		{"Browser.setPermission", `{"origin":"http://a.test","embeddedOrigin":"http://bank.test","permission":{"name":"midi"},"setting":"granted"}`, true},
		{"ServiceWorker.unregister", `{"scopeURL":"http://bank.test/"}`, true},
		{"Page.addCompilationCache", `{"url":"http://bank.test/x.js","data":""}`, true},
		{"Page.produceCompilationCache", `{"scripts":[{"url":"http://bank.test/x.js"}]}`, true},
		{"PWA.launch", `{"manifestId":"http://bank.test/"}`, true},
		{"PWA.install", `{"manifestId":"http://a.test/","installUrlOrBundleUrl":"http://bank.test/"}`, true},
		{"Target.createTarget", `{"url":"HTTP:bank.test"}`, true},
		{"Page.navigate", `{"url":"http://a.test/","URL":"http://bank.test/"}`, true},
		{"Network.setBlockedURLs", `{"urls":["http://bank.test/*"]}`, false},
		{"Page.addScriptToEvaluateOnNewDocument", `{"source":"1"}`, true},
		{"Page.addScriptToEvaluateOnLoad", `{"scriptSource":"1"}`, true},
		{"Page.reload", `{"scriptToEvaluateOnLoad":"1"}`, true},
		{"Page.reload", `{"ignoreCache":true}`, false},
		{"Network.loadNetworkResource", `{"url":"http://a.test/"}`, true}, // which may lead on to anywhere
		// These show what no-cors requests got, also after a redirect.
		{"Network.getResponseBody", `{"requestId":"1"}`, true},
		{"Network.searchInResponseBody", `{"requestId":"1","query":"x"}`, true},
		{"Network.streamResourceContent", `{"requestId":"1"}`, true},
		{"Audits.getEncodedResponse", `{"requestId":"1","encoding":"png"}`, true},
		{"Page.getResourceContent", `{"frameId":"F","url":"http://a.test/x"}`, true},
		{"Page.captureSnapshot", `{}`, true},
		{"Page.searchInResource", `{"frameId":"F","url":"http://a.test/x","query":"x"}`, true},
		{"Tracing.start", `{"transferMode":"ReturnAsStream"}`, true},
		{"Page.createIsolatedWorld", `{"frameId":"F","grantUniveralAccess":true}`, true},
		{"Page.createIsolatedWorld", `{"frameId":"F"}`, false},
		{"Target.createBrowserContext", `{"originsWithUniversalNetworkAccess":["http://a.test"]}`, true},
		{"Target.createBrowserContext", `{"disposeOnDetach":true}`, false},
		{"Extensions.loadUnpacked", `{"path":"/x"}`, true},
		{"Runtime.evaluate", `{"expression":"fetch('http://bank.test/')"}`, false}, // the page may do that, too
		{"Runtime.callFunctionOn", `{"functionDeclaration":"f","arguments":[{"value":{"url":"http://bank.test/"}}]}`, false},
	} {
		task := &fakeTask{snap: well(), onCall: frames(`{"frame":{"id":"F","url":"http://a.test/"}}`)}
		box, _ := newFake(task, func(o *Options) { o.Guard = denyBank })
		args := fmt.Sprintf(`{"method":%q}`, tc.method)
		if tc.params != "" {
			args = fmt.Sprintf(`{"method":%q,"params":%s}`, tc.method, tc.params)
		}
		r, _ := run(t, box, "browser_cdp", args)
		if denied := r.Code == messages.CodeDenied; denied != tc.denied || !denied && r.Code != "" {
			t.Errorf("%s: %s", args, r.JSON())
		}
		if sent := sentTo(task, tc.method); sent == tc.denied {
			t.Errorf("%s was sent: %v", args, sent)
		}
		for _, call := range task.calls {
			if strings.Contains(string(call.Params), "bank.test") && tc.method[:7] == "Network" && tc.method != "Network.setBlockedURLs" {
				t.Errorf("%s sent %s", args, call.Params)
			}
		}
		free := &fakeTask{snap: well()}
		box, _ = newFake(free)
		if run(t, box, "browser_cdp", args); !sentTo(free, tc.method) {
			t.Errorf("%s is refused without a guard, too", args)
		}
	}
}

func sentTo(task *fakeTask, method string) bool {
	for _, call := range task.calls {
		if call.Method == method {
			return true
		}
	}
	return false
}

// frames answers Page.getFrameTree with a tree, and all else with nothing.
func frames(tree string) func(messages.CallRequest) (*messages.CallResult, error) {
	return func(req messages.CallRequest) (*messages.CallResult, error) {
		switch req.Method {
		case "Page.getFrameTree":
			return &messages.CallResult{Result: []byte(`{"frameTree":` + tree + `}`)}, nil
		case "Page.getNavigationHistory":
			return &messages.CallResult{Result: []byte(`{"currentIndex":1,"entries":[{"id":3,"url":"http://bank.test/","userTypedURL":"http://bank.test/","title":"words"},{"id":4,"url":"http://a.test/"}]}`)}, nil
		}
		return &messages.CallResult{Result: []byte(`{}`)}, nil
	}
}

// TestGuardIsAskedForTheFramesThatARawCommandReaches has a page with three
// frames: one of the bank in the page's own process, one in another, and one
// that is allowed.
func TestGuardIsAskedForTheFramesThatARawCommandReaches(t *testing.T) {
	const (
		alone = `{"frame":{"id":"F","url":"http://a.test/"}}`
		with  = `{"frame":{"id":"F","url":"http://a.test/"},"childFrames":[{"frame":{"id":"IN","url":"http://bank.test/x?token=1"}},{"frame":{"id":"OK","url":"http://b.a.test/"}}]}`
		blank = `{"frame":{"id":"F","url":"http://a.test/"},"childFrames":[{"frame":{"id":"IN","url":"about:blank","securityOrigin":"://"}},` +
			`{"frame":{"id":"D","url":"data:text/html,http://bank.test/"}},{"frame":{"id":"E","url":"chrome-error://chromewebdata/"}}]}`
		foreignBlank = `{"frame":{"id":"F","url":"http://a.test/"},"childFrames":[{"frame":{"id":"IN","url":"about:blank","securityOrigin":"http://bank.test"}}]}`
		foreignBlob  = `{"frame":{"id":"F","url":"http://a.test/"},"childFrames":[{"frame":{"id":"IN","url":"blob:http://bank.test/1","securityOrigin":"http://bank.test"}}]}`
		own          = `{"frame":{"id":"OUT","url":"http://bank.test/"}}`
	)
	allowed := func(url string) error { // a guard that names what is allowed
		if !strings.HasPrefix(url, "http://a.test") {
			return errors.New("only a.test")
		}
		return nil
	}
	for _, tc := range []struct {
		tree, method, params string
		more                 string
		guard                func(string) error
		code                 messages.Code
	}{
		{tree: with, method: "DOM.getDocument", params: `{"depth":-1,"pierce":true}`, code: messages.CodeDenied},
		{tree: alone, method: "DOM.getDocument", params: `{"depth":-1,"pierce":true}`},
		{tree: blank, method: "DOM.getDocument", guard: allowed},
		{tree: foreignBlank, method: "DOM.getDocument", code: messages.CodeDenied},
		{tree: foreignBlob, method: "DOM.getDocument", code: messages.CodeDenied},
		{tree: `{}`, method: "DOM.getDocument", code: messages.CodeDenied},
		{tree: with, method: "DOM.getOuterHTML", params: `{"backendNodeId":7}`, code: messages.CodeDenied},
		{tree: with, method: "DOM.resolveNode", params: `{"backendNodeId":7}`, code: messages.CodeDenied},
		{tree: with, method: "DOM.focus", params: `{"backendNodeId":7}`, code: messages.CodeDenied},
		{tree: with, method: "DOM.getContentQuads", params: `{"backendNodeId":7}`},
		{tree: with, method: "DOMSnapshot.captureSnapshot", params: `{"computedStyles":[]}`, code: messages.CodeDenied},
		{tree: with, method: "CSS.getStyleSheetText", params: `{"styleSheetId":"1"}`, code: messages.CodeDenied},
		{tree: with, method: "Accessibility.queryAXTree", params: `{"backendNodeId":7}`, code: messages.CodeDenied},
		{tree: with, method: "Accessibility.getFullAXTree", params: `{"frameId":"IN"}`, code: messages.CodeDenied},
		{tree: with, method: "Accessibility.getFullAXTree", params: `{"frameId":"OK"}`},
		{tree: with, method: "Accessibility.getFullAXTree", params: `{"frameId":"ELSEWHERE"}`, code: messages.CodeUnknownFrame},
		{tree: with, method: "Page.setDocumentContent", params: `{"frameId":"IN","html":"x"}`, code: messages.CodeDenied},
		{tree: with, method: "Page.createIsolatedWorld", params: `{"frameId":"IN"}`, code: messages.CodeDenied},
		{tree: with, method: "Page.createIsolatedWorld", params: `{"frameId":7}`, code: messages.CodeInvalidArgument},
		{tree: with, method: "Network.getRequestPostData", params: `{"requestId":"1"}`, code: messages.CodeDenied},
		{tree: alone, method: "Network.getRequestPostData", params: `{"requestId":"1"}`},
		{tree: with, method: "Network.enable"},
		{tree: with, method: "Runtime.evaluate", params: `{"expression":"1"}`},
		{tree: with, method: "Runtime.evaluate", params: `{"expression":"1","contextId":4}`, code: messages.CodeDenied},
		{tree: with, method: "Runtime.evaluate", params: `{"expression":"1","uniqueContextId":"1.2"}`, code: messages.CodeDenied},
		{tree: alone, method: "Runtime.evaluate", params: `{"expression":"1","contextId":4}`},
		{tree: with, method: "Runtime.callFunctionOn", params: `{"functionDeclaration":"f","objectId":"1.4.1"}`, code: messages.CodeDenied},
		{tree: with, method: "Runtime.callFunctionOn", params: `{"functionDeclaration":"f","executionContextId":4}`, code: messages.CodeDenied},
		{tree: with, method: "Runtime.callFunctionOn", params: `{"functionDeclaration":"f","arguments":[{"objectId":"1.4.1"}]}`, code: messages.CodeDenied},
		{tree: alone, method: "Runtime.callFunctionOn", params: `{"functionDeclaration":"f","objectId":"1.4.1"}`},
		{tree: with, method: "Runtime.getProperties", params: `{"objectId":"1.4.1"}`, code: messages.CodeDenied},
		{tree: with, method: "HeapProfiler.getObjectByHeapObjectId", params: `{"objectId":"1"}`, code: messages.CodeDenied},
		{tree: with, method: "Unheard.ofMethod", code: messages.CodeDenied},
		{tree: with, method: "Page.captureScreenshot"},
		{tree: with, method: "Input.insertText", params: `{"text":"x"}`},
		{tree: with, method: "Target.getTargets"},
		// The page's whole tree has OUT, which is the bank's and in another process.
		{tree: alone, method: "Page.printToPDF", code: messages.CodeDenied},
		{tree: alone, method: "Network.getCookies", code: messages.CodeDenied},
		{tree: alone, method: "Network.getCookies", params: `{"urls":[]}`, code: messages.CodeDenied},
		{tree: alone, method: "Network.getCookies", params: `{"urls":["http://a.test/"]}`},
		{tree: alone, method: "Page.printToPDF", more: `,"target_id":"POPUP"`, code: messages.CodeDenied}, // whose frames are not known
		{tree: own, method: "DOM.getDocument", more: `,"frame_id":"OUT"`, code: messages.CodeDenied},
		{tree: own, method: "Runtime.evaluate", params: `{"expression":"1"}`, more: `,"frame_id":"OUT"`, code: messages.CodeDenied},
		// History.
		{tree: alone, method: "Page.navigateToHistoryEntry", params: `{"entryId":3}`, code: messages.CodeDenied},
		{tree: alone, method: "Page.navigateToHistoryEntry", params: `{"entryId":4,"entryId":3}`, code: messages.CodeDenied},
		{tree: alone, method: "Page.navigateToHistoryEntry", params: `{"entryId":4}`},
		{tree: alone, method: "Page.navigateToHistoryEntry", params: `{"entryId":"3"}`, code: messages.CodeInvalidArgument},
	} {
		snap := well()
		snap.FrameTree.Top.URL = "http://a.test/"
		snap.FrameTree.Children = []messages.FrameEntry{{FrameID: "OUT", ParentFrameID: "F", URL: "http://bank.test./", OOPIF: yes()}}
		task := &fakeTask{snap: snap, onCall: frames(tc.tree)}
		guard := tc.guard
		if guard == nil {
			guard = denyBank
		}
		box, _ := newFake(task, func(o *Options) { o.Guard = guard })
		if tc.params == "" {
			tc.params = "{}"
		}
		args := fmt.Sprintf(`{"method":%q,"params":%s%s}`, tc.method, tc.params, tc.more)
		r, _ := run(t, box, "browser_cdp", args)
		if r.Code != tc.code {
			t.Errorf("%s with %s: %s", args, tc.tree, r.JSON())
		}
		if sent := sentTo(task, tc.method); sent != (tc.code == "") {
			t.Errorf("%s was sent: %v", args, sent)
		}
		if strings.Contains(r.Error, "token") || tc.tree == with && tc.method == "DOM.getDocument" && !strings.Contains(r.Error, "http://bank.test/") {
			t.Errorf("%s: the error names the place and no more, got %q", args, r.Error)
		}
		free := &fakeTask{snap: snap, onCall: frames(tc.tree)}
		box, _ = newFake(free)
		if run(t, box, "browser_cdp", args); len(free.calls) != 1 {
			t.Errorf("without a guard %s cost %d calls", args, len(free.calls))
		}
	}
}

// TestGuardAsksForAFrameOfUnknownURL is about a frame of another process that
// has not told what it shows.
func TestGuardAsksForAFrameOfUnknownURL(t *testing.T) {
	snap := well()
	snap.FrameTree.Children = []messages.FrameEntry{{FrameID: "OUT", ParentFrameID: "F", OOPIF: yes()}}
	task := &fakeTask{snap: snap}
	box, _ := newFake(task, func(o *Options) { o.Guard = denyBank })
	if r, _ := run(t, box, "browser_cdp", `{"method":"Page.printToPDF"}`); r.Code != messages.CodeDenied || len(task.calls) > 0 {
		t.Errorf("it was not asked: %s", r.JSON())
	}
}

func TestGuardHidesWhatListsSayOfDeniedPages(t *testing.T) {
	lists := map[string]string{
		"Target.getTargets": `{"targetInfos":[{"targetId":"T","url":"http://a.test/","title":"outer words"},{"targetId":"B","url":"http://bank.test/x?inner","title":"inner words"}]}`,
		"Page.getFrameTree": `{"frameTree":{"frame":{"id":"F","url":"http://a.test/","name":"outer words"},"childFrames":[{"frame":{"id":"IN","url":"http://bank.test./?inner","name":"inner words"}}]}}`,
		"Page.getNavigationHistory": `{"currentIndex":1.5,"entries":[{"id":3,"url":"http://bank.test/inner","userTypedURL":"http://bank.test/inner","title":"inner words"},` +
			`{"id":4,"url":"http://a.test/","title":"outer words"}]}`,
		"Runtime.evaluate": `{"result":{"value":{"url":"http://bank.test/","title":"outer words"}}}`, // the page's own data
	}
	for method, list := range lists {
		task := &fakeTask{snap: well(), onCall: func(messages.CallRequest) (*messages.CallResult, error) {
			return &messages.CallResult{Result: []byte(list)}, nil
		}}
		box, _ := newFake(task, func(o *Options) { o.Guard = denyBank })
		r, _ := run(t, box, "browser_cdp", fmt.Sprintf(`{"method":%q}`, method))
		if text := r.JSON(); strings.Contains(text, "inner") || !strings.Contains(text, "outer words") || !strings.Contains(text, "http://bank.test/") {
			t.Errorf("%s shows %s", method, text)
		}
		box, _ = newFake(task)
		r, _ = run(t, box, "browser_cdp", fmt.Sprintf(`{"method":%q}`, method))
		if !strings.Contains(r.JSON(), list) {
			t.Errorf("without a guard %s shows %s", method, r.JSON())
		}
	}
}

// TestGuardHidesWhereARedirectLed is about a page that was allowed until it led
// to one that is not.
func TestGuardHidesWhereARedirectLed(t *testing.T) {
	snap := well()
	snap.Page = messages.PageState{URL: "http://bank.test/inner", Title: "inner words"}
	snap.FrameTree.Top = messages.FrameEntry{FrameID: "F", URL: "http://bank.test/inner", Name: "inner words"}
	snap.FrameTree.Children = []messages.FrameEntry{{FrameID: "C", ParentFrameID: "F", URL: "http://bank.test/inner", Name: "inner words"}}
	snap.ConsoleErrors = []messages.ConsoleError{{Text: "inner words", URL: "http://cdn.test/x.js", FrameID: "C"}, {Text: "outer words", URL: "http://cdn.test/x.js", FrameID: "GONE"}}
	task := &fakeTask{snap: snap}
	task.onURL = func(string) (*messages.NavigateResult, error) {
		return &messages.NavigateResult{URL: "http://bank.test/inner", Title: "inner words", PageTargetID: "T"}, nil
	}
	box, _ := newFake(task, func(o *Options) { o.Guard = denyBank })
	for _, call := range []struct{ tool, args string }{
		{"browser_navigate", `{"url":"http://a.test/redirects"}`},
		{"browser_snapshot", `{"console":true}`},
		{"browser_connect", `{"cdp_url":"ws://one"}`},
	} {
		r, _ := run(t, box, call.tool, call.args)
		if text := r.JSON(); !r.Success() || strings.Contains(text, "inner") || !strings.Contains(text, `"http://bank.test/"`) {
			t.Errorf("%s shows %s", call.tool, text)
		}
		if call.tool == "browser_snapshot" && !strings.Contains(r.JSON(), "outer words") {
			t.Errorf("what is allowed is hidden, too: %s", r.JSON())
		}
	}
	if snap.FrameTree.Top.Name != "inner words" || snap.FrameTree.Children[0].URL != "http://bank.test/inner" {
		t.Error("the frozen snapshot was written to")
	}
}

// TestGuardIsAskedBeforeADialogIsAccepted is about the spellings that only the
// toolbox sees through.
func TestGuardIsAskedBeforeADialogIsAccepted(t *testing.T) {
	for _, tc := range []struct {
		url, tool, args string
		denied          bool
	}{
		{"http://bank.test./", "browser_dialog", `{"action":"accept"}`, true},
		{"http://x@bank.test/", "browser_dialog", `{"action":"accept","dialog_id":"d-1"}`, true},
		{"http://bank.test./", "browser_dialog", `{"action":"dismiss"}`, false},
		{"http://a.test/", "browser_dialog", `{"action":"accept"}`, false},
		{"http://bank.test./", "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":true}}`, true},
		{"http://bank.test./", "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":false}}`, false},
		{"http://a.test/", "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":true}}`, false},
	} {
		d := messages.Dialog{ID: "d-1", Type: messages.DialogConfirm, URL: tc.url, TargetID: "T"}
		task := &fakeTask{snap: well(d), onDialog: func(messages.DialogRequest) (*messages.DialogResult, error) { return &messages.DialogResult{}, nil }}
		box, _ := newFake(task, func(o *Options) { o.Guard = denyBank })
		r, _ := run(t, box, tc.tool, tc.args)
		if denied := r.Code == messages.CodeDenied; denied != tc.denied || denied == (len(task.answers)+len(task.calls) > 0) {
			t.Errorf("%s %s of %s: %s", tc.tool, tc.args, tc.url, r.JSON())
		}
	}
}
