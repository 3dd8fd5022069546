package fakebrowser

import (
	"net/url"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// xhr is one XMLHttpRequest.
type xhr struct {
	method, url string
	async       bool
	headers     []attribute
	got         *result
	wait        *block
}

// netOp are the operations of requests and URLs.
func (r *realm) netOp(name string, this *goja.Object, a opArgs) (goja.Value, bool) {
	switch name {
	case "private":
		r.xhrs[this] = &xhr{}
	case "xhrOpen":
		x := r.xhrs[this]
		if x == nil {
			return goja.Undefined(), true
		}
		to, ok := resolveURL(r.doc.base(), a.text(1))
		if !ok {
			r.throwDOM("SyntaxError", "Failed to execute 'open' on 'XMLHttpRequest': Invalid URL")
		}
		*x = xhr{method: strings.ToUpper(a.text(0)), url: to, async: a.flag(2)}
	case "xhrHeader":
		if x := r.xhrs[this]; x != nil && len(x.headers) < 100 {
			x.headers = append(x.headers, attribute{a.text(0), a.text(1)})
		}
	case "xhrSend":
		r.sendXHR(this, a)
	case "xhrResponseHeader":
		return r.responseHeader(this, a), true
	case "fetch":
		r.fetchAsync(a)
	case "parseURL":
		return r.parsedURL(a), true
	case "blobURL":
		at := "blob:" + r.doc.origin.String() + "/" + r.b.ids.guid()
		r.b.scripts.blobs[at] = cut(a.text(0), maxHTML)
		return r.vm.ToValue(at), true
	default:
		return nil, false
	}
	return goja.Undefined(), true
}

// refused reports why a request may not leave the document, "" when it may.
func (d *document) refused(to string, sync bool) string {
	switch {
	case sync && (d.inUnload == "beforeunload" || d.inUnload == "unload"):
		return "Synchronous XHR in page dismissal. See https://www.chromestatus.com/feature/4664843055398912 for more details."
	case sync && d.policy.noSyncXHR:
		return "Synchronous requests are disabled by permissions policy."
	case strings.HasPrefix(d.url, "https:") && strings.HasPrefix(to, "http:") && !d.policy.upgrade:
		d.frame.local().log("security", "error", "Mixed Content: The page at '"+d.url+"' was loaded over HTTPS, but requested an insecure XMLHttpRequest endpoint. This request has been blocked; the content must be served over HTTPS.", d.url)
		return "mixed"
	case !d.bypassCSP && !d.policy.allows(d, to):
		d.frame.local().log("security", "error", "Connecting to '"+to+"' violates the following Content Security Policy directive: connect-src. The action has been blocked.", d.url)
		return "csp"
	}
	return ""
}

func (r *realm) networkError(to string) {
	r.throwDOM("NetworkError", "Failed to execute 'send' on 'XMLHttpRequest': Failed to load '"+to+"'.")
}

// sendXHR sends; a synchronous request stands still until it is answered.
func (r *realm) sendXHR(this *goja.Object, a opArgs) {
	x, d := r.xhrs[this], r.doc
	if x == nil || x.url == "" {
		r.throwDOM("InvalidStateError", "Failed to execute 'send' on 'XMLHttpRequest': The object's state must be OPENED.")
	}
	var body *string
	if v := a.value(0); !goja.IsNull(v) && x.method != "GET" && x.method != "HEAD" {
		s := v.String()
		body = &s
	}
	if strings.HasPrefix(d.url, "chrome:") && !x.async {
		r.b.crashRenderer(d.proc, 5) // a synchronous request kills such a renderer
		r.unwind()
		return
	}
	if why := d.refused(x.url, !x.async); why != "" {
		if !x.async {
			r.networkError(x.url)
		}
		d.later(func() { r.xhrEnds(this, x, result{err: why}) })
		return
	}
	rq := d.newRequest(x.method, x.url, "XHR", x.headers, body)
	if x.async {
		rq.done = func(got result) { d.later(func() { r.xhrEnds(this, x, d.cors(rq, got)) }) }
		d.sendRequest(rq)
		return
	}
	x.wait = &block{why: "xhr"}
	rq.done = func(got result) {
		got = d.cors(rq, got)
		x.got, x.wait.done = &got, true
	}
	d.xhrs = append(d.xhrs, x)
	r.b.post(func() { d.sendRequest(rq) })
	alive := d.proc.wait(x.wait)
	d.xhrs = slices.DeleteFunc(d.xhrs, func(o *xhr) bool { return o == x })
	if !alive {
		r.unwind()
		return
	}
	if x.got == nil || x.got.err != "" {
		if x.got != nil {
			d.frame.local().log("network", "error", "Failed to load resource: "+x.got.err, x.url)
		}
		r.networkError(x.url)
	}
	r.setXHR(this, x)
}

// releaseXHR wakes scripts that wait for an answer in a document that is
// gone.
func (d *document) releaseXHR() {
	for _, x := range d.xhrs {
		x.wait.done = true
	}
}

// newRequest makes a request as the document sends it.
func (d *document) newRequest(method, to, kind string, headers []attribute, body *string) *request {
	rq := &request{url: to, method: method, kind: kind, frame: d.frame, body: body}
	rq.headers = []attribute{{"Accept", "*/*"}}
	if body != nil && !slices.ContainsFunc(headers, func(h attribute) bool { return strings.EqualFold(h.name, "content-type") }) {
		rq.headers = append(rq.headers, attribute{"Content-Type", "text/plain;charset=UTF-8"})
	}
	rq.headers = append(rq.headers, attribute{"Origin", d.origin.String()}, attribute{"User-Agent", userAgent})
	rq.headers = append(rq.headers, headers...)
	// A frame that has loaded nothing yet sends in its creator's name.
	if d.fromCreator {
		if d.frame.parent != nil {
			rq.frame = d.frame.parent
		} else if o := d.frame.page.opener; o != nil {
			rq.frame = o
		}
	}
	rq.target = rq.frame.local()
	return rq
}

// sendRequest sends, after the preflight that unusual headers ask for.
func (d *document) sendRequest(rq *request) {
	plain := []string{"accept", "accept-language", "content-language", "content-type", "origin", "user-agent"}
	o, _ := originOf(rq.url)
	unusual := slices.ContainsFunc(rq.headers, func(h attribute) bool { return !slices.Contains(plain, strings.ToLower(h.name)) })
	if !unusual || o == d.origin {
		d.b.request(rq)
		return
	}
	pre := *rq
	pre.method, pre.body = "OPTIONS", nil
	pre.done = func(got result) {
		if got = d.cors(rq, got); got.err != "" {
			rq.finish(got)
			return
		}
		d.b.request(rq)
	}
	d.b.request(&pre)
}

// cors refuses a response that does not name the origin.
func (d *document) cors(rq *request, got result) result {
	o, ok := originOf(rq.url)
	if got.err != "" || ok && o == d.origin {
		return got
	}
	if v := header(got.resp, "Access-Control-Allow-Origin"); v == "*" || v == d.origin.String() {
		return got
	}
	return result{err: "net::ERR_FAILED"}
}

// setXHR shows the result to the script.
func (r *realm) setXHR(this *goja.Object, x *xhr) {
	_, err := r.xhrShow(goja.Undefined(), this, r.shown(x.url, *x.got))
	r.check(err)
}

func (r *realm) xhrEnds(this *goja.Object, x *xhr, got result) {
	if r.doc.dead {
		return
	}
	x.got = &got
	_, err := r.call(r.xhrDone, goja.Undefined(), this, r.shown(x.url, got))
	r.report(err)
}

// shown is a result as the prelude takes it: null for an error.
func (r *realm) shown(at string, got result) goja.Value {
	if got.err != "" {
		return goja.Null()
	}
	headers := map[string]any{}
	for k, v := range got.resp.Header {
		headers[k] = v
	}
	return r.vm.ToValue(map[string]any{"status": got.resp.Status, "statusText": statusText(got.resp.Status),
		"body": got.resp.HTML, "url": at, "headers": headers})
}

func (r *realm) responseHeader(this *goja.Object, a opArgs) goja.Value {
	x := r.xhrs[this]
	if x == nil || x.got == nil {
		return goja.Null()
	}
	if goja.IsNull(a.value(0)) {
		return r.vm.ToValue("")
	}
	if v := header(x.got.resp, a.text(0)); v != "" {
		return r.vm.ToValue(v)
	}
	return goja.Null()
}

// fetchAsync is fetch: the same way out, and a callback.
func (r *realm) fetchAsync(a opArgs) {
	d := r.doc
	done, ok := goja.AssertFunction(a.value(4))
	to, valid := resolveURL(d.base(), a.text(1))
	if !ok {
		return
	}
	end := func(got result) {
		d.later(func() {
			if !d.dead {
				_, err := r.call(done, goja.Undefined(), r.shown(to, got))
				r.report(err)
			}
		})
	}
	if !valid || d.refused(to, false) != "" {
		end(result{err: "net::ERR_FAILED"})
		return
	}
	var headers []attribute
	if o, ok := a.value(3).(*goja.Object); ok {
		for _, k := range o.Keys() {
			headers = append(headers, attribute{k, o.Get(k).String()})
		}
	}
	var body *string
	if v := a.value(2); !goja.IsNull(v) {
		s := v.String()
		body = &s
	}
	rq := d.newRequest(strings.ToUpper(a.text(0)), to, "Fetch", headers, body)
	rq.done = func(got result) { end(d.cors(rq, got)) }
	r.b.post(func() { d.sendRequest(rq) })
}

func (r *realm) parsedURL(a opArgs) goja.Value {
	at, ok := resolveURL(a.text(1), a.text(0))
	if !ok {
		return goja.Null()
	}
	u, err := url.Parse(at)
	if err != nil {
		return goja.Null()
	}
	search, hash := "", ""
	if u.RawQuery != "" {
		search = "?" + u.RawQuery
	}
	if _, f := cutFragment(at); len(f) > 1 {
		hash = f
	}
	origin := "null"
	if o, ok := originOf(at); ok {
		origin = o.String()
	}
	return r.vm.ToValue(map[string]any{"href": at, "protocol": u.Scheme + ":", "host": u.Host, "hostname": u.Hostname(),
		"port": u.Port(), "pathname": u.EscapedPath(), "search": search, "hash": hash, "origin": origin})
}

// policies are what a document's headers and meta elements forbid.
type policies struct {
	connect   [][]string // source lists, all of which must allow
	noSyncXHR bool
	upgrade   bool
}

func parsePolicies(r Response) policies {
	var p policies
	if v := header(r, "Content-Security-Policy"); v != "" {
		p.add(v)
	}
	for _, d := range strings.Split(header(r, "Permissions-Policy"), ",") {
		if strings.ReplaceAll(strings.TrimSpace(d), " ", "") == "sync-xhr=()" {
			p.noSyncXHR = true
		}
	}
	return p
}

// add takes a Content-Security-Policy into account.
func (p *policies) add(policy string) {
	var connect, fallback []string
	for _, d := range strings.Split(policy, ";") {
		f := strings.Fields(d)
		if len(f) == 0 {
			continue
		}
		switch strings.ToLower(f[0]) {
		case "connect-src":
			connect = f[1:]
		case "default-src":
			fallback = f[1:]
		case "upgrade-insecure-requests":
			p.upgrade = true
		}
	}
	if connect == nil {
		connect = fallback
	}
	if connect != nil {
		p.connect = append(p.connect, connect)
	}
}

func (p policies) allows(d *document, to string) bool {
	for _, list := range p.connect {
		if !slices.ContainsFunc(list, func(src string) bool { return sourceAllows(src, d, to) }) {
			return false
		}
	}
	return true
}

func sourceAllows(src string, d *document, to string) bool {
	o, ok := originOf(to)
	switch {
	case !ok || src == "'none'":
		return false
	case src == "*":
		return true
	case src == "'self'":
		return o == d.origin
	case strings.HasSuffix(src, ":"):
		return o.scheme+":" == src
	}
	_, host, cut := strings.Cut(src, "://")
	if !cut {
		host = src
	}
	host = strings.TrimSuffix(strings.SplitN(host, "/", 2)[0], ":*")
	if rest, ok := strings.CutPrefix(host, "*."); ok {
		return strings.HasSuffix(o.host, "."+rest)
	}
	return o.host == host
}
