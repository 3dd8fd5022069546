// Package bridge lets an agent answer dialogs where the backend closes native
// ones by itself. A script in every document takes the place of alert, confirm
// and prompt and asks the engine: by a synchronous request that the Fetch
// domain holds, or by a debugger statement. PROTOCOL.md tells how, against
// whom, and where it ends.
//
// The package is pure: [Step] turns what happened into commands and questions,
// and the same inputs give the same effects. Who answers a question, and when,
// is the business of the dialog policy.
package bridge
