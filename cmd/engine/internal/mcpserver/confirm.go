package mcpserver

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cdpsupervisor/messages"
	"cdpsupervisor/tools"
)

// confirmKey names the one question that a call can raise.
const confirmKey = "confirm"

// leave is what a call may do: it has these arguments, and its caller accepts no
// dialog that nobody was asked about.
type leave struct {
	caller tools.Caller
	args   json.RawMessage
}

// confirmed decides whether a call may go on: with this leave, or not at all
// because a person refused, or only after the person was asked. The SDK asks,
// in the way that the session's protocol version has, and calls again with the
// answer.
func (s *Server) confirmed(req *mcp.CallToolRequest) (given leave, refused *messages.Failure, ask *mcp.CallToolResult) {
	given = leave{s.caller(req.Session), req.Params.Arguments}
	if !s.options.Confirm || !s.elicits || !offersForm(req.ClientCapabilities()) {
		return given, nil, nil
	}
	dialog, decides := s.options.Tools.Confirmation(given.caller, req.Params.Name, given.args)
	if !decides {
		given.caller = s.options.Tools.Confirmed(given.caller, given.args, "")
		return given, nil, nil
	}
	reply, answered := req.Params.InputResponses[confirmKey].(*mcp.ElicitResult)
	// The state ties the answer to the dialog that was asked about: another
	// one that has opened since is another question.
	if !answered || req.Params.RequestState != string(dialog.ID) {
		return given, nil, question(dialog)
	}
	if reply.Action != "accept" {
		return given, messages.Fail(messages.CodeDenied,
			"the person at the client did not agree to accept dialog %s (%s); it is still open, and may be dismissed", dialog.ID, dialog.Type).With(&dialog), nil
	}
	given.caller = s.options.Tools.Confirmed(given.caller, given.args, dialog.ID)
	if req.Params.Name != "browser_dialog" {
		return given, nil, nil
	}
	pinned, err := tools.WithDialog(given.args, dialog.ID)
	if err != nil {
		return given, messages.Fail(messages.CodeInvalidArgument, "%v", err), nil
	}
	given.args = pinned
	return given, nil, nil
}

// offersForm reports whether the client can show a question to a person. Both
// modes left out mean forms, as before there were modes.
func offersForm(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// question asks about one dialog. The page's words are quoted and capped: they
// must not pass for ours.
func question(d messages.Dialog) *mcp.CallToolResult {
	message, cut := messages.Cut(d.Message, 500)
	if cut {
		message += "…"
	}
	origin, _ := messages.Cut(d.Origin, 200)
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{confirmKey: &mcp.ElicitParams{
			Mode: "form",
			Message: fmt.Sprintf("The agent wants to accept a %s dialog of the page %q, which says: %q. Let it?",
				d.Type, origin, message),
			RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`),
		}},
		RequestState: string(d.ID),
	}
}
