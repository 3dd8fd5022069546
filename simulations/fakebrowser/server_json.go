package fakebrowser

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// serveJSON is the HTTP half of the endpoint.
func (s *server) serveJSON(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	verb, id, _ := strings.Cut(strings.TrimPrefix(path, "/json/"), "/")
	switch {
	case path == "":
	case path == "/json/version":
		s.version(w, r)
	case path == "/json" || path == "/json/list":
		s.list(w, r)
	case path == "/json/protocol":
		writeJSON(w, object{"version", object{"major", "1", "minor", "3"}, "domains", []object{}})
	case path == "/json/new":
		s.open(w, r)
	case verb == "activate" || verb == "close":
		s.onTarget(w, verb, id)
	default:
		http.NotFound(w, r)
	}
}

func (s *server) version(w http.ResponseWriter, r *http.Request) {
	guid := ""
	s.b.do(func() { guid = s.b.guid })
	writeJSON(w, object{"Browser", product, "Protocol-Version", "1.3", "User-Agent", userAgent, "V8-Version", jsVersion,
		"WebKit-Version", "537.36 (" + revision + ")", "webSocketDebuggerUrl", "ws://" + r.Host + "/devtools/browser/" + guid})
}

func entryOf(t *target, host string) object {
	at := host + "/devtools/page/" + t.id
	return object{"description", "", "devtoolsFrontendUrl", "https://chrome-devtools-frontend.appspot.com/serve_rev/" + revision + "/inspector.html?ws=" + at,
		"id", t.id, "title", t.title, "type", t.kind, "url", t.url, "webSocketDebuggerUrl", "ws://" + at}
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	all := []object{}
	s.b.do(func() {
		for i := len(s.b.targets) - 1; i >= 0; i-- {
			all = append(all, entryOf(s.b.targets[i], r.Host))
		}
	})
	writeJSON(w, all)
}

func (s *server) open(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPut {
		http.Error(w, "Using unsafe HTTP verb "+r.Method+" to invoke /json/new. This action supports only PUT verb.", http.StatusMethodNotAllowed)
		return
	}
	url, ok := normalizeURL(r.URL.RawQuery)
	if !ok {
		url = "about:blank"
	}
	var entry object
	s.b.do(func() {
		if s.b.gone() || !s.b.maySpawn() {
			return
		}
		p := s.b.newPage(pageSeed{kind: "page", url: url})
		s.b.attachPage(p.target, func() {})
		entry = entryOf(p.target, r.Host)
		if url == "about:blank" {
			s.b.startBlank(p)
			return
		}
		s.b.navigate(&navigation{frame: p.main, url: url, kind: "differentDocument", replace: true, first: true})
	})
	writeJSON(w, entry)
}

func (s *server) onTarget(w http.ResponseWriter, verb, id string) {
	found := false
	s.b.do(func() {
		t := s.b.target(id)
		if found = t != nil; found && verb == "close" {
			t.page.close(nil)
		}
	})
	switch {
	case !found:
		http.Error(w, "No such target id: "+id, http.StatusNotFound)
	case verb == "close":
		_, _ = w.Write([]byte("Target is closing"))
	default:
		_, _ = w.Write([]byte("Target activated"))
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	var out bytes.Buffer
	if err := json.Indent(&out, encode(v), "", "   "); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(out.Bytes()) // the client may be gone
}
