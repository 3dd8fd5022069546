package pageurl

import (
	"reflect"
	"testing"
)

func TestCanonicalURL(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"http://bank.test/x", "http://bank.test/x"},
		{"http://bank.test", "http://bank.test/"},
		{"http://bank.test?q", "http://bank.test/?q"},
		{"HTTP:\\\\BANK.test\\2?a\\b#c\\d", "http://bank.test/2?a\\b#c\\d"},
		{"http:bank.test/2", "http://bank.test/2"},
		{"http:////bank.test/2", "http://bank.test/2"},
		{" \x00http://ba\tnk.\r\ntest/2 ", "http://bank.test/2"},
		{"http://bank%2etest/", "http://bank.test/"},
		{"http://%62ank.test/", "http://bank.test/"},
		{"http://bank.test./", "http://bank.test./"},
		{"http://a.test@bank.test/", "http://a.test@bank.test/"},
		{"http://a.test\\@bank.test/", "http://a.test/@bank.test/"},
		{"http://bank.test:80/", "http://bank.test/"},
		{"http://bank.test:0080/", "http://bank.test/"},
		{"http://bank.test:/", "http://bank.test/"},
		{"https://bank.test:80/", "https://bank.test:80/"},
		{"wss://bank.test:443/", "wss://bank.test/"},
		{"http://bank.test/a/./b/../c/%2E%2e/d", "http://bank.test/a/d"},
		{"http://bank.test/../..", "http://bank.test/"},
		{"http://bank.test/a/.", "http://bank.test/a/"},
		{"http://bank.test/a/x..y/.z", "http://bank.test/a/x..y/.z"},
		{"http://127.1/", "http://127.0.0.1/"},
		{"http://0x7f.1:9/", "http://127.0.0.1:9/"},
		{"http://2130706433/", "http://127.0.0.1/"},
		{"http://0177.0.0.01/", "http://127.0.0.1/"},
		{"http://0xA9FEA9FE/", "http://169.254.169.254/"},
		{"http://127.0.0.1./", "http://127.0.0.1/"},
		{"http://1.2.3.4.test/", "http://1.2.3.4.test/"},
		{"http://[0:0:0:0::1]/", "http://[::1]/"},
		{"http://[::FFFF:127.0.0.1]:1/", "http://[::ffff:7f00:1]:1/"},
		{"FILE:/etc/hostname", "file:///etc/hostname"},
		{"file:etc/hostname", "file:///etc/hostname"},
		{"file:\\\\/etc/x/../hostname", "file:///etc/hostname"},
		{"file://HOST/share", "file://host/share"},
		{"View-Source:HTTP:bank.test", "view-source:http://bank.test/"},
		{"blob:http://BANK.test/1-2", "blob:http://bank.test/1-2"},
		{"about:blank", "about:blank"},
		{"JavaScript:a//b", "javascript:a//b"},
		{"data:text/html,<p>\\", "data:text/html,<p>\\"},
		{"not a url", "not a url"},
		{"", ""},
	} {
		got, err := Canonical(tc.in)
		if err != nil || got != tc.want {
			t.Errorf("%q is read as %q, %v; want %q", tc.in, got, err, tc.want)
		}
		if again, err := Canonical(got); err != nil || again != got {
			t.Errorf("%q changes once more, to %q, %v", got, again, err)
		}
	}
	for _, bad := range []string{
		"http://", "http://:80/", "http://a:b:c/", "http://a:99999/", "http://a:-1/", "http://[::1/", "http://[fe80::1%25x]/", "http://[1.2.3.4]/",
		"http://b\u00e4nk.test/", "http://\uff42ank.test/", "http://bank\u3002test/", "http://%ef%bd%82ank.test/", "http://a%2/", "http://a%00b/",
		"http://a b/", "http://256.1.1.1/", "http://1.2.3.4.5/", "http://0x100000000/", "http://09.1/",
		"blob:blob:blob:blob:blob:http://a/",
	} {
		if got, err := Canonical(bad); err == nil {
			t.Errorf("%q is taken for %q", bad, got)
		}
	}
}

func TestReadings(t *testing.T) {
	for _, tc := range []struct {
		url  string
		want []string
	}{
		{"https://bank.test/x", []string{"https://bank.test/x"}},
		{"https://bank.test./x", []string{"https://bank.test./x", "https://bank.test/x"}},
		{"https://a.test@bank.test:8/x@y", []string{"https://a.test@bank.test:8/x@y", "https://bank.test:8/x@y"}},
		{"view-source:https://bank.test./", []string{"view-source:https://bank.test./", "https://bank.test./", "https://bank.test/"}},
		{"blob:https://bank.test/1", []string{"blob:https://bank.test/1", "https://bank.test/1"}},
		{"http://[::ffff:7f00:1]/", []string{"http://[::ffff:7f00:1]/", "http://127.0.0.1/"}},
		{"about:blank", []string{"about:blank"}},
		{"", []string{""}},
	} {
		if got := Readings(tc.url); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%q has the readings %q, want %q", tc.url, got, tc.want)
		}
	}
}

func TestOriginOf(t *testing.T) {
	for in, want := range map[string]string{
		"https://u:p@bank.test:8/x?token=1": "https://bank.test:8/",
		"https://bank.test?token=1":         "https://bank.test/",
		"data:text/html,words":              "data:",
		"blob:https://bank.test/1":          "blob:",
		"about:srcdoc":                      "about:srcdoc",
		"":                                  "",
	} {
		if got := Place(in); got != want {
			t.Errorf("of %q %q is told, want %q", in, got, want)
		}
	}
}

// FuzzCanonicalURL looks for a spelling that is not settled at once: what the
// guard was asked about would not be what is sent.
func FuzzCanonicalURL(f *testing.F) {
	for _, seed := range []string{"HTTP:\\\\u@BANK%2etest:080/a/%2e%2E/./b?c#d", "file:\\x", "view-source:blob:http:1.2", "http://[::ffff:1.2.3.4]:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, err := Canonical(text)
		if err != nil {
			return
		}
		if twice, err := Canonical(once); err != nil || twice != once {
			t.Errorf("%q is read as %q and that as %q, %v", text, once, twice, err)
		}
		_, _ = Readings(once), Place(once)
	})
}
