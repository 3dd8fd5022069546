package fakebrowser

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// request is one request of a renderer. Sessions that intercept it hold it
// before anything goes out.
type request struct {
	url, method, kind string // kind is the CDP resource type
	headers           []attribute
	body              *string
	frame             *frame
	target            *target // whose sessions may intercept
	done              func(result)
	over              bool
}

// result is what a request came to: a response, or an error.
type result struct {
	resp Response
	err  string // a net:: error
}

func (rq *request) finish(r result) {
	if !rq.over {
		rq.over = true
		rq.done(r)
	}
}

// fetchPattern is a Fetch.RequestPattern.
type fetchPattern struct {
	URL   string `json:"urlPattern"`
	Kind  string `json:"resourceType"`
	Stage string `json:"requestStage"`
}

func (p fetchPattern) takes(rq *request) bool {
	return (p.Kind == "" || p.Kind == rq.kind) && (p.URL == "" || glob(p.URL, rq.url))
}

// glob matches with * and ?; a backslash takes the next character literally.
func glob(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0 // the last star, and how far it has eaten
	for i < len(s) {
		literal := p < len(pattern) && pattern[p] == '\\' && p+1 < len(pattern)
		switch {
		case literal && pattern[p+1] == s[i]:
			p, i = p+2, i+1
		case !literal && p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case !literal && p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p, i = p+1, i+1
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// interception is a request that a session holds.
type interception struct {
	id   string
	s    *session
	rq   *request
	rest []*session // who gets it when this one lets it go on
}

// request passes a request by the sessions that intercept it, the one that
// attached last first, and then to the network.
func (b *Browser) request(rq *request) {
	var who []*session
	if rq.target != nil {
		for _, s := range inOrder(rq.target.sessions) {
			if s.fetching && slices.ContainsFunc(s.patterns, func(p fetchPattern) bool { return p.takes(rq) }) {
				who = append(who, s)
			}
		}
	}
	slices.Reverse(who)
	b.pass(rq, who)
}

// pass gives a request to the next session, or to the network.
func (b *Browser) pass(rq *request, who []*session) {
	for len(who) > 0 && (who[0].closed || !who[0].fetching) {
		who = who[1:]
	}
	if len(who) == 0 {
		b.network(rq)
		return
	}
	b.reqSeq++
	j := &interception{id: fmt.Sprintf("interception-job-%d.0", b.reqSeq), s: who[0], rq: rq, rest: who[1:]}
	b.jobs[j.id] = j
	headers := object{}
	for _, h := range rq.headers {
		headers = append(headers, h.name, h.value)
	}
	shown := object{"url", rq.url, "method", rq.method, "headers", headers}
	if rq.body != nil {
		shown = append(shown, "postData", *rq.body, "hasPostData", true, "postDataEntries",
			[]object{{"bytes", base64.StdEncoding.EncodeToString([]byte(*rq.body))}})
	}
	shown = append(shown, "initialPriority", "VeryHigh", "referrerPolicy", "strict-origin-when-cross-origin")
	j.s.event("Fetch.requestPaused", object{"requestId", j.id, "request", shown, "frameId", rq.frame.id, "resourceType", rq.kind})
}

// network answers a request from the site.
func (b *Browser) network(rq *request) {
	resp, ok := b.answer(rq.url)
	r := result{resp: resp}
	if !ok {
		r = result{err: "net::ERR_NAME_NOT_RESOLVED"}
	}
	if resp.Delay > 0 {
		b.after(resp.Delay, func() { rq.finish(r) })
		return
	}
	rq.finish(r)
}

// answer asks the site for a URL.
func (b *Browser) answer(url string) (Response, bool) {
	at, _ := cutFragment(url)
	if b.opt.Pages == nil || !strings.HasPrefix(at, "http") {
		return Response{}, false
	}
	resp, ok := b.opt.Pages(at)
	if resp.Status == 0 {
		resp.Status = 200
	}
	resp.HTML = cut(resp.HTML, maxHTML)
	return resp, ok
}

// releaseFetches lets go of every request that the session holds.
func (s *session) releaseFetches() {
	b := s.conn.b
	ids := []string{}
	for id, j := range b.jobs {
		if j.s == s {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		j := b.jobs[id]
		delete(b.jobs, id)
		b.post(func() { b.pass(j.rq, j.rest) })
	}
}

// fetchMethods is the Fetch domain. All of it is the browser's.
func fetchMethods() map[string]method {
	return map[string]method{
		"Fetch.enable":           inBrowser(fetchEnable),
		"Fetch.disable":          inBrowser(fetchDisable),
		"Fetch.fulfillRequest":   inBrowser(fulfillRequest),
		"Fetch.failRequest":      inBrowser(failRequest),
		"Fetch.continueRequest":  inBrowser(continueRequest),
		"Fetch.continueWithAuth": inBrowser(continueRequest),
	}
}

func fetchEnable(c *command) {
	var p struct {
		Patterns []fetchPattern `json:"patterns"`
	}
	if !c.bind(&p) {
		return
	}
	for _, x := range p.Patterns {
		if x.Stage != "" && x.Stage != "Request" && x.Stage != "Response" {
			c.fail(codeInvalidParams, "Unsupported request stage '%s'", x.Stage)
			return
		}
	}
	if p.Patterns == nil {
		p.Patterns = []fetchPattern{{URL: "*"}}
	}
	c.s.fetching, c.s.patterns = true, p.Patterns
	c.reply(nil)
}

func fetchDisable(c *command) {
	c.s.fetching, c.s.patterns = false, nil
	c.s.releaseFetches()
	c.reply(nil)
}

type fetchParams struct {
	RequestID string `json:"requestId"`
	Code      int    `json:"responseCode"`
	Reason    string `json:"errorReason"`
	Body      string `json:"body"`
	Headers   []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"responseHeaders"`
}

// job finds the held request that a command names.
func (c *command) job(p *fetchParams, required ...string) *interception {
	if !c.bind(p, append([]string{"requestId"}, required...)...) {
		return nil
	}
	j := c.s.conn.b.jobs[p.RequestID]
	if j == nil || j.s != c.s {
		c.fail(codeInvalidParams, "Invalid InterceptionId.")
		return nil
	}
	return j
}

func (c *command) take(j *interception) {
	delete(c.s.conn.b.jobs, j.id)
	c.reply(nil)
}

func fulfillRequest(c *command) {
	var p fetchParams
	j := c.job(&p, "responseCode")
	if j == nil {
		return
	}
	body, err := base64.StdEncoding.DecodeString(p.Body)
	if err != nil {
		c.fail(codeInvalidParams, "Invalid parameters")
		return
	}
	resp := Response{Status: p.Code, Header: map[string]string{}, HTML: cut(string(body), maxHTML)}
	for _, h := range p.Headers {
		resp.Header[h.Name] = h.Value
	}
	c.take(j)
	c.s.conn.b.post(func() { j.rq.finish(result{resp: resp}) })
}

func failRequest(c *command) {
	var p fetchParams
	j := c.job(&p, "errorReason")
	if j == nil {
		return
	}
	c.take(j)
	c.s.conn.b.post(func() { j.rq.finish(result{err: "net::ERR_" + strings.ToUpper(p.Reason)}) })
}

func continueRequest(c *command) {
	var p fetchParams
	j := c.job(&p)
	if j == nil {
		return
	}
	c.take(j)
	b := c.s.conn.b
	b.post(func() { b.pass(j.rq, j.rest) })
}

func statusText(code int) string { return http.StatusText(code) }
