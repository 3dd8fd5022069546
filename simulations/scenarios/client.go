package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// client is one connection, with everything that the browser told on it.
type client struct {
	r    *run
	conn Conn
	done chan struct{} // closed when the reader has ended

	out sync.Mutex // held while writing: the reader sets up frames

	mu      sync.Mutex
	changed chan struct{} // closed when something below changes
	all     []message
	sent    map[int64]string // method by id
	next    int64
	end     error             // why the connection is over
	tops    map[string]bool   // ids of pages
	urls    map[string]string // of targets
	above   map[string]string // session to the one that it was attached on, while it lives
	at      map[string]string // session to target
	seen    map[string]int    // by session, how far a scenario has looked
	auto    func(s *session, waiting bool)
}

// dial connects to the browser and gives its root session.
func (r *run) dial() *session { return r.dialTarget("") }

func (r *run) dialTarget(target string) *session {
	r.Helper()
	conn, err := r.lab.Dial(r.ctx, target)
	if err != nil {
		r.Fatalf("dial: %v", err)
	}
	c := &client{
		r: r, conn: conn, done: make(chan struct{}), changed: make(chan struct{}), sent: map[int64]string{},
		tops: map[string]bool{}, urls: map[string]string{}, above: map[string]string{}, at: map[string]string{}, seen: map[string]int{},
	}
	if target != "" {
		c.tops[target] = true
	}
	r.clients = append(r.clients, c)
	go c.read()
	return &session{c: c, target: target}
}

// read takes what comes until the connection ends.
func (c *client) read() {
	defer close(c.done)
	for {
		raw, err := c.conn.Read(nil)
		var m message
		if err == nil {
			m, err = parse(raw)
		}
		if err != nil {
			c.mu.Lock()
			c.end = err
			c.wake()
			c.mu.Unlock()
			return
		}
		c.mu.Lock()
		auto := c.note(m)
		c.wake()
		c.mu.Unlock()
		if auto != nil {
			auto(&session{c: c, id: m.told.SessionID, target: m.told.Info.TargetID}, m.told.Waiting)
		}
	}
}

// wake tells who waits. The mutex is held.
func (c *client) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// note keeps a message and what it says of targets, and returns what to do
// about a frame that was attached. The mutex is held.
func (c *client) note(m message) func(*session, bool) {
	m.at = len(c.all)
	c.all = append(c.all, m)
	info := m.told.Info
	switch m.Method {
	case "Target.attachedToTarget":
		c.above[m.told.SessionID], c.at[m.told.SessionID] = m.Session, info.TargetID
		c.urls[info.TargetID] = info.URL
		if info.Type == "page" {
			c.tops[info.TargetID] = true
			return nil
		}
		return c.auto
	case "Target.detachedFromTarget":
		delete(c.above, m.told.SessionID)
	case "Target.targetCreated", "Target.targetInfoChanged":
		c.urls[info.TargetID] = info.URL
		c.tops[info.TargetID] = c.tops[info.TargetID] || info.Type == "page"
	case "Page.frameNavigated":
		c.urls[m.told.Frame.ID] = m.told.Frame.URL
	}
	return nil
}

// wait waits until f, called with the mutex held, is true.
func (c *client) wait(what string, f func() bool) {
	c.r.Helper()
	if err := c.until(f); err != nil {
		c.r.Fatalf("waited for %s: %v\n%s", what, err, c.transcript())
	}
}

func (c *client) until(f func() bool) error {
	for {
		c.mu.Lock()
		ok, end, changed := f(), c.end, c.changed
		c.mu.Unlock()
		switch {
		case ok:
			return nil
		case end != nil:
			return fmt.Errorf("the connection ended: %w", end)
		}
		select {
		case <-changed:
		case <-c.r.ctx.Done():
			return c.r.ctx.Err()
		}
	}
}

// look calls f with the mutex held.
func (c *client) look(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// transcript are the last messages, for who has to find out what went wrong.
func (c *client) transcript() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := map[string]string{"": "root"}
	var out []string
	for _, m := range c.all {
		if names[m.Session] == "" {
			names[m.Session] = fmt.Sprint("S", len(names))
		}
		out = append(out, names[m.Session]+" "+c.line(m))
	}
	return strings.Join(out[max(0, len(out)-90):], "\n")
}

// post sends a command and does not wait for its reply.
func (c *client) post(session, method, params string) int64 {
	if params == "" {
		params = "{}"
	}
	on := ""
	if session != "" {
		on = fmt.Sprintf(`,"sessionId":%q`, session)
	}
	c.out.Lock()
	defer c.out.Unlock()
	var id int64
	c.look(func() {
		c.next++
		id = c.next
		c.sent[id] = method
	})
	// A connection that has ended shows when its reader does.
	_ = c.conn.Write(fmt.Appendf(nil, `{"id":%d,"method":%q,"params":%s%s}`, id, method, params, on))
	return id
}

// find is the reply to a command, if it has come. The mutex is held.
func (c *client) find(id int64) (message, bool) {
	i := slices.IndexFunc(c.all, func(m message) bool { return m.ID != nil && *m.ID == id })
	if i < 0 {
		return message{}, false
	}
	return c.all[i], true
}

// reply waits for the reply to a command.
func (c *client) reply(id int64) (m message) {
	c.r.Helper()
	c.wait("the reply to "+c.method(id), func() (ok bool) {
		m, ok = c.find(id)
		return ok
	})
	return m
}

// method is the command with an id.
func (c *client) method(id int64) (name string) {
	c.look(func() { name = c.sent[id] })
	return name
}

// answered reports whether a command has its reply.
func (c *client) answered(id int64) (ok bool) {
	c.look(func() { _, ok = c.find(id) })
	return ok
}

// mustEnd waits until the browser drops the connection.
func (c *client) mustEnd() {
	c.r.Helper()
	select {
	case <-c.done:
	case <-c.r.ctx.Done():
		c.r.Fatalf("the browser did not drop the connection\n%s", c.transcript())
	}
}

// hangUp closes the connection and waits for the reader.
func (c *client) hangUp() {
	_ = c.conn.Close()
	<-c.done
}
