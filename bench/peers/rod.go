package main

import (
	"context"
	"fmt"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"cdpsupervisor/bench/feed"
	"cdpsupervisor/bench/measure"
)

// rodClient follows the page with EachEvent: frames, contexts and the console
// are listened to, and the end of the stream on the browser.
func rodClient(ctx context.Context, url string, m *measure.Meter) error {
	browser := rod.New().Context(ctx).ControlURL(url)
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
	go page.EachEvent(
		func(e *proto.PageFrameAttached) { frames[e.FrameID] = true },
		func(e *proto.PageFrameDetached) { delete(frames, e.FrameID) },
		func(*proto.PageFrameNavigated) {},
		func(*proto.RuntimeExecutionContextCreated) { contexts++ },
		func(e *proto.RuntimeConsoleAPICalled) {
			if e.Type == proto.RuntimeConsoleAPICalledTypeError {
				errors++
			}
		},
	)()
	end := browser.EachEvent(func(e *proto.TargetTargetInfoChanged) bool { return e.TargetInfo.Title == feed.EndText })
	m.Start()
	if _, err := (proto.RuntimeEvaluate{Expression: feed.StartExpression}).Call(page); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	end()
	m.Stop()
	m.Note("frames", len(frames))
	m.Note("contexts", contexts)
	return nil
}
