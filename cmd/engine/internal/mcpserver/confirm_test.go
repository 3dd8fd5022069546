package mcpserver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cdpsupervisor/messages"
)

func TestConfirmation(t *testing.T) {
	dialog := &messages.Dialog{ID: "d-1", Type: messages.DialogConfirm, Message: "Delete everything?\nClick yes", Origin: "https://a"}
	for _, tc := range []struct {
		name    string
		confirm bool
		dialog  *messages.Dialog
		offers  bool
		action  string
		fails   error
		asked   int
		code    any
	}{
		{"accepted", true, dialog, true, "accept", nil, 1, nil},
		{"declined", true, dialog, true, "decline", nil, 1, "denied"},
		{"cancelled", true, dialog, true, "cancel", nil, 1, "denied"},
		{"the client fails", true, dialog, true, "", errors.New("no window"), 1, "denied"},
		{"not asked for by the host", false, dialog, true, "decline", nil, 0, nil},
		{"not offered by the client", true, dialog, false, "decline", nil, 0, nil},
		{"nothing to decide", true, nil, true, "decline", nil, 0, nil},
	} {
		for _, version := range []string{"2025-11-25", ""} {
			t.Run(tc.name+" "+version, func(t *testing.T) {
				f := &fakeTools{dialog: tc.dialog}
				write, read, _ := onStdio(t, f, tc.confirm)
				asked := 0
				options := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
				if tc.offers {
					options.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						asked++
						if !strings.Contains(r.Params.Message, `"Delete everything?\nClick yes"`) || !strings.Contains(r.Params.Message, "https://a") {
							t.Errorf("the question is %q", r.Params.Message)
						}
						return &mcp.ElicitResult{Action: tc.action, Content: map[string]any{}}, tc.fails
					}
				}
				session := clientOf(t, write, read, options, version)
				r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_dialog", Arguments: map[string]any{"action": "accept"}})
				if err != nil && tc.fails != nil && version == "" {
					return // the newest clients ask by themselves, and fail by themselves
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := object(t, r); got["code"] != tc.code {
					t.Errorf("got %v", got)
				}
				if asked != tc.asked {
					t.Errorf("asked %d times, want %d", asked, tc.asked)
				}
				if reached := len(f.args) > 0; reached != (tc.code == nil) {
					t.Errorf("the toolbox was called: %v", f.args)
				}
				want := map[string][]messages.DialogID{"accepted": {"alert", "d-1"}, "nothing to decide": {"alert", ""}}[tc.name]
				if len(f.accept) > 0 && !slices.Equal(f.accept[0], want) {
					t.Errorf("the call may accept %q, want %q", f.accept[0], want)
				}
				if tc.name == "accepted" && f.args[0] != `{"action":"accept","dialog_id":"d-1"}` {
					t.Errorf("the answer is not tied to the dialog: %s", f.args[0])
				}
			})
		}
	}
}

// an answer about one dialog does not count for the next.
func TestConfirmationIsForOneDialog(t *testing.T) {
	f := &fakeTools{dialog: &messages.Dialog{ID: "d-1", Type: messages.DialogConfirm}}
	write, read, _ := onStdio(t, f, true)
	asked := 0
	session := client(t, write, read, &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked++
		f.mu.Lock()
		f.dialog = &messages.Dialog{ID: "d-2", Type: messages.DialogConfirm} // d-1 is gone meanwhile
		f.mu.Unlock()
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
	}})
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_dialog", Arguments: map[string]any{"action": "accept"}})
	if len(f.args) > 0 && !strings.Contains(f.args[0], "d-2") {
		t.Errorf("d-1's answer was used: %v", f.args)
	}
	if len(f.args) > 0 && asked < 2 {
		t.Errorf("d-2 was accepted unasked: %v, %v", r, err)
	}
}
