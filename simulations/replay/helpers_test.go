package replay_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/importers"
	"cdpsupervisor/simulations/replay"
)

// own is the path of a recording that this package keeps.
func own(name string) string { return filepath.Join("testdata", name+".jsonl.zst") }

// foreign is the path of a recording by others, which is not kept here.
func foreign(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv("CDPSUPERVISOR_TRACES")
	if folder == "" {
		t.Skip("CDPSUPERVISOR_TRACES does not name the folder that holds own/ and foreign/")
	}
	return filepath.Join(folder, "foreign", name)
}

// run replays with options.
func run(t testing.TB, o replay.Options) *replay.Result {
	t.Helper()
	r, err := replay.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// recorded is one message of a trace, taken apart with the standard library.
type recorded struct {
	t   float64
	dir cdpwire.Direction
	raw []byte
	msg struct {
		ID        *int64
		Method    string
		SessionID string `json:"sessionId"`
		Params    json.RawMessage
		Result    json.RawMessage
	}
}

// load reads a whole trace.
func load(t testing.TB, path string) []recorded {
	t.Helper()
	trace, err := importers.Open(path, importers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	var all []recorded
	for {
		m, err := trace.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		r := recorded{t: m.T.Seconds(), dir: m.Dir, raw: bytes.Clone(m.Msg)}
		if err := json.Unmarshal(r.raw, &r.msg); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
}

// save writes messages as a trace.
func save(t testing.TB, all []recorded) string {
	t.Helper()
	var b bytes.Buffer
	for _, r := range all {
		fmt.Fprintf(&b, "{\"t\":%f,\"dir\":%q,\"msg\":%s}\n", r.t, r.dir, r.raw)
	}
	return file(t, b.String())
}

// file writes a trace.
func file(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// script writes a trace in few words, one message a line:
//
//	1.5 < {"method":…}      from the browser
//	1.5 > {"id":1,…}        to it
//
// F, S and T stand for the main frame, the page's session and its target.
func script(t testing.TB, lines string) string {
	t.Helper()
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, `{"trace"`) {
			b.WriteString(line + "\n")
			continue
		}
		parts := strings.SplitN(line, " ", 3)
		dir := map[string]string{"<": "recv", ">": "send"}[parts[1]]
		fmt.Fprintf(&b, "{\"t\":%s,\"dir\":%q,\"msg\":%s}\n", parts[0], dir, parts[2])
	}
	return file(t, b.String())
}

// attached is the message that attaches the page S, as a script has it.
const attached = `{"method":"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":{"targetId":"T","type":"page","title":"","url":"http://a.test/","attached":true,"canAccessOpener":false},"waitingForDebugger":false}}`

// navigated is a commit of the main frame.
const navigated = `{"method":"Page.frameNavigated","params":{"frame":{"id":"F","loaderId":"L1","url":"http://a.test/","domainAndRegistry":"a.test","securityOrigin":"http://a.test","mimeType":"text/html"},"type":"Navigation"},"sessionId":"S"}`

// opening opens a dialog on the page.
func opening(kind, message string) string {
	return fmt.Sprintf(`{"method":"Page.javascriptDialogOpening","params":{"url":"http://a.test/","frameId":"F","message":%q,"type":%q,"hasBrowserHandler":false,"defaultPrompt":"dflt"},"sessionId":"S"}`, message, kind)
}

// closed is the end of a dialog.
func closed(result bool) string {
	return fmt.Sprintf(`{"method":"Page.javascriptDialogClosed","params":{"frameId":"F","result":%t,"userInput":""},"sessionId":"S"}`, result)
}

// bytesOf is everything that a replay prints.
func bytesOf(t testing.TB, o replay.Options) string {
	t.Helper()
	var out bytes.Buffer
	o.Published = func(s *messages.Snapshot) {
		if err := replay.WriteSnapshot(&out, s); err != nil {
			t.Fatal(err)
		}
	}
	r := run(t, o)
	for _, write := range []func() error{
		func() error { return r.WriteJSON(&out) },
		func() error { return r.WriteSummary(&out, "trace") },
		func() error { return r.WriteReport(&out, "trace") },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}
