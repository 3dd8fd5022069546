package bench

import (
	"context"
	"encoding/json"
	"fmt"
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
				took = append(took, confirmOnce(ctx, b, task))
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "ms/median")
			b.ReportMetric(took[len(took)*98/100], "ms/p98")
		})
	}
}

// confirmOnce asks once and returns how long the page waited, in milliseconds.
func confirmOnce(ctx context.Context, b *testing.B, task *registry.Task) float64 {
	b.Helper()
	const ask = `(() => { const t = performance.now(); const ok = confirm("m"); return ok ? performance.now() - t : -1 })()`
	result, err := task.Call(ctx, messages.CallRequest{
		Method: "Runtime.evaluate", Params: fmt.Appendf(nil, `{"expression":%q,"returnByValue":true}`, ask),
	})
	if err != nil {
		b.Fatal(err)
	}
	var reply struct{ Result struct{ Value float64 } }
	if err := json.Unmarshal(result.Result, &reply); err != nil || reply.Result.Value < 0 {
		b.Fatalf("the page got %s (%v)", result.Result, err)
	}
	return reply.Result.Value
}
