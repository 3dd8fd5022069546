package cdpwire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

func TestTraceGoesRound(t *testing.T) {
	for _, name := range []string{"t.jsonl", "t.jsonl.zst", "t.jsonl.gz"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			clock := newClock()
			w, err := CreateTrace(path, TraceHeader{Browser: "Chrome/156", Endpoint: "wss://u5er:pa55@h:1/gu1d?s3cr3t", Tool: "test"}, clock)
			if err != nil {
				t.Fatal(err)
			}
			start := clock.Now()
			sent := []TraceLine{
				{T: 0, Dir: Sent, Msg: []byte(`{"id":1,"method":"A.b"}`)},
				{T: 1234567 * time.Microsecond, Dir: Received, Msg: []byte(`{"id":1,"result":{"x":"é\ud800"}}`)},
				{T: 2 * time.Second, Dir: Received, Msg: []byte("{\n \"id\": 2,\r\n \"result\": {\"a\": \"b c\"}\n}")},
				{T: 3 * time.Second, Dir: Received, Msg: []byte("not\nJSON \"\\")},
				{T: 4 * time.Second, Dir: Received, Msg: bytes.Repeat([]byte("[1]"), 1)},
			}
			for _, l := range sent {
				w.Tap(l.Dir, start.Add(l.T), l.Msg)
			}
			w.Tap(Sent, start.Add(-time.Second), []byte("{}"))
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatalf("a second close: %v", err)
			}
			w.Tap(Sent, start, []byte("{}"))
			if clock.running() > 0 {
				t.Error("a timer was left running")
			}
			want := append([]TraceLine(nil), sent...)
			want[2].Msg = []byte(`{"id":2,"result":{"a":"b c"}}`)
			want = append(want, TraceLine{Dir: Sent, Msg: []byte("{}")})

			r, err := OpenTrace(path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			h, ok := r.Header()
			if !ok || h != (TraceHeader{Version: 1, Start: messages.EpochSeconds(start), Browser: "Chrome/156", Endpoint: "wss://h:1", Tool: "test"}) {
				t.Errorf("header %+v, %v", h, ok)
			}
			for n, l := range want {
				got, err := r.Next()
				if err != nil || got.T != l.T || got.Dir != l.Dir || string(got.Msg) != string(l.Msg) {
					t.Errorf("line %d is %v %v %s, %v; want %v %v %s", n, got.T, got.Dir, got.Msg, err, l.T, l.Dir, l.Msg)
				}
			}
			if _, err := r.Next(); !errors.Is(err, io.EOF) || r.Torn() {
				t.Errorf("at the end: %v, torn %v", err, r.Torn())
			}
		})
	}
}

func TestTheFirstLinesOfATraceFile(t *testing.T) {
	var out bytes.Buffer
	clock := newClock()
	w, err := NewTraceWriter(&out, TraceHeader{Start: 1_800_000_000}, clock)
	if err != nil {
		t.Fatal(err)
	}
	w.Tap(Received, time.Unix(1_800_000_001, 500_000_000), []byte(`{"method":"A.b"}`))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := `{"trace":1,"start":1800000000}` + "\n" + `{"t":1.500000,"dir":"recv","msg":{"method":"A.b"}}` + "\n"
	if out.String() != want {
		t.Errorf("wrote\n%swant\n%s", out.String(), want)
	}
}

func TestARecorderThatIsKilledLosesLittle(t *testing.T) {
	for _, name := range []string{"t.jsonl", "t.jsonl.zst", "t.jsonl.gz"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			clock := newClock()
			w, err := CreateTrace(path, TraceHeader{}, clock)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			for n := range 10 {
				w.Tap(Received, clock.Now(), fmt.Appendf(nil, `{"id":%d}`, n))
			}
			clock.advance(time.Second)
			for n := range 5 { // these may be lost
				w.Tap(Received, clock.Now(), fmt.Appendf(nil, `{"lost":%d}`, n))
			}
			text, err := os.ReadFile(path) // as it is when the process dies here
			if err != nil {
				t.Fatal(err)
			}
			killed := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(killed, text, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := OpenTrace(killed)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			var lines int
			for err = nil; err == nil; lines++ {
				_, err = r.Next()
			}
			if !errors.Is(err, io.EOF) || lines-1 != 10 {
				t.Errorf("%d lines, then %v; want 10", lines-1, err)
			}
			if compressed := name != "t.jsonl"; r.Torn() != compressed {
				t.Errorf("torn is %v", r.Torn())
			}
		})
	}
}

func readAll(t *testing.T, text string) (lines []string, r *TraceReader) {
	t.Helper()
	r, err := NewTraceReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for {
		l, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return lines, r
		case errors.Is(err, ErrTraceLine):
			lines = append(lines, err.Error())
		case err != nil:
			t.Fatal(err)
		default:
			lines = append(lines, fmt.Sprintf("%v %v %s", l.T, l.Dir, l.Msg))
		}
	}
}

func TestTraceReaderTakesWhatOthersWrite(t *testing.T) {
	const good = `{"t":0.5,"dir":"recv","msg":{"id":1}}`
	tests := map[string]struct {
		text string
		want []string
		torn bool
	}{
		"empty":              {"", nil, false},
		"without a header":   {good + "\n" + good + "\n", []string{`500ms recv {"id":1}`, `500ms recv {"id":1}`}, false},
		"no newline at last": {good, []string{`500ms recv {"id":1}`}, false},
		"blank lines":        {"\n\r\n" + good + "\r\n \n", []string{`500ms recv {"id":1}`}, false},
		"other order":        {`{"msg":{"id":1},"extra":[1],"dir":"send","t":1e-3}` + "\n", []string{`1ms send {"id":1}`}, false},
		"torn":               {good + "\n" + good[:20], []string{`500ms recv {"id":1}`}, true},
		"only a torn line":   {good[:20], nil, true},
		"bad lines": {"x\n" + good + "\n" + `{"t":-1,"dir":"recv","msg":{}}` + "\n" + `{"t":1,"dir":"up","msg":{}}` + "\n" + `{"t":1,"dir":"recv"}` + "\n" + `{"t":"1","dir":"recv","msg":{}}` + "\n", []string{
			"line 1: not a line of a trace: it is not JSON", `500ms recv {"id":1}`, `line 3: not a line of a trace: it has no "t" in seconds`,
			`line 4: not a line of a trace: its "dir" is neither "recv" nor "send"`, `line 5: not a line of a trace: it has no "msg"`,
			"line 6: not a line of a trace: it is not JSON"}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			lines, r := readAll(t, tt.text)
			if strings.Join(lines, "\n") != strings.Join(tt.want, "\n") || r.Torn() != tt.torn {
				t.Errorf("torn %v, lines\n%s\nwant torn %v\n%s", r.Torn(), strings.Join(lines, "\n"), tt.torn, strings.Join(tt.want, "\n"))
			}
			if _, ok := r.Header(); ok {
				t.Error("found a header")
			}
		})
	}
}

func TestTraceReaderRefuses(t *testing.T) {
	for _, text := range []string{`{"trace":2}` + "\n", `{"trace":"x"}` + "\n"} {
		if _, err := NewTraceReader(strings.NewReader(text)); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
	if _, err := OpenTrace(filepath.Join(t.TempDir(), "none.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	plain := filepath.Join(t.TempDir(), "plain.gz")
	if err := os.WriteFile(plain, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenTrace(plain); err == nil {
		t.Error("a .gz that is none was taken")
	}
	if _, err := CreateTrace(plain, TraceHeader{}, newClock()); !errors.Is(err, os.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
}

// A file may hold anything: one endless line must not fill the memory.
func TestTraceReaderIsBounded(t *testing.T) {
	r := &TraceReader{limit: 1 << 20}
	err := r.begin(io.MultiReader(strings.NewReader(`{"t":1,"dir":"recv","msg":"`), zeros{}))
	if err == nil || !strings.Contains(err.Error(), "longer than") || cap(r.long) > 4<<20 {
		t.Errorf("error %v, %d bytes held", err, cap(r.long))
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// full is a disk without room.
type full struct{ after int }

func (f *full) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestATraceThatCannotBeWrittenSaysSoAtTheEnd(t *testing.T) {
	clock := newClock()
	w, err := NewTraceWriter(&full{after: 100}, TraceHeader{}, clock)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.Tap(Received, clock.Now(), []byte(`{"id":1}`))
		clock.advance(time.Second)
	}
	if err := w.Close(); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("close: %v", err)
	}
}
