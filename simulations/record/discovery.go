package record

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/jsonscan"
)

// maxDiscovery is how much of an answer is passed on.
const maxDiscovery = 32 << 20

// discovery passes a request under /json on, and leads its answer to the proxy.
func (p *Proxy) discovery(w http.ResponseWriter, r *http.Request) {
	status, kind, body, err := p.ask(r)
	if err != nil || status == http.StatusNotFound {
		if r.URL.Path == jsonPath+"/version" {
			p.ownVersion(w, r)
			return
		}
		if err != nil {
			http.Error(w, "the browser does not answer: "+cdpwire.Redact(err.Error()), http.StatusBadGateway)
			return
		}
	}
	if r.URL.Path != jsonPath+"/protocol" {
		body = lead(body, r.Host)
	}
	if kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// ask puts a request to the browser.
func (p *Proxy) ask(r *http.Request) (status int, kind string, body []byte, err error) {
	u, err := url.Parse(p.web)
	if err != nil || p.web == "" {
		return http.StatusNotFound, "", nil, nil
	}
	user := u.User
	u.User = nil
	u.Path = r.URL.Path
	if r.URL.RawQuery != "" { // /json/new?url
		u.RawQuery = r.URL.RawQuery
	}
	request, err := http.NewRequestWithContext(r.Context(), r.Method, u.String(), nil)
	if err != nil {
		return 0, "", nil, err
	}
	for name, value := range p.Lease.Headers {
		request.Header.Set(name, value)
	}
	if user != nil {
		password, _ := user.Password()
		request.SetBasicAuth(user.Username(), password)
	}
	if !allowedHost(u.Host) {
		request.Host = "localhost" // Chrome answers no other names
	}
	transport := &http.Transport{DisableKeepAlives: true}
	client := http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxDiscovery))
	return response.StatusCode, response.Header.Get("Content-Type"), body, err
}

// ownVersion answers for a browser that has no discovery.
func (p *Proxy) ownVersion(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(map[string]string{
		"Browser": "a browser behind a recording proxy", "Protocol-Version": "1.3",
		"webSocketDebuggerUrl": "ws://" + r.Host + browserPath + "/proxy",
	})
}

// lead rewrites the addresses in an answer: WebSockets are reached through host.
func lead(body []byte, host string) []byte {
	text := bytes.TrimSpace(body)
	switch {
	case bytes.HasPrefix(text, []byte("[")):
		out := []byte("[")
		if jsonscan.Array(text, func(element []byte) error {
			if len(out) > 1 {
				out = append(out, ",\n"...)
			}
			out = append(out, leadObject(element, host)...)
			return nil
		}) != nil {
			return body
		}
		return append(out, "]\n"...)
	case bytes.HasPrefix(text, []byte("{")):
		return append(leadObject(text, host), '\n')
	}
	return body
}

func leadObject(raw []byte, host string) []byte {
	out := []byte("{")
	err := jsonscan.Object(raw, func(key, value []byte) error {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, jsonscan.Quote(string(key))...), ':')
		switch string(key) {
		case "webSocketDebuggerUrl":
			value = jsonscan.Quote(leadSocket(jsonscan.String(value), host))
		case "devtoolsFrontendUrl":
			value = jsonscan.Quote(leadFrontend(jsonscan.String(value), host))
		}
		out = append(out, value...)
		return nil
	})
	if err != nil {
		return raw
	}
	return append(out, '}')
}

// leadSocket keeps the path alone: its query may be a secret.
func leadSocket(text, host string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "ws://" + host + browserPath + "/proxy"
	}
	return "ws://" + host + u.Path
}

// leadFrontend rewrites the ws parameter of the address of the browser's own
// tools.
func leadFrontend(text, host string) string {
	before, after, found := strings.Cut(text, "?ws=")
	if !found {
		if before, after, found = strings.Cut(text, "?wss="); !found {
			return text
		}
	}
	_, path, found := strings.Cut(after, "/")
	if !found {
		return text
	}
	return before + "?ws=" + host + "/" + path
}
