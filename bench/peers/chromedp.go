package main

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"cdpsupervisor/bench/feed"
	"cdpsupervisor/bench/measure"
)

// chromedpClient follows the page with a tab context and a listener, as its
// manual has it. It decodes every event of every session, and acts on those of
// the page; sessions of frames it leaves alone.
func chromedpClient(ctx context.Context, url string, m *measure.Meter) error {
	alloc, stop := chromedp.NewRemoteAllocator(ctx, url, chromedp.NoModifyURL)
	defer stop()
	browser, stop := chromedp.NewContext(alloc)
	defer stop()
	if err := chromedp.Run(browser); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	targets, err := chromedp.Targets(browser)
	if err != nil || len(targets) == 0 {
		return fmt.Errorf("no target: %w", err)
	}
	end := make(chan struct{})
	ended := func(ev any) {
		if e, ok := ev.(*target.EventTargetInfoChanged); ok && e.TargetInfo.Title == feed.EndText {
			close(end)
		}
	}
	chromedp.ListenBrowser(browser, ended)
	frames := 0
	chromedp.ListenTarget(browser, func(any) { frames++ })
	m.Start()
	err = chromedp.Run(browser, chromedp.ActionFunc(func(ctx context.Context) error {
		_, _, err := runtime.Evaluate(feed.StartExpression).Do(ctx)
		return err
	}))
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	select {
	case <-end:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	m.Stop()
	m.Note("events", frames)
	return nil
}
