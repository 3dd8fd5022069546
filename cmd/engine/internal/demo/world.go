package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// world is what the steps act on: two browsers at most, one task.
type world struct {
	stage    stage
	registry *registry.Registry
	clock    messages.Clock
	stands   []*stand
	task     *registry.Task

	// shown is the piece of the snapshot that the step wants to be seen.
	shown map[string]any
}

const (
	taskID = messages.TaskID("demo")
	// lookAgain is how often something is looked at that no snapshot tells.
	lookAgain = 50 * time.Millisecond
)

// show has a piece of the snapshot printed with the step, under its key there.
func (w *world) show(key string, piece any) {
	if w.shown == nil {
		w.shown = map[string]any{}
	}
	w.shown[key] = piece
}

// at says where in the task to evaluate; the zero value means the page.
type at struct {
	frame       messages.FrameID
	target      messages.TargetID
	sameProcess bool
}

// call evaluates an expression and returns the whole answer.
func (w *world) call(ctx context.Context, where at, expression string) (*messages.CallResult, error) {
	params, err := json.Marshal(map[string]any{"expression": expression, "returnByValue": true, "userGesture": true})
	if err != nil {
		return nil, err
	}
	return w.task.Call(ctx, messages.CallRequest{
		Method: "Runtime.evaluate", Params: params,
		FrameID: where.frame, TargetID: where.target, SameProcess: where.sameProcess,
	})
}

// eval returns the value of an expression.
func (w *world) eval(ctx context.Context, where at, expression string) (any, error) {
	result, err := w.call(ctx, where, expression)
	if err != nil {
		return nil, fmt.Errorf("evaluate %s: %w", expression, err)
	}
	var reply struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := json.Unmarshal(result.Result, &reply); err != nil {
		return nil, fmt.Errorf("evaluate %s: the reply is not JSON: %w", expression, err)
	}
	if e := reply.ExceptionDetails; e != nil {
		return nil, fmt.Errorf("evaluate %s: %s %s", expression, e.Text, e.Exception.Description)
	}
	return reply.Result.Value, nil
}

// saw checks the last thing that a page saw.
func (w *world) saw(ctx context.Context, where at, expected any) error {
	found, err := w.eval(ctx, where, `seen[seen.length - 1]`)
	if err != nil {
		return err
	}
	var c checks
	c.equal("the page's own view", found, expected)
	return c.err()
}

// later has a page run what opens a dialog, outside of the evaluation. The
// dialog may be faster than the evaluation's reply, which is no failure.
func (w *world) later(ctx context.Context, where at, script string) error {
	_, err := w.eval(ctx, where, "later(function () { return "+script+" })")
	if messages.CodeOf(err) == messages.CodeDialogOpened {
		return nil
	}
	return err
}

// asks has a page open a dialog, and returns it when it is open.
func (w *world) asks(ctx context.Context, where at, script string) (messages.Dialog, error) {
	if err := w.later(ctx, where, script); err != nil {
		return messages.Dialog{}, err
	}
	return w.opened(ctx)
}

// opened waits for the one dialog that is open.
func (w *world) opened(ctx context.Context) (messages.Dialog, error) {
	s, err := w.wait(ctx, "a dialog to open", func(s *messages.Snapshot) bool { return len(s.PendingDialogs) == 1 })
	if err != nil {
		return messages.Dialog{}, err
	}
	return s.PendingDialogs[0], nil
}

// answer answers a dialog and shows its record.
func (w *world) answer(ctx context.Context, d messages.Dialog, action messages.DialogAction, text *string) (messages.DialogRecord, error) {
	result, err := w.task.RespondDialog(ctx, messages.DialogRequest{Action: action, DialogID: d.ID, PromptText: text})
	if err != nil {
		return messages.DialogRecord{}, fmt.Errorf("%s dialog %s: %w", action, d.ID, err)
	}
	w.show("recent_dialogs", []messages.DialogRecord{result.Record})
	return result.Record, nil
}

// ended waits until a dialog after the given one has ended, and shows its
// record.
func (w *world) ended(ctx context.Context, last messages.DialogID) (messages.DialogRecord, error) {
	s, err := w.wait(ctx, "the dialog to end", func(s *messages.Snapshot) bool {
		n := len(s.RecentDialogs)
		return n > 0 && s.RecentDialogs[n-1].ID != last
	})
	if err != nil {
		return messages.DialogRecord{}, err
	}
	record := s.RecentDialogs[len(s.RecentDialogs)-1]
	w.show("recent_dialogs", []messages.DialogRecord{record})
	return record, nil
}

// newest returns the id of the dialog that ended last, "" if none has.
func (w *world) newest() messages.DialogID {
	recent := w.task.Snapshot().RecentDialogs
	if len(recent) == 0 {
		return ""
	}
	return recent[len(recent)-1].ID
}

// wait waits for a snapshot.
func (w *world) wait(ctx context.Context, what string, holds func(*messages.Snapshot) bool) (*messages.Snapshot, error) {
	s, err := w.task.Wait(ctx, holds)
	if err != nil {
		return nil, fmt.Errorf("waited for %s, found %s: %w", what, compact(s), err)
	}
	return s, nil
}

// healthy waits until the page is ready and nothing is wrong.
func (w *world) healthy(ctx context.Context) (*messages.Snapshot, error) {
	return w.wait(ctx, "the page to be ready", func(s *messages.Snapshot) bool { return s.Ready && s.Supervisor == nil })
}

// status waits until the snapshot shows a state, and shows it.
func (w *world) status(ctx context.Context, status messages.Status) error {
	s, err := w.wait(ctx, "status "+string(status), func(s *messages.Snapshot) bool {
		return s.Supervisor != nil && s.Supervisor.Status == status
	})
	if err == nil {
		w.show("supervisor", s.Supervisor)
	}
	return err
}

// frame waits until the task tracks a loaded frame whose URL is the given one.
func (w *world) frame(ctx context.Context, location string) (messages.FrameEntry, error) {
	var found messages.FrameEntry
	err := w.poll(ctx, func() error {
		tree, err := w.task.Frames(ctx, "")
		if err != nil {
			return fmt.Errorf("the frame tree: %w", err)
		}
		for _, f := range tree.Children {
			if f.URL == location && f.State == "" {
				found = f
				return w.loaded(ctx, at{frame: f.FrameID, sameProcess: f.OOPIF == nil || !*f.OOPIF}, location)
			}
		}
		return fmt.Errorf("expected the frame %s, found %s", location, compact(tree))
	})
	return found, err
}

// loaded is nil when a document with the URL has run its first script there.
func (w *world) loaded(ctx context.Context, where at, location string) error {
	found, err := w.eval(ctx, where, `location.href + (typeof seen === "object" ? "" : " is loading")`)
	if err != nil {
		return err
	}
	var c checks
	c.equal("the document", found, location)
	return c.err()
}

// poll tries again and again what no snapshot announces, until it succeeds.
func (w *world) poll(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		soon, cancel := context.WithTimeout(ctx, lookAgain)
		_, _ = w.task.Wait(soon, func(*messages.Snapshot) bool { return false })
		cancel()
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// refusal returns the failure that a call was expected to end with.
func refusal(err error, code messages.Code) (*messages.Failure, error) {
	if err == nil {
		return nil, fmt.Errorf("expected the code %s, found success", code)
	}
	f, ok := errors.AsType[*messages.Failure](err)
	if !ok || f.Code != code {
		return nil, fmt.Errorf("expected the code %s, found %q: %w", code, messages.CodeOf(err), err)
	}
	return f, nil
}

// open navigates to where a step starts, whatever the step before it left.
func (w *world) open(ctx context.Context, location string) error {
	if err := w.clear(ctx); err != nil {
		return err
	}
	before := w.task.Snapshot().Page.LoaderID
	_, err := w.task.Navigate(ctx, location)
	if messages.CodeOf(err) == messages.CodeDialogOpened { // the old page asks whether to leave
		if err := w.clear(ctx); err != nil {
			return err
		}
		// It may have the same address as the new one.
		if _, err := w.wait(ctx, "the new document", func(s *messages.Snapshot) bool { return s.Page.LoaderID != before }); err != nil {
			return err
		}
	} else if err != nil {
		return fmt.Errorf("open %s: %w", location, err)
	}
	return w.poll(ctx, func() error { return w.loaded(ctx, at{}, location) })
}

// clear answers what is open, so that a step that failed harms no other.
func (w *world) clear(ctx context.Context) error {
	for _, d := range w.task.Snapshot().PendingDialogs {
		if _, err := w.task.RespondDialog(ctx, messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID}); err != nil {
			return fmt.Errorf("clear dialog %s: %w", d.ID, err)
		}
	}
	return nil
}
