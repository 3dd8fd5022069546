package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

func TestURLsThatAreNoPage(t *testing.T) {
	for url, says := range map[string]string{
		"":                             "is empty: URL with its scheme, such as https://example.com/",
		" \t\n":                        "is empty: URL with its scheme, such as https://example.com/",
		"example.com":                  `"example.com" has no scheme; write "https://example.com"`,
		" example.com ":                `write "https://example.com"`,
		"www.example.com/a?b=c#d":      `write "https://www.example.com/a?b=c#d"`,
		"example.com:8443/x":           `has no scheme; write "https://example.com:8443/x"`,
		"localhost":                    `write "http://localhost"`,
		"localhost:8080/x":             `write "http://localhost:8080/x"`,
		"web:3000/x":                   `write "http://web:3000/x"`,
		"127.0.0.1:3000":               `write "http://127.0.0.1:3000"`,
		"192.168.0.1":                  `write "http://192.168.0.1"`,
		"[::1]:80":                     `write "http://[::1]:80"`,
		"//example.com/x":              `write "https://example.com/x"`,
		"https//example.com":           `write "https://example.com"`,
		"http//example.com":            `write "http://example.com"`,
		"://example.com":               `write "https://example.com"`,
		"bücher.example":               `write "https://bücher.example"`,
		"two words":                    `has no scheme; write a whole URL, such as https://example.com/`,
		"/checkout":                    "is relative; write the whole URL, such as https://example.com/checkout",
		"./x":                          "is relative; write the whole URL",
		"?page=2":                      "is relative; write the whole URL",
		"#top":                         "is relative; write the whole URL",
		"javascript:alert(1)":          "is a script and no page; run it with browser_cdp, method Runtime.evaluate",
		" JavaScript:alert(1)":         "is a script and no page",
		"javascript:1":                 "is a script and no page",
		"java\tscript:alert(1)":        `holds the control character U+0009`,
		"https://a.test/\nx":           `holds the control character U+000A; take it out, or write it as %0A`,
		"https://a.test/\x00":          "holds the control character U+0000",
		"https://a.test/\u007f":        "holds the control character U+007F",
		"ws://h:9222/devtools/browser": "is no page; a page begins with http:// or https://",
		"wss://h/":                     "is no page",
		"ftp://h/file":                 "is no page",
		"http://":                      "names no host; write one, such as https://example.com/",
		"https:":                       "names no host",
		"https:///?q":                  "names no host",
		"http://:80/":                  "names no host",
		"http://user:hunter2@/":        "names no host",
		"http://a.test:99999/":         "has a port that is not from 0 to 65535",
		"http://a.test:x/":             "has a port that is not from 0 to 65535",
		"http://[::1":                  "has an address in brackets that does not end; write it as http://[::1]/",
	} {
		raw, err := json.Marshal(map[string]string{"url": url})
		if err != nil {
			t.Fatal(err)
		}
		box, engine := newFake(&fakeTask{snap: well()})
		r, _ := run(t, box, "browser_navigate", string(raw))
		if r.Code != messages.CodeInvalidArgument || !strings.Contains(r.Error, says) || !strings.HasPrefix(r.Error, "url of browser_navigate ") {
			t.Errorf("%q: got %s %q, want invalid_argument that says %q", url, r.Code, r.Error, says)
		}
		if strings.Contains(r.Error, "hunter2") {
			t.Errorf("%q: a password is shown: %s", url, r.Error)
		}
		if len(engine.starts) > 0 {
			t.Errorf("%q: a task was started", url)
		}
	}
}

func TestURLsThatAreForTheBrowser(t *testing.T) {
	for _, url := range []string{
		"https://example.com", "HTTP://EXAMPLE.COM/", "http:example.com", "https:/example.com", `https:\\example.com`, "https://a.test/two words?x=%zz",
		"https://user:pw@a.test:8443/", "http://[::1]:80/", "http://[::1]", "http://a.test:/", "https://bücher.example/", " https://a.test/ ", "\nhttps://a.test/\r\n",
		"about:blank", "data:text/html,<b>hi</b>", "data:,", "file:///etc/hostname", "chrome://version", "blob:https://a.test/1", "view-source:https://a.test/",
		"chrome-extension://abc/x.html", "foo:bar", "mailto:a@b", "web+app:1", "tel:123", "data:1", "foo:x1", "foo:99999", "https://a.test/javascript:1", "https://localhost:1/a:99999/",
	} {
		raw, err := json.Marshal(map[string]string{"url": url})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		box, _ := newFake(&fakeTask{snap: well(), onURL: func(to string) (*messages.NavigateResult, error) {
			got = to
			return &messages.NavigateResult{URL: to}, nil
		}})
		if r, _ := run(t, box, "browser_navigate", string(raw)); !r.Success() || got != url {
			t.Errorf("%q: got %s %q, and the task was sent to %q", url, r.Code, r.Error, got)
		}
	}
}

func TestLongURLsAreRefusedWithTheirLimit(t *testing.T) {
	box, _ := newFake(&fakeTask{snap: well()})
	r, _ := run(t, box, "browser_navigate", `{"url":"https://a.test/`+strings.Repeat("x", messages.MaxURLBytes)+`"}`)
	if r.Code != messages.CodeInvalidArgument || !strings.Contains(r.Error, "the limit is 8192") {
		t.Errorf("got %s %q", r.Code, r.Error)
	}
	long := strings.Repeat("x", 5000)
	r, _ = run(t, box, "browser_navigate", `{"url":"`+long+`"}`)
	if len(r.Error) > 500 {
		t.Errorf("an error of %d bytes", len(r.Error))
	}
}
