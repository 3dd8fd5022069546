package cdpwire

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"cdpsupervisor/messages"
)

const (
	// traceVersion is the version of the format.
	traceVersion = 1
	// traceFlushAfter is how long a line may stay in memory: a recorder that is
	// killed loses no more than that.
	traceFlushAfter = 500 * time.Millisecond
)

// TraceHeader is the optional first line of a trace.
type TraceHeader struct {
	Version  int              `json:"trace"`              // 1
	Start    messages.Seconds `json:"start"`              // times count from here
	Browser  string           `json:"browser,omitempty"`  // product and version
	Endpoint string           `json:"endpoint,omitempty"` // scheme, host and port; the writer cuts off the rest
	Tool     string           `json:"tool,omitempty"`     // what wrote the trace
}

// TraceLine is one message of a trace.
type TraceLine struct {
	T   time.Duration // since the start of the trace
	Dir Direction
	Msg []byte // valid until the next line is read
}

// TraceWriter writes a trace: JSON lines, one message each. It may be used by
// several goroutines. What it has taken is with the operating system within half
// a second.
type TraceWriter struct {
	clock messages.Clock
	start time.Time

	mu     sync.Mutex
	lines  *bufio.Writer
	packer packWriter // nil without compression
	file   io.Closer  // nil if the caller owns it
	line   []byte
	timer  messages.Timer // running while lines are not flushed
	closed bool
	err    error // the first one
}

// packWriter is a compressor.
type packWriter interface {
	io.WriteCloser
	Flush() error
}

// CreateTrace creates a trace file, which must not exist; .zst and .gz are
// compressed. An empty Start is now.
func CreateTrace(path string, h TraceHeader, clock messages.Clock) (*TraceWriter, error) {
	// A trace holds what pages show and what agents type: it is the owner's.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, os.ErrExist):
		return nil, fmt.Errorf("create trace: %w; name another file, or remove it", err)
	case err != nil:
		return nil, fmt.Errorf("create trace: %w; name a file in a folder that is there and can be written to", err)
	}
	packer, err := packTo(file, path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create trace: %w", err), file.Close())
	}
	return newTraceWriter(file, packer, file, h, clock)
}

// packTo is the compressor for the path's extension, nil for none.
func packTo(w io.Writer, path string) (packWriter, error) {
	switch {
	case strings.HasSuffix(path, ".zst"):
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	case strings.HasSuffix(path, ".gz"):
		return gzip.NewWriter(w), nil
	}
	return nil, nil
}

// NewTraceWriter writes an uncompressed trace to w, which stays the caller's.
func NewTraceWriter(w io.Writer, h TraceHeader, clock messages.Clock) (*TraceWriter, error) {
	return newTraceWriter(w, nil, nil, h, clock)
}

func newTraceWriter(w io.Writer, packer packWriter, file io.Closer, h TraceHeader, clock messages.Clock) (*TraceWriter, error) {
	t := &TraceWriter{clock: clock, start: h.Start.Time(), packer: packer, file: file}
	if h.Start == 0 {
		t.start = clock.Now()
		h.Start = messages.EpochSeconds(t.start)
	}
	if packer != nil {
		w = packer
	}
	t.lines = bufio.NewWriter(w)
	h.Version = traceVersion
	h.Endpoint = messages.Endpoint(h.Endpoint).String()
	first, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("trace header: %w", err)
	}
	t.mu.Lock()
	t.put(append(first, '\n'))
	t.mu.Unlock()
	return t, nil
}

// Tap fits [Options].Tap. An error is kept for [TraceWriter.Close].
func (t *TraceWriter) Tap(dir Direction, at time.Time, msg []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.err != nil {
		return
	}
	b := append(t.line[:0], `{"t":`...)
	b = strconv.AppendFloat(b, max(0, at.Sub(t.start).Seconds()), 'f', 6, 64)
	b = append(b, `,"dir":"`...)
	b = append(b, dir.String()...)
	b = append(b, '"', ',')
	b = append(appendTraced(b, msg), '}', '\n')
	t.put(b)
	if t.line = b; cap(b) > messageBufferKept {
		t.line = nil
	}
}

// appendTraced appends "msg" with the message on one line, or where it is no
// JSON, "text" with it as a string.
func appendTraced(b, msg []byte) []byte {
	s := scanner{b: msg}
	if s.skip(); !s.end() {
		return appendJSONString(append(b, `"text":`...), string(msg))
	}
	b = append(b, `"msg":`...)
	if bytes.IndexByte(msg, '\n') < 0 && bytes.IndexByte(msg, '\r') < 0 {
		return append(b, msg...)
	}
	line := bytes.NewBuffer(b)
	if json.Compact(line, msg) != nil { // cannot be: it was read above
		return append(b, "null"...)
	}
	return line.Bytes()
}

// put writes a line and makes sure that it is flushed in time. The lock is held.
func (t *TraceWriter) put(line []byte) {
	if _, err := t.lines.Write(line); err != nil {
		t.err = fmt.Errorf("write trace: %w", err)
		return
	}
	if t.timer == nil {
		t.timer = t.clock.AfterFunc(traceFlushAfter, t.flushLater)
	}
}

func (t *TraceWriter) flushLater() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = nil
	if !t.closed {
		t.flush()
	}
}

func (t *TraceWriter) flush() {
	err := t.lines.Flush()
	if err == nil && t.packer != nil {
		err = t.packer.Flush()
	}
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("write trace: %w", err)
	}
}

// Err returns the first error of the writes so far: from then on nothing is
// written, and whoever records can say so, instead of at the end.
func (t *TraceWriter) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Close flushes and closes the file. It returns the first error of all writes;
// what came after that is not in the trace.
func (t *TraceWriter) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return t.err
	}
	t.closed = true
	if t.timer != nil {
		t.timer.Stop()
	}
	t.flush()
	var packed, closed error
	if t.packer != nil {
		packed = t.packer.Close()
	}
	if t.file != nil {
		closed = t.file.Close()
	}
	if err := errors.Join(packed, closed); err != nil && t.err == nil {
		t.err = fmt.Errorf("close trace: %w", err)
	}
	return t.err
}
