package record_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/importers"
	"cdpsupervisor/simulations/record"
	"cdpsupervisor/simulations/vclock"
)

// childVariable names the file that a child process records into until it is
// killed.
const childVariable = "RECORD_TEST_CHILD"

// recordForEver records a message every few milliseconds and says on standard
// output which it has recorded.
func recordForEver(path string) {
	r, err := record.Create(path, cdpwire.TraceHeader{}, record.Options{Clock: cdpwire.WallClock{}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for n := 1; ; n++ {
		r.Tap(cdpwire.Received, time.Now(), []byte(`{"method":"Page.x","params":{"n":`+strconv.Itoa(n)+`}}`))
		fmt.Println(n)
		time.Sleep(3 * time.Millisecond)
	}
}

// read returns the messages of a trace, and the remarks on it.
func read(t *testing.T, path string) (messages []string, warnings []string) {
	t.Helper()
	trace, err := importers.Open(path, importers.Options{Warn: func(w importers.Warning) { warnings = append(warnings, w.String()) }})
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	for {
		m, err := trace.Next()
		if errors.Is(err, io.EOF) {
			return messages, warnings
		}
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, fmt.Sprintf("%s %s", m.Dir, m.Msg))
	}
}

// TestKilled: a recorder that is killed loses no more than the last second.
func TestKilled(t *testing.T) {
	for _, ext := range []string{".jsonl", ".jsonl.zst", ".jsonl.gz"} {
		t.Run(ext, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "trace"+ext)
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), childVariable+"="+path)
			child.Stderr = os.Stderr
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			var told []time.Time // when message n+1 was known to be recorded
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if told = append(told, time.Now()); time.Since(told[0]) > 2*time.Second {
					break
				}
			}
			killed := time.Now()
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = child.Wait()
			messages, warnings := read(t, path)
			old := 0
			for _, at := range told {
				if at.Before(killed.Add(-time.Second)) {
					old++
				}
			}
			t.Logf("%d recorded, %d older than a second, %d in the file, %q", len(told), old, len(messages), warnings)
			if old == 0 || len(messages) < old {
				t.Errorf("%d messages are older than a second, and %d are in the file", old, len(messages))
			}
			for i, m := range messages {
				if !strings.HasSuffix(m, fmt.Sprintf(`"n":%d}}`, i+1)) {
					t.Fatalf("message %d is %s", i+1, m)
				}
			}
			if len(warnings) > 1 {
				t.Errorf("more than a torn line: %q", warnings)
			}
		})
	}
}

func TestRecorder(t *testing.T) {
	clock := vclock.New(time.Unix(1_650_000_000, 0))
	path := filepath.Join(t.TempDir(), "a.jsonl")
	r, err := record.Create(path, cdpwire.TraceHeader{Endpoint: "wss://host/x?token=secret", Tool: "test"}, record.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	clock.Jump(clock.Now().Add(1500 * time.Millisecond))
	r.Tap(cdpwire.Sent, clock.Now(), []byte(`{"id":1,"method":"Network.setExtraHTTPHeaders","params":{"headers":{"Authorization":"Basic x"}}}`))
	r.Tap(cdpwire.Received, clock.Now(), []byte(`{"id":1,"result":{}}`))
	if p := r.Progress(); p.Sent != 1 || p.Received != 1 || p.Time != 1500*time.Millisecond {
		t.Errorf("%+v", p)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r.Tap(cdpwire.Received, clock.Now(), []byte(`{"id":2,"result":{}}`))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"trace":1,"start":1650000000,"endpoint":"wss://host","tool":"test"}
{"t":1.500000,"dir":"send","msg":{"id":1,"method":"Network.setExtraHTTPHeaders","params":{"headers":{"Authorization":"[redacted]"}}}}
{"t":1.500000,"dir":"recv","msg":{"id":1,"result":{}}}
`
	if string(text) != want {
		t.Errorf("have %s\nwant %s", text, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v %v", info.Mode(), err)
	}
	if _, err := record.Create(path, cdpwire.TraceHeader{}, record.Options{Clock: clock}); !errors.Is(err, os.ErrExist) || !strings.Contains(err.Error(), "name another file") {
		t.Errorf("a file that is there already: %v", err)
	}
	raw, err := record.Create(path+"2", cdpwire.TraceHeader{}, record.Options{Clock: clock, Raw: true})
	if err != nil {
		t.Fatal(err)
	}
	raw.Tap(cdpwire.Sent, clock.Now(), []byte(`{"headers":{"Cookie":"kept"}}`))
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	if messages, _ := read(t, path+"2"); len(messages) != 1 || !strings.Contains(messages[0], "kept") {
		t.Errorf("raw: %q", messages)
	}
}

// TestLimits: a recording ends at its size, at its time, or when it is told to.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name    string
		options record.Options
		want    error
	}{
		{"size", record.Options{MaxBytes: 10_000}, record.ErrSize},
		{"time", record.Options{MaxTime: 3 * time.Second}, record.ErrTime},
		{"neither", record.Options{MaxBytes: 1 << 30, MaxTime: time.Hour}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := vclock.New(time.Unix(1_650_000_000, 0))
			c.options.Clock = clock
			r, err := record.Create(filepath.Join(t.TempDir(), "a.jsonl"), cdpwire.TraceHeader{}, c.options)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			reported := make(chan record.Progress)
			go func() { ended <- r.Watch(ctx, func(p record.Progress) { reported <- p }) }()
			for step := 0; ; step++ {
				r.Tap(cdpwire.Received, clock.Now(), []byte(`{"method":"A.b","params":{"x":"`+strings.Repeat("y", 1000)+`"}}`))
				for clock.Pending() < 2 { // the writer's and the watcher's
					runtime.Gosched()
				}
				for due := clock.Next(clock.Now().Add(600 * time.Millisecond)); due != nil; due = clock.Next(clock.Now()) {
					due()
				}
				p := <-reported
				if p.Received != step+1 {
					t.Fatalf("step %d: %+v", step, p)
				}
				if step == 40 {
					cancel()
				}
				if step > 40 {
					t.Fatal("it does not end")
				}
				over := c.options.MaxBytes > 0 && p.FileBytes >= c.options.MaxBytes || c.options.MaxTime > 0 && p.Time >= c.options.MaxTime || step == 40
				if !over {
					continue
				}
				if err := <-ended; !errors.Is(err, c.want) || c.want == nil && err != nil {
					t.Errorf("ended with %v after %+v", err, p)
				}
				break
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
