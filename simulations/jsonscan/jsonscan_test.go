package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"cdpsupervisor/simulations/jsonscan"
)

func TestEnd(t *testing.T) {
	for _, c := range []struct {
		raw  string
		end  int
		want error
	}{
		{`{"a":[1,2,{"b":"}"}]} tail`, 21, nil},
		{`  "x\"y" ,`, 8, nil},
		{`-1.5e3,`, 6, nil},
		{`{"a":1`, 0, jsonscan.ErrCut},
		{`"abc`, 0, jsonscan.ErrCut},
		{`"abc\`, 0, jsonscan.ErrCut},
		{``, 0, jsonscan.ErrCut},
		{`{"a":1]`, 0, jsonscan.ErrSyntax},
		{`}`, 0, jsonscan.ErrSyntax},
		{strings.Repeat("[", 20_000), 0, jsonscan.ErrSyntax},
	} {
		end, err := jsonscan.End([]byte(c.raw), 0)
		if !errors.Is(err, c.want) || err == nil && end != c.end {
			t.Errorf("End(%.30q) = %d, %v; want %d, %v", c.raw, end, err, c.end, c.want)
		}
	}
}

func TestReadMessage(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want jsonscan.Message
	}{
		{`{"id":7,"method":"Page.enable","params":{},"sessionId":"S"}`,
			jsonscan.Message{ID: 7, HasID: true, Method: "Page.enable", Session: "S", Params: []byte("{}")}},
		{` { "result" : {"x":1} , "id" : 7 } `, jsonscan.Message{ID: 7, HasID: true, Result: []byte(`{"x":1}`)}},
		{`{"meth\u006fd":"A\u002eb","error":{"code":1}}`, jsonscan.Message{Method: "A.b", Error: []byte(`{"code":1}`)}},
	} {
		got, err := jsonscan.ReadMessage([]byte(c.raw))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", c.raw, got, err)
		}
		again, err := jsonscan.ReadMessage(got.Append(nil))
		if err != nil || !reflect.DeepEqual(again, c.want) {
			t.Errorf("%s: written again: %+v, %v", c.raw, again, err)
		}
	}
	for _, raw := range []string{``, `[]`, `{}`, `{"id":1`, `{"id":1}}`, `{"method":"x",}`, `{"id" 1}`, `{1:2}`} {
		if _, err := jsonscan.ReadMessage([]byte(raw)); err == nil {
			t.Errorf("%s is taken for a message", raw)
		}
	}
}

func TestField(t *testing.T) {
	raw := []byte(`{"a":{"b":[1,{"c":"d"}]},"e":null}`)
	if got := jsonscan.Field(raw, "a", "b"); string(got) != `[1,{"c":"d"}]` {
		t.Errorf("a.b is %s", got)
	}
	if got := jsonscan.Field(raw, "a", "x"); got != nil {
		t.Errorf("a.x is %s", got)
	}
	if got := jsonscan.Field(raw, "e", "x"); got != nil {
		t.Errorf("e.x is %s", got)
	}
}

// FuzzObject holds the scanner against encoding/json: what that takes for an
// object has the same members here.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"b":[{}],"c":"\"}"}`, `{"a":{"a":{}}}`, `{"\u0061":tru}`, "{\"a\":\"\n\"}", `{"a":1}x`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		members := map[string]string{}
		err := jsonscan.Object(raw, func(key, value []byte) error {
			members[string(key)] = string(value)
			_, _ = jsonscan.ReadMessage(value)
			_ = jsonscan.Array(value, func([]byte) error { return nil })
			return nil
		})
		var want map[string]json.RawMessage
		if json.Unmarshal(raw, &want) != nil || want == nil {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		for key, value := range want {
			if got := members[key]; strings.ToValidUTF8(key, "\uFFFD") == key && !strings.ContainsRune(key, '\uFFFD') && got != string(bytes.TrimSpace(value)) {
				t.Fatalf("%q: %q is %q, want %q", raw, key, got, value)
			}
		}
	})
}
