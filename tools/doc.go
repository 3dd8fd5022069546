// Package tools holds the agent tools as a host mounts them: browser_snapshot,
// browser_dialog, browser_cdp, browser_navigate, browser_connect and
// browser_disconnect.
//
// A host makes one [Toolbox] over its registry, offers what [Toolbox.List]
// returns to its model, and passes every call to [Toolbox.Call]:
//
//	box, err := tools.New(tools.Options{Registry: reg, Endpoint: …})
//	result := box.Call(ctx, tools.Caller{Task: "conversation-7"}, "browser_snapshot", nil)
//
// All calls go one way: arguments are checked against the schema that is
// advertised, then the gate is asked, then the tool runs, then whatever dialog
// is open is named in the result, and then the host's redaction has the last
// word. A host that has a browser_snapshot of its own adds the supervisor's
// fields to it with [MergeSnapshot].
//
// Texts in results come from pages. They are capped and quoted, and they are
// never to be taken for instructions.
package tools
