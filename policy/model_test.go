package policy

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"cdpsupervisor/messages"

	"pgregory.net/rapid"
)

// The model is a browser with a few tabs that obeys Chromium's rules, and a
// slice of dialogs that a person would keep on paper. It knows nothing of
// phases, generations or timers.

// tab is one page: at most one dialog shows, a second one gets stuck.
type tab struct {
	session  messages.SessionID
	target   messages.TargetID
	frames   []messages.FrameID // the first is the main frame
	showing  *onPaper
	stuck    *onPaper
	queue    []Send // commands that the browser has not read yet
	poisoned bool
}

// onPaper is one dialog as a person would write it down.
type onPaper struct {
	id       messages.DialogID
	frame    messages.FrameID
	opened   time.Time
	answered bool // our command is on the wire
	stuck    bool
	tries    []try
	closed   *closing
	replaced bool
}

// try is a command of ours without a reply.
type try struct {
	gen    uint64
	accept bool
	by     messages.ClosedBy
}

type ending struct {
	id     messages.DialogID
	by     messages.ClosedBy
	reason messages.CloseReason
	result bool
}

type model struct {
	t       *rapid.T
	c       *checker
	policy  messages.Policy
	tabs    []*tab
	pending []*onPaper
	waiting []*onPaper // closed by the browser, and a command is without reply
	endings []ending
	opened  uint64
	made    int
}

// TestAgainstABrowserOnPaper: whatever happens in the browser, the machine
// shows what is open there and tells who closed the rest.
func TestAgainstABrowserOnPaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := rapid.SampledFrom([]messages.Policy{messages.PolicyMustRespond, messages.PolicyMustRespond, messages.PolicyAutoAccept, messages.PolicyAutoDismiss}).Draw(t, "policy")
		m := &model{t: t, policy: policy}
		m.c = newChecker(Config{Policy: policy, Timeout: 30 * time.Second}, t.Fatalf)
		for range 3 {
			m.tabs = append(m.tabs, m.newTab())
		}
		t.Repeat(map[string]func(*rapid.T){
			"":           m.compare,
			"open":       m.open,
			"agent":      m.agent,
			"browser":    m.browser,
			"other":      m.otherClient,
			"navigate":   m.navigate,
			"remove":     m.remove,
			"close":      m.closeTab,
			"time":       m.time,
			"disconnect": m.disconnect,
		})
		m.c.finish()
	})
}

func (m *model) newTab() *tab {
	m.made++
	t := &tab{session: messages.SessionID(fmt.Sprintf("P%d", m.made)), target: messages.TargetID(fmt.Sprintf("T%d", m.made))}
	for i := range 3 {
		t.frames = append(t.frames, messages.FrameID(fmt.Sprintf("T%dF%d", m.made, i)))
	}
	return t
}

func (m *model) anyTab(t *rapid.T) *tab { return rapid.SampledFrom(m.tabs).Draw(t, "tab") }

// feed steps the machine and puts its commands on the wire. Whoever acts says
// who the commands are by.
func (m *model) feed(in Input, by messages.ClosedBy) {
	for _, e := range m.c.feed(in) {
		s, ok := e.(Send)
		if !ok {
			continue
		}
		d := m.find(s.Dialog)
		tb := m.tabOf(s.Target)
		if d == nil || tb == nil || tb.poisoned || d.stuck {
			m.t.Fatalf("%s is answered: on paper it is %+v, in the tab %+v", s.Dialog, d, tb)
		}
		tb.queue = append(tb.queue, s)
		d.answered = true
		d.tries = append(d.tries, try{gen: s.Gen, accept: s.Accept, by: by})
	}
}

func (m *model) find(id messages.DialogID) *onPaper {
	for _, d := range slices.Concat(m.pending, m.waiting) {
		if d.id == id {
			return d
		}
	}
	return nil
}

func (m *model) tabOf(target messages.TargetID) *tab {
	for _, t := range m.tabs {
		if t.target == target {
			return t
		}
	}
	return nil
}

func (m *model) end(d *onPaper, by messages.ClosedBy, reason messages.CloseReason, result bool) {
	m.endings = append(m.endings, ending{d.id, by, reason, result})
	m.pending = slices.DeleteFunc(m.pending, func(o *onPaper) bool { return o == d })
	m.waiting = slices.DeleteFunc(m.waiting, func(o *onPaper) bool { return o == d })
}

// compare holds the paper against what the machine has published.
func (m *model) compare(t *rapid.T) {
	want, got := []string{}, []string{}
	for _, d := range m.pending {
		state := messages.DialogState("")
		switch {
		case d.stuck:
			state = messages.StateUnanswerable
		case d.answered:
			state = messages.StateAnswering
		}
		want = append(want, fmt.Sprintf("%s %q", d.id, state))
	}
	for _, d := range m.c.last.Pending {
		got = append(got, fmt.Sprintf("%s %q", d.ID, d.State))
	}
	if !slices.Equal(want, got) {
		t.Fatalf("open on paper %v, published %v", want, got)
	}
	want, got = want[:0], got[:0]
	for _, e := range m.endings[max(0, len(m.endings)-messages.MaxRecentDialogs):] {
		want = append(want, fmt.Sprintf("%s %s/%s %v", e.id, e.by, e.reason, e.result))
	}
	for _, r := range m.c.last.Recent {
		got = append(got, fmt.Sprintf("%s %s/%s %v", r.ID, r.ClosedBy, r.Reason, r.Result))
	}
	if !slices.Equal(want, got) {
		t.Fatalf("over on paper\n%v\npublished\n%v", want, got)
	}
}
