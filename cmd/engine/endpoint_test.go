package main

import (
	"context"
	"errors"
	"testing"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// What looks at the form of an endpoint and what dials it read it with code of
// their own.
func TestWhatIsTakenIsDialled(t *testing.T) {
	clean(t)
	t.Setenv("HOME", t.TempDir())
	gone, cancel := context.WithCancel(t.Context())
	cancel() // dialling is not to get anywhere
	for _, endpoint := range []messages.Endpoint{
		"~/profile", "~", "./profile", ".profile", ".", "..", "DevToolsActivePort", "/none/profile/DevToolsActivePort",
		"h:9222", "user:pw@h:1?token=x", "[::1]:9222", "ws://h/devtools/browser/x", "WSS://h:443/", "https://h", " http://h:1/ ",
		// and none of these
		"", "h", "~other/profile", "ws://h:0", "ws://h:65536", "ftp://h", "ws://", "ws://:1", "http://[::1", "ws://h/%zz", "ws://h:x",
	} {
		source, err := connect(endpoint)
		lease := &messages.Lease{Endpoint: endpoint}
		if err == nil {
			if lease, err = source.Open(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		taken := err == nil
		_, err = cdpwire.Dial(gone, lease)
		cause, _ := errors.AsType[*messages.Cause](err)
		if cause == nil {
			t.Fatalf("%q: %v", endpoint.Reveal(), err)
		}
		if dialled := cause.Kind != messages.DisconnectInvalid; dialled != taken {
			t.Errorf("%q: taken %t, dialled %t: %v", endpoint.Reveal(), taken, dialled, err)
		}
	}
}
