package importers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// Format is a form of recorded traffic.
type Format string

// The forms. FormatAuto finds out by the content.
const (
	FormatAuto            Format = "auto"
	FormatTrace           Format = "trace"
	FormatDevtoolsLog     Format = "devtoolslog"
	FormatCDTLogReplay    Format = "cdt-log-replay"
	FormatProtocolMonitor Format = "protocol-monitor"
	FormatChromedriver    Format = "chromedriver"
	FormatJSDebug         Format = "js-debug"
	FormatPlaywright      Format = "playwright"
	FormatPuppeteer       Format = "puppeteer"
	FormatK6              Format = "k6"
	FormatChromePHP       Format = "chrome-php"
	FormatPyppeteer       Format = "pyppeteer"
	FormatCDP4J           Format = "cdp4j"
	FormatSelenium        Format = "selenium"
	FormatRod             Format = "rod"
	FormatChromedp        Format = "chromedp"
)

// Formats lists all forms but FormatAuto.
func Formats() []Format {
	all := make([]Format, 0, len(kinds()))
	for _, k := range kinds() {
		all = append(all, k.format)
	}
	return all
}

// ErrFormat: the file is in none of the forms.
var ErrFormat = errors.New("this is no recorded CDP traffic")

// Message is one recorded message.
type Message struct {
	// T is the time since the start. It never goes back.
	T time.Duration
	// Dir says which way it went, seen from the client that recorded it.
	Dir cdpwire.Direction
	// Msg is the message as JSON, on the flat protocol: with its sessionId. It
	// is valid until the next message is read.
	Msg []byte
}

// Warning is something in a file that was passed over.
type Warning struct {
	Line int // from 1; 0 where the text names it
	Text string
}

// String is the warning as one line.
func (w Warning) String() string {
	if w.Line == 0 {
		return w.Text
	}
	return fmt.Sprintf("line %d: %s", w.Line, w.Text)
}

// Options say how to read a file.
type Options struct {
	// Format is the form; empty means FormatAuto.
	Format Format
	// Warn, when set, is told what is passed over, as it is met.
	Warn func(Warning)
}

// Trace is an open file. It is used by one goroutine.
type Trace struct {
	format  Format
	in      *input
	source  source
	clock   clock
	ahead   []Message // read while the start was looked for
	header  cdpwire.TraceHeader
	lastT   time.Duration
	pending error // what reading ended with
	named   bool  // the form was named, not found
	some    bool  // a message was read
}

// source reads the messages of one form. next returns io.EOF at the end.
type source interface {
	next(c *clock) (Message, error)
}

// Open opens a file. It reads as far as it must to know the form and, where the
// form tells, when the recording began.
func Open(path string, o Options) (*Trace, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open trace: %w; name a file that is there and can be read", err)
	}
	t, err := open(file, o)
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t.in.file = file
	return t, nil
}

// Read is [Open] for what is not a file; r stays the caller's.
func Read(r io.Reader, o Options) (*Trace, error) { return open(r, o) }

func open(r io.Reader, o Options) (*Trace, error) {
	in, err := newInput(r, o.Warn)
	if err != nil {
		return nil, err
	}
	kind, err := choose(in, o.Format)
	if err != nil {
		in.close()
		return nil, err
	}
	t := &Trace{format: kind.format, in: in, named: o.Format != "" && o.Format != FormatAuto}
	if t.source, err = kind.open(in, t); err != nil {
		in.close()
		return nil, err
	}
	t.readAhead()
	return t, nil
}

// kind is a form: how it is recognised and how it is read.
type kind struct {
	format Format
	// shape says in a few words what a file of the form looks like.
	shape string
	// is reports whether the head of a file is of the form.
	is   func(h *head) bool
	open func(in *input, t *Trace) (source, error)
}

// kinds are the forms in the order in which they are tried: what is more
// particular comes first.
func kinds() []kind {
	return []kind{
		{FormatTrace, `JSON lines with "t", "dir" and "msg"`, isTrace, openTrace},
		{FormatChromedriver, `JSON objects with "message", "level" and "timestamp"`, isChromedriver, openChromedriver},
		{FormatJSDebug, `JSON lines with "tag": "cdp.send" or "cdp.receive"`, isJSDebug, openJSDebug},
		{FormatCDTLogReplay, `a JSON array whose objects have "type": "send", "recv" or "evt"`, isCDTLog, openCDTLog},
		{FormatProtocolMonitor, `a JSON array whose objects have "method" and "requestTime"`, isMonitor, openMonitor},
		{FormatDevtoolsLog, `a JSON array, or JSON lines, of objects with "method" and "params"`, isDevtoolsLog, openDevtoolsLog},
		{FormatPlaywright, `lines with "pw:protocol SEND" or "RECV"`, lineIs(findPlaywright), linesOf(findPlaywright)},
		{FormatPuppeteer, `lines with "puppeteer:protocol" and SEND or RECV`, lineIs(findPuppeteer), nestedLinesOf(findPuppeteer)},
		{FormatK6, `lines with category="cdp:send" or "cdp:recv"`, lineIs(findK6), linesOf(findK6)},
		{FormatChromePHP, `lines with "sending data:{" or "receiving data:{"`, lineIs(findChromePHP), nestedLinesOf(findChromePHP)},
		{FormatPyppeteer, `lines with "pyppeteer.connection" and SEND or RECV`, lineIs(findPyppeteer), nestedLinesOf(findPyppeteer)},
		{FormatCDP4J, `lines with "request:N - {" or "response:N - {"`, lineIs(findCDP4J), linesOf(findCDP4J)},
		{FormatSelenium, `lines with "CDP SND >> {" or "CDP RCV << {"`, lineIs(findSelenium), linesOf(findSelenium)},
		{FormatRod, `lines with "=> #N @SESSION Method {"`, isRod, openRod},
		{FormatChromedp, `lines with "-> {" or "<- {"`, lineIs(findChromedp), linesOf(findChromedp)},
	}
}

// choose finds the form of a file.
func choose(in *input, f Format) (kind, error) {
	all := kinds()
	if f != "" && f != FormatAuto {
		i := slices.IndexFunc(all, func(k kind) bool { return k.format == f })
		if i < 0 {
			return kind{}, fmt.Errorf("%w: no form is called %q; there are auto, %s", messages.ErrInvalid, f, names(all))
		}
		return all[i], nil
	}
	h := in.head()
	for _, k := range all {
		if k.is(h) {
			return k, nil
		}
	}
	if len(h.text) == 0 {
		if h.err != nil && !errors.Is(h.err, io.EOF) {
			return kind{}, fmt.Errorf("nothing can be read of it: %w; name a trace, or a log of another tool", h.err)
		}
		return kind{}, fmt.Errorf("%w: it is empty", ErrFormat)
	}
	var looked []string
	for _, k := range all {
		looked = append(looked, string(k.format)+" ("+k.shape+")")
	}
	return kind{}, fmt.Errorf("%w: it begins with %q; looked in its first %d KiB for %s; --format names one if it is there all the same",
		ErrFormat, h.begin(), headBytes>>10, strings.Join(looked, ", "))
}

func names(all []kind) string {
	list := make([]string, 0, len(all))
	for _, k := range all {
		list = append(list, string(k.format))
	}
	return strings.Join(list, ", ")
}

// Format is the form that was found.
func (t *Trace) Format() Format { return t.format }

// Header says what the file knows of its recording: its Start is zero if the
// times count from no known moment.
func (t *Trace) Header() cdpwire.TraceHeader {
	h := t.header
	if h.Start == 0 && !t.clock.start.IsZero() {
		h.Start = messages.EpochSeconds(t.clock.start)
	}
	return h
}

// Skipped is how many lines or messages could not be read so far.
func (t *Trace) Skipped() int { return t.in.skipped }

// Next returns the next message, and io.EOF at the end of the file. Any other
// error is final.
func (t *Trace) Next() (Message, error) {
	var m Message
	switch {
	case len(t.ahead) > 0:
		m = t.ahead[0]
		t.ahead[0] = Message{}
		t.ahead = t.ahead[1:]
	case t.pending != nil:
		return Message{}, t.pending
	default:
		var err error
		if m, err = t.source.next(&t.clock); err != nil {
			t.pending = t.ending(err)
			return Message{}, t.pending
		}
	}
	t.some = true
	t.lastT = max(t.lastT, m.T)
	m.T = t.lastT
	return m, nil
}

// ending is what the end of the source means: a file in which nothing was of the
// form that somebody named is in another one.
func (t *Trace) ending(err error) error {
	if !errors.Is(err, io.EOF) || !t.named || t.some || t.in.skipped == 0 {
		return err
	}
	return fmt.Errorf("%w of the form %s: nothing in it could be read as that; name no form, and it is found out", ErrFormat, t.format)
}

// Bounds of the search for the start of a recording.
const (
	aheadMessages = 256
	aheadBytes    = 1 << 20
)

// readAhead reads until the start is known, for a while.
func (t *Trace) readAhead() {
	if t.format == FormatTrace {
		return // its header says it
	}
	size := 0
	for t.clock.start.IsZero() && len(t.ahead) < aheadMessages && size < aheadBytes {
		m, err := t.source.next(&t.clock)
		if err != nil {
			t.pending = t.ending(err)
			return
		}
		t.some = true
		m.Msg = slices.Clone(m.Msg)
		size += len(m.Msg)
		t.ahead = append(t.ahead, m)
	}
}

// Close closes the file.
func (t *Trace) Close() error {
	t.in.close()
	if t.in.file == nil {
		return nil
	}
	return t.in.file.Close()
}

// buffered is the reader that all forms share.
func buffered(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, headBytes) }
