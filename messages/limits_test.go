package messages

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	for _, tc := range []struct {
		in    string
		limit int
		want  string
		cut   bool
	}{
		{"", 4, "", false},
		{"abcd", 4, "abcd", false},
		{"abcde", 4, "abcd", true},
		{"aé", 2, "a", true},
		{"€€", 4, "€", true},
		{"a😀", 4, "a", true},
		{"\x80\x80\x80\x80\x80\x80", 4, "\x80\x80\x80\x80", true},
	} {
		got, cut := Cut(tc.in, tc.limit)
		if got != tc.want || cut != tc.cut {
			t.Errorf("Cut(%q, %d) = %q, %v; want %q, %v", tc.in, tc.limit, got, cut, tc.want, tc.cut)
		}
	}
}

// TestCutKeepsCharacters: a cut is a prefix, never over the limit, and valid
// where the text was.
func TestCutKeepsCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "s"), rapid.IntRange(4, 40).Draw(t, "limit")
		got, cut := Cut(s, limit)
		if !strings.HasPrefix(s, got) || len(got) > limit || cut != (len(s) > limit) || !utf8.ValidString(got) {
			t.Fatalf("Cut(%q, %d) = %q, %v", s, limit, got, cut)
		}
		if cut && len(got) < limit-3 {
			t.Fatalf("Cut(%q, %d) = %q cuts too much", s, limit, got)
		}
	})
}

func TestEndpointIsASecret(t *testing.T) {
	for in, want := range map[Endpoint]string{
		"": "",
		"wss://user:pw@connect.example:443/devtools/browser/abc?apiKey=s3cret": "wss://connect.example:443",
		"http://127.0.0.1:9222":             "http://127.0.0.1:9222",
		"127.0.0.1:9222":                    "127.0.0.1:9222",
		"localhost:9222/s3cret":             "localhost:9222",
		"/home/me/s3cret/profile":           "profile folder",
		"C:\\s3cret\\profile":               "endpoint",
		"ws://[::1]:9222/devtools/s3cret":   "ws://[::1]:9222",
		"s3cret s3cret":                     "endpoint",
		"http://%zz:s3cret@host/":           "endpoint",
		"host.example:9222?token=s3cret&x=": "host.example:9222",
	} {
		for verb, got := range map[string]string{"String": in.String(), "%v": sprint("%v", in), "%q": sprint("%q", in), "%#v": sprint("%#v", in), "%x": sprint("%x", in)} {
			if strings.Contains(got, "s3cret") || strings.Contains(got, "pw") {
				t.Errorf("%s of an endpoint shows its secret: %q", verb, got)
			}
		}
		if in.String() != want {
			t.Errorf("String = %q, want %q", in.String(), want)
		}
	}
}

func TestTaskIDValid(t *testing.T) {
	for id, want := range map[TaskID]bool{
		"a": true, "task-1_x.y:z@host": true, "": false, "a/b": false, "a$b": false, "é": false,
		TaskID(strings.Repeat("x", MaxTaskIDBytes)): true, TaskID(strings.Repeat("x", MaxTaskIDBytes+1)): false,
	} {
		if id.Valid() != want {
			t.Errorf("%q is valid: %v, want %v", id, !want, want)
		}
	}
}
