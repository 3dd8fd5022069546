package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"cdpsupervisor/bench/feed"
	"cdpsupervisor/bench/measure"
)

// rodClient follows the page with EachEvent: frames, contexts and the console of
// the page's session, or with all of every session, are listened to and decoded.
// With all it sets each session up that is attached, since a browser tells
// nothing on a session where nothing is enabled.
func rodClient(ctx context.Context, url string, all bool, m *measure.Meter) error {
	ws := &cdp.WebSocket{}
	// By itself it sends a key that servers but Chromium's refuse.
	if err := ws.Connect(ctx, url, http.Header{"Sec-WebSocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="}}); err != nil {
		return fmt.Errorf("dial: %w", err)
	}
	browser := rod.New().Context(ctx).Client(cdp.New().Start(ws))
	if err := browser.Connect(); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	pages, err := browser.Pages()
	if err != nil || len(pages) == 0 {
		return fmt.Errorf("no page: %w", err)
	}
	page := pages[0]
	for _, enable := range []proto.Request{proto.PageEnable{}, proto.RuntimeEnable{}} {
		if _, err := page.Call(ctx, string(page.SessionID), enable.ProtoReq(), enable); err != nil {
			return fmt.Errorf("enable: %w", err)
		}
	}
	frames, contexts, errors := make(map[proto.PageFrameID]bool), 0, 0
	each := page.EachEvent
	follow := func(*proto.TargetAttachedToTarget) {}
	if all {
		each = browser.EachEvent
		follow = func(e *proto.TargetAttachedToTarget) { go setUp(ctx, browser, e.SessionID) }
	}
	wait := each(
		follow,
		func(e *proto.PageFrameAttached) { frames[e.FrameID] = true },
		func(e *proto.PageFrameDetached) { delete(frames, e.FrameID) },
		func(*proto.PageFrameNavigated) {},
		func(*proto.RuntimeExecutionContextCreated) { contexts++ },
		func(e *proto.RuntimeConsoleAPICalled) bool {
			if e.Type == proto.RuntimeConsoleAPICalledTypeError {
				errors++
			}
			return len(e.Args) > 0 && e.Args[0].Value.Str() == feed.EndText
		},
	)
	m.Start()
	if _, err := (proto.RuntimeEvaluate{Expression: feed.StartExpression}).Call(page); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	wait()
	m.Stop()
	m.Note("frames", len(frames))
	m.Note("contexts", contexts)
	m.Note("errors", errors)
	return nil
}

// setUp makes the browser tell of a session. A session that is gone meanwhile
// is none that anybody misses.
func setUp(ctx context.Context, browser *rod.Browser, session proto.TargetSessionID) {
	for _, command := range []proto.Request{
		proto.PageEnable{}, proto.RuntimeEnable{},
		proto.TargetSetAutoAttach{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true},
		proto.RuntimeRunIfWaitingForDebugger{},
	} {
		if _, err := browser.Call(ctx, string(session), command.ProtoReq(), command); err != nil {
			return
		}
	}
}
