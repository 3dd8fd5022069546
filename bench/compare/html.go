package compare

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
)

//go:embed report.tmpl.html
var page string

// section is one shape on the page.
type section struct {
	*ShapeReport
	Charts []chart
	Failed []string
}

type chart struct {
	Title string
	Image template.HTML
}

// HTML is the report as one page that needs nothing else.
func (r *Report) HTML() ([]byte, error) {
	t, err := template.New("report").Funcs(template.FuncMap{"number": number}).Parse(page)
	if err != nil {
		return nil, fmt.Errorf("the page of the report: %w", err)
	}
	data := struct {
		*Report
		Growth   []chart
		Sections []section
	}{Report: r, Growth: r.growth()}
	for _, s := range r.Shapes {
		data.Sections = append(data.Sections, r.section(s))
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("the page of the report: %w", err)
	}
	return out.Bytes(), nil
}

func (r *Report) section(s *ShapeReport) section {
	sec := section{ShapeReport: s}
	for _, o := range s.Outcomes {
		if len(o.Errors) > 0 {
			sec.Failed = append(sec.Failed, o.Client+": "+lastOf(o.Errors))
		}
	}
	if s.Memory {
		sec.Charts = []chart{
			{"memory per task that does nothing", s.bars(Noted("rss_per_task_kb"), "KiB", false)},
			{"after a burst", s.bars(Noted("rss_after_burst_kb"), "KiB", false)},
		}
		return sec
	}
	sec.Charts = []chart{
		{"CPU per event", s.bars(CPUPerEvent, "µs", true)},
		{"allocations per event", s.bars(AllocsPerEvent, "", false)},
		{"largest memory of the process", s.bars(PeakRSS, "MiB", false)},
	}
	if d := s.bars(Noted("dialog_median_us"), "µs", false); d != "" {
		sec.Charts = append(sec.Charts, chart{"dialog: from read to published, median", d})
	}
	return sec
}

// bars draws a metric of all clients, cheapest first as the clients are listed.
func (s *ShapeReport) bars(m Metric, unit string, relative bool) template.HTML {
	var list []bar
	for _, o := range s.Outcomes {
		v := s.Of(o.Client, m)
		if v.N == 0 {
			continue
		}
		b := bar{Label: o.Client, Value: v, Ours: o.Client == Engine}
		if q := over(s, o.Client, s, Engine, m); relative && q.N > 0 && !b.Ours {
			b.Note = fmt.Sprintf(" (%s ×)", number(q.Median))
		}
		list = append(list, b)
	}
	return bars(list, unit)
}

// growth draws how the cost of an event grows.
func (r *Report) growth() []chart {
	along := func(what string, names map[float64]string, order []float64) chart {
		list := []curve{{Label: Engine, Ours: true}, {Label: Raw}}
		for i := range list {
			for _, x := range order {
				s := r.Shape(names[x])
				if s == nil {
					continue
				}
				if v := s.Of(list[i].Label, CPUPerEvent); v.N > 0 {
					list[i].Points = append(list[i].Points, point{x, v})
				}
			}
		}
		var drawn []curve
		for _, c := range list {
			if len(c.Points) > 1 {
				drawn = append(drawn, c)
			}
		}
		return chart{"µs of CPU per event, by " + what, curves(drawn, what)}
	}
	return []chart{
		along("frames on the page", map[float64]string{100: "100 frames", 1_000: Frames1000, 3_000: "3 000 frames", 10_000: Frames10000}, []float64{100, 1_000, 3_000, 10_000}),
		along("sessions (remote frames) on the page", map[float64]string{10: "10 sessions", 100: "100 sessions", 500: "500 sessions", 1_500: "1 500 sessions"}, []float64{10, 100, 500, 1_500}),
		along("tasks in a burst at once", map[float64]string{1: "1 task", 10: "10 tasks", 50: "50 tasks"}, []float64{1, 10, 50}),
	}
}
