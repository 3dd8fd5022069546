package policy_test

import (
	"fmt"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// A page asks, an agent answers, the browser closes the dialog and confirms.
func Example() {
	s := policy.New(policy.Config{})
	now := time.Unix(1_650_000_000, 0)
	for _, in := range []policy.Input{
		policy.Opened{At: now, Session: "P", Target: "T", Frame: "F", Type: messages.DialogConfirm, Message: "Delete it?"},
		policy.Ask{At: now, Ref: messages.Ref{Owner: messages.OwnerAsk, N: 1}, Action: messages.ActionAccept},
		policy.Closed{At: now, Session: "P", Frame: "F", Result: true},
		policy.AnswerReplied{At: now, Dialog: "d-1", Gen: 2},
	} {
		for _, e := range policy.Step(s, in, nil) {
			if send, ok := e.(policy.Send); ok {
				fmt.Printf("%s: accept %v, generation %d\n", send.Dialog, send.Accept, send.Gen)
			}
			if part, ok := e.(policy.Publish); ok {
				fmt.Printf("%d pending, %d recent\n", len(part.Pending), len(part.Recent))
			}
			if answer, ok := e.(policy.Answer); ok {
				fmt.Printf("answered: %s was closed by %s\n", answer.Result.Record.ID, answer.Result.Record.ClosedBy)
			}
		}
	}
	// Output:
	// 1 pending, 0 recent
	// d-1: accept true, generation 2
	// 1 pending, 0 recent
	// 0 pending, 0 recent
	// 0 pending, 1 recent
	// answered: d-1 was closed by agent
}
