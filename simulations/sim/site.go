package sim

import (
	"net/url"
	"strings"
	"time"

	"cdpsupervisor/simulations/fakebrowser"
)

// urls are where pages and frames go.
var urls = []string{ //nolint:gochecknoglobals // a table
	"http://a.test/plain", "http://a.test/nest", "http://a.test/wide", "http://b.test/plain", "http://b.test/nest",
	"http://c.test/deep", "http://sub.a.test/plain", "http://a.test/alert", "http://b.test/confirm", "http://a.test/leave",
	"http://a.test/slow", "about:blank", "http://a.test/204", "http://a.test/missing", "http://nowhere.invalid/",
	"data:text/html,<p>data", "http://a.test/sandbox", "http://a.test/srcdoc", "http://a.test/errors",
}

// site is the web of a run.
func site(at string) (fakebrowser.Response, bool) {
	u, err := url.Parse(at)
	if err != nil || !strings.HasSuffix(u.Hostname(), ".test") {
		return fakebrowser.Response{}, false
	}
	pages := map[string]fakebrowser.Response{
		"/plain":   {HTML: `<title>plain</title><body>plain`},
		"/nest":    {HTML: `<title>nest</title><iframe src="http://b.test/inner"></iframe><iframe src="/plain"></iframe>`},
		"/inner":   {HTML: `<title>inner</title><iframe src="http://c.test/plain"></iframe>`},
		"/deep":    {HTML: `<title>deep</title><iframe src="http://a.test/nest"></iframe>`},
		"/wide":    {HTML: `<title>wide</title>` + strings.Repeat(`<iframe src="/plain"></iframe>`, 12) + strings.Repeat(`<iframe src="http://b.test/plain"></iframe>`, 4)},
		"/alert":   {HTML: `<title>alert</title><script>alert("on load")</script>`},
		"/confirm": {HTML: `<title>confirm</title><script>setTimeout(() => confirm("soon"), 50)</script>`},
		"/leave":   {HTML: `<title>leave</title><script>addEventListener("beforeunload", e => e.preventDefault())</script>`},
		"/slow":    {HTML: `<title>slow</title>`, Delay: 3 * time.Second},
		"/204":     {Status: 204},
		"/sandbox": {HTML: `<title>sandbox</title><iframe sandbox="allow-scripts" src="/plain"></iframe><iframe sandbox="allow-scripts allow-modals" src="/plain"></iframe>`},
		"/srcdoc":  {HTML: `<title>srcdoc</title><iframe srcdoc="<iframe srcdoc='x'></iframe>"></iframe>`},
		"/errors":  {HTML: `<title>errors</title><script>for (let i = 0; i < 80; i++) console.error("no " + i); throw new Error("thrown")</script>`},
	}
	if p, ok := pages[u.Path]; ok {
		return p, true
	}
	return fakebrowser.Response{Status: 404, HTML: "not found"}, true
}
