package replay_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"cdpsupervisor/backends"
	"cdpsupervisor/simulations/replay"
)

// tab is a tab of a real browser that notes everything that goes wrong in it.
func tab(t *testing.T) (ctx context.Context, wrong func() []string) {
	t.Helper()
	if _, err := backends.FindChromium(""); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	local := backends.NewLocal(backends.Options{Headless: true, Isolated: true})
	lease, err := local.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := lease.Close(end); err != nil {
			t.Error(err)
		}
	})
	var mu sync.Mutex
	var list []string
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, fmt.Sprintf(format, args...))
	}
	late, cancelLate := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancelLate)
	allocator, cancel := remote.NewAllocator(late, lease.Endpoint.Reveal())
	t.Cleanup(cancel)
	ctx, cancelTab := chromedp.NewContext(allocator, chromedp.WithListener(func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			note("exception: %s", e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			note("console.%s", e.Type)
		case *page.EventJavascriptDialogOpening:
			note("a dialog: %s", e.Message)
		}
	}))
	t.Cleanup(cancelTab)
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return list
	}
}

// show writes a report and loads it.
func show(t *testing.T, ctx context.Context, r *replay.Result, name string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.WriteReport(out, name); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	at := url.URL{Scheme: "file", Path: path}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1300, 900), chromedp.Navigate(at.String())); err != nil {
		t.Fatal(err)
	}
	if ready := see[string](t, ctx, "document.body.dataset.ready || ''"); ready != "yes" {
		t.Fatal("the page's script did not come to its end")
	}
}

// see evaluates an expression in the page.
func see[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// TestReportInABrowser loads reports in a real browser and looks at what they
// draw.
func TestReportInABrowser(t *testing.T) {
	ctx, wrong := tab(t)
	r := run(t, replay.Options{Path: own("adheavy-small"), Frames: true})
	show(t, ctx, r, "adheavy-small")
	for selector, want := range map[string]int{
		"#frames rect.span": len(r.Spans), "#sessions rect.span": len(r.Attached), "#dialogs rect.span": 0,
		"#rates rect.rate": len(r.Seconds), "#rates circle": len(r.Console), "#methods tr": len(r.Stats.ByMethod),
	} {
		if got := see[int](t, ctx, fmt.Sprintf("document.querySelectorAll(%q).length", selector)); got != want || want == 0 && selector != "#dialogs rect.span" {
			t.Errorf("%s: %d, want %d", selector, got, want)
		}
	}
	if got := see[string](t, ctx, "document.querySelector('#frames rect.span').getAttribute('fill')"); got != "var(--page)" {
		t.Errorf("the first frame is drawn in %s", got)
	}
	// All that is drawn is within its picture.
	if got := see[int](t, ctx, `[...document.querySelectorAll('svg')].flatMap(s => [...s.querySelectorAll('rect.span, rect.rate')].filter(r => {
		const a = r.getBoundingClientRect(), b = s.getBoundingClientRect();
		return a.left < b.left || a.right > b.right + 1 || a.top < b.top || a.bottom > b.bottom + 1;
	})).length`); got != 0 {
		t.Errorf("%d bars are outside of their picture", got)
	}
	zoom(t, ctx)
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil || len(picture) < 10_000 {
		t.Errorf("a picture of %d bytes: %v", len(picture), err)
	}
	if list := wrong(); len(list) > 0 {
		t.Errorf("went wrong: %q", list)
	}
}

// zoom drags over the bars and goes back.
func zoom(t *testing.T, ctx context.Context) {
	t.Helper()
	before := see[int](t, ctx, "document.querySelectorAll('#rates rect.rate').length")
	box := see[[]float64](t, ctx, "(() => { const b = document.getElementById('rates').getBoundingClientRect(); return [b.left, b.top, b.width, b.height] })()")
	y := box[1] + box[3]/2
	drag := func(kind input.DispatchMouseEventType, x float64) chromedp.Action[chromedp.Void] {
		return chromedp.MouseEvent(kind, x, y, chromedp.ButtonLeft)
	}
	if err := chromedp.Do(ctx,
		drag(input.DispatchMouseEventTypeMousePressed, box[0]+box[2]*0.5), drag(input.DispatchMouseEventTypeMouseMoved, box[0]+box[2]*0.6), drag(input.DispatchMouseEventTypeMouseReleased, box[0]+box[2]*0.7),
	); err != nil {
		t.Fatal(err)
	}
	if inside := see[int](t, ctx, "document.querySelectorAll('#rates rect.rate').length"); inside == 0 || inside >= before {
		t.Errorf("%d bars before, %d in the part", before, inside)
	}
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS("#whole"))); err != nil {
		t.Fatal(err)
	}
	if after := see[int](t, ctx, "document.querySelectorAll('#rates rect.rate').length"); after != before {
		t.Errorf("%d bars before, %d after", before, after)
	}
}

// TestReportIsNotMarkup: what a page wrote is shown and does nothing.
func TestReportIsNotMarkup(t *testing.T) {
	ctx, wrong := tab(t)
	const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>`
	lines := "0 < " + attached + "\n0.1 < " + navigated + "\n1 < " + opening("confirm", evil) + "\n2 < " + closed(true) + "\n3 < " + opening("prompt", "open")
	lines += "\n4 < " + `{"method":"Runtime.exceptionThrown","params":{"timestamp":1650000000000,"exceptionDetails":{"exceptionId":1,"text":"Uncaught","lineNumber":0,"columnNumber":0,"url":"javascript:alert(3)","exception":{"type":"object","description":"` + evil + `"}}},"sessionId":"S"}`
	r := run(t, replay.Options{Path: script(t, lines), Frames: true})
	if len(r.Console) != 1 || len(r.Dialogs) != 2 {
		t.Fatalf("%d errors, %d dialogs", len(r.Console), len(r.Dialogs))
	}
	show(t, ctx, r, evil)
	if text := see[string](t, ctx, "document.body.innerText"); strings.Count(text, "<img src=x onerror=alert(2)>") < 2 {
		t.Errorf("the page's text is not shown as it is: %s", text)
	}
	if got := see[int](t, ctx, "document.querySelectorAll('img, script:not([type]) ~ script').length"); got != 0 {
		t.Errorf("%d elements that nobody put there", got)
	}
	if got := see[[]string](t, ctx, "[...document.querySelectorAll('#dialogs rect.span')].map(r => r.getAttribute('fill'))"); strings.Join(got, " ") != "var(--remote) var(--open)" {
		t.Errorf("dialogs are drawn in %q", got)
	}
	if list := wrong(); len(list) > 0 {
		t.Errorf("went wrong: %q", list)
	}
}
