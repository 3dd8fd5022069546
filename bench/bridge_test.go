package bench

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// BenchmarkDialog is what a dialog costs a page that nobody keeps waiting: from
// the call of confirm to its return, answered by policy. The page measures.
func BenchmarkDialog(b *testing.B) {
	const ask = `(() => { const t = performance.now(); return confirm("m") ? performance.now() - t : -1 })()`
	bridged(b, ask)
}

// BenchmarkHeavyPage is what the bridge costs a page that compiles 2 000 scripts
// and shows no dialog.
func BenchmarkHeavyPage(b *testing.B) {
	const heavy = `(() => { const t = performance.now(); for (let i = 0; i < 2000; i++) new Function("return " + i + "+" + Math.random())();
		let x = 0; for (let i = 0; i < 1e7; i++) x += i % 7; return performance.now() - t })()`
	bridged(b, heavy)
}

// bridged measures an expression, which says itself how many milliseconds it
// took, without the bridge and with each of its transports.
func bridged(b *testing.B, expression string) {
	b.Helper()
	if _, err := backends.FindChromium(""); err != nil {
		b.Skipf("no browser: %v", err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>dialogs</title>"))
	}))
	defer site.Close()
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
	defer cancel()
	lease, err := backends.NewLocal(backends.Options{Headless: true, Isolated: true}).Open(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = lease.Close(context.WithoutCancel(ctx)) }()
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }))
	reg, err := registry.New(system)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = reg.Close(context.WithoutCancel(ctx)) }()

	for name, opts := range map[string][]registry.TaskOption{
		"native":   {registry.WithBridge(messages.BridgeOff)},
		"xhr":      {registry.WithBridge(messages.BridgeOn), registry.WithBridgeTransport(messages.TransportXHR)},
		"debugger": {registry.WithBridge(messages.BridgeOn), registry.WithBridgeTransport(messages.TransportDebugger)},
	} {
		b.Run(name, func(b *testing.B) {
			opts := append(opts, registry.WithOwnTab(), registry.WithPolicy(messages.PolicyAutoAccept))
			task, err := reg.GetOrStart(ctx, messages.TaskID(name), backends.Static(lease.Endpoint), opts...)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = reg.Stop(context.WithoutCancel(ctx), task.ID()) }()
			if _, err := task.Navigate(ctx, site.URL); err != nil {
				b.Fatal(err)
			}
			var took []float64
			for b.Loop() {
				took = append(took, once(ctx, b, task, expression))
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "ms/median")
			b.ReportMetric(took[len(took)*98/100], "ms/p98")
		})
	}
}

// once evaluates the expression and returns what it says.
func once(ctx context.Context, b *testing.B, task *registry.Task, expression string) float64 {
	b.Helper()
	params, err := json.Marshal(map[string]any{"expression": expression, "returnByValue": true})
	if err != nil {
		b.Fatal(err)
	}
	result, err := task.Call(ctx, messages.CallRequest{Method: "Runtime.evaluate", Params: params})
	if err != nil {
		b.Fatal(err)
	}
	var reply struct{ Result struct{ Value float64 } }
	if err := json.Unmarshal(result.Result, &reply); err != nil || reply.Result.Value < 0 {
		b.Fatalf("the page got %s (%v)", result.Result, err)
	}
	return reply.Result.Value
}
