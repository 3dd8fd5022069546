package rawclient

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Asker sends commands on the page of a feed, one after the other.
type Asker struct {
	c       *connection
	session string
	last    int
}

// Attach connects and attaches to the page.
func Attach(ctx context.Context, url string) (*Asker, error) {
	c, err := attach(ctx, url, readBuffer)
	if err != nil {
		return nil, err
	}
	session, _ := c.start["sessionId"].(string)
	return &Asker{c: c, session: session, last: 2}, nil
}

// Do sends one command and reads until a message holds the text.
func (a *Asker) Do(method, params, until string) error {
	a.last++
	err := a.c.ws.WriteJSON(map[string]any{"id": a.last, "method": method, "params": json.RawMessage(params), "sessionId": a.session})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		_, msg, err := a.c.ws.ReadMessage()
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		if strings.Contains(string(msg), until) {
			return nil
		}
	}
}

// Close ends the connection.
func (a *Asker) Close() error { return a.c.ws.Close() }
