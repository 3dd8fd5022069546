package e2e

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
)

// patience bounds every wait for something that must happen. It is long
// because the machine may be busy; nothing waits for it to pass.
const patience = 30 * time.Second

// browser is one Chromium of a test with the site that it shows.
type browser struct {
	*site
	endpoint messages.Endpoint
	address  string // host:port of the endpoint
}

// launch starts a browser in which every *.test host is the browser's site.
// It ends with the test.
func launch(t *testing.T) *browser {
	t.Helper()
	needChromium(t)
	s := newSite(t)
	local := backends.NewLocal(backends.Options{Headless: true, Isolated: true, ExtraArgs: []string{
		"--site-per-process",
		"--host-resolver-rules=MAP *.test " + s.address,
	}})
	lease, err := local.Open(t.Context())
	if err != nil {
		t.Fatalf("launch: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := lease.Close(ctx); err != nil {
			t.Errorf("close the browser: %v", err)
		}
	})
	u, err := url.Parse(lease.Endpoint.Reveal())
	if err != nil {
		t.Fatal("the endpoint does not parse as a URL")
	}
	return &browser{site: s, endpoint: lease.Endpoint, address: u.Host}
}

// alive reports whether the browser process still answers.
func (b *browser) alive() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.address+"/json/version", nil)
	if err != nil {
		return false
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// mustLive fails the test when the browser is dead.
func (b *browser) mustLive(t *testing.T) {
	t.Helper()
	if !b.alive() {
		t.Fatal("the browser is dead")
	}
}
