package attach

import (
	"fmt"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

func showRoot(out []RootEffect) string {
	var parts []string
	for _, e := range out {
		switch e := e.(type) {
		case RootSend:
			text := e.Command.Method()
			if a, ok := e.Command.(messages.AttachToTarget); ok {
				text += " " + string(a.TargetID)
			}
			parts = append(parts, text)
		case RootArm:
		case Connected:
			parts = append(parts, "connected")
		case Claim:
			parts = append(parts, "claim")
		case Chosen:
			parts = append(parts, fmt.Sprintf("chosen %s made=%v root=%v", e.Info.TargetID, e.Made, e.Root))
		case RootLacks:
			parts = append(parts, "lacks "+e.Capability)
		case RootFail:
			parts = append(parts, fmt.Sprintf("fail %s gone=%v", e.Cause.Kind, e.Gone))
		}
	}
	return strings.Join(parts, ", ")
}

func page(id messages.TargetID, url string) messages.TargetInfo {
	return messages.TargetInfo{TargetID: id, Type: messages.TargetPage, URL: url}
}

func replied(method string, body messages.ReplyBody) RootInput {
	return RootReplied{At: t0, Method: method, Body: body}
}

func refusedTo(method string) RootInput {
	return RootReplied{At: t0, Method: method, Err: &messages.ProtocolError{Code: -32601, Message: "no"}}
}

func TestRootStories(t *testing.T) {
	version := replied("Browser.getVersion", &messages.VersionReply{Product: "Chrome/1"})
	targets := func(infos ...messages.TargetInfo) RootInput {
		return replied("Target.getTargets", &messages.TargetsReply{Targets: infos})
	}
	open := func(w Want) RootInput { return SocketOpen{At: t0, Want: w} }
	upTo := func(w Want, taken []messages.TargetID, more ...RootInput) []RootInput {
		return append([]RootInput{open(w), version, Granted{At: t0, Taken: taken}}, more...)
	}
	auto := replied("Target.setAutoAttach", nil)
	newtab, devtools := page("N", "chrome://newtab/"), page("D", "devtools://x/")
	worker := messages.TargetInfo{TargetID: "W", Type: "service_worker", URL: "https://a/"}
	prerender := messages.TargetInfo{TargetID: "R", Type: messages.TargetPage, Subtype: "prerender", URL: "https://a/"}
	a, b := page("A", "https://a/"), page("B", "about:blank")
	for _, tc := range []struct {
		name string
		in   []RootInput
		want string
		end  RootPhase
	}{
		{"greets first", []RootInput{open(Want{})}, "Browser.getVersion", RootGreeting},
		{"connected means answered", []RootInput{open(Want{}), version}, "connected, Target.setDiscoverTargets, claim", RootClaiming},
		{"lists under its claim", upTo(Want{}, nil), "Target.getTargets", RootListing},
		{"takes the first real page", upTo(Want{}, nil, targets(newtab, devtools, worker, prerender, a, b)), "chosen A made=false root=false, Target.setAutoAttach", RootAttaching},
		{"not one of another task", upTo(Want{}, []messages.TargetID{"A"}, targets(a, b)), "chosen B made=false root=false, Target.setAutoAttach", RootAttaching},
		{"opens one if there is none", upTo(Want{}, []messages.TargetID{"A"}, targets(newtab, a)), "Target.createTarget", RootCreating},
		{"and takes it", upTo(Want{}, nil, targets(newtab), replied("Target.createTarget", &messages.CreatedReply{TargetID: "C"})), "chosen C made=true root=false, Target.setAutoAttach", RootAttaching},
		{"a tab of our own", upTo(Want{Own: true}, nil, targets(a)), "Target.createTarget", RootCreating},
		{"is used again", upTo(Want{Own: true, Owned: "B"}, nil, targets(a, b)), "chosen B made=true root=false, Target.setAutoAttach", RootAttaching},
		{"the page of before, wherever it stands", upTo(Want{Prefer: "B"}, nil, targets(a, b)), "chosen B made=false root=false, Target.setAutoAttach", RootAttaching},
		{"the page of before, not the one asked for in the beginning", upTo(Want{Again: true, Prefer: "B", TargetID: "A", Owned: "A"}, nil, targets(a, b)), "chosen B made=false root=false, Target.setAutoAttach", RootAttaching},
		{"no other in its place", upTo(Want{Again: true, Prefer: "X", Known: []messages.TargetID{"X", "A"}}, nil, targets(a, b)), "Target.setAutoAttach, fail invalid gone=true", RootFailed},
		{"nor a new one", upTo(Want{Again: true, Own: true, Prefer: "X", Known: []messages.TargetID{"X", "A"}}, nil, targets(a, b)), "Target.setAutoAttach, fail invalid gone=true", RootFailed},
		{"nor when it was closed before", upTo(Want{Again: true}, nil, targets(a, b)), "Target.setAutoAttach, fail invalid gone=true", RootFailed},
		{"but one of another browser", upTo(Want{Again: true, Prefer: "X", Known: []messages.TargetID{"X", "Y"}}, nil, targets(a, b)), "chosen A made=false root=false, Target.setAutoAttach", RootAttaching},
		{"or one if it was never used", upTo(Want{Prefer: "X", Known: []messages.TargetID{"X", "A"}}, nil, targets(a, b)), "chosen A made=false root=false, Target.setAutoAttach", RootAttaching},
		{"the page that was asked for", upTo(Want{TargetID: "B"}, nil, targets(a, b)), "chosen B made=false root=false, Target.setAutoAttach", RootAttaching},
		{"which is not there", upTo(Want{TargetID: "X"}, nil, targets(a, b)), "fail invalid gone=true", RootFailed},
		{"or belongs to another task", upTo(Want{TargetID: "A"}, []messages.TargetID{"A"}, targets(a, b)), "fail invalid gone=true", RootFailed},
		{"attached by auto-attach", upTo(Want{}, nil, targets(a), PageAttached{t0}), "", RootDone},
		{"or by hand if that brings nothing", upTo(Want{}, nil, targets(a), auto), "Target.attachToTarget A", RootAttaching},
		{"or is refused", upTo(Want{}, nil, targets(a), refusedTo("Target.setAutoAttach")), "lacks popups, Target.attachToTarget A", RootAttaching},
		{"and when all is refused", upTo(Want{}, nil, targets(a), refusedTo("Target.setAutoAttach"), refusedTo("Target.attachToTarget")), "fail source gone=false", RootFailed},
		{"a page that closes meanwhile", upTo(Want{}, nil, targets(a), PageGone{t0}, auto), "", RootFailed},
		{"no second session once it is attached", upTo(Want{}, nil, targets(a), PageAttached{t0}, auto), "", RootDone},
		{"discovery may be refused", upTo(Want{}, nil, refusedTo("Target.setDiscoverTargets")), "lacks discovery", RootListing},
		{"nothing to list", upTo(Want{}, nil, refusedTo("Target.getTargets")), "fail not_cdp gone=false", RootFailed},
		{"nothing to open", upTo(Want{Own: true}, nil, targets(a), refusedTo("Target.createTarget")), "fail source gone=false", RootFailed},
		{"no browser", []RootInput{open(Want{}), refusedTo("Browser.getVersion")}, "fail not_cdp gone=false", RootFailed},
		{"an answer of another shape", []RootInput{open(Want{}), replied("Browser.getVersion", nil)}, "fail not_cdp gone=false", RootFailed},
		{"no answer at all", []RootInput{open(Want{}), RootTimer{t0, 1}}, "fail not_cdp gone=false", RootFailed},
		{"an old timer", []RootInput{open(Want{}), version, RootTimer{t0, 1}}, "", RootClaiming},
		{"no answer later", []RootInput{open(Want{}), version, RootTimer{t0, 2}}, "fail timeout gone=false", RootFailed},
		{"a page-level endpoint", []RootInput{SocketOpen{At: t0, PageLevel: true}, version}, "connected, Target.setDiscoverTargets, Target.getTargetInfo", RootListing},
		{"is its own page", []RootInput{SocketOpen{At: t0, PageLevel: true}, version, replied("Target.getTargetInfo", &messages.TargetInfoReply{Info: a})}, "chosen A made=false root=true", RootDone},
		{"also when it does not say which", []RootInput{SocketOpen{At: t0, PageLevel: true}, version, refusedTo("Target.getTargetInfo")}, "lacks target_info, chosen  made=false root=true", RootDone},
		{"or who it is", []RootInput{SocketOpen{At: t0, PageLevel: true}, refusedTo("Browser.getVersion")}, "connected, Target.setDiscoverTargets, Target.getTargetInfo", RootListing},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r Root
			var out []RootEffect
			for _, in := range tc.in {
				out = StepRoot(&r, in, nil)
			}
			if got := showRoot(out); got != tc.want || r.Phase() != tc.end {
				t.Errorf("got %q in %d\nwant %q in %d", got, r.Phase(), tc.want, tc.end)
			}
		})
	}
}
