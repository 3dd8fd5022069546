package compare

import (
	"fmt"
	"io"
)

// Names of clients and shapes that the bounds speak of.
const (
	Raw        = "read loop"
	Engine     = "engine"
	Map        = "gorilla + map"
	Conns      = "net.Conn + goroutine"
	Chromedp   = "chromedp"
	Rod        = "rod"
	Puppeteer  = "Puppeteer"
	Playwright = "Playwright"
	CRI        = "chrome-remote-interface"
	Python     = "Python websockets"

	Burst       = "ad-heavy burst"
	BurstLarge  = "ad-heavy burst, large pieces"
	OneProcess  = "one process, large pieces"
	Small       = "ad-heavy small"
	Generated   = "generated mix"
	Flood       = "console flood"
	FloodFull   = "console flood, full speed"
	Quiet       = "quiet dialogs"
	Churn       = "frame churn"
	Frames1000  = "1 000 frames"
	Frames10000 = "10 000 frames"
	Trickle     = "trickle"
	Idle        = "idle tasks"
	Slow        = "slow consumer"
	Foreign     = "foreign log"
)

// Ratio is one figure with its bounds.
type Ratio struct {
	Name  string  `json:"name"`
	Value Spread  `json:"value"`
	Bound float64 `json:"bound"`
	Aim   float64 `json:"aim"`
	// AtLeast says that more is better.
	AtLeast bool `json:"at_least,omitempty"`
}

// Measured reports whether there is a figure at all.
func (r Ratio) Measured() bool { return r.Value.N > 0 }

// Holds reports whether the median keeps to the bound.
func (r Ratio) Holds() bool {
	if r.AtLeast {
		return r.Value.Median >= r.Bound
	}
	return r.Value.Median <= r.Bound
}

// Reaches reports whether the median is where one wants it.
func (r Ratio) Reaches() bool {
	if r.AtLeast {
		return r.Value.Median >= r.Aim
	}
	return r.Value.Median <= r.Aim
}

// Rate computes the figures that have bounds.
func (r *Report) Rate() {
	burst, large, churn, idle := r.Shape(Burst), r.Shape(BurstLarge), r.Shape(Churn), r.Shape(Idle)
	// In large pieces, so that what every client pays to the kernel, and what the
	// feed cannot keep up with, hides no difference. Chromedp attaches to no
	// remote frame by itself: it is measured on the page that it can follow.
	peer := func(name string, on *ShapeReport, bound, aim float64) Ratio {
		return Ratio{name + " ÷ engine, CPU per event", over(on, name, on, Engine, CPUPerEvent), bound, aim, true}
	}
	whole := r.Shape(OneProcess)
	r.Ratios = []Ratio{
		{"engine ÷ read loop, CPU per event", over(burst, Engine, burst, Raw, CPUPerEvent), 6, 3, false},
		{"the same, when a read brings as much as fits", over(large, Engine, large, Raw, CPUPerEvent), 6, 3, false},
		peer(Chromedp, whole, 6, 12), peer(Rod, large, 15, 35), peer(Puppeteer, large, 15, 35),
		peer(Playwright, large, 20, 45), peer(Python, large, 8, 16),
		{"allocations per event, engine, frame churn", churn.Of(Engine, AllocsPerEvent), 2, 0.5, false},
		{"trickle: engine ÷ read loop, CPU per event", over(r.Shape(Trickle), Engine, r.Shape(Trickle), Raw, CPUPerEvent), 2, 1.3, false},
		{"idle task ÷ net.Conn + goroutine, RSS", over(idle, Engine, idle, Conns, Noted("rss_per_task_kb")), 3.5, 2, false},
		{"the same after a burst", over(idle, Engine, idle, Conns, Noted("rss_after_burst_kb")), 3.5, 2, false},
		{"CPU per event at 10 000 frames ÷ at 1 000", over(r.Shape(Frames10000), Engine, r.Shape(Frames1000), Engine, CPUPerEvent), 2, 1.2, false},
		{"dialog, read to published: console flood ÷ quiet", over(r.Shape(Flood), Engine, r.Shape(Quiet), Engine, Noted("dialog_median_us")), 5, 2, false},
	}
}

// Check prints what falls short of its bound, and returns how many do.
func (r *Report) Check(w io.Writer) (short int) {
	for _, ratio := range r.Ratios {
		verdict := "ok"
		switch {
		case !ratio.Measured():
			verdict = "not measured"
		case !ratio.Holds():
			verdict = "FALLS SHORT"
			short++
		case ratio.Reaches():
			verdict = "ok, and as aimed"
		}
		sign := "≤"
		if ratio.AtLeast {
			sign = "≥"
		}
		_, _ = fmt.Fprintf(w, "%-50s %8.2f  (%.2f to %.2f)  bound %s %g, aim %g: %s\n", ratio.Name,
			ratio.Value.Median, ratio.Value.Min, ratio.Value.Max, sign, ratio.Bound, ratio.Aim, verdict)
	}
	return short
}
