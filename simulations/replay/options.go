package replay

import (
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/importers"
)

// Options say what is replayed and how.
type Options struct {
	// Path is the file; see [importers.Open] for what it may be.
	Path   string
	Format importers.Format
	// Speed is how many seconds of the trace pass in one real second; 0 means as
	// fast as it goes. Wall keeps the pace and is needed for it alone.
	Speed float64
	Wall  messages.Clock
	// Target is the page target to supervise; empty means the first one.
	Target messages.TargetID
	// Policy and DialogTimeout are the task's; empty and zero mean the defaults.
	Policy        messages.Policy
	DialogTimeout time.Duration
	// Scope says which pages are supervised; empty means the page and its popups.
	Scope messages.Scope
	// Answers are given as soon as their dialogs open.
	Answers []Answer
	// Published, when set, is called with each snapshot that is published, in
	// order.
	Published func(*messages.Snapshot)
	// Frames has the life of each frame followed, for a report.
	Frames bool
	// FullTree asks for the frame tree without caps.
	FullTree bool
	// Warn, when set, is told what in the file was passed over.
	Warn func(importers.Warning)
	// Log is where the engine logs; the zero value means nowhere.
	Log zerolog.Logger
}

// Answer is an answer to a dialog that has not opened yet.
type Answer struct {
	Dialog messages.DialogID
	Action messages.DialogAction
	Text   *string // for a prompt; nil means its default
}

// ParseAnswer reads "d-1=accept", "d-1=accept:text" or "d-1=dismiss". The text
// may be empty, and hold colons.
func ParseAnswer(text string) (Answer, error) {
	id, rest, ok := strings.Cut(text, "=")
	action, answer, typed := strings.Cut(rest, ":")
	a := Answer{Dialog: messages.DialogID(strings.TrimSpace(id)), Action: messages.DialogAction(strings.TrimSpace(action))}
	if typed {
		a.Text = &answer
	}
	switch {
	case !ok || a.Dialog == "" || !a.Action.Valid():
		return a, fmt.Errorf("%w: %q is no answer; write d-1=accept, d-1=accept:text or d-1=dismiss", messages.ErrInvalid, clip(text))
	case typed && a.Action == messages.ActionDismiss:
		return a, fmt.Errorf("%w: %q: a dialog that is dismissed takes no text", messages.ErrInvalid, clip(text))
	}
	return a, nil
}

func clip(s string) string {
	s, _ = messages.Cut(s, 80)
	return s
}

// check says what is wrong with the options.
func (o *Options) check() error {
	switch {
	case o.Policy != "" && !o.Policy.Valid():
		return fmt.Errorf("%w: dialog policy %q is none of must_respond, auto_dismiss, auto_accept", messages.ErrInvalid, clip(string(o.Policy)))
	case o.DialogTimeout < 0 || o.DialogTimeout > messages.MaxDialogTimeout:
		return fmt.Errorf("%w: dialog timeout %s is not in (0, %s]", messages.ErrInvalid, o.DialogTimeout, messages.MaxDialogTimeout)
	case !(o.Speed >= 0 && o.Speed <= 1e6):
		return fmt.Errorf("%w: speed %v is not in [0, 1000000]; 0 means as fast as it goes", messages.ErrInvalid, o.Speed)
	case o.Speed > 0 && o.Wall == nil:
		return fmt.Errorf("%w: a speed needs a clock to keep the pace", messages.ErrInvalid)
	}
	seen := make(map[messages.DialogID]bool)
	for _, a := range o.Answers {
		if seen[a.Dialog] {
			return fmt.Errorf("%w: two answers for dialog %s", messages.ErrInvalid, clip(string(a.Dialog)))
		}
		seen[a.Dialog] = true
	}
	return nil
}
