package cdpwire

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
)

// recorded is one real message of each sort, as Chromium sent it.
func recorded(t testing.TB) [][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/messages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(text), []byte{'\n'})
}

// odd are messages that other producers write, and ones that nobody should.
func odd() []string {
	return []string{
		`{"method":"Page.frameAttached","params":{"frameId":"A","parentFrameId":"B"}}`,
		` { "sessionId" : "S" , "params" : { "frameId" : "A" } , "method" : "Page.frameDetached" } `,
		`{"params":{"frameId":"A"},"method":"Page.frameDetached","sessionId":"S"}`,
		"{\r\n\t\"method\":\"Page.frameDetached\",\r\n\t\"params\":{\"frameId\":\"A\"}\r\n}",
		`{"method":"Page.frameDetached","params":{"frameId":"A"},"extra":{"x":1}}`,
		`{"method":"Page.frameDetached","params":{"frameId":"A"},"extra":1,"sessionId":"S"}`,
		`{"method":"Page.frameDetached","params":{"frameId":"A"},"method":"Page.frameAttached","sessionId":"S"}`,
		`{"method":"Page.frameDetached","params":{"frameId":"A"},"params":{"frameId":"B"},"sessionId":"S"}`,
		`{"method":"Page.frameDetached","params":{"frameId":"A","frameId":"B"},"sessionId":"S"}`,
		`{"method":"Page.frameDetached","params":{"frameId":"A"},"sessionId":"S","sessionId":"T"}`,
		`{"method":"Page.frameDetached","params":{"frameId":"A"},"sessionId":null}`,
		`{"method":"Page.frameDetached","params":{"frameId":"A"},"sessionXX":"S"}`,
		`{"method":"A","params":{""}`, `{"method":"A","params":{"}`,
		`{"method":"Page.frameDetached","params":null,"sessionId":"S"}`,
		`{"method":"Page.frameDetached"}`,
		`{"method":"Page.frameDetached","sessionId":"S"}`,
		`{"method":"Page.frameDetached","params":{"frameId":5}}`,
		`{"method":"Page.frameDetached","params":[],"sessionId":"S"}`,
		`{"method":"Page.frameDetached","params":{"frameId":"A","sessionId":"X"}}`,
		`{"method":"Page.frameDetached","params":{"frameId":"A"},"sessionId":"S}"}`,
		`{"method":"Page.frameDetached","params":{"frameId":"},\"sessionId\":\"X\"}"}}`,
		`{"\u006dethod":"Page.frameDetached","p\u0061rams":{"fr\u0061meId":"A"}}`,
		`{"method":"Page.frame\u0044etached","params":{"frameId":"A"},"sessionId":"S\u00e9"}`,
		`{"method":"Page.javascriptDialogOpening","params":{"message":"\ud800","type":"alert","url":"\udc00\ud800\u0041"}}`,
		`{"method":"Page.javascriptDialogOpening","params":{"message":"\ud83d\ude00 \n\t\"\\\/","type":"alert"}}`,
		"{\"method\":\"Page.javascriptDialogOpening\",\"params\":{\"message\":\"\xff\xc3\x28\xe2\x82 é\",\"type\":\"alert\"}}",
		"{\"method\":\"Page.javascriptDialogOpening\",\"params\":{\"message\":\"a\nb\"}}",
		`{"method":"Page.javascriptDialogOpening","params":{"message":"\x"}}`,
		`{"id":1,"result":{}}`, `{"id":-1,"result":{}}`, `{"id":01,"result":{}}`, `{"id":1.0,"result":{}}`, `{"id":1e2,"result":{}}`,
		`{"id":-,"result":{}}`, `{"id":9223372036854775807,"result":{}}`, `{"id":9223372036854775808,"result":{}}`,
		`{"id":-9223372036854775808,"result":{}}`, `{"id":"1","result":{}}`, `{"id":null,"method":"a","params":{}}`, `{"id":null,"result":{}}`,
		`{"id":1,"error":{"code":-32000,"message":"x"}}`, `{"error":{"code":-32700,"message":"JSON: parse error"}}`,
		`{"id":1,"error":null,"result":{}}`, `{"id":1}`, `{"id":1,"result":{}},`, `{"id":1,"result":{}}{}`, `{"id":1,"result":{]}`,
		`{"id":1,"result":{"a":[1,2,{"b":null},true,false,-0.5e+10]},"sessionId":"S"}`,
		`{"result":{"a":1},"id":1,"sessionId":"S"}`,
		``, `{`, `}`, `{}`, `[]`, `null`, `1`, `"a"`, `{"method":5}`, `{"method":""}`, `{"method":"a",}`, `{,"method":"a"}`, `{"method" "a"}`,
		`{"method":"A.b","params":{"x":01}}`, `{"method":"A.b","params":{"x":tru}}`, `{"method":"A.b","params":{"x":-}}`,
		strings.Repeat(`[`, 200), `{"method":"A.b","params":{"x":` + strings.Repeat(`[`, 100) + strings.Repeat(`]`, 100) + `}}`,
		`{"method":"Runtime.consoleAPICalled","params":{"type":"log","args":[]},"sessionId":"S"}`,
		`{"method":"Runtime.consoleAPICalled","params":{"args":[{"type":"string","value":"a"},{"type":"number","value":1,"description":"1"},{"type":"undefined"},` +
			`{"type":"object","subtype":"null","value":null},{"type":"bigint","unserializableValue":"1n"},{"type":"boolean","value":false}],"type":"error","timestamp":1.5}}`,
	}
}

func corpus(t testing.TB) [][]byte {
	list := recorded(t)
	for _, text := range odd() {
		list = append(list, []byte(text))
	}
	return list
}

// checkEnvelope compares both scanners with encoding/json.
func checkEnvelope(t *testing.T, msg []byte) {
	t.Helper()
	want, tree, wantOK := envelopeOf(msg)
	whole, ok := scanWhole(msg)
	if ok != wantOK {
		t.Fatalf("scanWhole(%q) = %v, encoding/json says %v", msg, ok, wantOK)
	}
	check := func(name string, got envelope) {
		t.Helper()
		key := "params"
		if got.failed {
			key = "error"
		} else if got.hasID {
			key = "result"
		}
		var value any
		if len(got.value) > 0 {
			wrapped, isTree := parseTree(append(append([]byte(`{"v":`), got.value...), '}'))
			if !isTree {
				t.Fatalf("%s(%q): the value %q is not JSON", name, msg, got.value)
			}
			value = wrapped["v"]
		}
		if got.hasID != want.hasID || got.id != want.id || got.failed != want.failed ||
			string(got.method) != string(want.method) && !got.isReply() ||
			string(got.session) != string(want.session) || !reflect.DeepEqual(value, tree[key]) {
			t.Fatalf("%s(%q)\n got %+v\nwant %+v with %v", name, msg, got, want, tree[key])
		}
	}
	if ok {
		check("scanWhole", whole)
	}
	// A head that promises what the message does not keep must show as unsound,
	// unless it is the second of two equal keys, which only a whole scan sees.
	if head, headOK := scanHead(msg); headOK && head.sound() {
		if !wantOK {
			t.Fatalf("scanHead(%q) took what encoding/json refuses", msg)
		}
		check("scanHead", head)
	}
}

func TestEnvelopeAgreesWithEncodingJSON(t *testing.T) {
	for _, msg := range corpus(t) {
		checkEnvelope(t, msg)
	}
}

// The fast path is there for Chromium's own layout: it must take all of it.
func TestHeadTakesEverythingThatChromiumSends(t *testing.T) {
	for _, msg := range recorded(t) {
		if e, ok := scanHead(msg); !ok || !e.sound() {
			t.Errorf("scanHead(%.120s) = %+v, %v", msg, e, ok)
		}
	}
}

func FuzzEnvelope(f *testing.F) {
	for _, msg := range corpus(f) {
		f.Add(msg)
	}
	f.Fuzz(func(t *testing.T, msg []byte) { checkEnvelope(t, msg) })
}

func TestAppendTextCutsBeforeACharacter(t *testing.T) {
	tests := []struct {
		raw, want string
		limit     int
		cut       bool
	}{
		{`abc`, "abc", 3, false},
		{`abc`, "ab", 2, true},
		{`aé`, "a", 2, true},
		{`aé`, "aé", 3, false},
		{`a\u00e9`, "a", 2, true},
		{`\ud83d\ude00`, "", 3, true},
		{`\ud83d\ude00`, "😀", 4, false},
		{`\ud83d`, "\ufffd", 3, false},
		{`\ude00\ud83d`, "\ufffd\ufffd", 6, false},
		{`\ud83dx`, "\ufffdx", 9, false},
		{`\ud83d\u0041`, "\ufffdA", 9, false},
		{"\xff\xfe", "\ufffd\ufffd", 9, false},
		{`\"\\\/\b\f\n\r\t`, "\"\\/\b\f\n\r\t", 9, false},
		{``, "", 0, false},
	}
	for _, tt := range tests {
		got, cut := appendText([]byte("-"), []byte(tt.raw), tt.limit)
		if string(got) != "-"+tt.want || cut != tt.cut {
			t.Errorf("appendText(%q, %d) = %q, %v, want %q, %v", tt.raw, tt.limit, got, cut, tt.want, tt.cut)
		}
	}
}

func TestInternerIsBoundedAndKeepsWhatIsInUse(t *testing.T) {
	var in interner
	hot := []byte("hot")
	first := in.get(hot)
	for i := range 10 * internMost {
		in.get([]byte{byte(i), byte(i >> 8), byte(i >> 16), 'x'})
		in.get(hot)
		if n := len(in.slots); n > internMost {
			t.Fatalf("%d strings are remembered", n)
		}
	}
	if again := in.get(hot); again != first {
		t.Fatalf("get = %q, then %q", first, again)
	}
	if n := testing.AllocsPerRun(100, func() { in.get(hot) }); n > 0 {
		t.Fatalf("%v allocations for a string that is known", n)
	}
	long := bytes.Repeat([]byte("L"), internBlock)
	if got := in.get(long); got != string(long) {
		t.Fatalf("a long string came back as %q", got)
	}
}

func TestParseIntAtItsEdges(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "9223372036854775807": 1<<63 - 1, "-9223372036854775808": -1 << 63, "-7": -7,
	} {
		if n, ok := parseInt([]byte(text)); !ok || n != want {
			t.Errorf("parseInt(%s) = %d, %v", text, n, ok)
		}
	}
	for _, text := range []string{"", "-", "9223372036854775808", "-9223372036854775809", "99999999999999999999", "1.0", "1e3", "+1"} {
		if n, ok := parseInt([]byte(text)); ok {
			t.Errorf("parseInt(%s) = %d", text, n)
		}
	}
}

func TestKindsSeparateStateFromBulk(t *testing.T) {
	var bulk []string
	for _, msg := range recorded(t) {
		if e, ok := scanHead(msg); ok && !e.isReply() && kindOf(e.method).bulk() && !strings.Contains(strings.Join(bulk, " "), string(e.method)) {
			bulk = append(bulk, string(e.method))
		}
	}
	if got := strings.Join(bulk, " "); got != "Runtime.consoleAPICalled Runtime.exceptionThrown" && got != "Runtime.exceptionThrown Runtime.consoleAPICalled" {
		t.Fatalf("bulk is %q", got)
	}
}
