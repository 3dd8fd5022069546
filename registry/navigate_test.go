package registry_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/actors"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

// TestNavigateToWhatIsNoPage: a host is told what an agent is told, with a guard
// or without, also where it speaks actor; the browser hears nothing of it.
func TestNavigateToWhatIsNoPage(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	for name, opts := range map[string][]registry.Option{
		"guarded": {registry.WithGuard(func(string) error { return nil })}, "unguarded": nil,
	} {
		b := browser(t)
		r, system := engine(t, map[string]*fakebrowser.Browser{"b": b}, opts...)
		task, err := r.GetOrStart(ctx, "t", endpoint("b"))
		if err != nil {
			t.Fatal(err)
		}
		for url, says := range map[string]string{
			"":                          "the URL is empty; write a whole URL, such as https://example.com/",
			"nonsense":                  `the URL "nonsense" has no scheme; write "http://nonsense"`,
			"/checkout":                 `the URL "/checkout" is relative; write the whole URL, such as https://example.com/checkout`,
			"javascript:said.push('x')": "the URL is a script and no page; run it with browser_cdp, method Runtime.evaluate",
			"javascript:1":              "the URL is a script and no page",
			"http://":                   "the URL names no host",
			"http://a.test/" + strings.Repeat("x", messages.MaxURLBytes): "the URL is 8206 bytes long; the limit is 8192",
		} {
			_, called := task.Navigate(ctx, url)
			_, asked := actors.Ask(ctx, system, task.PID(), &messages.NavigateRequest{URL: url})
			for _, err := range []error{called, asked} {
				if !errors.Is(err, messages.ErrInvalid) || messages.CodeOf(err) != messages.CodeInvalidArgument || !strings.Contains(err.Error(), says) {
					t.Errorf("%s, %.60q: got %v, want invalid_argument that says %q", name, url, err, says)
				}
			}
		}
		if n := b.Calls("Page.navigate"); n != 0 {
			t.Errorf("%s: the browser was told to navigate %d times", name, n)
		}
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
	}
}
