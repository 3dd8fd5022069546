package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"cdpsupervisor/messages"
)

// frameTree shows a page with two frames, one of them of another site where
// the browser reaches our server, and compares with what the page has.
func frameTree(ctx context.Context, x *examination) (string, error) {
	if err := goTo(ctx, x.task, x.page(pageFrames, dataFrames)); err != nil {
		return "", err
	}
	s, err := x.task.Wait(ctx, func(s *messages.Snapshot) bool {
		if s.FrameTree == nil || len(s.FrameTree.Children) != 2 {
			return false
		}
		x.cross = nil
		for i, f := range s.FrameTree.Children {
			switch {
			case x.local && f.URL == x.site.url(secondHost, pageChild) && f.State == "":
				x.cross = &s.FrameTree.Children[i]
			case f.URL != "about:srcdoc":
				return false
			}
		}
		return !x.local || x.cross != nil
	})
	if err != nil {
		return "", fmt.Errorf("the tree does not become that of the page: %w; it is %s", err, shownTree(s))
	}
	got, err := evaluate(ctx, x.task, messages.CallRequest{}, `frames.length`)
	if err != nil {
		return "", err
	}
	if got != 2.0 {
		return "", fmt.Errorf("the tree shows 2 frames in the page, which has %v", got)
	}
	if x.cross == nil {
		return "two frames of the page's own site are shown; one of another site needs loopback pages", nil
	}
	return "the page's frames of its own and of another site are shown", nil
}

// shownTree names the frames that are shown instead.
func shownTree(s *messages.Snapshot) string {
	if s.FrameTree == nil {
		return "empty"
	}
	var frames []string
	for _, f := range s.FrameTree.Children {
		text := cmp.Or(f.URL, "a frame without an address")
		if f.State != "" {
			text += " (" + string(f.State) + ")"
		}
		frames = append(frames, text)
	}
	return fmt.Sprintf("%s with %d frames: %s", s.FrameTree.Top.URL, len(frames), strings.Join(frames, ", "))
}

// evaluateInOOPIF reaches the frame of the other site by its id.
func evaluateInOOPIF(ctx context.Context, x *examination) (string, error) {
	switch {
	case !x.local:
		return "", untried("it needs two sites, and the browser does not reach this machine's loopback")
	case x.cross == nil:
		return "", untried("the frame tree does not show the frame")
	}
	at, process := messages.CallRequest{FrameID: x.cross.FrameID}, "in a process of its own"
	isolated := x.cross.OOPIF != nil && *x.cross.OOPIF
	if !isolated {
		at.SameProcess, process = true, "in the page's process"
	}
	got, err := evaluate(ctx, x.task, at, `location.hostname`)
	if err != nil {
		return "", fmt.Errorf("evaluate in the frame, %s: %w", process, err)
	}
	if got != secondHost {
		return "", fmt.Errorf("the frame, %s, says that it is %v, not %s", process, got, secondHost)
	}
	if !isolated {
		return "", untried("the browser keeps frames of other sites %s; the frame answers with same_process", process)
	}
	return "the frame of another site, " + process + ", answers by its frame_id", nil
}
