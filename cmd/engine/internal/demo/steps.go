package demo

import (
	"context"

	"cdpsupervisor/messages"
)

// step is one thing that the demo shows.
type step struct {
	name string
	says string // what happens, in one line
	page string // where the step starts; "" means where the last one ended
	run  func(context.Context, *world) error
}

// steps is the whole demo, in order.
func steps() []step {
	text, empty := "Ada", ""
	yes, no := messages.ActionAccept, messages.ActionDismiss
	return []step{
		{"alert", "an alert blocks the page: calls fail at once, then it is accepted", shopPage, blockingAlert},
		{"confirm accepted", "the agent accepts a confirm", shopPage,
			answered{`confirm("Buy two apples?")`, messages.DialogConfirm, yes, nil, true}.run},
		{"confirm dismissed", "the agent dismisses a confirm", shopPage,
			answered{`confirm("Delete everything?")`, messages.DialogConfirm, no, nil, false}.run},
		{"prompt with text", "the agent types an answer", shopPage,
			answered{`prompt("Your name?", "Nobody")`, messages.DialogPrompt, yes, &text, "Ada"}.run},
		{"prompt with an empty text", "an empty answer stays empty", shopPage,
			answered{`prompt("Your name?", "Nobody")`, messages.DialogPrompt, yes, &empty, ""}.run},
		{"prompt with its default", "accepted without a text, the page gets its default", shopPage,
			answered{`prompt("Your name?", "Nobody")`, messages.DialogPrompt, yes, nil, "Nobody"}.run},
		{"beforeunload dismissed", "the page asks before it is left, and stays", formPage, staysOnPage},
		{"beforeunload accepted", "the page asks before it is left, and is left", formPage, leavesPage},
		{"dialog in a cross-origin iframe", "a frame of another site asks, the page around it goes on", checkoutPage, dialogInFrame},
		{"evaluate that opens a dialog", "the call returns at once with the dialog, not at its timeout", shopPage, evaluateOpensDialog},
		{"evaluate in a cross-origin iframe", "by frame id, in the frame's own process", checkoutPage, evaluateInFrame},
		{"evaluate three frames deep", "a frame of a frame of a frame, each of another site", checkoutPage, evaluateDeep},
		{"refusal for a same-process iframe", "an error that tells the way, and the way", checkoutPage, refusesSameProcess},
		{"popup that alerts first", "seen, although it is the first thing that the popup does", shopPage, popupAlerts},
		{"watchdog", "nobody answers: dismissed when its time is over", shopPage, watchdog},
		{"auto_dismiss", "the policy dismisses by itself", shopPage, autoDismiss},
		{"auto_accept", "the policy accepts by itself, a prompt with its default", shopPage, autoAccept},
		{"console errors", "what the page logs and throws", brokenPage, consoleErrors},
		{"tab crash", "the renderer dies, calls fail at once, a navigation brings it back", shopPage, tabCrash},
		{"socket drop", "the connection breaks and comes back, the page is still the same", shopPage, socketDrop},
		{"rebind", "the same task on a second browser, nothing of the first in it", "", rebind},
		{"stop", "an open confirm is dismissed before the task ends", shopPage, stop},
	}
}
