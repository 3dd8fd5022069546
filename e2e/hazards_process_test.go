package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// childVariable makes this test binary a host program instead: it supervises
// a tab of its own until a signal ends it.
const (
	childVariable    = "CDPSUPERVISOR_E2E_CHILD"
	childEndpoint    = "CDPSUPERVISOR_E2E_ENDPOINT"
	childPage        = "CDPSUPERVISOR_E2E_PAGE"
	childCareful     = "careful" // closes its registry when a signal comes
	childCareless    = "careless"
	childInDanger    = "in danger"
	childEndedInTime = 20 * time.Second
)

// beChild is the child's main function; it returns the exit code.
func beChild(kind string) int {
	ctx := context.Background()
	if kind == childCareful {
		var stop func()
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
	}
	if err := supervise(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func supervise(ctx context.Context) (err error) {
	reg, err := registry.New(quietSystem())
	if err != nil {
		return err
	}
	defer func() {
		last, cancel := context.WithTimeout(context.Background(), childEndedInTime)
		defer cancel()
		err = errors.Join(err, reg.Close(last))
	}()
	source := backends.Static(messages.Endpoint(os.Getenv(childEndpoint)))
	task, err := reg.GetOrStart(ctx, "child", source, registry.WithOwnTab())
	if err != nil {
		return err
	}
	if _, err := task.Navigate(ctx, os.Getenv(childPage)); err != nil {
		return err
	}
	s, err := task.Wait(ctx, func(s *messages.Snapshot) bool { return len(s.PendingDialogs) == 1 })
	if err != nil {
		return err
	}
	if s.PendingDialogs[0].FrameID == s.FrameTree.Top.FrameID {
		return errors.New("the dialog is the page's, not the frame's")
	}
	fmt.Println(childInDanger)
	<-ctx.Done()
	return nil
}

// TestHazardProcessEnds ends a host program while a subframe's dialog is open
// in the tab that it made.
func TestHazardProcessEnds(t *testing.T) {
	cases := []struct {
		kind   string
		signal syscall.Signal
	}{
		{childCareful, syscall.SIGTERM},
		{childCareful, syscall.SIGINT},
		// A host that is killed cleans nothing up; its connection just ends.
		{childCareless, syscall.SIGKILL},
	}
	for _, c := range cases {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			b := launch(t)
			page := b.embed("a.test", b.page("b.test", `<script>onload = () => later(() => confirm("in the frame"))</script>`))
			ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
			defer cancel()
			child := exec.CommandContext(ctx, os.Args[0])
			child.Env = append(os.Environ(), childVariable+"="+c.kind,
				childEndpoint+"="+b.endpoint.Reveal(), childPage+"="+page)
			child.Stderr = os.Stderr
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if line != childInDanger+"\n" {
				t.Fatalf("the child said %q, %v", line, err)
			}
			start := time.Now()
			if err := child.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, out)
			err = child.Wait()
			if took := time.Since(start); took > childEndedInTime {
				t.Errorf("the child took %s to end", took)
			}
			if c.kind == childCareful && err != nil {
				t.Errorf("the child ended with %v", err)
			}
			b.mustLive(t)
			if c.kind == childCareful {
				b.hasNoPage(t, page)
			}
		})
	}
}

// hasNoPage checks that no tab with a URL is left. A tab takes a moment to go
// after the browser has said that it closes it.
func (b *browser) hasNoPage(t *testing.T, url string) {
	t.Helper()
	r := dialRaw(t, b.endpoint)
	for late := time.Now().Add(patience); ; {
		left := slices.DeleteFunc(targets(t, r.call("", "Target.getTargets", nil)), func(info targetInfo) bool {
			return info.Type != "page" || info.URL != url
		})
		if len(left) == 0 {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("the tab %s was left behind", left[0].TargetID)
		}
	}
}
