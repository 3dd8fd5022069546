package cdpwire

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"cdpsupervisor/messages"
)

// maxTraceLine is the longest line taken: the largest message and what stands
// around it. Text that is no JSON may take more, and is then an error.
const maxTraceLine = messages.MaxReadBytes + 1<<10

// ErrTraceLine: a line of a trace is not one.
var ErrTraceLine = errors.New("not a line of a trace")

// TraceReader reads a trace line by line. It holds one line at a time.
type TraceReader struct {
	lines  *bufio.Reader
	unpack func() // frees the decompressor
	file   io.Closer
	limit  int // bytes in a line
	number int // of the line read last, from 1
	long   []byte
	header *TraceHeader
	first  []byte // a first line that is no header
	torn   bool
}

// OpenTrace opens a trace file; .zst and .gz are decompressed.
func OpenTrace(path string) (*TraceReader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open trace: %w; name a file that is there and can be read", err)
	}
	r := &TraceReader{file: file, limit: maxTraceLine}
	var stream io.Reader = file
	switch {
	case strings.HasSuffix(path, ".zst"):
		z, zerr := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20))
		if err = zerr; err == nil {
			stream, r.unpack = z, z.Close
		}
	case strings.HasSuffix(path, ".gz"):
		stream, err = gzip.NewReader(file)
	}
	if err == nil {
		err = r.begin(stream)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open trace %s: %w", path, err), r.Close())
	}
	return r, nil
}

// NewTraceReader reads an uncompressed trace from r, which stays the caller's.
func NewTraceReader(r io.Reader) (*TraceReader, error) {
	t := &TraceReader{limit: maxTraceLine}
	if err := t.begin(r); err != nil {
		return nil, fmt.Errorf("read trace: %w", err)
	}
	return t, nil
}

// begin reads the first line, to see whether it is a header.
func (r *TraceReader) begin(stream io.Reader) error {
	r.lines = bufio.NewReaderSize(stream, chunkBytes)
	line, err := r.readLine()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	s := scanner{b: line}
	m := s.object()
	if !s.member(&m) || string(m.key) != "trace" {
		r.first = bytes.Clone(line)
		return nil
	}
	var h TraceHeader
	if err := json.Unmarshal(line, &h); err != nil {
		return fmt.Errorf("line %d: %w: a header that cannot be read", r.number, ErrTraceLine)
	}
	if h.Version != traceVersion {
		return fmt.Errorf("it is of version %d, and this program reads version %d", h.Version, traceVersion)
	}
	r.header = &h
	return nil
}

// Header returns the first line, and whether there is one.
func (r *TraceReader) Header() (TraceHeader, bool) {
	if r.header == nil {
		return TraceHeader{}, false
	}
	return *r.header, true
}

// Torn reports whether the trace ended in the middle of a line, as it does when
// the recorder was killed. The torn line is left out.
func (r *TraceReader) Torn() bool { return r.torn }

// Next returns the next message, and [io.EOF] at the end. After an
// [ErrTraceLine], which names the line, the next call goes on behind it; any
// other error is final.
func (r *TraceReader) Next() (TraceLine, error) {
	line := r.first
	r.first = nil
	if line == nil {
		var err error
		if line, err = r.readLine(); err != nil {
			return TraceLine{}, err
		}
	}
	parsed, why := parseTraceLine(line)
	if why == "" {
		return parsed, nil
	}
	if line[len(line)-1] != '\n' {
		r.torn = true
		return TraceLine{}, io.EOF
	}
	return TraceLine{}, fmt.Errorf("line %d: %w: %s", r.number, ErrTraceLine, why)
}

// readLine returns the next line that is not blank, with its newline unless it is
// the last and has none.
func (r *TraceReader) readLine() ([]byte, error) {
	for {
		line, err := r.anyLine()
		if err != nil {
			return nil, err
		}
		r.number++
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
}

func (r *TraceReader) anyLine() ([]byte, error) {
	if cap(r.long) > messageBufferKept {
		r.long = nil
	}
	r.long = r.long[:0]
	for {
		part, err := r.lines.ReadSlice('\n')
		if err == nil && len(r.long) == 0 {
			return part, nil
		}
		r.long = append(r.long, part...)
		switch {
		case len(r.long) > r.limit:
			return nil, fmt.Errorf("line %d is longer than %d bytes", r.number+1, r.limit)
		case err == nil:
			return r.long, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(r.long) > 0:
			return r.long, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			r.torn = true // the compressed stream has no end
			return nil, io.EOF
		default:
			return nil, err
		}
	}
}

// parseTraceLine reads a line, or says why it is none.
func parseTraceLine(line []byte) (t TraceLine, why string) {
	s := scanner{b: line}
	seconds := math.NaN()
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "t":
			seconds = s.float()
		case "dir":
			dir, _ := s.text()
			t.Dir = directionOf(dir)
		case "msg":
			t.Msg = s.value()
		case "text":
			raw, _ := s.text()
			t.Msg, _ = appendText(nil, raw, len(raw)*3)
		default:
			s.skip()
		}
	}
	switch {
	case !s.end():
		return t, "it is not JSON"
	case !(seconds >= 0 && seconds < 1e9):
		return t, `it has no "t" in seconds`
	case t.Dir == 0:
		return t, `its "dir" is neither "recv" nor "send"`
	case len(t.Msg) == 0:
		return t, `it has no "msg"`
	}
	t.T = time.Duration(math.Round(seconds*1e6)) * time.Microsecond
	return t, ""
}

func directionOf(word []byte) Direction {
	for _, d := range []Direction{Received, Sent} {
		if d.String() == string(word) {
			return d
		}
	}
	return 0
}

// Close closes the file.
func (r *TraceReader) Close() error {
	if r.unpack != nil {
		r.unpack()
	}
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
