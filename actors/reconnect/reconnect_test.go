package reconnect

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"cdpsupervisor/messages"
)

var t0 = time.Unix(1_700_000_000, 0)

func lost(kind messages.DisconnectKind, after time.Duration) Lost {
	return Lost{At: t0.Add(after), Cause: messages.Cause{Kind: kind, Text: string(kind)}, Chance: 0.5}
}

func TestStories(t *testing.T) {
	up := []Input{Start{At: t0}, Opened{t0}}
	for _, tc := range []struct {
		name string
		in   []Input
		want string // the effects of the last input
		end  Phase
	}{
		{"first dial", []Input{Start{At: t0}}, "[{false}]", Dialing},
		{"start twice", []Input{Start{At: t0}, Start{At: t0}}, "[]", Dialing},
		{"first failure is final", []Input{Start{At: t0}, lost(messages.DisconnectRefused, 0)}, "[{failed refused}]", Over},
		{"again is retried", []Input{Start{At: t0, Again: true}, lost(messages.DisconnectRefused, 0)}, "[arm 1 250ms]", Waiting},
		{"lost is retried", append(up, lost(messages.DisconnectLost, 0)), "[arm 1 250ms]", Waiting},
		{"old timer", append(up, lost(messages.DisconnectLost, 0), Timer{t0, 0}), "[]", Waiting},
		{"timer dials", append(up, lost(messages.DisconnectLost, 0), Timer{t0, 1}), "[{false}]", Dialing},
		{"lost while waiting", append(up, lost(messages.DisconnectLost, 0), lost(messages.DisconnectLost, 0)), "[]", Waiting},
		{"doubles", append(up, lost(messages.DisconnectLost, 0), Timer{t0, 1}, lost(messages.DisconnectRefused, 0)), "[arm 2 500ms]", Waiting},
		{"refused a page at the start", append(up, Lost{At: t0, Cause: messages.Cause{Kind: messages.DisconnectSource}, Unused: true}), "[{failed source}]", Over},
		{"refused a page later", append(up, lost(messages.DisconnectSource, 0)), "[arm 1 250ms]", Waiting},
		{"rejection renews", append(up, lost(messages.DisconnectLost, 0), Timer{t0, 1}, lost(messages.DisconnectRejected, 0), Timer{t0, 2}), "[{true}]", Dialing},
		{"rejected twice expires", append(up, lost(messages.DisconnectRejected, 0), Timer{t0, 1}, lost(messages.DisconnectRejected, 0)), "[{expired rejected}]", Over},
		{"stable resets", append(up, lost(messages.DisconnectLost, 0), Timer{t0, 1}, Opened{t0}, lost(messages.DisconnectLost, messages.StableAfter)), "[arm 2 30.25s]", Waiting},
		{"unstable counts", append(up, lost(messages.DisconnectLost, 0), Timer{t0, 1}, Opened{t0}, lost(messages.DisconnectLost, messages.StableAfter-1)), "[arm 2 30.499999999s]", Waiting},
		{"stop is final", append(up, Stop{t0}, lost(messages.DisconnectLost, 0)), "[]", Over},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var s State
			var out []Effect
			for _, in := range tc.in {
				out = Step(&s, in, nil)
			}
			if got := show(out); got != tc.want || s.Phase() != tc.end {
				t.Errorf("effects %s in phase %d, want %s in %d", got, s.Phase(), tc.want, tc.end)
			}
		})
	}
}

func show(out []Effect) string {
	parts := []string{}
	for _, e := range out {
		switch e := e.(type) {
		case Arm:
			parts = append(parts, fmt.Sprintf("arm %d %s", e.Gen, e.At.Sub(t0)))
		case GiveUp:
			parts = append(parts, fmt.Sprintf("{%s %s}", e.Status, e.Cause.Kind))
		default:
			parts = append(parts, fmt.Sprint(e))
		}
	}
	return fmt.Sprint(parts)
}

// TestBudget: whatever the order of failures and successes, the machine gives
// up at the latest after the budget of unstable connections, never dials
// twice at once, and every wait is bounded.
func TestBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s State
		now, dialing, over := t0, false, false
		var armed uint64
		apply := func(in Input) {
			for _, e := range Step(&s, in, nil) {
				switch e := e.(type) {
				case Dial:
					if dialing || over {
						t.Fatalf("dials while dialing=%v over=%v", dialing, over)
					}
					dialing = true
				case Arm:
					armed = e.Gen
					if d := e.At.Sub(now); d < 0 || d > messages.ReconnectMax {
						t.Fatalf("waits %s", d)
					}
				case GiveUp:
					over = true
				}
			}
		}
		apply(Start{At: now})
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "pass")) * time.Second)
			switch rapid.IntRange(0, 3).Draw(t, "input") {
			case 0:
				apply(Opened{now})
			case 1:
				dialing = false
				kind := rapid.SampledFrom([]messages.DisconnectKind{
					messages.DisconnectLost, messages.DisconnectRefused, messages.DisconnectRejected,
				}).Draw(t, "kind")
				apply(Lost{At: now, Cause: messages.Cause{Kind: kind}, Chance: rapid.Float64Range(0, 0.999).Draw(t, "chance")})
			case 2:
				apply(Timer{now, armed})
			case 3:
				apply(Timer{now, armed + 1})
			}
			if !over && s.Failures() >= messages.ReconnectBudget {
				t.Fatalf("%d failures and not given up", s.Failures())
			}
		}
	})
}
