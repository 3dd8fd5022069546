package importers

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"cdpsupervisor/messages"
)

const (
	// headBytes is how much of a file is looked at to find its form.
	headBytes = 256 << 10
	// maxPiece is the longest line or element that is read.
	maxPiece = messages.MaxReadBytes + 1<<10
	// keptBytes is the largest buffer that is kept for the next line.
	keptBytes = 1 << 20
)

// input is the text of a file, decompressed, with its line numbers.
type input struct {
	text    *bufio.Reader
	file    io.Closer // nil if the caller owns it
	unpack  func()    // frees the decompressor
	warn    func(Warning)
	line    int // the number of the line that was read last, from 1
	long    []byte
	back    []byte // a line that was given back
	held    bool   // back holds one
	skipped int
}

func newInput(r io.Reader, warn func(Warning)) (*input, error) {
	in := &input{warn: warn}
	raw := buffered(r)
	magic, _ := raw.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x28, 0xB5, 0x2F, 0xFD}):
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		in.unpack = z.Close
		in.text = buffered(unpacked{z})
	case bytes.HasPrefix(magic, []byte{0x1F, 0x8B}):
		z, err := gzip.NewReader(raw)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		in.text = buffered(unpacked{z})
	default:
		in.text = raw
	}
	in.plain()
	return in, nil
}

// unpacked says what an error of a decompressor means.
type unpacked struct{ r io.Reader }

// Read returns the end, be it torn, as it is.
func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && !torn(err) {
		err = fmt.Errorf("the compressed file is damaged: %w; gzip -dc or zstd -dc may unpack what is left of it", err)
	}
	return n, err
}

// plain turns UTF-16, which PowerShell writes, into UTF-8, and drops a byte order
// mark.
func (in *input) plain() {
	mark, _ := in.text.Peek(3)
	switch {
	case bytes.HasPrefix(mark, []byte{0xEF, 0xBB, 0xBF}):
		_, _ = in.text.Discard(3)
	case bytes.HasPrefix(mark, []byte{0xFF, 0xFE}):
		_, _ = in.text.Discard(2)
		in.text = buffered(&utf16Reader{r: in.text, order: binary.LittleEndian})
	case bytes.HasPrefix(mark, []byte{0xFE, 0xFF}):
		_, _ = in.text.Discard(2)
		in.text = buffered(&utf16Reader{r: in.text, order: binary.BigEndian})
	}
}

func (in *input) close() {
	if in.unpack != nil {
		in.unpack()
		in.unpack = nil
	}
}

// skip reports something that is passed over.
func (in *input) skip(line int, format string, args ...any) {
	in.skipped++
	if in.warn != nil {
		in.warn(Warning{Line: line, Text: fmt.Sprintf(format, args...)})
	}
}

// readLine returns the next line without its end. It is valid until the next
// call. A line that is too long is skipped.
func (in *input) readLine() ([]byte, error) {
	if in.held {
		in.held = false
		in.line++
		return in.back, nil
	}
	for {
		line, tooLong, err := in.rawLine()
		if err != nil {
			return nil, err
		}
		in.line++
		if tooLong {
			in.skip(in.line, "longer than %d MiB, skipped", maxPiece>>20)
			continue
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

func (in *input) rawLine() (line []byte, tooLong bool, err error) {
	if cap(in.long) > keptBytes {
		in.long = nil
	}
	in.long = in.long[:0]
	for {
		part, err := in.text.ReadSlice('\n')
		if err == nil && len(in.long) == 0 && !tooLong {
			return part, false, nil
		}
		if len(in.long)+len(part) > maxPiece {
			tooLong = true
			in.long = in.long[:0]
		}
		if !tooLong {
			in.long = append(in.long, part...)
		}
		switch {
		case err == nil:
			return in.long, tooLong, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case torn(err) && (len(in.long) > 0 || tooLong):
			return in.long, tooLong, nil
		case torn(err):
			return nil, false, io.EOF
		default:
			return nil, false, err
		}
	}
}

// torn reports whether the text ends here; a compressed file that was cut off
// ends where it was cut.
func torn(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// unread gives the line back that was read last, for the next readLine.
func (in *input) unread(line []byte) {
	in.back = append(in.back[:0], line...)
	in.held = true
	in.line--
}

// head is the beginning of a file.
type head struct {
	text  []byte
	whole bool  // it is all there is
	err   error // why there is no more of it
}

func (in *input) head() *head {
	text, err := in.text.Peek(headBytes)
	return &head{text: bytes.TrimLeft(text, " \t\r\n"), whole: err != nil, err: err}
}

// begin is what an error shows of a file.
func (h *head) begin() string {
	s, _ := messages.Cut(string(h.text), 60)
	return s
}

// lines calls f with each whole line, until f returns true; lines reports whether
// it did.
func (h *head) lines(f func(line []byte) bool) bool {
	for rest := h.text; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if (ended || h.whole) && f(bytes.TrimRight(line, "\r")) {
			return true
		}
		rest = after
	}
	return false
}

// utf16Reader reads UTF-16 as UTF-8. Halves of pairs that stand alone become the
// replacement character, each for itself.
type utf16Reader struct {
	r     *bufio.Reader
	order binary.ByteOrder
	high  rune // the first half of a pair that is not complete
	out   []byte
}

// Read returns whole characters only, but into a small p.
func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		var unit [2]byte
		if _, err := io.ReadFull(u.r, unit[:]); err != nil {
			if u.high != 0 {
				u.high, u.out = 0, utf8.AppendRune(u.out, utf8.RuneError)
				break
			}
			if torn(err) {
				err = io.EOF
			}
			return 0, err
		}
		u.take(rune(u.order.Uint16(unit[:])))
	}
	n := copy(p, u.out)
	u.out = u.out[:copy(u.out, u.out[n:])]
	return n, nil
}

func (u *utf16Reader) take(c rune) {
	if high := u.high; high != 0 {
		u.high = 0
		if pair := utf16.DecodeRune(high, c); pair != utf8.RuneError {
			u.out = utf8.AppendRune(u.out, pair)
			return
		}
		u.out = utf8.AppendRune(u.out, utf8.RuneError)
	}
	const firstLow = 0xDC00
	if utf16.IsSurrogate(c) && c < firstLow {
		u.high = c
		return
	}
	u.out = utf8.AppendRune(u.out, c) // a second half alone is no character, either
}
