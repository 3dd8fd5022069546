package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// The tasks. The first has native dialogs, the second the bridge.
const (
	nativeTask  = messages.TaskID("doctor")
	bridgedTask = messages.TaskID("doctor-bridge")
)

// examination is one run, and what the checks leave for each other.
type examination struct {
	cfg      Config
	source   *sharedLease
	way      *way
	registry *registry.Registry
	site     *site
	siteErr  error // why there is no site

	refused error          // the source gave no lease
	started error          // there was a connection, and yet no task
	task    *registry.Task // nil without a connection
	tab     bool           // the task has a tab of its own that answers
	local   bool           // the browser reaches the site
	tabs    []messages.TargetID
	opened  bool // a popup was opened, and may be there

	browser string
	asked   *messages.DialogID   // of the dialog that was seen
	cross   *messages.FrameEntry // a frame of another site
	took    time.Duration        // of a check that measures by itself
}

// begin makes what the checks work with.
func (x *examination) begin(ctx context.Context) (err error) {
	if x.registry, err = x.cfg.NewRegistry(registry.WithDial(x.way.dial(x.cfg.Clock))); err != nil {
		return err
	}
	x.site, x.siteErr = newSite(ctx)
	return nil
}

// start starts a task on a background tab of its own.
func (x *examination) start(ctx context.Context, id messages.TaskID, opts ...registry.TaskOption) (*registry.Task, error) {
	task, err := x.registry.GetOrStart(ctx, id, x.source, append([]registry.TaskOption{
		registry.WithOwnTab(),
		registry.WithPolicy(messages.PolicyMustRespond),
		registry.WithOnStop(messages.OnStopLeave), // a dialog that is not ours stays; those in our tabs end with them
	}, opts...)...)
	if err != nil {
		return nil, err
	}
	if !x.way.onePage() {
		x.tabs = append(x.tabs, task.Snapshot().PageTargetID)
	}
	return task, nil
}

// evaluate runs an expression and returns its value. The zero request means the
// task's page.
func evaluate(ctx context.Context, task *registry.Task, at messages.CallRequest, expression string) (any, error) {
	at.Method = "Runtime.evaluate"
	var err error
	at.Params, err = json.Marshal(struct {
		Expression    string `json:"expression"`
		ReturnByValue bool   `json:"returnByValue"`
		UserGesture   bool   `json:"userGesture"`
	}{expression, true, true})
	if err != nil {
		return nil, fmt.Errorf("write the expression: %w", err)
	}
	result, err := task.Call(ctx, at)
	if err != nil {
		return nil, err
	}
	var reply struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		ExceptionDetails *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(result.Result, &reply); err != nil {
		return nil, fmt.Errorf("the reply to Runtime.evaluate: %w", err)
	}
	if e := reply.ExceptionDetails; e != nil {
		return nil, fmt.Errorf("the page threw: %s %s", e.Text, e.Exception.Description)
	}
	return reply.Result.Value, nil
}

// detached is for what must be done although the time of ctx may be over.
func detached(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithoutCancel(ctx), limit, fmt.Errorf("no end within %s", limit))
}

// until looks again and again, a little apart, until something holds.
func (x *examination) until(ctx context.Context, holds func() (bool, error)) error {
	for {
		ok, err := holds()
		if ok || err != nil {
			return err
		}
		passed := make(chan struct{})
		timer := x.cfg.Clock.AfterFunc(20*time.Millisecond, func() { close(passed) })
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-passed:
		}
	}
}

// target is what Target.getTargets says of one.
type target struct {
	ID     messages.TargetID `json:"targetId"`
	Type   string            `json:"type"`
	URL    string            `json:"url"`
	Opener messages.TargetID `json:"openerId"`
}

func (x *examination) targets(ctx context.Context) ([]target, error) {
	result, err := x.task.Call(ctx, messages.CallRequest{Method: "Target.getTargets", MaxBytes: 16 << 20})
	if err != nil {
		return nil, err
	}
	var reply struct {
		TargetInfos []target `json:"targetInfos"`
	}
	if err := json.Unmarshal(result.Result, &reply); err != nil {
		return nil, fmt.Errorf("the reply to Target.getTargets: %w", err)
	}
	return reply.TargetInfos, nil
}

// close takes everything away again.
func (x *examination) close(ctx context.Context) error {
	ctx, cancel := detached(ctx, closeLimit)
	defer cancel()
	var all []error
	if x.opened {
		strays, err := x.popups(ctx)
		all = append(all, err)
		for _, id := range strays {
			all = append(all, x.closePopup(ctx, id))
		}
	}
	if x.registry != nil {
		all = append(all, x.registry.Close(ctx))
	}
	all = append(all, x.source.close(ctx))
	if x.site != nil {
		x.site.close()
	}
	return errors.Join(all...)
}
