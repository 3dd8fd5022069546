package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"cdpsupervisor/messages"
)

// popups has the page open a window.
func popups(ctx context.Context, x *examination) (string, error) {
	url := "about:blank"
	if x.local {
		url = x.site.url(firstHost, pagePopup)
	}
	quoted, err := json.Marshal(url)
	if err != nil {
		return "", fmt.Errorf("write the address: %w", err)
	}
	x.opened = true
	got, err := evaluate(ctx, x.task, messages.CallRequest{}, `open(`+string(quoted)+`) !== null`)
	if err != nil && messages.CodeOf(err) != messages.CodeDialogOpened {
		return "", fmt.Errorf("open a popup: %w", err)
	}
	if got == false {
		return "", errors.New("the browser opens no popup, even by a touch")
	}
	var id messages.TargetID
	if err := x.until(ctx, func() (bool, error) {
		found, err := x.popups(ctx)
		if len(found) > 0 {
			id = found[0]
		}
		return id != "", err
	}); err != nil {
		return "", fmt.Errorf("no popup came: %w", err)
	}
	detail, err := x.lookAtPopup(ctx, id)
	ctx, cancel := detached(ctx, closeLimit)
	defer cancel()
	closing := x.closePopup(ctx, id)
	x.opened = closing != nil
	switch {
	case err != nil && closing != nil:
		return "", fmt.Errorf("%w; %w", err, closing)
	default:
		return detail, cmp.Or(err, closing)
	}
}

func (x *examination) lookAtPopup(ctx context.Context, id messages.TargetID) (string, error) {
	if !x.local {
		return "a popup is attached and answers; one that asks at once needs loopback pages",
			x.answers(ctx, id, `1 + 1`, 2.0)
	}
	var asked messages.DialogID
	if _, err := x.task.Wait(ctx, func(s *messages.Snapshot) bool {
		for _, d := range s.PendingDialogs {
			if d.Message == popupMessage {
				asked = d.ID
			}
		}
		for _, r := range s.RecentDialogs {
			if r.Message == popupMessage {
				asked = r.ID
			}
		}
		return asked != ""
	}); err != nil {
		return "", fmt.Errorf("the popup's first dialog was not seen: %w", err)
	}
	q := question{kind: messages.DialogAlert, action: messages.ActionDismiss}
	r, err := q.answer(ctx, x.task, asked)
	if err != nil {
		return "", err
	}
	if err := x.answers(ctx, id, `globalThis.wentOn === true`, true); err != nil {
		return "", err
	}
	return "supervised from their first script on: its alert was seen and closed by " + closer(r), nil
}

// answers waits until a popup has a value.
func (x *examination) answers(ctx context.Context, id messages.TargetID, expression string, want any) error {
	var last error
	err := x.until(ctx, func() (bool, error) {
		var got any
		got, last = evaluate(ctx, x.task, messages.CallRequest{TargetID: id}, expression)
		return last == nil && got == want, nil
	})
	if err != nil {
		return fmt.Errorf("the popup does not answer: %w", cmp.Or(last, err))
	}
	return nil
}

// popups are the windows that our tabs opened and that are still there.
func (x *examination) popups(ctx context.Context) ([]messages.TargetID, error) {
	all, err := x.targets(ctx)
	if err != nil {
		return nil, err
	}
	tabs := make(map[messages.TargetID]bool)
	for _, id := range x.tabs {
		tabs[id] = true
	}
	var found []messages.TargetID
	for _, t := range all {
		ours := tabs[t.Opener] || x.site != nil && x.site.owns(t.URL)
		if t.Type == string(messages.TargetPage) && ours && !tabs[t.ID] {
			found = append(found, t.ID)
		}
	}
	return found, nil
}

// closePopup dismisses what is open in a popup, and closes it.
func (x *examination) closePopup(ctx context.Context, id messages.TargetID) error {
	params, err := json.Marshal(map[string]any{"targetId": id})
	if err == nil {
		_, err = x.task.Call(ctx, messages.CallRequest{Method: "Target.closeTarget", Params: params})
	}
	if err != nil {
		return fmt.Errorf("close the popup: %w", err)
	}
	return x.until(ctx, func() (bool, error) {
		all, err := x.targets(ctx)
		for _, t := range all {
			if t.ID == id {
				return false, err
			}
		}
		return err == nil, err
	})
}
