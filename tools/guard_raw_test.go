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
			if r.Code != messages.CodeDenied || len(task.calls)+len(task.urls) > 0 {
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
