package record_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/record"
)

func TestRedact(t *testing.T) {
	r := record.NewRedactor(&messages.Lease{
		Endpoint: "wss://user:s3cr3t-pass@connect.example.com/x?apiKey=abcdefghij&a=1",
		Headers:  map[string]string{"X-Key": "header-secret"},
	})
	for _, c := range []struct{ name, in, want string }{
		{"nothing to hide", `{"id":1, "method":"Page.enable" }`, `{"id":1, "method":"Page.enable" }`},
		{"headers", `{"method":"Network.requestWillBeSent","params":{"request":{"url":"http://a/?x","headers":{"Cookie":"a=b","AUTHORIZATION":"Bearer x","Accept":"*/*"}},"t":1.50}}`,
			`{"method":"Network.requestWillBeSent","params":{"request":{"url":"http://a/?x","headers":{"Cookie":"[redacted]","AUTHORIZATION":"[redacted]","Accept":"*/*"}},"t":1.50}}`},
		{"a key behind an escape", `{"params":{"headers":{"\u0063ookie":"a=b"}}}`, `{"params":{"headers":{"cookie":"[redacted]"}}}`},
		{"header entries", `{"params":{"responseHeaders":[{"name":"Set-Cookie","value":"a=b"},{"value":"v","name":"X"}]}}`,
			`{"params":{"responseHeaders":[{"name":"Set-Cookie","value":"[redacted]"},{"value":"v","name":"X"}]}}`},
		{"raw text", `{"params":{"headersText":"HTTP/1.1 200\r\nSet-Cookie: a=b","x":{"requestHeadersText":"GET /"}}}`,
			`{"params":{"headersText":"[redacted]","x":{"requestHeadersText":"[redacted]"}}}`},
		{"cookies", `{"id":3,"result":{"cookies":[{"name":"sid","value":"42","domain":"a"},{"name":"x","value":"1"}]}}`,
			`{"id":3,"result":{"cookies":[{"name":"sid","value":"[redacted]","domain":"a"},{"name":"x","value":"[redacted]"}]}}`},
		{"cookies of a request", `{"params":{"associatedCookies":[{"blockedReasons":[],"cookie":{"name":"sid","value":"42"}}],"blockedCookies":[{"cookieLine":"a=b","cookie":{"value":"9"}}]}}`,
			`{"params":{"associatedCookies":[{"blockedReasons":[],"cookie":{"name":"sid","value":"[redacted]"}}],"blockedCookies":[{"cookieLine":"[redacted]","cookie":{"value":"[redacted]"}}]}}`},
		{"a cookie that is set", `{"id":4,"method":"Network.setCookie","params":{"name":"sid","value":"42","url":"http://a"}}`,
			`{"id":4,"method":"Network.setCookie","params":{"name":"sid","value":"[redacted]","url":"http://a"}}`},
		{"a login", `{"id":5,"method":"Fetch.continueWithAuth","params":{"authChallengeResponse":{"response":"ProvideCredentials","username":"u","password":"p"}}}`,
			`{"id":5,"method":"Fetch.continueWithAuth","params":{"authChallengeResponse":{"response":"ProvideCredentials","username":"u","password":"[redacted]"}}}`},
		{"the endpoint", `{"x":["wss://user:s3cr3t-pass@connect.example.com/x?apiKey=abcdefghij&a=1","k abcdefghij","s3cr3t-pass","header-secret"]}`,
			`{"x":["[redacted]","k [redacted]","[redacted]","[redacted]"]}`},
		{"headers in base64", `{"id":6,"method":"Fetch.fulfillRequest","params":{"requestId":"1","responseCode":200,"binaryResponseHeaders":"U2V0LUNvb2tpZTogYT1i"}}`,
			`{"id":6,"method":"Fetch.fulfillRequest","params":{"requestId":"1","responseCode":200,"binaryResponseHeaders":"[redacted]"}}`},
		{"an answer in base64, with its headers", `{"id":7,"method":"Network.continueInterceptedRequest","params":{"interceptionId":"1","rawResponse":"U2V0LUNvb2tpZTogYT1i"}}`,
			`{"id":7,"method":"Network.continueInterceptedRequest","params":{"interceptionId":"1","rawResponse":"[redacted]"}}`},
		{"a command inside another", `{"id":8,"method":"Target.sendMessageToTarget","params":{"message":"{\"id\":1,\"method\":\"Network.setCookie\",\"params\":{\"name\":\"a\",\"value\":\"b\"}}","sessionId":"S"}}`,
			`{"id":8,"method":"Target.sendMessageToTarget","params":{"message":"{\"id\":1,\"method\":\"Network.setCookie\",\"params\":{\"name\":\"a\",\"value\":\"[redacted]\"}}","sessionId":"S"}}`},
		{"an event inside another", `{"params":{"message":"{\"params\":{\"headers\":{\"Cookie\":\"a=b\"}}}"},"method":"Target.receivedMessageFromTarget"}`,
			`{"params":{"message":"{\"params\":{\"headers\":{\"Cookie\":\"[redacted]\"}}}"},"method":"Target.receivedMessageFromTarget"}`},
		{"text inside another message", `{"method":"Target.receivedMessageFromTarget","params":{"message":"Cookie: a=b"}}`,
			`{"method":"Target.receivedMessageFromTarget","params":{"message":"(a message that is no JSON and may hold credentials was left out)"}}`},
		{"what a page says of its own", `{"method":"Runtime.x","params":{"message":"{\"Cookie\":\"a=b\"}"}}`, `{"method":"Runtime.x","params":{"message":"{\"Cookie\":\"a=b\"}"}}`},
		{"a key in two cases", `{"params":{"headers":{"X-API-key":"k"}}}`, `{"params":{"headers":{"X-API-key":"[redacted]"}}}`},
		{"text behind a value", `1 Cookie: a=b`, `(a message that is no JSON and may hold credentials was left out)`},
		{"words that only look like it", `{"params":{"message":"cookie monster","value":"42"}}`, `{"params":{"message":"cookie monster","value":"42"}}`},
		{"not JSON", `Cookie: a=b`, `(a message that is no JSON and may hold credentials was left out)`},
		{"cut off", `{"Cookie":"a=b"`, `(a message that is no JSON and may hold credentials was left out)`},
		{"text that is harmless", `hello`, `hello`},
	} {
		in := []byte(c.in)
		if got := string(r.Message(in)); got != c.want {
			t.Errorf("%s:\nhave %s\nwant %s", c.name, got, c.want)
		}
		if string(in) != c.in {
			t.Errorf("%s: the message itself was changed", c.name)
		}
	}
	deep := strings.Repeat(`{"a":`, 300) + `{"Cookie":"secret"}` + strings.Repeat("}", 300)
	if got := r.Message([]byte(deep)); bytes.Contains(got, []byte("secret")) || !json.Valid(got) {
		t.Errorf("deep: %s", got)
	}
}

// FuzzRedact: what comes out of JSON is JSON, holds no marked credential, and
// means the same when it has gone in again.
func FuzzRedact(f *testing.F) {
	for _, s := range []string{
		`{"headers":{"Cookie":"x"}}`, `{"cookies":[{"value":"x","name":"y"}]}`, `[{"name":"cookie","value":[1]}]`, `{"cookie":null}`, `{"Cookie":`, `"cookie"`, `{"cookies":"x"}`,
	} {
		f.Add([]byte(s))
	}
	r := record.NewRedactor(&messages.Lease{Endpoint: "ws://a/?token=abcdefghij"})
	f.Fuzz(func(t *testing.T, raw []byte) {
		out := r.Message(raw)
		if json.Valid(raw) && !json.Valid(out) {
			t.Fatalf("%q became %q", raw, out)
		}
		if bytes.Contains(out, []byte("abcdefghij")) {
			t.Fatalf("%q still holds the secret", out)
		}
		if !json.Valid(out) {
			return
		}
		var once, twice any
		_ = json.Unmarshal(out, &once)
		_ = json.Unmarshal(r.Message(out), &twice)
		if !reflect.DeepEqual(once, twice) {
			t.Fatalf("%q became %v", out, twice)
		}
	})
}
