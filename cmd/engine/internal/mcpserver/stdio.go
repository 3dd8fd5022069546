package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"cdpsupervisor/messages"
	"cdpsupervisor/tools"
)

const (
	// maxLineBytes is the longest message taken from stdin.
	maxLineBytes = 16 << 20
	// lastWords bounds how long calls that are under way may take to be
	// answered when stdin ends or the server stops.
	lastWords = 10 * time.Second
)

// ServeStdio speaks MCP on a pair of streams, one message a line, until in
// ends or the context does. Nothing but JSON-RPC is written to out. Calls that
// are under way at the end are answered first.
func (s *Server) ServeStdio(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	defer s.stop()
	s.elicits = true
	s.start(true)
	conn := newLineConn(in, out, s.options.Log)
	session, err := s.sdk.Connect(context.WithoutCancel(ctx), connected{conn}, nil)
	if err != nil {
		return fmt.Errorf("MCP on stdio: %w", err)
	}
	s.prestart(tools.Caller{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = session.Wait()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		s.stop()
		conn.drain(lastWords)
		_ = session.Close()
		<-ended
		err = nil // we ended it
	}
	s.stop()
	return errors.Join(serveError(err), s.finish(lastWords))
}

// connected is a transport that has connected already.
type connected struct{ conn *lineConn }

// Connect returns the connection.
func (c connected) Connect(context.Context) (mcp.Connection, error) { return c.conn, nil }

// lineConn is an [mcp.Connection] over lines. A line that is no message is
// skipped: one bad line must not end the session. It is answered when it has
// an id; MCP knows no answer without one, and some clients die of it.
type lineConn struct {
	in    io.ReadCloser
	lines chan line
	log   zerolog.Logger
	bad   int // lines skipped; only Read counts

	writing sync.Mutex // guards out
	out     io.Writer

	mu      sync.Mutex // guards pending and idle
	pending int        // calls read and not yet answered
	idle    chan struct{}

	closing sync.Once
	closed  chan struct{}
}

type line struct {
	text []byte
	err  error
}

var errLineTooLong = errors.New("the line is too long")

func newLineConn(in io.ReadCloser, out io.Writer, log zerolog.Logger) *lineConn {
	c := &lineConn{in: in, out: out, log: log, lines: make(chan line), closed: make(chan struct{}), idle: make(chan struct{}, 1)}
	go c.readLines()
	return c
}

// readLines hands lines over until the stream ends or the connection closes.
func (c *lineConn) readLines() {
	reader := bufio.NewReaderSize(c.in, 64<<10)
	for {
		text, err := readLine(reader)
		if len(bytes.TrimSpace(text)) == 0 && err == nil {
			continue
		}
		select {
		case c.lines <- line{text, err}:
		case <-c.closed:
			return
		}
		if err != nil && !errors.Is(err, errLineTooLong) {
			return
		}
	}
}

// readLine reads a line of at most maxLineBytes; the rest of a longer one is
// skipped.
func readLine(r *bufio.Reader) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if len(text)+len(part) > maxLineBytes {
			long, text = true, nil
		}
		if !long {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil && long:
			return nil, errLineTooLong
		case errors.Is(err, io.EOF) && len(text) > 0:
			return text, nil // a last line without its end
		default:
			return text, err
		}
	}
}

// Read returns the next message. At the end of the stream it waits until what
// was asked is answered.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case l := <-c.lines:
			switch {
			case errors.Is(l.err, errLineTooLong):
				c.refuse(nil, fmt.Sprintf("it is longer than %d bytes", maxLineBytes))
			case l.err != nil:
				c.drain(lastWords)
				return nil, io.EOF
			default:
				if msg := c.decode(l.text); msg != nil {
					return msg, nil
				}
			}
		}
	}
}

// decode returns a message, or refuses the line.
func (c *lineConn) decode(text []byte) jsonrpc.Message {
	msg, err := jsonrpc.DecodeMessage(text)
	switch {
	case !json.Valid(text):
		c.refuse(nil, "it is not valid JSON")
		return nil
	case bytes.TrimSpace(text)[0] == '[':
		c.refuse(nil, "it is a batch; send one message a line")
		return nil
	case err != nil:
		c.refuse(text, "it is no JSON-RPC 2.0 message: "+err.Error())
		return nil
	}
	if request, ok := msg.(*jsonrpc.Request); ok && request.IsCall() {
		c.count(1)
	}
	return msg
}

// refuse notes a line that is skipped, and answers it when it has an id.
func (c *lineConn) refuse(text []byte, why string) {
	why, _ = messages.Cut(why, 200)
	c.bad++
	if c.bad&(c.bad-1) == 0 { // 1, 2, 4, 8, …: a flood of them must not flood the log
		c.log.Warn().Int("skipped", c.bad).Msg("a line on standard input was skipped: " + strconv.QuoteToASCII(why))
	}
	var asked struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(text, &asked) != nil {
		return
	}
	switch asked.ID.(type) {
	case string, float64:
	default:
		return
	}
	answer, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": asked.ID, "error": map[string]any{"code": jsonrpc.CodeInvalidRequest, "message": why},
	})
	if err == nil {
		_ = c.writeLine(answer) // a reader that is gone is noticed by the next answer
	}
}

// Write writes one message.
func (c *lineConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode an MCP message: %w", err)
	}
	err = c.writeLine(text)
	if _, ok := msg.(*jsonrpc.Response); ok {
		c.count(-1)
	}
	return err
}

func (c *lineConn) writeLine(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write to stdout: %w", err)
	}
	return nil
}

// count keeps the number of calls that wait for their answer.
func (c *lineConn) count(by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending += by
	if c.pending == 0 {
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
}

func (c *lineConn) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending
}

// drain waits until every call is answered, for a bounded time.
func (c *lineConn) drain(patience time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for c.waiting() > 0 {
		select {
		case <-c.idle:
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Close ends the connection. A read of a terminal or an inherited pipe may
// outlast it, until the process ends.
func (c *lineConn) Close() error {
	c.closing.Do(func() {
		close(c.closed)
		_ = c.in.Close()
	})
	return nil
}

// SessionID is empty: a stream is one session.
func (*lineConn) SessionID() string { return "" }
