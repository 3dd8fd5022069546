package fakebrowser

// Transport is a client's end of an in-memory connection. Read and Write may
// be called from two goroutines; Close from any, once or more.
type Transport struct{ c *conn }

// Transport connects a client to the browser, as a WebSocket to
// /devtools/browser would.
func (b *Browser) Transport() *Transport { return b.connect("") }

// PageTransport connects a client to one page, as a WebSocket to
// /devtools/page would: the page is on the root session. Without such a
// target the first Read fails.
func (b *Browser) PageTransport(targetID string) *Transport { return b.connect(targetID) }

func (b *Browser) connect(targetID string) *Transport {
	c := b.newConn()
	if !b.enqueue(func() { b.accept(c, targetID) }) {
		c.drop()
	}
	return &Transport{c}
}

// Read blocks until the browser has sent a message, appends it to dst and
// returns the result. It fails with [ErrDropped] when the browser is gone.
func (t *Transport) Read(dst []byte) ([]byte, error) { return t.c.read(dst[:0]) }

// Write hands one message to the browser and does not wait for its effect.
func (t *Transport) Write(msg []byte) error { return t.c.write(msg) }

// Close hangs up. The browser detaches all sessions of the connection.
func (t *Transport) Close() error {
	t.c.shut(errHungUp)
	t.c.b.enqueue(func() { t.c.hangUp(errHungUp) })
	return nil
}
