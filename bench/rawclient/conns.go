package rawclient

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"cdpsupervisor/bench/measure"
)

// Conns opens WebSockets that nobody speaks on, with one goroutine each that
// waits for a byte: the least that a connected task can hold.
func Conns(ctx context.Context, endpoint string, tasks int, m *measure.Meter) error {
	u, err := url.Parse(endpoint)
	if err != nil {
		return fmt.Errorf("the feed's address: %w", err)
	}
	m.Start()
	before := measure.RSS()
	for range tasks {
		c, err := upgrade(ctx, u)
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }()
		go func() {
			var b [1]byte
			_, _ = c.Read(b[:]) // ends with Close
		}()
	}
	per := float64(measure.RSS()-before) / float64(tasks)
	m.Stop()
	m.Note("rss_per_task_kb", per)
	m.Note("rss_after_burst_kb", per) // it reads into nothing that could grow
	return nil
}

func upgrade(ctx context.Context, u *url.URL) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, fmt.Errorf("dial the feed: %w", err)
	}
	_, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", u.Path, u.Host)
	if err != nil {
		return nil, fmt.Errorf("upgrade: %w", err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(io.LimitReader(c, 4096)), nil)
	if err != nil {
		return nil, fmt.Errorf("upgrade: %w", err)
	}
	return c, resp.Body.Close()
}
