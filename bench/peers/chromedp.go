package main

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"cdpsupervisor/bench/feed"
	"cdpsupervisor/bench/measure"
)

// chromedpDecode reads every message as chromedp does and decodes every event of
// every session, as it does for those of a target that it has attached.
func chromedpDecode(ctx context.Context, url string, m *measure.Meter) error {
	conn, err := remote.DialContext(ctx, url)
	if err != nil {
		return fmt.Errorf("dial: %w", err)
	}
	defer func() { _ = conn.Close() }()
	send := func(id int64, session target.SessionID, method cdproto.MethodType, params string) error {
		return conn.Write(ctx, &cdproto.Message{ID: id, SessionID: session, Method: method, Params: jsonv2.Value(params)})
	}
	if err := send(1, "", "Target.setAutoAttach", `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":false}`); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	frames := make(map[string]bool)
	for {
		msg := new(cdproto.Message)
		if err := conn.Read(ctx, msg); err != nil {
			return fmt.Errorf("read: %w", err)
		}
		if msg.Method == "" {
			continue
		}
		ev, err := cdproto.UnmarshalMessage(msg, chromedp.DefaultUnmarshalOptions)
		if err != nil {
			continue // newer than the library
		}
		switch e := ev.(type) {
		case *target.EventAttachedToTarget:
			if e.TargetInfo.Type == "page" {
				m.Start()
				if err := send(2, e.SessionID, "Runtime.evaluate", fmt.Sprintf(`{"expression":%q}`, feed.StartExpression)); err != nil {
					return fmt.Errorf("start: %w", err)
				}
			}
		case *page.EventFrameAttached:
			frames[string(e.FrameID)] = true
		case *page.EventFrameDetached:
			delete(frames, string(e.FrameID))
		case *target.EventTargetInfoChanged:
			if e.TargetInfo.Title == feed.EndText {
				m.Stop()
				m.Note("frames", len(frames))
				return nil
			}
		}
	}
}

// chromedpClient follows the page with a tab context and a listener, as its
// manual has it. It reads the envelope of every message, decodes the events of
// the page's session and keeps that session's frames; events of the sessions of
// remote frames it drops, since it has attached none.
func chromedpClient(ctx context.Context, url string, m *measure.Meter) error {
	alloc, stop := remote.NewAllocator(ctx, url, remote.NoModifyURL)
	defer stop()
	browser, stop := chromedp.NewContext(alloc)
	defer stop()
	targets, err := chromedp.Targets(browser)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	var tabTarget target.ID
	for _, t := range targets {
		if t.Type == "page" {
			tabTarget = t.TargetID
		}
	}
	tab, stop := chromedp.NewContext(browser, chromedp.WithTargetID(tabTarget))
	defer stop()
	if err := chromedp.Do(tab); err != nil {
		return fmt.Errorf("attach: %w", err)
	}
	events := 0
	end := make(chan struct{})
	err = chromedp.Listen(tab, func(ev any) {
		events++
		if e, ok := ev.(*runtime.EventConsoleAPICalled); ok && len(e.Args) > 0 && string(e.Args[0].Value) == `"`+feed.EndText+`"` {
			close(end)
		}
	})
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	m.Start()
	if _, err := chromedp.Call(tab, runtime.Evaluate, runtime.EvaluateParams{Expression: feed.StartExpression}); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	select {
	case <-end:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	m.Stop()
	m.Note("events", events)
	return nil
}
