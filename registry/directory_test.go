package registry

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cdpsupervisor/messages"
)

func req(identity string, who asker) request {
	o, _ := taskOptions(nil)
	return request{identity: identity, options: o.options, waiters: []asker{who}}
}

// say runs the steps and tells the effects of the last one.
func say(d *directory, steps ...func(*directory)) string {
	var last []string
	for _, step := range steps {
		last = nil
		step(d)
		for _, e := range d.take() {
			switch e := e.(type) {
			case spawn:
				last = append(last, fmt.Sprintf("spawn %s#%d on %s", e.task, e.life, e.request.identity))
			case tellStop:
				last = append(last, "stop "+string(e.task))
			case answer:
				last = append(last, fmt.Sprintf("%d←%s", e.to, resultName(e.result)))
			case tellGrant:
				last = append(last, fmt.Sprintf("grant %s %v", e.task, e.taken))
			case tellTaken:
				last = append(last, fmt.Sprintf("taken %s %s", e.page, e.task))
			case tellPolicy:
				last = append(last, "policy "+string(e.options.Policy))
			case forceStop:
				last = append(last, "force "+string(e.task))
			case finish:
				last = append(last, "finish")
			case arm, forget:
			}
		}
	}
	return strings.Join(last, ", ")
}

func resultName(r messages.Result) string {
	if f, ok := r.(*messages.Failure); ok {
		return string(f.Code)
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", r), "*messages.")
}

func get(who asker, identity string) func(*directory) {
	return func(d *directory) { d.getOrStart("t", req(identity, who)) }
}
func stopIt(who asker) func(*directory) {
	return func(d *directory) { d.stopTask("t", "test", who) }
}
func readyIt(life uint64) func(*directory) { return func(d *directory) { d.ready("t", life) } }
func goneIt(life uint64) func(*directory)  { return func(d *directory) { d.gone("t", life) } }
func endedIt(life uint64) func(*directory) {
	return func(d *directory) { d.ended("t", life, messages.Fail(messages.CodeConnectionLost, "refused")) }
}

func TestDirectory(t *testing.T) {
	other := func(who asker) func(*directory) {
		return func(d *directory) {
			r := req("A", who)
			r.options.OwnTab = true
			d.getOrStart("t", r)
		}
	}
	policy := func(who asker) func(*directory) {
		return func(d *directory) {
			r := req("A", who)
			r.options.Policy = messages.PolicyAutoAccept
			d.getOrStart("t", r)
		}
	}
	for _, tc := range []struct {
		name  string
		steps []func(*directory)
		want  string
	}{
		{"start", steps(get(1, "A")), "spawn t#1 on A"},
		{"single flight", steps(get(1, "A"), get(2, "A")), ""},
		{"both are answered", steps(get(1, "A"), get(2, "A"), readyIt(1)), "1←TaskStarted, 2←TaskStarted"},
		{"idempotent", steps(get(1, "A"), readyIt(1), get(2, "A")), "2←TaskStarted"},
		{"other option", steps(get(1, "A"), readyIt(1), other(2)), "2←invalid_argument"},
		{"other policy", steps(get(1, "A"), readyIt(1), policy(2)), "policy auto_accept, 2←TaskStarted"},
		{"failed start", steps(get(1, "A"), endedIt(1), goneIt(1)), "1←connection_lost"},
		{"again after a failed start", steps(get(1, "A"), endedIt(1), goneIt(1), get(2, "A")), "spawn t#2 on A"},
		{"rebind stops first", steps(get(1, "A"), readyIt(1), get(2, "B")), "stop t"},
		{"rebind starts then", steps(get(1, "A"), readyIt(1), get(2, "B"), goneIt(1)), "spawn t#2 on B"},
		{"rebind during start", steps(get(1, "A"), get(2, "B")), "1←stopped, stop t"},
		{"rebind of a rebind", steps(get(1, "A"), readyIt(1), get(2, "B"), get(3, "C")), "2←stopped"},
		{"two want the same rebind", steps(get(1, "A"), readyIt(1), get(2, "B"), get(3, "B"), goneIt(1), readyIt(2)), "2←TaskStarted, 3←TaskStarted"},
		{"stop wins over a start", steps(get(1, "A"), stopIt(2)), "1←stopped, stop t"},
		{"stop is answered when it is done", steps(get(1, "A"), stopIt(2), goneIt(1)), "2←TaskEnded"},
		{"stop wins over a rebind", steps(get(1, "A"), readyIt(1), get(2, "B"), stopIt(3)), "2←stopped"},
		{"and nothing starts", steps(get(1, "A"), readyIt(1), get(2, "B"), stopIt(3), goneIt(1)), "3←TaskEnded"},
		{"a start after a stop waits for it", steps(get(1, "A"), readyIt(1), stopIt(2), get(3, "A")), ""},
		{"and then begins", steps(get(1, "A"), readyIt(1), stopIt(2), get(3, "A"), goneIt(1)), "2←TaskEnded, spawn t#2 on A"},
		{"stop of nothing", steps(stopIt(1)), "1←no_supervisor"},
		{"a late ready of an old life", steps(get(1, "A"), stopIt(2), goneIt(1), get(3, "A"), readyIt(1)), ""},
		{"a task that ended by itself is kept", steps(get(1, "A"), readyIt(1), endedIt(1), goneIt(1)), ""},
		{"until it is stopped", steps(get(1, "A"), readyIt(1), endedIt(1), goneIt(1), stopIt(2)), "2←TaskEnded"},
		{"one that has failed is not joined", steps(get(1, "A"), readyIt(1), endedIt(1), get(2, "A")), "stop t"},
		{"but followed by another", steps(get(1, "A"), readyIt(1), endedIt(1), get(2, "A"), goneIt(1)), "spawn t#2 on A"},
		{"also one that has failed to start", steps(get(1, "A"), endedIt(1), get(2, "A")), "1←connection_lost, stop t"},
		{"whatever it says yet", steps(get(1, "A"), endedIt(1), get(2, "A"), readyIt(1), goneIt(1)), "spawn t#2 on A"},
		{"close stops all", steps(get(1, "A"), func(d *directory) { d.close(9) }), "1←stopped, stop t"},
		{"close ends when they are gone", steps(get(1, "A"), func(d *directory) { d.close(9) }, goneIt(1)), "9←RegistryClosed, finish"},
		{"nothing starts after close", steps(func(d *directory) { d.close(9) }, get(1, "A")), "1←stopped"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := say(newDirectory(), tc.steps...); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func steps(s ...func(*directory)) []func(*directory) { return s }

func TestStopBudget(t *testing.T) {
	for _, tc := range []struct {
		name   string
		closes bool // while the stop is late
		want   string
	}{
		{"a close is told", true, "[task t: supervisor]"},
		{"a later one is not", false, "[]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDirectory()
			say(d, get(1, "A"), readyIt(1), stopIt(2))
			late := func(d *directory) {
				d.timer(messages.RegistryTimer{Task: "t", Life: 1, Kind: messages.RegistryTimerStop})
			}
			if got := say(d, late); got != "force t" {
				t.Errorf("after its time the stop does %q", got)
			}
			if got := say(d, late); got != "" {
				t.Errorf("a second timer does %q", got)
			}
			shut := func(d *directory) { d.close(3) }
			if tc.closes {
				say(d, shut)
			}
			if got := say(d, goneIt(1)); !strings.HasPrefix(got, "2←stopped") {
				t.Errorf("who asked for the stop is told %q", got)
			}
			if !tc.closes {
				say(d, shut)
			}
			if got := fmt.Sprint(d.late); got != tc.want {
				t.Errorf("the report names %s", got)
			}
		})
	}
}

// TestClaims: one task at a time chooses a page of an endpoint, and none sees
// the page of another as free.
func TestClaims(t *testing.T) {
	start := func(id messages.TaskID, who asker) func(*directory) {
		return func(d *directory) { d.getOrStart(id, req("A", who)) }
	}
	d := newDirectory()
	say(d, start("a", 1), start("b", 2), start("c", 3))
	if got := say(d, func(d *directory) { d.claimPage("a", 1, 1) }); got != "grant a []" {
		t.Fatalf("first claim: %q", got)
	}
	if got := say(d, func(d *directory) { d.claimPage("b", 2, 1) }, func(d *directory) { d.claimPage("c", 3, 1) }); got != "" {
		t.Fatalf("while a chooses, others get %q", got)
	}
	if got := say(d, func(d *directory) { d.pageClaimed(&messages.PageClaimed{Task: "a", Life: 1, Page: "P1"}) }); got != "grant b [P1]" {
		t.Fatalf("after a chose: %q", got)
	}
	// b is late: its claim ends, c is next.
	if got := say(d, func(d *directory) {
		d.timer(messages.RegistryTimer{Task: "b", Life: 2, Gen: 2, Kind: messages.RegistryTimerClaim})
	}); got != "grant c [P1]" {
		t.Fatalf("after b was late: %q", got)
	}
	// a stops: its page is free.
	say(d, func(d *directory) { d.stopTask("a", "", 4) }, func(d *directory) { d.gone("a", 1) })
	if got := say(d, func(d *directory) { d.pageClaimed(&messages.PageClaimed{Task: "c", Life: 3, Page: "P1"}) },
		func(d *directory) { d.claimPage("b", 2, 2) }); got != "grant b [P1]" {
		t.Fatalf("after c took the page of a: %q", got)
	}
}

// TestEveryAskerIsAnsweredOnce: whatever happens in whatever order, everybody
// who asked is answered exactly once when all is over, and at most one
// supervisor lives per task.
func TestEveryAskerIsAnsweredOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDirectory()
		answered := make(map[asker]int)
		alive := make(map[messages.TaskID]uint64)
		var who asker
		run := func() {
			for _, e := range d.take() {
				switch e := e.(type) {
				case spawn:
					if alive[e.task] != 0 {
						t.Fatalf("%s is spawned while life %d is there", e.task, alive[e.task])
					}
					alive[e.task] = e.life
				case answer:
					answered[e.to]++
				}
			}
		}
		gone := func(id messages.TaskID) {
			life := alive[id]
			delete(alive, id)
			d.gone(id, life)
			run()
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			id := rapid.SampledFrom([]messages.TaskID{"a", "b"}).Draw(t, "task")
			switch rapid.IntRange(0, 6).Draw(t, "what") {
			case 0, 1:
				who++
				d.getOrStart(id, req(rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "endpoint"), who))
			case 2:
				who++
				d.stopTask(id, "", who)
			case 3:
				d.ready(id, alive[id])
			case 4:
				d.ended(id, alive[id], messages.Fail(messages.CodeConnectionLost, "x"))
			case 5:
				if alive[id] != 0 {
					gone(id)
				}
			case 6:
				d.timer(messages.RegistryTimer{Task: id, Life: alive[id], Kind: rapid.SampledFrom([]messages.RegistryTimerKind{
					messages.RegistryTimerStart, messages.RegistryTimerStop,
				}).Draw(t, "timer")})
			}
			run()
		}
		who++
		d.close(who)
		run()
		for len(alive) > 0 {
			for id := range alive {
				gone(id)
			}
		}
		for a := asker(1); a <= who; a++ {
			if answered[a] != 1 {
				t.Fatalf("asker %d of %d was answered %d times", a, who, answered[a])
			}
		}
	})
}

// TestOnePage: two endpoints lead to one page where both say so, or where its id
// says it.
func TestOnePage(t *testing.T) {
	const chance = "27A3F9DC3147F9F9C27FCF713850FDF2"
	for _, tc := range []struct {
		page, a, b string
		want       bool
	}{
		{"T1", "x", "x", true},
		{chance, "x", "y", false},
		{chance, "", "x", true},
		{chance, "x", "", true},
		{"T1", "", "x", false},
		{"T1", "", "", false},
	} {
		if got := onePage(messages.TargetID(tc.page), tc.a, tc.b); got != tc.want {
			t.Errorf("page %s of %q and %q: %t", tc.page, tc.a, tc.b, got)
		}
	}
}

// TestTakenIsNotStarted: a task whose page is another's has not started, also if it
// says so before it hears of that.
func TestTakenIsNotStarted(t *testing.T) {
	claimed := func(id messages.TaskID, life uint64, page messages.TargetID) func(*directory) {
		return func(d *directory) {
			d.pageClaimed(&messages.PageClaimed{Task: id, Life: life, Page: page, Browser: "x"})
		}
	}
	d := newDirectory()
	say(d, func(d *directory) { d.getOrStart("owner", req("A", 1)) }, claimed("owner", 1, "T1"), get(2, "B"))
	if got := say(d, claimed("t", 2, "T1")); got != "taken T1 t" {
		t.Errorf("the second claim: %q", got)
	}
	if got := say(d, readyIt(2)); got != "" {
		t.Errorf("ready on the page of another: %q", got)
	}
	if got := say(d, claimed("t", 2, "T2"), readyIt(2)); got != "2←TaskStarted" {
		t.Errorf("ready on a page of its own: %q", got)
	}
}
