package frametree_test

import (
	"testing"

	"cdpsupervisor/messages"
)

// doc is a commit with the origin as the browser sends it.
func doc(frame, parent messages.FrameID, url, origin string) *messages.FrameNavigated {
	return &messages.FrameNavigated{Type: messages.NavigationPlain, Frame: messages.FrameInfo{
		ID: frame, ParentID: parent, URL: url, Origin: origin, LoaderID: messages.LoaderID(url),
	}}
}

// withURL is an attach whose target has a URL already.
func withURL(id messages.SessionID, frame, parent messages.FrameID, url string) *messages.AttachedToTarget {
	a := session(id, frame, parent)
	a.Info.URL = url
	return a
}

func TestOrigin(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
		want  string
	}{
		{"as told", []step{on("P", doc("F", "M", "http://x.test:8080/p", "http://x.test:8080"))}, "http://x.test:8080"},
		{"srcdoc inherits", []step{on("P", doc("F", "M", "about:srcdoc", "://"))}, "https://a.test"},
		{"blank inherits", []step{on("P", doc("F", "M", "about:blank#x", "://"))}, "https://a.test"},
		{"not loaded yet: the initial blank document", []step{on("P", attached("F", "M"))}, "https://a.test"},
		{"blank in a srcdoc in the page", []step{
			on("P", doc("E", "M", "about:srcdoc", "://")), on("P", doc("F", "E", "about:blank", "://")),
		}, "https://a.test"},
		{"blank below a data: document", []step{
			on("P", doc("E", "M", "data:text/html,x", "://")), on("P", doc("F", "E", "about:blank", "://")),
		}, "null"},
		{"data:", []step{on("P", doc("F", "M", "data:text/html,x", "://"))}, "null"},
		{"blob:", []step{on("P", doc("F", "M", "blob:http://x.test/1-2", "http://x.test"))}, "http://x.test"},
		{"said to be opaque", []step{on("P", doc("F", "M", "about:srcdoc", "null"))}, "null"},
		{"error page", []step{on("P", doc("F", "M", "chrome-error://chromewebdata/", "://"))}, "null"},
		{"error page, nothing told", []step{on("P", doc("F", "M", "chrome-error://chromewebdata/", ""))}, "null"},
		{"file", []step{on("P", doc("F", "M", "file:///etc/x", "file://"))}, "file://"},
		{"srcdoc in a renderer of its own is sandboxed", []step{on("P", withURL("I", "F", "M", "about:srcdoc"))}, "null"},
		{"blank in a renderer of its own went there by itself", []step{
			on("P", session("I", "F", "M")), on("I", doc("F", "M", "about:blank", "://")),
		}, "null"},
		{"srcdoc in an OOPIF inherits from that", []step{
			on("P", session("I", "E", "M")), on("I", navigated("E", "M", "b.test")), on("I", doc("F", "E", "about:srcdoc", "://")),
		}, "https://b.test"},
		{"OOPIF that has told nothing", []step{on("P", session("I", "F", "M"))}, ""},
		{"only the target's URL is known", []step{on("P", withURL("I", "F", "M", "https://u:p@b.test:444/x?y#z"))}, "https://b.test:444"},
		{"only a target's blob: URL is known", []step{on("P", withURL("I", "F", "M", "blob:https://b.test/1"))}, "https://b.test"},
		{"only a target's data: URL is known", []step{on("P", withURL("I", "F", "M", "data:,x"))}, "null"},
		{"only a target's file: URL is known", []step{on("P", withURL("I", "F", "M", "file:///x"))}, "file://"},
		{"swapping, never loaded", []step{on("P", attached("F", "M")), on("P", swapped("F"))}, ""},
		{"of unknown parent", []step{on("P", attached("F", "nobody"))}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := onPage(t, tt.steps...).ref(t, "F").Origin; got != tt.want {
				t.Errorf("origin %q, want %q", got, tt.want)
			}
		})
	}
}

// world is the page's own script context of a frame.
func world(frame messages.FrameID, origin string) *messages.ContextCreated {
	return &messages.ContextCreated{FrameID: frame, Origin: origin, IsDefault: true}
}

func TestOriginFromTheScriptContext(t *testing.T) {
	isolated := world("F", "https://evil.test")
	isolated.IsDefault = false
	load := on("P", navigated("F", "M", "b.test"))
	tests := []struct {
		name  string
		steps []step
		want  string
	}{
		{"sandboxed", []step{load, on("P", world("F", "://"))}, "null"},
		{"blank and sandboxed", []step{on("P", doc("F", "M", "about:blank", "://")), on("P", world("F", "://"))}, "null"},
		{"below a sandboxed one", []step{
			on("P", navigated("E", "M", "b.test")), on("P", world("E", "://")), on("P", doc("F", "E", "about:srcdoc", "://")),
		}, "null"},
		{"blank, of its own session", []step{
			on("P", session("I", "F", "M")), on("I", doc("F", "M", "about:blank", "://")), on("I", world("F", "https://b.test")),
		}, "https://b.test"},
		{"told before the frame tree", []step{on("P", world("F", "https://w.test")), reply("P", messages.FrameNode{
			Frame: frameAt("M", "", "a.test"), Children: []messages.FrameNode{{Frame: frameAt("F", "M", "b.test")}},
		})}, "https://w.test"},
		{"another world than the page's", []step{load, on("P", isolated)}, "https://b.test"},
		{"of the document before", []step{on("P", doc("F", "M", "about:blank", "://")), on("P", world("F", "://")), load}, "https://b.test"},
		{"of the renderer before", []step{
			load, on("P", world("F", "://")), on("P", session("I", "F", "M")), on("I", navigated("F", "M", "c.test")),
		}, "https://c.test"},
		{"another session's word", []step{load, on("P", session("I", "G", "M")), on("I", world("F", "https://evil.test"))}, "https://b.test"},
		{"of a frame that has left", []step{on("P", world("F", "://")), load, on("P", world("F", "://")), on("P", swapped("F"))}, "https://b.test"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := onPage(t, tt.steps...).ref(t, "F").Origin; got != tt.want {
				t.Errorf("origin %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOriginOfABlankPage(t *testing.T) {
	open := func(opener *messages.TargetInfo) *tree {
		tr := onPage(t, on("P", session("I", "F", "M")), on("I", navigated("F", "M", "b.test")))
		opener.Type, opener.TargetID = messages.TargetPage, "T2"
		tr.tell(t, on("", &messages.AttachedToTarget{SessionID: "P2", Info: *opener}), on("P2", doc("M2", "", "about:blank", "://")))
		return tr
	}
	tests := []struct {
		name string
		info messages.TargetInfo
		want string
	}{
		{"no opener", messages.TargetInfo{}, "null"},
		{"noopener", messages.TargetInfo{OpenerID: "T"}, "null"},
		{"the opener's main frame", messages.TargetInfo{OpenerID: "T", CanAccessOpener: true}, "https://a.test"},
		{"the frame that opened it", messages.TargetInfo{OpenerID: "T", OpenerFrameID: "F", CanAccessOpener: true}, "https://b.test"},
		{"an opener that is not ours", messages.TargetInfo{OpenerID: "T9", CanAccessOpener: true}, "null"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := open(&tt.info)
			if got := tr.ref(t, "M2").Origin; got != tt.want {
				t.Errorf("origin %q, want %q", got, tt.want)
			}
			tr.tell(t, on("P", navigated("M", "", "z.test")))
			if got := tr.ref(t, "M2").Origin; got != tt.want {
				t.Errorf("origin %q once the opener has gone on, want %q", got, tt.want)
			}
		})
	}
}

func TestURL(t *testing.T) {
	remote := on("P", session("I", "F", "M"))
	empty := reply("I", messages.FrameNode{Frame: messages.FrameInfo{ID: "F", ParentID: "M", LoaderID: "L"}})
	tests := []struct {
		name  string
		steps []step
		want  string
	}{
		{"of the target, on the parent's session", []step{remote, on("P", changed("F", "https://b.test/1"))}, "https://b.test/1"},
		{"of the target, on the browser's session", []step{remote, on("", changed("F", "https://b.test/1"))}, "https://b.test/1"},
		{"the parent's session knows better than the browser's", []step{
			remote, on("P", changed("F", "https://b.test/2")), on("", changed("F", "https://b.test/1")),
		}, "https://b.test/2"},
		{"a frame tree without a URL", []step{remote, on("P", changed("F", "https://b.test/1")), empty}, "https://b.test/1"},
		{"a target without a URL", []step{remote, on("P", changed("F", "https://b.test/1")), on("P", changed("F", ""))}, "https://b.test/1"},
		{"its own session knows best", []step{
			remote, on("I", navigated("F", "M", "b.test")), on("P", changed("F", "https://b.test/old")),
		}, "https://b.test/"},
		{"history.pushState in a renderer of its own", []step{
			remote, on("I", navigated("F", "M", "b.test")),
			on("I", &messages.NavigatedWithinDocument{FrameID: "F", URL: "https://b.test/#x"}),
		}, "https://b.test/#x"},
		{"history.pushState in its parent's renderer", []step{
			on("P", navigated("F", "M", "a.test")), on("P", &messages.NavigatedWithinDocument{FrameID: "F", URL: "https://a.test/#x"}),
		}, "https://a.test/#x"},
		{"document.open", []step{
			on("P", doc("F", "M", "about:blank", "://")),
			on("P", &messages.DocumentOpened{Frame: messages.FrameInfo{ID: "F", ParentID: "M", URL: "https://a.test/"}}),
		}, "https://a.test/"},
		{"document.open of a frame nobody announced", []step{
			on("P", &messages.DocumentOpened{Frame: messages.FrameInfo{ID: "F", ParentID: "M", URL: "https://a.test/"}}),
		}, "https://a.test/"},
		{"another session's words on a frame that is not its own", []step{
			on("P", navigated("F", "M", "a.test")), on("P", session("I", "G", "M")),
			on("I", &messages.NavigatedWithinDocument{FrameID: "F", URL: "https://evil.test/"}),
		}, "https://a.test/"},
		{"the last one that was known, while it swaps", []step{
			remote, on("P", changed("F", "https://b.test/1")), on("P", gone("I")),
		}, "https://b.test/1"},
		{"the last one that its own session told, while it swaps", []step{
			remote, on("I", navigated("F", "M", "b.test")), on("P", gone("I")),
		}, "https://b.test/"},
		{"back in its parent's renderer", []step{
			remote, on("P", changed("F", "https://b.test/1")), on("P", gone("I")), on("P", attached("F", "M")),
			on("P", navigated("F", "M", "a.test")),
		}, "https://a.test/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := onPage(t, tt.steps...).ref(t, "F").URL; got != tt.want {
				t.Errorf("URL %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNameIsKept(t *testing.T) {
	named := navigated("F", "M", "a.test")
	named.Frame.Name = "slot"
	tr := onPage(t, on("P", named), on("P", session("I", "F", "M")), on("I", navigated("F", "M", "b.test")))
	if got := tr.ref(t, "F").Name; got != "slot" {
		t.Errorf("name %q, want the one from before it had a session", got)
	}
	again := navigated("F", "M", "c.test")
	again.Frame.Name = "renamed"
	tr.tell(t, on("I", again))
	if got := tr.ref(t, "F").Name; got != "renamed" {
		t.Errorf("name %q, want the one that its session reports", got)
	}
	tr.tell(t, on("I", navigated("F", "M", "d.test")))
	if got := tr.ref(t, "F").Name; got != "renamed" {
		t.Errorf("name %q: an empty one has overwritten a known one", got)
	}
	tr.tell(t, on("P", gone("I")), on("P", attached("F", "M")))
	if got := tr.ref(t, "F").Name; got != "slot" {
		t.Errorf("name %q after the return, want what its parent's renderer said", got)
	}
}

func TestLoadedAndLoader(t *testing.T) {
	tr := onPage(t, on("P", attached("F", "M")))
	if tr.ref(t, "F").Loaded {
		t.Error("loaded before any document")
	}
	tr.tell(t, on("P", navigated("F", "M", "a.test")))
	if r := tr.ref(t, "F"); !r.Loaded || r.Loader != "L-F-a.test" || r.Domain != "a.test" {
		t.Errorf("F: %+v", r)
	}
	tr.tell(t, on("P", session("I", "F", "M")), on("I", navigated("F", "M", "b.test")))
	if r := tr.ref(t, "F"); !r.Loaded || r.Loader != "L-F-b.test" || r.Domain != "b.test" {
		t.Errorf("F: %+v", r)
	}
	tr.tell(t, on("P", gone("I")))
	if r := tr.ref(t, "F"); r.Loaded || r.Loader != "" {
		t.Errorf("F: %+v", r)
	}
}

func TestStateOfAFrame(t *testing.T) {
	tr := onPage(t, on("P", session("I", "F", "M")))
	want := func(when string, state messages.FrameState) {
		t.Helper()
		if got := tr.ref(t, "F").State; got != state {
			t.Errorf("%s: %q, want %q", when, got, state)
		}
	}
	want("new", messages.FramePending)
	tr.SetSessionState("I", messages.FrameUnresponsive)
	want("after a minute", messages.FrameUnresponsive)
	tr.SetSessionState("I", "")
	want("answered", "")
	tr.tell(t, on("I", &messages.InspectorCrashed{}))
	want("crashed", messages.FrameCrashed)
	tr.tell(t, on("I", &messages.InspectorReloaded{}))
	want("reloaded", "")
	tr.tell(t, on("I", &messages.InspectorCrashed{}), on("I", navigated("F", "M", "b.test")))
	want("navigated after a crash", "")
	tr.tell(t, on("I", &messages.InspectorCrashed{}), on("P", gone("I")))
	want("detached", messages.FrameSwapping)
	if got := tr.ref(t, "M").State; got != "" {
		t.Errorf("the page is %q", got)
	}
	tr.SetSessionState("nobody", messages.FramePending)
}
