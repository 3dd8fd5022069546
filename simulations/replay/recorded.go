package replay

import (
	"slices"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/jsonscan"
)

// Bounds of what is kept of replies.
const (
	maxReplyBytes   = 4 << 20  // of one
	maxRepliesBytes = 32 << 20 // of all
)

// key names what a recorded command and one of the engine's have in common.
type key struct{ session, method string }

// waiter is a command of the engine that waits for its answer.
type waiter struct {
	id      int64
	session string
}

// recorded is a command that the recording client sent, of a method that the
// engine sends, too, and what the browser answered.
type recorded struct {
	key
	sentAt    time.Duration
	repliedAt time.Duration
	replied   bool
	passed    bool   // the reply's place in the trace is behind us
	result    []byte // one of both, if the reply was kept
	failure   []byte
	used      bool
	waiter    *waiter
}

// replies are the recorded commands and their replies.
type replies struct {
	all   []*recorded
	open  map[int64][]*recorded // by id, until the reply comes
	at    map[int]*recorded     // by the place of the reply in the trace
	of    map[key][]*recorded
	bytes int
	named map[string]bool
}

func newReplies() *replies {
	r := &replies{open: map[int64][]*recorded{}, at: map[int]*recorded{}, named: map[string]bool{}}
	for _, c := range []messages.Command{
		messages.GetVersion{}, messages.CloseBrowser{}, messages.SetDiscoverTargets{}, messages.GetTargets{},
		messages.GetTargetInfo{}, messages.CreateTarget{}, messages.CloseTarget{}, messages.AttachToTarget{},
		messages.DetachFromTarget{}, messages.SetAutoAttach{}, messages.PageEnable{}, messages.PageDisable{},
		messages.RuntimeEnable{}, messages.RuntimeDisable{}, messages.RunIfWaiting{}, messages.GetFrameTree{},
		messages.Navigate{}, messages.ClosePage{}, messages.HandleDialog{}, messages.ReleaseObjects{}, messages.GetNavigationHistory{}, messages.EmulateFocus{},
		messages.FetchEnable{}, messages.FetchDisable{}, messages.AddScript{}, messages.RemoveScript{},
		messages.SetBypassCSP{}, messages.DebuggerEnable{}, messages.DebuggerDisable{}, messages.SetBlackbox{},
	} {
		r.named[c.Method()] = true
	}
	return r
}

// command takes a command of the recording client.
func (r *replies) command(m *jsonscan.Message, at time.Duration) {
	if !r.named[m.Method] || !m.HasID {
		return
	}
	c := &recorded{key: key{m.Session, m.Method}, sentAt: at}
	r.all = append(r.all, c)
	r.open[m.ID] = append(r.open[m.ID], c)
}

// reply takes a reply at its place in the trace. Ids alone say what it answers:
// some errors come without their session, and behind some proxies commands have
// none. Where an id is open twice, the session decides, and then the later one.
func (r *replies) reply(m *jsonscan.Message, place int, at time.Duration) {
	open := r.open[m.ID]
	if len(open) == 0 {
		return
	}
	i := len(open) - 1
	for j := i; j >= 0; j-- {
		if open[j].session == m.Session {
			i = j
			break
		}
	}
	c := open[i]
	if open = slices.Delete(open, i, i+1); len(open) == 0 {
		delete(r.open, m.ID)
	} else {
		r.open[m.ID] = open
	}
	if c.session == "" && m.Session != "" {
		c.session = m.Session
	}
	c.replied, c.repliedAt = true, at
	r.at[place] = c
	if size := len(m.Result) + len(m.Error); size <= maxReplyBytes && r.bytes+size <= maxRepliesBytes {
		r.bytes += size
		c.result, c.failure = slices.Clone(m.Result), slices.Clone(m.Error)
	}
}

// done sorts the commands, when the whole trace has been seen.
func (r *replies) done() {
	r.of = make(map[key][]*recorded)
	for _, c := range r.all {
		r.of[c.key] = append(r.of[c.key], c)
	}
	r.open = nil
}

// next returns the first command with the key that was not used yet and that
// fits.
func (r *replies) next(k key, fits func(*recorded) bool) *recorded {
	for _, c := range r.of[k] {
		if !c.used && (fits == nil || fits(c)) {
			return c
		}
	}
	return nil
}
