package registry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

// atRest starts a task, lets it do what a task does, and leaves it alone for
// long. Then check sees what is left of it.
func atRest(t *testing.T, dialog bool, check func(ctx context.Context, left []string, task *registry.Task, b *fakebrowser.Browser), more ...registry.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
		r, system := engine(t, map[string]*fakebrowser.Browser{"b": b}, more...)
		ctx := t.Context()
		task, err := r.GetOrStart(ctx, "t", endpoint("b"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := task.Navigate(ctx, "http://a.test/next"); err != nil {
			t.Error(err)
		}
		if dialog {
			if _, err := evaluate(ctx, task, "confirm('q')"); messages.CodeOf(err) != messages.CodeDialogOpened {
				t.Error(err)
			}
			if _, err := task.RespondDialog(ctx, messages.DialogRequest{Action: messages.ActionAccept}); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(messages.IdlePing + 5*time.Second)
		synctest.Wait()
		left := ours(system)
		slices.Sort(left)
		check(ctx, left, task, b)
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
		if left := ours(system); len(left) > 0 {
			t.Errorf("after the end these processes are left: %v", left)
		}
		b.Close()
		time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
	})
}

// TestRest: of a task that nothing happens to only two actors are left, and it
// goes on as if it had never rested.
func TestRest(t *testing.T) {
	for _, dialog := range []bool{false, true} {
		t.Run(fmt.Sprintf("dialog %t", dialog), func(t *testing.T) {
			atRest(t, dialog, func(ctx context.Context, left []string, task *registry.Task, b *fakebrowser.Browser) {
				want := []string{"cdpsupervisor", "cdpsupervisor/task/t", "cdpsupervisor/task/t/socket/1"}
				if dialog { // it knows dialogs whose end can still be told
					want = []string{"cdpsupervisor", "cdpsupervisor/task/t", "cdpsupervisor/task/t/dialogs", "cdpsupervisor/task/t/snapshot", "cdpsupervisor/task/t/socket/1"}
				}
				if !slices.Equal(left, want) {
					t.Errorf("these actors are left: %v, want %v", left, want)
				}
				before := task.Snapshot()
				if got, err := evaluate(ctx, task, "40+2"); err != nil || !strings.Contains(got, "42") {
					t.Errorf("a call: %s, %v", got, err)
				}
				if _, err := evaluate(ctx, task, "confirm('again')"); messages.CodeOf(err) != messages.CodeDialogOpened {
					t.Error(err)
				}
				s := task.Snapshot()
				if len(s.PendingDialogs) != 1 || s.PendingDialogs[0].Message != "again" || s.PendingDialogs[0].FrameID == "" {
					t.Errorf("pending: %+v", s.PendingDialogs)
				}
				if _, err := task.RespondDialog(ctx, messages.DialogRequest{Action: messages.ActionDismiss}); err != nil {
					t.Error(err)
				}
				if s := task.Snapshot(); len(s.PendingDialogs) != 0 || len(s.RecentDialogs) != len(before.RecentDialogs)+1 {
					t.Errorf("after the answer: pending %+v, recent %+v", s.PendingDialogs, s.RecentDialogs)
				}
				if s := task.Snapshot(); s.FrameTree == nil || s.FrameTree.Top.URL != "http://a.test/next" || s.Supervisor != nil {
					t.Errorf("it shows %+v, %+v", s.FrameTree, s.Supervisor)
				}
				if _, err := task.Navigate(ctx, "http://a.test/"); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestRestAgain: it can be woken and left alone many times.
func TestRestAgain(t *testing.T) {
	atRest(t, false, func(ctx context.Context, _ []string, task *registry.Task, _ *fakebrowser.Browser) {
		for i := range 3 {
			if _, err := task.Navigate(ctx, fmt.Sprintf("http://a.test/%d", i)); err != nil {
				t.Error(err)
			}
			time.Sleep(messages.IdlePing + 5*time.Second)
			synctest.Wait()
		}
		if got, err := evaluate(ctx, task, "40+2"); err != nil || !strings.Contains(got, "42") {
			t.Errorf("a call: %s, %v", got, err)
		}
	})
}

// TestPanicsAtRest makes each actor panic at what it is told in a silence.
func TestPanicsAtRest(t *testing.T) {
	for _, at := range [][2]string{
		{"socket", "messages.LivenessTick"}, {"supervisor", "messages.SocketQuiet"}, {"supervisor", "actors.rested"},
		{"sessions", "actors.rest"}, {"snapshot", "actors.rest"}, {"events", "actors.rest"},
		{"sessions", "actor.Stopping"}, {"snapshot", "actor.Stopped"},
	} {
		t.Run(at[0]+"/"+at[1], func(t *testing.T) {
			f := &fault{actor: at[0], msg: at[1], seen: make(map[[2]string]int)}
			atRest(t, false, func(ctx context.Context, _ []string, task *registry.Task, _ *fakebrowser.Browser) {
				if !f.hit {
					t.Errorf("%s was told no %s", at[0], at[1])
				}
				if got, err := evaluate(ctx, task, "40+2"); err != nil || !strings.Contains(got, "42") {
					t.Errorf("a call: %s, %v", got, err)
				}
			}, registry.WithFaults(f.call))
		})
	}
}
