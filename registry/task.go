package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors"
	"cdpsupervisor/messages"
	"cdpsupervisor/pageurl"
)

// Task is a running browser task. It is safe for use by many goroutines. Its
// methods return a [*messages.Failure] as their error, with a code, or the
// error of the caller's context.
type Task struct {
	registry *Registry
	record   *actors.Record
	pid      *actor.PID
}

// ID is the task's id.
func (t *Task) ID() messages.TaskID { return t.record.ID }

// PID is the task's supervisor, for hosts that speak actor: it takes pointers to
// the [messages.Ask] types, such as *[messages.CallRequest], and answers the
// sender. A value, or a message that it does not know, is answered with a
// [*messages.Failure].
//
// What is asked here goes past [WithGuard], which runs in the methods of Task. A
// host that wants its guard asks it itself: *[messages.ResolveRequest] tells the
// URL and the document that a call would reach, and ExpectLoader of
// [messages.CallRequest] refuses the call when the frame shows another by then.
func (t *Task) PID() *actor.PID { return t.pid }

// Options are the options that the task was started with.
func (t *Task) Options() messages.TaskOptions { return t.record.Options }

// Snapshot returns the newest snapshot. It never blocks and is never nil.
func (t *Task) Snapshot() *messages.Snapshot { return t.record.Published.Load() }

// Wait blocks until the predicate holds for a published snapshot, which it
// returns. It ends with the newest snapshot and an error when the context ends,
// and when the task is over without the predicate having held: then the error
// wraps [messages.ErrTaskStopped], or [messages.ErrTaskFailed] with the reason.
// The predicate must not block.
func (t *Task) Wait(ctx context.Context, holds func(*messages.Snapshot) bool) (*messages.Snapshot, error) {
	for {
		changed := t.record.Published.Changed()
		s := t.record.Published.Load()
		if holds(s) {
			return s, nil
		}
		if s.Supervisor != nil && s.Supervisor.Status.Final() {
			return s, endOf(s)
		}
		select {
		case <-ctx.Done():
			return t.Snapshot(), context.Cause(ctx)
		case <-changed:
		}
	}
}

// Call runs one CDP method in the task; see [messages.CallRequest]. It returns
// at once when a dialog keeps the browser from answering. A call is sent at
// most once.
func (t *Task) Call(ctx context.Context, req messages.CallRequest) (*messages.CallResult, error) {
	if req.Timeout < 0 || req.Timeout > messages.MaxCallTimeout || req.Timeout > 0 && req.Timeout < messages.MinCallTimeout {
		return nil, messages.Fail(messages.CodeInvalidArgument, "timeout %s is not in [%s, %s]",
			req.Timeout, messages.MinCallTimeout, messages.MaxCallTimeout).Because(messages.ErrInvalid)
	}
	switch guard := t.registry.guard; {
	case guard == nil, messages.Class(req.Method).Root:
	case messages.Class(req.Method).Rewrite == messages.RewriteAnswer:
		req.Accept = t.acceptable(guard, req.Accept)
	default:
		if err := t.guardCall(ctx, guard, &req); err != nil {
			return nil, err
		}
	}
	return ask[*messages.CallResult](ctx, t, &req)
}

// guardCall asks the guard for the document that a call would reach, and holds
// the call to it.
func (t *Task) guardCall(ctx context.Context, guard func(string) error, req *messages.CallRequest) error {
	if req.Timeout == 0 {
		req.Timeout = messages.DefaultCallTimeout
	}
	began := t.registry.env.Clock.Now()
	at, err := ask[*messages.ResolveResult](ctx, t, &messages.ResolveRequest{
		FrameID: req.FrameID, TargetID: req.TargetID, Session: req.Session, Timeout: req.Timeout,
	})
	if err != nil {
		return err
	}
	if at.URL == "" && !messages.Class(req.Method).Cancels { // what leads away needs no leave
		return messages.Fail(messages.CodeDenied, "the host's guard cannot be asked: what the frame shows is not known yet; try again in a moment")
	}
	// To wait for the connection was a part of the call.
	req.Timeout = max(req.Timeout-t.registry.env.Clock.Now().Sub(began), time.Millisecond)
	if err := guarded(guard, at.URL); err != nil {
		return err
	}
	if req.ExpectLoader = at.LoaderID; at.LoaderID == "" {
		req.ExpectURL = at.URL
	}
	return nil
}

// RespondDialog answers a dialog; see [messages.DialogRequest]. It returns
// when the dialog is over, after 10 s at the most.
func (t *Task) RespondDialog(ctx context.Context, req messages.DialogRequest) (*messages.DialogResult, error) {
	// Dismissing is always allowed: it is what keeps a denied page from
	// holding the tab.
	if guard := t.registry.guard; guard != nil && req.Action != messages.ActionDismiss {
		if d, ok := pickDialog(t.Snapshot(), req.DialogID); ok {
			if err := guarded(guard, d.URL); err != nil {
				return nil, err
			}
			req.DialogID = d.ID
		}
		req.Accept = t.acceptable(guard, req.Accept)
	}
	return ask[*messages.DialogResult](ctx, t, &req)
}

// Navigate takes the task's page to a URL and returns when the browser has
// committed the navigation, or when something stands in its way. What no browser
// shows as a page, such as a script or a URL without a scheme, is refused.
func (t *Task) Navigate(ctx context.Context, url string) (*messages.NavigateResult, error) {
	if guard := t.registry.guard; guard != nil {
		if f := actors.CheckNavigate(url); f != nil {
			return nil, f
		}
		read, err := pageurl.Canonical(url) // that is what the browser opens
		if err != nil {
			return nil, messages.Fail(messages.CodeInvalidArgument, "the URL cannot be shown to the host's guard: %v", err)
		}
		if err := guarded(guard, read); err != nil {
			return nil, err
		}
		url = read
	}
	return ask[*messages.NavigateResult](ctx, t, &messages.NavigateRequest{URL: url})
}

// Focus makes another page target the task's page.
func (t *Task) Focus(ctx context.Context, target messages.TargetID) error {
	_, err := ask[*messages.FocusResult](ctx, t, &messages.FocusRequest{TargetID: target})
	return err
}

// SetPolicy changes the dialog policy, also for dialogs that are open. A zero
// timeout leaves the watchdog's time as it is.
func (t *Task) SetPolicy(ctx context.Context, p messages.Policy, timeout time.Duration) error {
	_, err := ask[*messages.PolicyResult](ctx, t, &messages.PolicyRequest{Policy: p, Timeout: timeout})
	return err
}

// Frames returns the frame tree of a page without the caps of the snapshot;
// an empty target means the task's page.
func (t *Task) Frames(ctx context.Context, target messages.TargetID) (*messages.FrameTree, error) {
	r, err := ask[*messages.FramesResult](ctx, t, &messages.FramesRequest{TargetID: target})
	if err != nil {
		return nil, err
	}
	return r.Tree, nil
}

// endOf is the error of a task that is over, by its last snapshot.
func endOf(last *messages.Snapshot) *messages.Failure {
	if hasFailed(last) {
		return messages.Fail(messages.CodeStopped, "the task has failed: %s", last.Supervisor.Reason).Because(messages.ErrTaskFailed)
	}
	return stoppedFailure(actors.GoneText)
}

func hasFailed(s *messages.Snapshot) bool {
	return s.Supervisor != nil && s.Supervisor.Status.Final() && s.Supervisor.Status != messages.StatusStopped
}

func ask[R messages.Result](ctx context.Context, t *Task, req messages.Ask) (R, error) {
	var none R
	res, err := actors.Ask(ctx, t.registry.system, t.pid, req)
	if err != nil {
		if s := t.Snapshot(); errors.Is(err, messages.ErrTaskStopped) && hasFailed(s) {
			return none, endOf(s)
		}
		return none, err
	}
	r, ok := res.(R)
	if !ok {
		return none, fmt.Errorf("the supervisor answered %T with a %T", req, res)
	}
	return r, nil
}

// guarded asks the guard for a URL, in each way to read it.
func guarded(guard func(string) error, url string) (err error) {
	defer func() {
		// A guard that panics denies: it fails closed.
		if r := recover(); r != nil {
			err = messages.Fail(messages.CodeDenied, "the host's guard failed: %v", r)
		}
	}()
	for _, reading := range pageurl.Readings(url) {
		if e := guard(reading); e != nil {
			return messages.Fail(messages.CodeDenied, "the host's guard denies this page: %v", e)
		}
	}
	return nil
}

// acceptable lists the open dialogs whose pages the guard allows, of those that
// the caller does, if it says so.
func (t *Task) acceptable(guard func(string) error, by []messages.DialogID) []messages.DialogID {
	allowed := []messages.DialogID{}
	for _, d := range t.Snapshot().PendingDialogs {
		if (by == nil || slices.Contains(by, d.ID)) && guarded(guard, d.URL) == nil {
			allowed = append(allowed, d.ID)
		}
	}
	return allowed
}

func pickDialog(s *messages.Snapshot, id messages.DialogID) (messages.Dialog, bool) {
	for _, d := range s.PendingDialogs {
		if d.ID == id || id == "" && len(s.PendingDialogs) == 1 {
			return d, true
		}
	}
	return messages.Dialog{}, false
}
