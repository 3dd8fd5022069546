package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// keptLease is an endpoint whose lease is never taken back: host code hangs.
type keptLease struct {
	endpoint messages.Endpoint
	until    <-chan struct{}
}

func (k keptLease) Identity() string { return k.endpoint.Reveal() }
func (k keptLease) Open(context.Context) (*messages.Lease, error) {
	return &messages.Lease{Endpoint: k.endpoint, Close: func(context.Context) error { <-k.until; return nil }}, nil
}
func (k keptLease) Renew(_ context.Context, old *messages.Lease) (*messages.Lease, error) {
	return old, nil
}

// TestStopWhoseQuestionIsLost cuts the connection while a stop asks whether the
// dialog that it leaves is stranded: what comes after that is bounded still.
func TestStopWhoseQuestionIsLost(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.on("Page.getNavigationHistory", func(scriptedCommand) { _ = s.hangUp() })
	until := make(chan struct{})
	h := newHost(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	task, err := h.GetOrStart(ctx, h.newID(), keptLease{s.endpoint, until}, registry.WithOnStop(messages.OnStopLeave))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { close(until) })
	p := &tab{site: &site{}, t: t, host: h, task: task}
	s.say(scriptedOpening)
	p.dialog()
	quick(t, "the stop", func() {
		if err := h.Stop(ctx, task.ID()); err != nil {
			t.Error(err)
		}
	})
	if len(s.heard("Page.getNavigationHistory")) != 1 {
		t.Error("the stop has not asked")
	}
}

// TestStopWithAnAnswerOnTheWire stops a task that leaves its dialog, right behind
// an agent's answer to it, which the browser does not take: a navigation waits for
// the dialog, and the browser would die of the connection's end.
func TestStopWithAnAnswerOnTheWire(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	answered := make(chan scriptedCommand, 1)
	s.on("Page.handleJavaScriptDialog", func(c scriptedCommand) { answered <- c })
	s.on("Page.getNavigationHistory", func(c scriptedCommand) {
		(<-answered).refuse(-32000, notActive)
		c.refuse(-32000, notActive)
	})
	s.on("Page.navigate", func(c scriptedCommand) {
		s.say(fmt.Sprintf(scriptedClosed, false))
		c.reply(`{"frameId":"T1","errorText":"net::ERR_ABORTED"}`)
	})
	b := &browser{site: &site{}, endpoint: s.endpoint}
	h := newHost(t)
	p := b.join(t, h, h.newID(), registry.WithOnStop(messages.OnStopLeave))
	s.say(scriptedOpening)
	d := p.dialog()
	ctx, cancel := p.context()
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept})
		done <- err
	}()
	p.poll("the answer", func() bool { return len(s.heard("Page.handleJavaScriptDialog")) == 1 })
	if err := h.Stop(ctx, p.task.ID()); err != nil {
		t.Error(err)
	}
	if err := <-done; messages.CodeOf(err) != messages.CodeUnanswerable {
		t.Errorf("the answer: %v", err)
	}
	if r := p.record(d.ID); len(s.heard("Page.navigate")) != 1 || r.Reason != messages.ReasonNavigation {
		t.Errorf("it was not ended before the connection: %+v", r)
	}
}

// TestStopOfAPageThatCommits stops a task whose tab, when the browser has said that
// it is closed, commits the navigation it was on and lives on: it is closed again,
// however late that is.
func TestStopOfAPageThatCommits(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	other := strings.NewReplacer("T1", "T2", `"attached":true`, `"attached":false`).Replace(scriptedTarget)
	s.on("Target.setDiscoverTargets", func(c scriptedCommand) {
		s.say(`{"method":"Target.targetCreated","params":{"targetInfo":`+other+`}}`, `{"method":"Target.targetCreated","params":{"targetInfo":`+scriptedTarget+`}}`)
		c.reply(`{}`)
	})
	s.on("Target.createTarget", func(c scriptedCommand) { c.reply(`{"targetId":"T1"}`) })
	s.on("Target.closeTarget", func(c scriptedCommand) {
		c.reply(`{"success":true}`)
		switch n := len(s.heard(c.Method)); n {
		case 2: // the one that time brings: the new document comes behind it
			s.say(`{"method":"Page.frameNavigated","params":{"frame":` + strings.Replace(scriptedFrame, "L1", "L2", 1) + `},"sessionId":"S1"}`)
		case 3:
			s.say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"S1","targetId":"T1"}}`, `{"method":"Target.targetDestroyed","params":{"targetId":"T1"}}`)
		}
	})
	b := &browser{site: &site{}, endpoint: s.endpoint}
	h := newHost(t)
	p := b.join(t, h, h.newID(), registry.WithOwnTab())
	quick(t, "the stop", func() { h.end(t, p.task.ID()) })
	if n := len(s.heard("Target.closeTarget")); n != 3 {
		t.Errorf("the tab was closed %d times", n)
	}
}
