package demo

import (
	"context"
	"fmt"
	"net/url"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
)

// stage is where the demo's browsers come from.
type stage interface {
	// launch starts one more browser that shows the demo's pages. Closing
	// the lease ends it.
	launch(ctx context.Context) (*messages.Lease, error)
	// close ends what the browsers have in common.
	close()
}

// realStage launches Chromium.
type realStage struct {
	pages    *pageServer
	browsers *backends.Local
}

func newStage(ctx context.Context, cfg Config) (stage, error) {
	if cfg.Sim {
		return &simStage{}, nil
	}
	// Looked for first, so that a machine without one hears just that.
	if _, err := backends.FindChromium(cfg.Executable); err != nil {
		return nil, err
	}
	pages, err := servePages(ctx)
	if err != nil {
		return nil, err
	}
	return &realStage{pages: pages, browsers: backends.NewLocal(backends.Options{
		Executable: cfg.Executable,
		Headless:   true,
		Isolated:   true,
		ExtraArgs: []string{
			"--site-per-process",
			"--host-resolver-rules=MAP *.test " + pages.address,
		},
	})}, nil
}

func (s *realStage) launch(ctx context.Context) (*messages.Lease, error) { return s.browsers.Open(ctx) }

func (s *realStage) close() { s.pages.close() }

// stand is one browser with the proxy before it.
type stand struct {
	proxy  *proxy
	lease  *messages.Lease
	source messages.EndpointSource // through the proxy
}

func newStand(ctx context.Context, s stage) (*stand, error) {
	lease, err := s.launch(ctx)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(lease.Endpoint.Reveal())
	if err != nil {
		_ = lease.Close(ctx)
		return nil, fmt.Errorf("the browser's endpoint %s does not parse as a URL", lease.Endpoint)
	}
	between, err := newProxy(ctx, u.Host)
	if err != nil {
		_ = lease.Close(ctx)
		return nil, err
	}
	u.Host = between.address
	return &stand{proxy: between, lease: lease, source: backends.Static(messages.Endpoint(u.String()))}, nil
}

// close ends the browser.
func (s *stand) close(ctx context.Context) error {
	s.proxy.close()
	return s.lease.Close(ctx)
}
