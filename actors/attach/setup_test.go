package attach

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"cdpsupervisor/messages"
)

var t0 = time.Unix(1_700_000_000, 0)

func showSetup(out []Effect) string {
	var parts []string
	for _, e := range out {
		switch e := e.(type) {
		case Send:
			on := ""
			if e.Root {
				on = "root "
			}
			parts = append(parts, on+e.Command.Method())
		case Arm:
			parts = append(parts, fmt.Sprintf("arm %s", e.At.Sub(t0)))
		case Became:
			parts = append(parts, "→"+e.Phase.String())
		case Lacks:
			parts = append(parts, "lacks "+e.Capability)
		}
	}
	return strings.Join(parts, " ")
}

var (
	beginPage   = Begin{At: t0, Page: true, Target: "T"}
	beginIframe = Begin{At: t0, Target: "F"}
	refusal     = &messages.ProtocolError{Code: -32000, Message: "Not allowed"}
	gone        = &messages.ProtocolError{Code: codeSessionGone, Message: "Session with given id not found."}
)

func ok(step Step) Input { return Replied{At: t0, Step: step} }

func allReplied() []Input {
	return []Input{ok(StepPageEnable), ok(StepRuntimeEnable), ok(StepAutoAttach), ok(StepFrameTree)}
}

func TestSetupStories(t *testing.T) {
	timer := Timer{At: t0, Gen: 1}
	for _, tc := range []struct {
		name string
		in   []Input
		want string // the effects of the last input
		end  Phase
	}{
		{"all is sent at once, the resume last", []Input{beginPage},
			"Page.enable Runtime.enable Target.setAutoAttach Page.getFrameTree Runtime.runIfWaitingForDebugger arm 5s →pending", Pending},
		{"the bridge stands before auto-attach", []Input{Begin{At: t0, Bridge: []messages.Command{messages.FetchEnable{}, messages.AddScript{}}}},
			"Page.enable Runtime.enable Fetch.enable Page.addScriptToEvaluateOnNewDocument Target.setAutoAttach Page.getFrameTree Runtime.runIfWaitingForDebugger arm 1m0s →pending", Pending},
		{"a second begin", []Input{beginPage, beginPage}, "", Pending},
		{"ready when all is answered", append([]Input{beginPage}, allReplied()...), "→ready", Ready},
		{"the resume is not waited for", append([]Input{beginPage}, allReplied()...), "→ready", Ready},
		{"a refusal degrades", []Input{beginPage, ok(StepPageEnable), ok(StepRuntimeEnable), Replied{t0, StepAutoAttach, refusal}}, "lacks oopif", Pending},
		{"and does not keep it from being ready", []Input{beginPage, ok(StepPageEnable), ok(StepRuntimeEnable), Replied{t0, StepAutoAttach, refusal}, ok(StepFrameTree)}, "→ready", Ready},
		{"a page that is silent is asked for", []Input{beginPage, timer}, "root Target.getTargetInfo", Pending},
		{"and shown as blocked when the browser answers", []Input{beginPage, timer, ok(StepProbe)}, "→blocked", Blocked},
		{"also when it refuses the question", []Input{beginPage, timer, Replied{t0, StepProbe, refusal}}, "→blocked", Blocked},
		{"a late reply clears it", append([]Input{beginPage, timer, ok(StepProbe)}, allReplied()...), "→ready", Ready},
		{"a silent child is unresponsive", []Input{beginIframe, timer}, "→unresponsive", Unresponsive},
		{"a late reply clears that too", append([]Input{beginIframe, timer}, allReplied()...), "→ready", Ready},
		{"a timer after ready", append(append([]Input{beginPage}, allReplied()...), timer), "", Ready},
		{"a target that dies meanwhile", []Input{beginPage, Replied{t0, StepPageEnable, gone}}, "→ended", Ended},
		{"nothing leads out of the end", []Input{beginPage, Replied{t0, StepPageEnable, gone}, ok(StepFrameTree), timer, Reloaded{t0}}, "", Ended},
		{"a crash", append(append([]Input{beginPage}, allReplied()...), TargetCrashed{t0}), "→crashed", Crashed},
		{"and back", append(append([]Input{beginPage}, allReplied()...), TargetCrashed{t0}, Reloaded{t0}), "Page.getFrameTree →ready", Ready},
		{"a reload without a crash", []Input{beginPage, Reloaded{t0}}, "", Pending},
		{"errors of a crashed target are no refusals", []Input{beginPage, TargetCrashed{t0}, Replied{t0, StepPageEnable, &messages.ProtocolError{Code: -32000, Message: "Target crashed"}}}, "", Crashed},
		{"a restart reads the contexts again, and sets nothing up twice", []Input{Resync{At: t0, Page: true}},
			"Runtime.disable Runtime.enable Page.getFrameTree Runtime.runIfWaitingForDebugger →ready", Ready},
		{"a reply that nobody waits for", []Input{ok(StepPageEnable)}, "", New},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var s Setup
			var out []Effect
			for _, in := range tc.in {
				out = StepSetup(&s, in, nil)
			}
			if got := showSetup(out); got != tc.want || s.Phase() != tc.end {
				t.Errorf("got %q in %s\nwant %q in %s", got, s.Phase(), tc.want, tc.end)
			}
		})
	}
}

// TestSetupAlwaysResumes: a target that waits is resumed with the first
// effects, last of all, whatever comes later; a session becomes ready as soon
// as everything is answered, in whatever order, also with refusals.
func TestSetupAlwaysResumes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Setup
		first := StepSetup(&s, Begin{At: t0, Page: rapid.Bool().Draw(t, "page"), Target: "T"}, nil)
		sends := slices.DeleteFunc(first, func(e Effect) bool { _, is := e.(Send); return !is })
		if last := sends[len(sends)-1].(Send); last.Command != (messages.RunIfWaiting{}) {
			t.Fatalf("the last command is %s", last.Command.Method())
		}
		left := rapid.Permutation([]Step{StepPageEnable, StepRuntimeEnable, StepAutoAttach, StepFrameTree}).Draw(t, "order")
		for len(left) > 0 {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				StepSetup(&s, Timer{At: t0, Gen: rapid.Uint64Range(0, 3).Draw(t, "gen")}, nil)
			case 1:
				StepSetup(&s, Replied{At: t0, Step: StepProbe}, nil)
			default:
				in := Replied{At: t0, Step: left[0]}
				if rapid.Bool().Draw(t, "refused") {
					in.Err = refusal
				}
				StepSetup(&s, in, nil)
				StepSetup(&s, in, nil) // twice is once
				left = left[1:]
			}
		}
		StepSetup(&s, Replied{At: t0, Step: StepProbe}, nil)
		if s.Phase() != Ready {
			t.Fatalf("everything is answered and the session is %s", s.Phase())
		}
	})
}
