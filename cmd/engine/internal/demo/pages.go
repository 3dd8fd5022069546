package demo

import (
	"context"
	"embed"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

//go:embed pages
var files embed.FS

// The pages that steps start on.
const (
	shopPage     = "http://shop.test/"
	checkoutPage = "http://shop.test/checkout"
	formPage     = "http://shop.test/form"
	brokenPage   = "http://shop.test/broken"
	offerPage    = "http://shop.test/offer"
)

// pageAt returns the HTML of a URL of the demo.
func pageAt(location string) (html string, ok bool) {
	u, err := url.Parse(location)
	if err != nil {
		return "", false
	}
	path := strings.Trim(u.Path, "/")
	if path == "" {
		path = "index"
	}
	content, err := files.ReadFile("pages/" + u.Hostname() + "/" + path + ".html")
	return string(content), err == nil
}

// pageServer serves the pages on loopback, by the Host of each request.
type pageServer struct {
	address string
	server  *http.Server
	done    chan struct{}
}

func servePages(ctx context.Context) (*pageServer, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve the demo's pages on loopback: %w", err)
	}
	s := &pageServer{
		address: listener.Addr().String(),
		server: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			html, ok := pageAt("http://" + r.Host + r.URL.Path)
			if !ok {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(html))
		})},
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		_ = s.server.Serve(listener) // its error is that of close
	}()
	return s, nil
}

// close ends the server and its connections.
func (s *pageServer) close() {
	_ = s.server.Close()
	<-s.done
}
