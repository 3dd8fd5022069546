package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"cdpsupervisor/backends"
	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// host is what a program is that embeds the engine.
type host struct {
	*registry.Registry
	system *actor.ActorSystem
	tasks  atomic.Int64
}

// newHost starts an engine that ends with the test.
func newHost(t *testing.T, opts ...registry.Option) *host {
	t.Helper()
	system := quietSystem()
	reg, err := registry.New(system, append([]registry.Option{registry.WithLogger(testLogger())}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := reg.Close(ctx); err != nil {
			t.Errorf("close the engine: %v", err)
		}
	})
	return &host{Registry: reg, system: system}
}

// quietSystem is an actor system that logs nothing, and whose count of dead
// letters has no goroutine that outlives a test.
func quietSystem() *actor.ActorSystem {
	return actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }),
		actor.WithDeadLetterThrottleInterval(time.Nanosecond),
	)
}

// testLogger shows the engine's log when E2E_LOG names a level.
func testLogger() zerolog.Logger {
	level, err := zerolog.ParseLevel(os.Getenv("E2E_LOG"))
	if err != nil || level == zerolog.NoLevel {
		return zerolog.Nop()
	}
	return zerolog.New(zerolog.ConsoleWriter{Out: os.Stderr, NoColor: true}).Level(level).With().Timestamp().Logger()
}

// end stops a task that may have been stopped already.
func (h *host) end(t *testing.T, id messages.TaskID) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.Stop(ctx, id); err != nil && !errors.Is(err, messages.ErrUnknownTask) && !errors.Is(err, messages.ErrRegistryClosed) {
		t.Errorf("stop %s: %v", id, err)
	}
}

// recording keeps what the task's wire carries in a trace of the folder that
// E2E_TRACE names, if it names one.
func recording(t *testing.T, id messages.TaskID) []registry.TaskOption {
	t.Helper()
	folder := os.Getenv("E2E_TRACE")
	if folder == "" {
		return nil
	}
	name := strings.NewReplacer("/", "-", " ", "_", ":", "").Replace(t.Name())
	trace, err := cdpwire.CreateTrace(filepath.Join(folder, fmt.Sprintf("%s.%s.jsonl", name, id)), cdpwire.TraceHeader{}, cdpwire.WallClock{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trace.Close() })
	return []registry.TaskOption{registry.WithTap(trace.Tap)}
}

// newID returns a task id that no other test of the host has.
func (h *host) newID() messages.TaskID {
	return messages.TaskID(fmt.Sprintf("task-%d", h.tasks.Add(1)))
}

// tab is one task as an agent sees it, with the site that its browser shows.
// Its methods fail the test when what they are for does not happen.
type tab struct {
	*site
	t    *testing.T
	host *host
	task *registry.Task
}

// tab starts a task with a tab of its own, unless the options say otherwise.
func (b *browser) tab(t *testing.T, h *host, opts ...registry.TaskOption) *tab {
	t.Helper()
	if len(opts) == 0 {
		opts = []registry.TaskOption{registry.WithOwnTab()}
	}
	return b.join(t, h, h.newID(), opts...)
}

// join starts a task under an id.
func (b *browser) join(t *testing.T, h *host, id messages.TaskID, opts ...registry.TaskOption) *tab {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	task, err := h.GetOrStart(ctx, id, backends.Static(b.endpoint), append(opts, recording(t, id)...)...)
	if err != nil {
		t.Fatalf("start %s: %v", id, err)
	}
	t.Cleanup(func() { h.end(t, id) })
	return &tab{site: b.site, t: t, host: h, task: task}
}

// context bounds one wait.
func (p *tab) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.t.Context(), patience)
}

// call runs a method as an agent does.
func (p *tab) call(req messages.CallRequest) (*messages.CallResult, error) {
	ctx, cancel := p.context()
	defer cancel()
	return p.task.Call(ctx, req)
}

// at says where to evaluate; the zero value means the page.
type at struct {
	frame       messages.FrameID
	target      messages.TargetID
	sameProcess bool
}

// evaluation is the request that evaluates an expression, as a person's touch.
func evaluation(where at, expression string) messages.CallRequest {
	text, _ := json.Marshal(expression) // a string always has a JSON form
	return messages.CallRequest{
		Method:  "Runtime.evaluate",
		Params:  fmt.Appendf(nil, `{"expression":%s,"returnByValue":true,"userGesture":true,"awaitPromise":true}`, text),
		FrameID: where.frame, TargetID: where.target, SameProcess: where.sameProcess,
	}
}

// try evaluates where the outcome is not certain.
func (p *tab) try(where at, expression string) (any, error) {
	p.t.Helper()
	result, err := p.call(evaluation(where, expression))
	if err != nil {
		return nil, err
	}
	return value(p.t, expression, result.Result), nil
}

// eval evaluates in the page and returns the value.
func (p *tab) eval(expression string) any {
	p.t.Helper()
	return p.evalIn(at{}, expression)
}

// evalIn evaluates somewhere in the task.
func (p *tab) evalIn(where at, expression string) any {
	p.t.Helper()
	v, err := p.try(where, expression)
	if err != nil {
		p.t.Fatalf("evaluate %s: %v\n%s", expression, err, p.state())
	}
	return v
}

// later has the page run what will block it.
func (p *tab) later(expression string) {
	p.t.Helper()
	p.laterIn(at{}, expression)
}

// laterIn does not mind when the dialog overtakes the reply on its way here.
func (p *tab) laterIn(where at, expression string) {
	p.t.Helper()
	if _, err := p.try(where, "later(() => "+expression+")"); err != nil && messages.CodeOf(err) != messages.CodeDialogOpened {
		p.t.Fatalf("have the page evaluate %s: %v\n%s", expression, err, p.state())
	}
}

// saw checks the last value that the page noted.
func (p *tab) saw(want any) {
	p.t.Helper()
	p.sawIn(at{}, want)
}

func (p *tab) sawIn(where at, want any) {
	p.t.Helper()
	if got := p.evalIn(where, `seen[seen.length - 1]`); got != want {
		p.t.Errorf("the page saw %#v, want %#v", got, want)
	}
}

// open navigates and waits until the page has loaded.
func (p *tab) open(url string) {
	p.t.Helper()
	ctx, cancel := p.context()
	defer cancel()
	if _, err := p.task.Navigate(ctx, url); err != nil {
		p.t.Fatalf("navigate to %s: %v\n%s", url, err, p.state())
	}
	p.eval(loaded)
}

// wait waits for a snapshot.
func (p *tab) wait(what string, holds func(*messages.Snapshot) bool) *messages.Snapshot {
	p.t.Helper()
	ctx, cancel := p.context()
	defer cancel()
	s, err := p.task.Wait(ctx, holds)
	if err != nil {
		p.t.Fatalf("waited for %s: %v\n%s", what, err, p.state())
	}
	return s
}

// state is the snapshot for messages of failed tests.
func (p *tab) state() string {
	text, err := json.Marshal(p.task.Snapshot())
	if err != nil {
		return err.Error()
	}
	return "snapshot: " + string(text)
}

// status waits until the snapshot shows a status; "" means that all is well.
func (p *tab) status(status messages.Status) *messages.SupervisorState {
	p.t.Helper()
	s := p.wait("status "+string(status), func(s *messages.Snapshot) bool {
		if status == "" {
			return s.Supervisor == nil && s.Ready
		}
		return s.Supervisor != nil && s.Supervisor.Status == status
	})
	return s.Supervisor
}

// dialog waits for the one dialog that is open.
func (p *tab) dialog() messages.Dialog {
	p.t.Helper()
	return p.dialogs(1)[0]
}

// dialogs waits until so many are open.
func (p *tab) dialogs(n int) []messages.Dialog {
	p.t.Helper()
	return p.wait(fmt.Sprintf("%d open dialogs", n), func(s *messages.Snapshot) bool {
		return len(s.PendingDialogs) == n
	}).PendingDialogs
}

// respond answers a dialog.
func (p *tab) respond(req messages.DialogRequest) (*messages.DialogResult, error) {
	ctx, cancel := p.context()
	defer cancel()
	return p.task.RespondDialog(ctx, req)
}

// accept accepts a dialog and returns its record.
func (p *tab) accept(d messages.Dialog) messages.DialogRecord {
	p.t.Helper()
	return p.answer(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID})
}

// dismiss dismisses a dialog and returns its record.
func (p *tab) dismiss(d messages.Dialog) messages.DialogRecord {
	p.t.Helper()
	return p.answer(messages.DialogRequest{Action: messages.ActionDismiss, DialogID: d.ID})
}

func (p *tab) answer(req messages.DialogRequest) messages.DialogRecord {
	p.t.Helper()
	result, err := p.respond(req)
	if err != nil {
		p.t.Fatalf("%s dialog %s: %v\n%s", req.Action, req.DialogID, err, p.state())
	}
	return result.Record
}

// record waits until a dialog is over and returns its record.
func (p *tab) record(id messages.DialogID) messages.DialogRecord {
	p.t.Helper()
	var found messages.DialogRecord
	p.wait("the record of "+string(id), func(s *messages.Snapshot) bool {
		for _, r := range s.RecentDialogs {
			if r.ID == id {
				found = r
				return true
			}
		}
		return false
	})
	return found
}

// refused checks that an error is a failure with a code, and returns it.
func refused(t *testing.T, err error, code messages.Code) *messages.Failure {
	t.Helper()
	if err == nil {
		t.Fatalf("it succeeded, want code %s", code)
	}
	f, ok := err.(*messages.Failure) //nolint:errorlint // the contract is the type itself
	if !ok || f.Code != code {
		t.Fatalf("code %q (%v), want %s", messages.CodeOf(err), err, code)
	}
	if strings.TrimSpace(f.Message) == "" {
		t.Errorf("code %s comes without a sentence", code)
	}
	return f
}
