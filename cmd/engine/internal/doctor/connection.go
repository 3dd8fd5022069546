package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// reachable connects. The time is the dial's alone.
func reachable(ctx context.Context, x *examination) (string, error) {
	if _, err := x.source.Open(ctx); err != nil {
		x.refused = err
		return "", err
	}
	task, err := x.start(ctx, nativeTask, registry.WithBridge(messages.BridgeOff))
	if !x.way.known() {
		return "", cmp.Or(err, errors.New("no connection came about"))
	}
	x.task, x.started, x.took = task, err, x.way.took
	if begun, ok := x.registry.Get(nativeTask); ok {
		if why := notUp(begun.Snapshot()); why != "" {
			x.task, x.started = nil, errors.New(why)
		}
	}
	return x.way.text(), nil
}

// notUp says why a task that was started has no page all the same; a page that
// is blocked is one.
func notUp(s *messages.Snapshot) string {
	if s.Ready || s.Supervisor == nil {
		return ""
	}
	switch s.Supervisor.Status {
	case messages.StatusConnecting, messages.StatusReconnecting, messages.StatusExpired, messages.StatusFailed, messages.StatusStopped:
		return fmt.Sprintf("the task is %s: %s", s.Supervisor.Status, s.Supervisor.Reason)
	default:
		return ""
	}
}

// version asks who it is.
func version(ctx context.Context, x *examination) (string, error) {
	result, err := x.task.Call(ctx, messages.CallRequest{Method: "Browser.getVersion"})
	if err != nil {
		return "", err
	}
	var reply struct {
		Product         string `json:"product"`
		ProtocolVersion string `json:"protocolVersion"`
		JSVersion       string `json:"jsVersion"`
	}
	if err := json.Unmarshal(result.Result, &reply); err != nil || reply.Product == "" {
		return "", errors.New("Browser.getVersion names no product")
	}
	x.browser = clean(reply.Product)
	return fmt.Sprintf("%s, protocol %s, JavaScript %s", reply.Product, cmp.Or(reply.ProtocolVersion, "unknown"), cmp.Or(reply.JSVersion, "unknown")), nil
}

// ownTab looks at the tab that the task was started with.
func ownTab(ctx context.Context, x *examination) (string, error) {
	switch {
	case x.started != nil:
		return "", x.started
	case x.task == nil:
		return "", untried("there is no connection to try it on")
	case x.way.onePage():
		return "", untried("the endpoint is one page's, and pages of others are left alone; give the browser's endpoint")
	}
	s, err := x.task.Wait(ctx, func(s *messages.Snapshot) bool { return s.Ready })
	if err != nil {
		if s.Supervisor != nil {
			return "", fmt.Errorf("the tab is %s: %s", s.Supervisor.Status, s.Supervisor.Reason)
		}
		return "", err
	}
	if got, err := evaluate(ctx, x.task, messages.CallRequest{}, "6 * 7"); err != nil || got != 42.0 {
		return "", cmp.Or(err, fmt.Errorf("the tab computes 6 * 7 as %v", got))
	}
	x.tab = true
	return "opened in the background, attached, answers", nil
}

// loopbackPages goes to the first page of our server, or else to one that needs
// no server. What counts is that the server was asked: the address may be
// another server's, where the browser is.
func loopbackPages(ctx context.Context, x *examination) (string, error) {
	if x.siteErr != nil {
		return "", errors.Join(untried("%v", x.siteErr), goTo(ctx, x.task, dataPlain))
	}
	_, err := x.task.Navigate(ctx, x.site.url(firstHost, pagePlain))
	if x.local = err == nil && x.site.hit(pagePlain); x.local {
		return "the browser loads pages from this machine, as " + firstHost + " and " + secondHost, nil
	}
	why := "another server answers there"
	if err != nil {
		why = err.Error()
	}
	// This may have used the time up; the next page has its own.
	ctx, cancel := detached(ctx, x.cfg.Limits.Check)
	defer cancel()
	if err := x.leave(ctx, dataPlain); err != nil {
		return "", err
	}
	return "", untried("the browser does not reach this machine's loopback (%s)", why)
}

func goTo(ctx context.Context, task *registry.Task, url string) error {
	if _, err := task.Navigate(ctx, url); err != nil {
		return fmt.Errorf("navigate the tab: %w", err)
	}
	return nil
}

// leave gets the tab away from a page of somebody's that we met by accident and
// that may ask things.
func (x *examination) leave(ctx context.Context, url string) error {
	return x.until(ctx, func() (bool, error) {
		for _, d := range x.task.Snapshot().PendingDialogs {
			_, err := x.task.RespondDialog(ctx, messages.DialogRequest{Action: messages.ActionDismiss, DialogID: d.ID})
			if err != nil && messages.CodeOf(err) != messages.CodeDialogClosed {
				return false, fmt.Errorf("dismiss what a stranger's page asks: %w", err)
			}
		}
		err := goTo(ctx, x.task, url)
		if err == nil {
			_, err = evaluate(ctx, x.task, messages.CallRequest{}, "0")
		}
		if code := messages.CodeOf(err); code == messages.CodeDialogOpen || code == messages.CodeDialogOpened {
			return false, nil
		}
		return err == nil, err
	})
}

// refusals tells which commands of the set-up the backend does not take.
func refusals(_ context.Context, x *examination) (string, error) {
	s := x.task.Snapshot().Supervisor
	if s == nil || len(s.Capabilities) == 0 {
		return "nothing of it was refused", nil
	}
	var lost []string
	for _, name := range slices.Sorted(maps.Keys(s.Capabilities)) {
		lost = append(lost, name+": "+s.Capabilities[name])
	}
	return "", fmt.Errorf("refused: %s", strings.Join(lost, "; "))
}

// rounds is how many round trips are measured.
const rounds = 15

// roundTrip measures the way to the browser and to a renderer.
func roundTrip(ctx context.Context, x *examination) (string, error) {
	toBrowser, err := x.median(func() error {
		_, err := x.task.Call(ctx, messages.CallRequest{Method: "Browser.getVersion"})
		return err
	})
	if err != nil {
		return "", err
	}
	x.took = toBrowser
	text := fmt.Sprintf("median of %d: %.1f ms to the browser", rounds, milliseconds(toBrowser))
	if !x.tab {
		return text, nil
	}
	toPage, err := x.median(func() error {
		_, err := evaluate(ctx, x.task, messages.CallRequest{}, "0")
		return err
	})
	if err != nil {
		return "", fmt.Errorf("%s; to a page: %w", text, err)
	}
	return fmt.Sprintf("%s, %.1f ms to a page", text, milliseconds(toPage)), nil
}

func (x *examination) median(trip func() error) (time.Duration, error) {
	var all []time.Duration
	for range rounds {
		start := x.cfg.Clock.Now()
		if err := trip(); err != nil {
			return 0, err
		}
		all = append(all, x.cfg.Clock.Now().Sub(start))
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}
