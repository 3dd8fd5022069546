package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// question is one dialog that a page opens.
type question struct {
	kind   messages.DialogType
	call   string // in the page
	action messages.DialogAction
	text   *string
	want   string // what the page then holds, as JSON
}

// questions are of each type that needs no navigation. The first is the one
// that the detection asks.
func questions() []question {
	answer := "an answer"
	return []question{
		{messages.DialogConfirm, `confirm("doctor: a confirm")`, messages.ActionAccept, nil, `{"got":true}`},
		{messages.DialogPrompt, `prompt("doctor: a prompt", "a default")`, messages.ActionAccept, &answer, `{"got":"an answer"}`},
		{messages.DialogAlert, `alert("doctor: an alert")`, messages.ActionDismiss, nil, `{}`},
	}
}

// ask has the page of a task open a dialog, and returns its id as soon as a
// snapshot shows it, open or over.
func (q question) ask(ctx context.Context, task *registry.Task) (messages.DialogID, error) {
	before := known(task.Snapshot())
	_, err := evaluate(ctx, task, messages.CallRequest{}, `delete globalThis.doctor; setTimeout(() => { globalThis.doctor = {got: `+q.call+`} }, 0); 0`)
	if err != nil && messages.CodeOf(err) != messages.CodeDialogOpened {
		return "", fmt.Errorf("have the page ask: %w", err)
	}
	var found messages.DialogID
	_, err = task.Wait(ctx, func(s *messages.Snapshot) bool {
		for id, kind := range known(s) {
			if _, old := before[id]; !old && kind == q.kind {
				found = id
			}
		}
		return found != ""
	})
	return found, err
}

// known are the dialogs that a snapshot shows.
func known(s *messages.Snapshot) map[messages.DialogID]messages.DialogType {
	all := make(map[messages.DialogID]messages.DialogType)
	for _, d := range s.PendingDialogs {
		all[d.ID] = d.Type
	}
	for _, r := range s.RecentDialogs {
		all[r.ID] = r.Type
	}
	return all
}

// answer answers a dialog, unless somebody else does, and returns its record.
func (q question) answer(ctx context.Context, task *registry.Task, id messages.DialogID) (messages.DialogRecord, error) {
	result, err := task.RespondDialog(ctx, messages.DialogRequest{Action: q.action, DialogID: id, PromptText: q.text})
	if err == nil {
		return result.Record, nil
	}
	if messages.CodeOf(err) != messages.CodeDialogClosed {
		return messages.DialogRecord{}, fmt.Errorf("answer the %s: %w", q.kind, err)
	}
	return record(ctx, task, id)
}

// record waits for a dialog's end.
func record(ctx context.Context, task *registry.Task, id messages.DialogID) (messages.DialogRecord, error) {
	var found messages.DialogRecord
	_, err := task.Wait(ctx, func(s *messages.Snapshot) bool {
		for _, r := range s.RecentDialogs {
			if r.ID == id {
				found = r
			}
		}
		return found.ID == id
	})
	return found, err
}

// took checks that the page got the answer that was given.
func (q question) took(ctx context.Context, task *registry.Task, r messages.DialogRecord) error {
	if r.ClosedBy != messages.ClosedByAgent {
		return fmt.Errorf("the %s was closed by %s after %.0f ms", q.kind, closer(r), openFor(r))
	}
	got, err := evaluate(ctx, task, messages.CallRequest{}, `JSON.stringify(globalThis.doctor ?? null)`)
	if err != nil {
		return fmt.Errorf("look at what the page got: %w", err)
	}
	if got != q.want {
		return fmt.Errorf("the %s was answered, but the page has %v, not %s", q.kind, got, q.want)
	}
	return nil
}

func closer(r messages.DialogRecord) string {
	if r.Reason == "" {
		return string(r.ClosedBy)
	}
	return fmt.Sprintf("%s (%s)", r.ClosedBy, r.Reason)
}

func openFor(r messages.DialogRecord) float64 { return float64(r.ClosedAt-r.OpenedAt) * 1000 }

// dialogDetection asks once and looks whether it is seen.
func dialogDetection(ctx context.Context, x *examination) (string, error) {
	id, err := questions()[0].ask(ctx, x.task)
	if err == nil {
		x.asked = &id
		return "a confirm in a background tab is seen", nil
	}
	if errors.Is(err, context.Canceled) {
		return "", err
	}
	return "", fmt.Errorf("no dialog was seen: %w; %s", err, x.unseen(ctx))
}

// unseen says what became of a dialog that was not seen.
func (x *examination) unseen(ctx context.Context) string {
	ctx, cancel := detached(ctx, min(x.cfg.Limits.Check, 3*time.Second))
	defer cancel()
	got, err := evaluate(ctx, x.task, messages.CallRequest{}, `JSON.stringify(globalThis.doctor ?? null)`)
	switch {
	case err != nil:
		return "the page does not answer, as if one were open"
	case got == "null":
		return "the page did not ask"
	}
	return fmt.Sprintf("the page got %v all the same, so that something answers dialogs unseen", got)
}

// dialogResponse answers one dialog of each type.
func dialogResponse(ctx context.Context, x *examination) (string, error) {
	if x.asked == nil {
		return "", untried("no dialog was seen")
	}
	id := *x.asked
	if err := x.leaveOpen(ctx, id); err != nil {
		return "", err
	}
	for i, q := range questions() {
		if i > 0 {
			var err error
			if id, err = q.ask(ctx, x.task); err != nil {
				return "", fmt.Errorf("a %s was not seen: %w", q.kind, err)
			}
		}
		r, err := q.answer(ctx, x.task, id)
		if err == nil {
			err = q.took(ctx, x.task, r)
		}
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("native: a confirm stays open for %s, alert, confirm and prompt are answered, and the page gets the answers", x.cfg.Limits.Leave), nil
}

// leaveOpen looks for a while whether somebody closes a dialog that nobody here
// answers: who thinks for a second would find it gone.
func (x *examination) leaveOpen(ctx context.Context, id messages.DialogID) error {
	cause := errors.New("it stayed open")
	looking, cancel := context.WithTimeoutCause(ctx, x.cfg.Limits.Leave, cause)
	defer cancel()
	_, err := record(looking, x.task, id)
	if errors.Is(err, cause) {
		return nil
	}
	return err
}

// dialogBridge tries the bridge on a tab of its own.
func dialogBridge(ctx context.Context, x *examination) (_ string, err error) {
	task, err := x.start(ctx, bridgedTask, append([]registry.TaskOption{registry.WithBridge(messages.BridgeOn)}, x.cfg.Bridge...)...)
	if err != nil {
		return "", fmt.Errorf("a tab for it: %w", err)
	}
	defer func() {
		ctx, cancel := detached(ctx, closeLimit)
		defer cancel()
		if stopping := x.registry.Stop(ctx, bridgedTask); stopping != nil && !errors.Is(stopping, messages.ErrUnknownTask) {
			err = errors.Join(err, fmt.Errorf("close its tab: %w", stopping))
		}
	}()
	if err := goTo(ctx, task, x.page(pagePlain, dataPlain)); err != nil {
		return "", err
	}
	q := questions()[0]
	for first := range bridgeTries {
		id, err := q.ask(ctx, task)
		if err != nil {
			return "", fmt.Errorf("no dialog came through it: %w%s", err, bridgeState(task))
		}
		r, err := q.answer(ctx, task, id)
		if err == nil && r.Via == messages.ViaNative {
			continue
		}
		if err == nil {
			err = q.took(ctx, task, r)
		}
		if err != nil {
			return "", err
		}
		text := fmt.Sprintf("proven over %s: a confirm was held and answered, and the page got the answer", r.Via)
		if first > 0 {
			text += fmt.Sprintf("; dialogs that came natively before: %d", first)
		}
		return text, nil
	}
	return "", fmt.Errorf("dialogs came natively and not through it%s", bridgeState(task))
}

// bridgeTries is how many dialogs are asked: one that goes past the bridge can
// make it take its other transport.
const bridgeTries = 3

// bridgeState is what the engine says of the bridge, if it says something.
func bridgeState(task *registry.Task) string {
	s := task.Snapshot().Supervisor
	if s == nil || s.Bridge == nil {
		return ""
	}
	return fmt.Sprintf(" (it is %s: %s)", s.Bridge.State, cmp.Or(s.Bridge.Reason, s.Reason))
}

// page is the address of a page: our server's where the browser reaches it.
func (x *examination) page(served, data string) string {
	if x.local {
		return x.site.url(firstHost, served)
	}
	return data
}
