package record

import (
	"bytes"
	"net/url"
	"strings"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/jsonscan"
)

// hidden stands for what was left out.
const hidden = "[redacted]"

// maxRedactDepth is how deep messages are searched; what is deeper and may hold a
// credential is left out as a whole.
const maxRedactDepth = 200

// minSecret is the length from which a part of an endpoint is taken for a secret
// of its own: shorter ones stand everywhere.
const minSecret = 8

// Redactor takes credentials out of CDP messages: values of cookies and of
// headers that carry cookies or authorization, wherever they stand; raw header
// texts; passwords that answer an authentication request; all of these also in
// messages that travel as text inside others; and the secret parts of the
// endpoint. What a page shows, what scripts return and what requests carry in
// their URLs and bodies is left as it is.
//
// It is used by several goroutines; nothing of it changes.
type Redactor struct {
	secrets [][]byte
}

// NewRedactor makes a redactor that knows the secrets of an endpoint and of the
// headers that go with it.
func NewRedactor(lease *messages.Lease) *Redactor {
	r := &Redactor{}
	if lease == nil {
		return r
	}
	for _, value := range lease.Headers {
		r.secret(value)
	}
	text := lease.Endpoint.Reveal()
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return r
	}
	if u.RawQuery != "" || u.User != nil {
		r.secret(text)
	}
	if password, ok := u.User.Password(); ok {
		r.secret(password)
	}
	r.secret(u.RawQuery)
	for _, values := range u.Query() {
		for _, v := range values {
			r.secret(v)
		}
	}
	return r
}

func (r *Redactor) secret(text string) {
	if len(text) < minSecret {
		return
	}
	quoted := jsonscan.Quote(text)
	r.secrets = append(r.secrets, []byte(text), quoted[1:len(quoted)-1])
}

// Message returns the message without credentials: msg itself if there are none
// in it. It does not change msg.
func (r *Redactor) Message(msg []byte) []byte {
	out := withoutCredentials(msg)
	for _, s := range r.secrets {
		if bytes.Contains(out, s) {
			out = bytes.ReplaceAll(out, s, []byte(hidden))
		}
	}
	return out
}

// leftOut stands for a message that cannot be searched.
const leftOut = "(a message that is no JSON and may hold credentials was left out)"

func withoutCredentials(msg []byte) []byte {
	if !suspicious(msg) {
		return msg
	}
	end, err := jsonscan.End(msg, 0)
	if err != nil || len(bytes.TrimSpace(msg[end:])) > 0 {
		return []byte(leftOut)
	}
	w := &rewriter{carries: isCarrier(msg)}
	w.value(bytes.TrimSpace(msg), 0, bytes.Contains(msg, []byte(`"Network.setCookie"`)))
	if w.broken {
		return []byte(leftOut)
	}
	return w.out
}

// isCarrier reports whether a message holds another one as text, as those of
// sessions do with clients that do not speak the flat protocol.
func isCarrier(msg []byte) bool {
	switch jsonscan.String(jsonscan.Field(msg, "method")) {
	case "Target.sendMessageToTarget", "Target.receivedMessageFromTarget":
		return true
	}
	return false
}

// suspicious reports whether a text has a word in it that stands at credentials.
// The words lack the letter that may be large or small; an escape may hide any
// letter, so an escape of a letter is suspicious, too.
func suspicious(text []byte) bool {
	for _, word := range []string{
		"ookie", "OOKIE", "uthorization", "UTHORIZATION", "eadersText", "assword", "pi-key", "PI-KEY", "pi-Key", "PI-Key", "PI-key",
		"uth-token", "uth-Token", "UTH-TOKEN", "inaryResponseHeaders", "awResponse", `\u004`, `\u005`, `\u006`, `\u007`,
	} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}

// isSecretHeader reports whether a header of this name carries a credential.
func isSecretHeader(name string) bool {
	switch strings.ToLower(name) {
	case "cookie", "cookie2", "set-cookie", "set-cookie2", "authorization", "proxy-authorization",
		"x-api-key", "api-key", "x-bb-api-key", "x-auth-token", "x-goog-api-key":
		return true
	}
	return false
}

// isRawText reports whether a member holds headers or cookies as text, be it plain
// or in base64.
func isRawText(name string) bool {
	switch name {
	case "headersText", "requestHeadersText", "cookieLine", "rawCookieLine", "binaryResponseHeaders", "rawResponse", "password":
		return true
	}
	return false
}

// isCookies reports whether a member holds cookies as objects.
func isCookies(name string) bool {
	switch strings.ToLower(name) {
	case "cookies", "associatedcookies", "blockedcookies", "exemptedcookies", "cookie":
		return true
	}
	return false
}

// rewriter writes a value again, without what is to be hidden.
type rewriter struct {
	out     []byte
	broken  bool
	carries bool // members called "message" hold a message as text
}

// value writes one value; in cookies says that an object's "value" is a cookie's.
func (w *rewriter) value(raw []byte, depth int, inCookies bool) {
	if w.broken {
		return
	}
	nested := len(raw) > 0 && (raw[0] == '{' || raw[0] == '[')
	switch {
	case !nested, !inCookies && !suspicious(raw):
		w.out = append(w.out, raw...)
	case depth >= maxRedactDepth:
		w.hide()
	case raw[0] == '{':
		w.object(raw, depth, inCookies)
	default:
		w.out = append(w.out, '[')
		first := true
		w.broken = jsonscan.Array(raw, func(element []byte) error {
			w.comma(&first)
			w.value(element, depth+1, inCookies)
			return nil
		}) != nil || w.broken
		w.out = append(w.out, ']')
	}
}

func (w *rewriter) object(raw []byte, depth int, inCookies bool) {
	header := isSecretHeader(jsonscan.String(jsonscan.Field(raw, "name")))
	w.out = append(w.out, '{')
	first := true
	w.broken = jsonscan.Object(raw, func(key, value []byte) error {
		w.comma(&first)
		name := string(key)
		w.out = append(append(w.out, jsonscan.Quote(name)...), ':')
		switch {
		case (header || inCookies) && name == "value", isRawText(name):
			w.hide()
		case w.carries && name == "message" && value[0] == '"':
			w.out = append(w.out, jsonscan.Quote(string(withoutCredentials([]byte(jsonscan.String(value)))))...)
		case isCookies(name) && value[0] != '"':
			w.value(value, depth+1, true)
		case isSecretHeader(name):
			w.hide()
		default:
			w.value(value, depth+1, inCookies)
		}
		return nil
	}) != nil || w.broken
	w.out = append(w.out, '}')
}

func (w *rewriter) comma(first *bool) {
	if !*first {
		w.out = append(w.out, ',')
	}
	*first = false
}

func (w *rewriter) hide() { w.out = append(w.out, `"`+hidden+`"`...) }
