package compare

import (
	"bytes"
	"strings"
	"testing"

	"cdpsupervisor/bench/measure"
)

func TestSpread(t *testing.T) {
	tests := map[string]struct {
		in   []float64
		want Spread
	}{
		"none": {nil, Spread{}},
		"one":  {[]float64{3}, Spread{3, 3, 3, 1}},
		"odd":  {[]float64{9, 1, 4}, Spread{4, 1, 9, 3}},
		"even": {[]float64{4, 1, 2, 9}, Spread{3, 1, 9, 4}},
	}
	for name, tt := range tests {
		if got := SpreadOf(tt.in); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// sample has figures whose ratios are plain.
func sample() *Report {
	shape := func(name string, of map[string]float64) *ShapeReport {
		s := &ShapeReport{Name: name, About: "about <" + name + ">", Events: 1_000_000, Tasks: 1}
		for _, client := range []string{Raw, Engine, Chromedp} {
			if cpu := of[client]; cpu > 0 {
				run := func(factor float64) measure.Result {
					return measure.Result{CPU: cpu * factor, Wall: 1, Allocs: 500_000, RSS: 2048}
				}
				s.Outcomes = append(s.Outcomes, Outcome{Client: client, Runs: []measure.Result{run(1), run(3), run(2)}})
			}
		}
		return s
	}
	r := &Report{
		Machine: "m", Go: "go", Rounds: 3, Clients: []Client{{Name: Engine, About: "ours"}},
		Shapes: []*ShapeReport{
			shape(Burst, map[string]float64{Raw: 1, Engine: 4}),
			shape(OneProcess, map[string]float64{Raw: 1, Engine: 4, Chromedp: 20}),
			shape(Churn, map[string]float64{Engine: 1}),
			shape(Frames1000, map[string]float64{Engine: 1}),
			shape(Frames10000, map[string]float64{Engine: 3}),
		},
	}
	r.Rate()
	return r
}

func TestRatiosAreOfOneRound(t *testing.T) {
	r := sample()
	want := map[string]float64{
		"engine ÷ read loop, CPU per event":          4,
		"chromedp ÷ engine, CPU per event":           5,
		"allocations per event, engine, frame churn": 0.5,
		"CPU per event at 10 000 frames ÷ at 1 000":  3,
	}
	for _, ratio := range r.Ratios {
		if v, ok := want[ratio.Name]; ok {
			delete(want, ratio.Name)
			// The rounds differ by a factor of three, their ratios do not.
			if ratio.Value.Median != v || ratio.Value.Min != v || ratio.Value.Max != v {
				t.Errorf("%s is %+v, want %g", ratio.Name, ratio.Value, v)
			}
		} else if ratio.Measured() {
			t.Errorf("%s was not run and is %+v", ratio.Name, ratio.Value)
		}
	}
	if len(want) > 0 {
		t.Errorf("not rated: %v", want)
	}
}

func TestCheckSaysWhatFallsShort(t *testing.T) {
	var out bytes.Buffer
	if short := sample().Check(&out); short != 2 {
		t.Errorf("%d fall short, want 2", short)
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		short := strings.Contains(line, "FALLS SHORT")
		if want := strings.HasPrefix(line, "chromedp") || strings.HasPrefix(line, "CPU per event at 10 000"); short != want {
			t.Errorf("%q", line)
		}
	}
}

func TestTheReportsHoldWhatWasMeasured(t *testing.T) {
	r := sample()
	r.Shapes[0].Outcomes[0].Errors = []string{"it <failed>"}
	var table bytes.Buffer
	r.Table(&table)
	page, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{Raw, Engine, Chromedp, Burst, OneProcess} {
		if !strings.Contains(table.String(), text) || !bytes.Contains(page, []byte(text)) {
			t.Errorf("%q is missing", text)
		}
	}
	for _, bad := range []string{"http://", "https://", "<script", "src=", "it <failed>", "about <"} {
		if bytes.Contains(page, []byte(bad)) {
			t.Errorf("the page has %q in it", bad)
		}
	}
	if !bytes.Contains(page, []byte("<svg")) || !bytes.Contains(page, []byte("falls short")) {
		t.Error("the page has no plot or no verdict")
	}
}
