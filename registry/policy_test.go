package registry_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/actors"
	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
)

// TestBadPolicies: of what is wrong, and only of that, is spoken, also to a host
// that speaks actor; a timeout of zero is none.
func TestBadPolicies(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	r, system := engine(t, map[string]*fakebrowser.Browser{"b": b})
	defer func() { _ = r.Close(ctx) }()
	task, err := r.GetOrStart(ctx, "t", endpoint("b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		policy  messages.Policy
		timeout time.Duration
		says    string
	}{
		{"nope", 0, `dialog policy "nope" is none of must_respond, auto_dismiss, auto_accept`},
		{messages.PolicyMustRespond, -time.Second, "dialog timeout -1s is not from 0s to 24h0m0s; 0s leaves it as it is"},
		{messages.PolicyMustRespond, 25 * time.Hour, "dialog timeout 25h0m0s is not from 0s to 24h0m0s"},
	} {
		_, asked := actors.Ask(ctx, system, task.PID(), &messages.PolicyRequest{Policy: tc.policy, Timeout: tc.timeout})
		for _, err := range []error{asked, task.SetPolicy(ctx, tc.policy, tc.timeout)} {
			if !errors.Is(err, messages.ErrInvalid) || !strings.HasPrefix(err.Error(), tc.says) {
				t.Errorf("%s, %s: got %v", tc.policy, tc.timeout, err)
			}
		}
	}
	if err := task.SetPolicy(ctx, messages.PolicyAutoAccept, 0); err != nil {
		t.Error(err)
	}
}
