package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

// A guard is asked for what the browser opens and shows, however it is written,
// also where a host uses a task without the tools.
func TestAGuardReadsURLsAsABrowserDoes(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
	defer b.Close()
	guard := func(url string) error {
		if strings.HasPrefix(url, "http://b.test/") {
			return errors.New("not there")
		}
		return nil
	}
	r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b}, registry.WithGuard(guard))
	task, err := r.GetOrStart(ctx, "t", endpoint("b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"http://b.test/", "HTTP:\\\\B.test\\x", "http:b.test", "http://user@b.test./", "view-source:http://b.test/"} {
		if _, err := task.Navigate(ctx, url); messages.CodeOf(err) != messages.CodeDenied {
			t.Errorf("navigate to %q: %v", url, err)
		}
	}
	if _, err := task.Navigate(ctx, "http://b\u00e4nk.test/"); messages.CodeOf(err) != messages.CodeInvalidArgument {
		t.Errorf("a host that is not ASCII: %v", err)
	}
	if _, err := task.Navigate(ctx, "HTTP:\\\\A.test\\next"); err != nil {
		t.Errorf("what is allowed: %v", err)
	}
	if got := task.Snapshot().Page.URL; got != "http://a.test/next" {
		t.Errorf("the page is at %q", got)
	}
	if err := r.Close(ctx); err != nil {
		t.Error(err)
	}
}
