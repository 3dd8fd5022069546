package registry_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

// fault makes one actor panic at the n-th message of one type, once.
type fault struct {
	mu    sync.Mutex
	actor string
	msg   string
	after int
	hit   bool
	seen  map[[2]string]int // of every actor and message
}

func (f *fault) call(name string, message any) {
	kind := strings.TrimPrefix(fmt.Sprintf("%T", message), "*")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[[2]string{name, kind}]++
	if f.hit || f.actor != name || f.msg != kind {
		return
	}
	if f.after--; f.after < 0 {
		f.hit = true
		panic("injected into " + name + " at " + kind)
	}
}

// drill takes a task through its life: start, call, dialog, answer, policy,
// navigation, lost socket, stop. Every ask must be answered, whatever the
// answer is; asked counts them.
func drill(ctx context.Context, t *testing.T, r *registry.Registry, b *fakebrowser.Browser) {
	ask := func(name string, f func(context.Context) error) {
		short, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		if err := f(short); errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s was never answered", name)
		}
	}
	var task *registry.Task
	ask("GetOrStart", func(ctx context.Context) (err error) {
		task, err = r.GetOrStart(ctx, "t", endpoint("b"))
		return err
	})
	if task == nil { // the panic ended the start: start again
		ask("GetOrStart again", func(ctx context.Context) (err error) {
			task, err = r.GetOrStart(ctx, "t", endpoint("b"))
			return err
		})
	}
	if task == nil {
		t.Error("the task did not start")
		return
	}
	ask("Call", func(ctx context.Context) error { _, err := evaluate(ctx, task, "1+1"); return err })
	ask("Call with a dialog", func(ctx context.Context) error { _, err := evaluate(ctx, task, "confirm('q')"); return err })
	ask("RespondDialog", func(ctx context.Context) error {
		_, err := task.RespondDialog(ctx, messages.DialogRequest{Action: messages.ActionAccept})
		return err
	})
	ask("SetPolicy", func(ctx context.Context) error { return task.SetPolicy(ctx, messages.PolicyAutoDismiss, 0) })
	ask("Frames", func(ctx context.Context) error { _, err := task.Frames(ctx, ""); return err })
	ask("Navigate", func(ctx context.Context) error { _, err := task.Navigate(ctx, "http://a.test/next"); return err })
	ask("Focus", func(ctx context.Context) error { return task.Focus(ctx, task.Snapshot().PageTargetID) })
	ask("Crash", func(ctx context.Context) error {
		b.CrashPage(string(task.Snapshot().PageTargetID))
		_, err := task.Navigate(ctx, "http://a.test/again")
		return err
	})
	b.DropSockets()
	ask("Call while reconnecting", func(ctx context.Context) error { _, err := evaluate(ctx, task, "2"); return err })

	// The task comes back by itself.
	back := false
	for !back && ctx.Err() == nil {
		if task.Snapshot().Supervisor != nil && task.Snapshot().Supervisor.Status == messages.StatusFailed {
			break
		}
		got, err := evaluate(ctx, task, "40+2")
		back = err == nil && strings.Contains(got, "42")
		if code := messages.CodeOf(err); code == messages.CodePageBlocked || code == messages.CodeTargetCrashed {
			_, _ = task.Navigate(ctx, "http://a.test/out") // the way out that the error names
		}
		if !back {
			time.Sleep(2 * time.Millisecond) // between two asks, not for a state
		}
	}
	if !back {
		t.Errorf("the task did not come back: %+v", task.Snapshot().Supervisor)
	}
	ask("Stop", func(ctx context.Context) error {
		err := r.Stop(ctx, "t")
		if err != nil {
			t.Errorf("the stop: %v", err)
		}
		return err
	})
	for b.Connections() != 0 && ctx.Err() == nil {
		time.Sleep(time.Millisecond) // a socket that fails writes its last will on its own
	}
	if n := b.Connections(); n != 0 {
		t.Errorf("after the stop %d connections are open", n)
	}
}

// runDrill runs the drill with one fault and checks that nothing is left.
func runDrill(t *testing.T, f *fault) {
	t.Helper()
	f.seen = make(map[[2]string]int)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
	defer b.Close()
	r, system := engine(t, map[string]*fakebrowser.Browser{"b": b}, registry.WithFaults(f.call))
	drill(ctx, t, r, b)
	if err := r.Close(ctx); err != nil {
		t.Errorf("close: %v", err)
	}
	if left := ours(system); len(left) > 0 {
		t.Errorf("these processes are left: %v", left)
	}
}

// ours lists the engine's processes in a system. A stopped actor leaves the
// registry before its parent is told, so that none may be left after Close.
func ours(system *actor.ActorSystem) []string {
	var left []string
	for _, bucket := range system.ProcessRegistry.LocalPIDs.LocalPIDs {
		for _, id := range bucket.Keys() {
			if strings.HasPrefix(id, "cdpsupervisor") {
				left = append(left, id)
			}
		}
	}
	return left
}

// TestPanics makes each actor panic at each type of message that the drill
// brings it, and at each message of its life: the table is what a run without
// a fault has seen.
func TestPanics(t *testing.T) {
	free := &fault{}
	runDrill(t, free)
	table := slices.SortedFunc(maps.Keys(free.seen), func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
	for _, actor := range []string{"cdpsupervisor", "supervisor", "socket", "dialogs", "sessions", "snapshot", "events"} {
		for _, life := range []string{"actor.Started", "actor.Stopping", "actor.Stopped"} {
			if free.seen[[2]string{actor, life}] == 0 {
				t.Errorf("the drill does not bring %s to the %s", life, actor)
			}
		}
		// Restarting is seen only by what panicked once: the second panic.
		table = append(table, [2]string{actor, "actor.Restarting"})
	}
	checkFamilies(t, free)
	for _, row := range table {
		t.Run(row[0]+"/"+row[1], func(t *testing.T) {
			t.Parallel()
			f := &fault{actor: row[0], msg: row[1]}
			if row[1] == "actor.Restarting" {
				second := &fault{actor: row[0], msg: "actor.Started"}
				runRestarting(t, f, second)
				return
			}
			runDrill(t, f)
			if !f.hit {
				t.Log("the message did not come this time")
			}
		})
	}
}

// runRestarting makes an actor panic at its start, and again while it is being
// restarted for that.
func runRestarting(t *testing.T, restarting, started *fault) {
	t.Helper()
	restarting.seen, started.seen = make(map[[2]string]int), make(map[[2]string]int)
	both := &pair{first: started, second: restarting}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
	defer b.Close()
	r, system := engine(t, map[string]*fakebrowser.Browser{"b": b}, registry.WithFaults(both.call))
	drill(ctx, t, r, b)
	if err := r.Close(ctx); err != nil {
		t.Errorf("close: %v", err)
	}
	if left := ours(system); len(left) > 0 {
		t.Errorf("these processes are left: %v", left)
	}
}

type pair struct{ first, second *fault }

func (p *pair) call(name string, message any) {
	p.second.call(name, message)
	p.first.call(name, message)
}

// checkFamilies: the drill brings every type of the sealed families that the
// engine's actors receive, but those listed with a reason.
func checkFamilies(t *testing.T, f *fault) {
	t.Helper()
	seen := make(map[string]bool)
	for row := range f.seen {
		seen[strings.TrimPrefix(row[1], "messages.")] = true
	}
	excused := map[string]string{
		"WillChanged":      "",
		"TargetPoisoned":   "needs a subframe's dialog whose frame is removed: the hazards, end to end",
		"RemoteClosed":     "needs a second client: end to end",
		"CapabilityLost":   "needs a refusing backend: TestRefusals",
		"ChildFailed":      "comes of a panic itself",
		"SendFailed":       "needs a command that cannot be written",
		"SupervisorFailed": "is what the strategy says, in place of a message",
		"LivenessTick":     "comes after 30 s of silence: TestRest",
		"SocketQuiet":      "likewise",
		"PageTaken":        "needs a browser under two names: TestOneBrowserUnderTwoNames",
		"SessionTimer":     "comes after 5 s without an answer",
		"SetWill":          "",
		"GetOrStart":       "hosts that speak actor",
		"CloseRegistry":    "",
		"RegistryTimer":    "comes after a bound",
		"FocusRequest":     "",
		"ResolveRequest":   "needs a guard",
		"EventsPublished":  "",
		"PageReleased":     "",
	}
	families := map[string]bool{
		"toSupervisor": true, "toSocket": true, "toSessions": true, "toSnapshot": true, "toEvents": true, "toRegistry": true, "ask": true,
	}
	for name, family := range sealed(t, families) {
		if _, ok := excused[name]; !ok && !seen[name] {
			t.Errorf("the drill brings no %s (%s) to anybody", name, family)
		}
	}
}

// sealed lists the types of the families from the source.
func sealed(t *testing.T, families map[string]bool) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../messages/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("the source of messages: %v", err)
	}
	types := make(map[string]string)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !families[fn.Name.Name] {
				continue
			}
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
				types[star.X.(*ast.Ident).Name] = fn.Name.Name
			}
		}
	}
	return types
}
